use crate::agent::{Agent, AgentHabits};
use crate::arbiter::Arbiter;
use crate::checker::{Checker, Sample};
use crate::host_target::{HostTarget, Serving};
use crate::initiator::Initiator;
use crate::pins::{same_drive, same_lines, Pins};
use crate::reset::Reset;
use crate::tracker::{BoxedListener, Tracker};
use crate::{
    AgentId, BusCounters, Completion, Delivery, GrantFaults, HostMemory, Incident, Listener, MasterHabits,
    Misbehaviour, Settings, SettingsError, Transaction, TransactionId, Violation,
};
use sim_pins::{Conflict, PciControl, PciDrive, PciLines, PciPin, Ps};

/// The level of INTA# and since when it stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InterruptLine {
    /// INTA# is low.
    pub asserted: bool,
    /// The edge at which the level was first seen.
    pub since: Ps,
}

/// So many clocks without any change, and every counter that runs on a resting bus has run out.
const REST_CLOCKS: u32 = 20;

/// Everything on the bus except the NIC.
pub struct Bus {
    settings: Settings,
    bridge: Agent,
    habits: AgentHabits,
    initiator: Initiator,
    host: HostTarget,
    arbiter: Arbiter,
    reset: Reset,
    tracker: Tracker,
    checker: Checker,
    listener: Option<BoxedListener>,
    incidents: Vec<Incident>,
    interrupt: InterruptLine,
    /// All that the platform drives: the bridge, the arbiter, the central resource.
    drive: PciDrive,
    bridge_asks: bool,
    serr_was_low: bool,

    // A bus at rest is recognised by the NIC's drive alone.
    resting: bool,
    rest_clocks: u32,
    last_nic: PciDrive,
    last_lines: PciLines,
}

impl Bus {
    /// A bus whose RST# has just fallen.
    pub fn new(settings: Settings) -> Result<Bus, SettingsError> {
        settings.check()?;
        let mut bus = Bus {
            bridge: Agent::new(),
            habits: AgentHabits {
                master: MasterHabits { latency_timer_clocks: settings.latency_timer_clocks, ..MasterHabits::default() },
                reports_parity: settings.reports_parity,
            },
            initiator: Initiator::new(&settings),
            host: HostTarget::default(),
            arbiter: Arbiter::new(settings.parking),
            reset: Reset::new(settings.reset_clocks, settings.recovery_clocks),
            tracker: Tracker::default(),
            checker: Checker::new(&settings),
            listener: None,
            incidents: Vec::new(),
            interrupt: InterruptLine { asserted: false, since: Ps::ZERO },
            drive: PciDrive::NONE,
            bridge_asks: false,
            serr_was_low: false,
            resting: false,
            rest_clocks: 0,
            last_nic: PciDrive::NONE,
            last_lines: PciLines::IDLE,
            settings,
        };
        bus.drive = bus.compose();
        Ok(bus)
    }

    /// One rising edge of the PCI clock: resolves what the NIC and the platform drove since the
    /// last edge, advances the platform by one clock, and returns the lines that the NIC samples at
    /// this edge.
    #[inline]
    pub fn rising_edge(&mut self, at: Ps, nic: &PciDrive, memory: &mut dyn HostMemory) -> PciLines {
        self.tracker.counters.clocks += 1;
        if self.resting && same_drive(nic, &self.last_nic) {
            return self.last_lines;
        }
        self.clock(at, nic, memory)
    }

    #[inline(never)]
    fn clock(&mut self, at: Ps, nic: &PciDrive, memory: &mut dyn HostMemory) -> PciLines {
        let (lines, conflict) = self.drive.resolve(nic);
        let nic_drives_frame = nic.enables.get(PciPin::Frame);
        let sample = self.sample(at, nic, lines, conflict);
        self.checker.advance(&sample);
        self.watch_side_lines(at, &lines);
        if self.reset.is_low() {
            self.reset.advance();
            self.resting = false;
            self.rest_clocks = 0;
        } else {
            self.tracker.advance(at, &lines, nic_drives_frame, &mut self.listener);
            self.advance(at, &lines, nic_drives_frame, memory);
            self.reset.advance();
            self.judge_rest(nic, &lines);
        }
        self.drive = self.compose();
        self.last_nic = *nic;
        self.last_lines = lines;
        lines
    }

    fn advance(&mut self, at: Ps, lines: &PciLines, nic_drives_frame: bool, memory: &mut dyn HostMemory) {
        let granted = self.arbiter.grant() == Some(AgentId::Bridge);
        self.initiator.take_in(at, &self.settings);
        if self.reset.is_over() {
            self.initiator.feed(&mut self.bridge.master, &self.settings);
        }
        let mut serving = Serving {
            at,
            host: &mut self.host,
            memory,
            writes: &self.initiator.writes,
            settings: &self.settings,
            incidents: &mut self.incidents,
        };
        let report = self.bridge.advance(lines, granted, &self.habits, &mut serving);
        if report.bad_data_read || report.bad_data_sent {
            self.initiator.note_bad_parity();
        }
        if report.bad_data_taken {
            self.incidents.push(Incident::BadWriteParity { at });
        }
        if report.bad_address {
            self.incidents.push(Incident::BadAddressParity { at });
        }
        self.initiator.settle(at, &mut self.incidents);
        if let Some(ended) = report.ended {
            self.initiator.ended(at, ended, &self.bridge.master, &self.settings, &mut self.incidents);
        }
        if self.reset.is_over() {
            self.arbiter.advance(lines, self.bridge_asks, nic_drives_frame);
        }
        self.bridge_asks = self.bridge.master.wants_bus();
    }

    fn compose(&self) -> PciDrive {
        let mut drive = *self.bridge.drive();
        let mut pins = Pins::FLOAT;
        self.reset.put(&mut pins, self.settings.bus_64_bit);
        if !self.reset.is_low() {
            pins.drive(PciPin::Gnt, self.arbiter.grant() != Some(AgentId::Nic));
            pins.drive(PciPin::Idsel, self.bridge.master.selects());
        }
        let platform = pins.finish();
        let mask = platform.enables.bits();
        drive.enables = PciControl::from_bits(drive.enables.bits() | mask);
        let levels = (drive.levels.control.bits() & !mask) | (platform.levels.control.bits() & mask);
        drive.levels.control = PciControl::from_bits(levels);
        drive
    }

    #[inline]
    fn sample(&self, at: Ps, nic: &PciDrive, lines: PciLines, conflict: Option<Conflict>) -> Sample {
        Sample {
            at,
            lines,
            conflict,
            bridge: self.drive,
            nic: *nic,
            bridge_granted: self.arbiter.grant() == Some(AgentId::Bridge),
            bridge_asks: self.bridge_asks,
            spoilt: self.bridge.spoils_now(),
        }
    }

    /// What the checker will see at the next edge, for tests that hand it something else.
    #[cfg(test)]
    pub(crate) fn next_sample(&self, at: Ps, nic: &PciDrive) -> Sample {
        let (lines, conflict) = self.drive.resolve(nic);
        self.sample(at, nic, lines, conflict)
    }

    fn watch_side_lines(&mut self, at: Ps, lines: &PciLines) {
        let asserted = lines.low(PciPin::Inta);
        if asserted != self.interrupt.asserted {
            self.interrupt = InterruptLine { asserted, since: at };
            if let Some(listener) = &mut self.listener {
                listener.interrupt(at, asserted);
            }
        }
        let serr_low = lines.low(PciPin::Serr);
        if serr_low && !self.serr_was_low {
            self.incidents.push(Incident::SystemError { at });
        }
        self.serr_was_low = serr_low;
    }

    fn judge_rest(&mut self, nic: &PciDrive, lines: &PciLines) {
        let unchanged = same_drive(nic, &self.last_nic) && same_lines(lines, &self.last_lines);
        let quiet = lines.high(PciPin::Frame) && lines.high(PciPin::Irdy) && lines.high(PciPin::Req);
        if unchanged && quiet && self.reset.is_over() && self.initiator.is_idle() && self.bridge.is_settled() {
            self.rest_clocks += 1;
        } else {
            self.rest_clocks = 0;
        }
        self.resting = self.rest_clocks >= REST_CLOCKS;
    }

    fn wake(&mut self) {
        self.resting = false;
        self.rest_clocks = 0;
    }

    /// Hands a CPU access to the bridge. It is taken up at the next edge.
    pub fn submit(&mut self, transaction: Transaction) -> TransactionId {
        self.wake();
        self.initiator.submit(transaction)
    }

    /// The oldest completion that was not taken yet; `None` if there is none.
    pub fn next_completion(&mut self) -> Option<Completion> {
        self.initiator.next_completion()
    }

    /// The oldest posted write that has reached the bus and was not taken yet
    /// ([`Settings::reports_deliveries`]).
    pub fn next_delivery(&mut self) -> Option<Delivery> {
        self.initiator.deliveries.next()
    }

    /// True when no CPU access is on its way, posted writes included.
    pub fn is_idle(&self) -> bool {
        self.initiator.is_idle()
    }

    /// INTA# of the NIC, as of the last edge.
    pub fn interrupt(&self) -> InterruptLine {
        self.interrupt
    }

    /// Pulls RST# low for `clocks`, 10 or more. What is not complete fails with
    /// [`BusError::Reset`](crate::BusError::Reset).
    pub fn start_reset(&mut self, at: Ps, clocks: u32) {
        assert!(clocks >= 10, "REQ64# must stand 10 clocks before RST# rises");
        self.wake();
        self.reset.begin(clocks);
        self.initiator.reset(at);
        self.bridge.reset();
        self.host.reset();
        self.arbiter.reset();
        self.tracker.reset(at, &mut self.listener);
        self.bridge_asks = false;
        self.drive = self.compose();
    }

    /// What the platform drives since the last edge, for waves and diagrams.
    pub fn drive(&self) -> &PciDrive {
        &self.drive
    }

    /// True once RST# is high and the bridge may use the bus.
    pub fn is_out_of_reset(&self) -> bool {
        self.reset.is_over()
    }

    /// What the bridge does to the NIC's transactions.
    pub fn misbehaviour(&mut self) -> &mut Misbehaviour {
        &mut self.host.misbehaviour
    }

    /// How the bridge behaves as a master.
    pub fn master_habits(&mut self) -> &mut MasterHabits {
        self.wake();
        &mut self.habits.master
    }

    /// What the arbiter does to the NIC.
    pub fn grant_faults(&mut self) -> &mut GrantFaults {
        self.wake();
        &mut self.arbiter.faults
    }

    /// Installs a listener, and returns the one before.
    pub fn set_listener(&mut self, listener: Option<Box<dyn Listener + Send>>) -> Option<Box<dyn Listener + Send>> {
        std::mem::replace(&mut self.listener, listener)
    }

    /// The violations found so far (at most the first thousand).
    pub fn violations(&self) -> &[Violation] {
        self.checker.violations()
    }

    /// Takes the violations found since the last call.
    pub fn take_violations(&mut self) -> Vec<Violation> {
        self.checker.take_violations()
    }

    /// Takes what happened beside the transactions of CPUs since the last call.
    pub fn take_incidents(&mut self) -> Vec<Incident> {
        std::mem::take(&mut self.incidents)
    }

    /// What the bus has carried so far.
    pub fn counters(&self) -> &BusCounters {
        &self.tracker.counters
    }

    /// CPU accesses submitted since the beginning; each has one completion.
    pub fn submitted_count(&self) -> u64 {
        self.initiator.submitted_count()
    }

    /// The settings of the bus.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }
}

#[cfg(test)]
mod tests {
    use super::Bus;

    #[test]
    fn a_bus_may_move_to_the_thread_of_its_node() {
        fn needs_send<T: Send>() {}
        needs_send::<Bus>();
    }
}
