//! Follows the transactions on the bus from its lines alone, counts their outcomes and tells the
//! listener.

use crate::pins::bus_idle;
use crate::{AgentId, Beat, BusAddr, BusSerial, Command, End, Listener, Outcome, Start};
use sim_pins::{PciLines, PciPin, Ps};

/// What one master did. `started` is the sum of the outcomes, plus one while a transaction runs.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct MasterCounters {
    /// Transactions that were started; a retried transaction counts each time.
    pub started: u64,
    outcomes: [u64; Outcome::ALL.len()],
    /// Data phases that moved data.
    pub beats: u64,
    /// Data phases that moved 64 bits.
    pub wide_beats: u64,
}

impl MasterCounters {
    /// Transactions that ended in this way.
    pub fn outcome(&self, outcome: Outcome) -> u64 {
        self.outcomes[outcome as usize]
    }

    /// Transactions that have ended, in any way.
    pub fn ended(&self) -> u64 {
        self.outcomes.iter().sum()
    }
}

/// Counts since the beginning.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct BusCounters {
    /// Clock edges of the bus.
    pub clocks: u64,
    masters: [MasterCounters; 2],
}

impl BusCounters {
    /// The counters of the transactions that one agent started.
    pub fn master(&self, agent: AgentId) -> &MasterCounters {
        &self.masters[agent as usize]
    }
}

#[derive(Clone, Copy, Debug)]
struct Running {
    start: Start,
    address: BusAddr,
    wide: bool,
    beats: u32,
    stop_seen: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Tracker {
    running: Option<Running>,
    frame_was_low: bool,
    serial: u64,
    pub counters: BusCounters,
}

pub(crate) type BoxedListener = Box<dyn Listener + Send>;

impl Tracker {
    pub fn advance(&mut self, at: Ps, lines: &PciLines, nic_drives_frame: bool, listener: &mut Option<BoxedListener>) {
        let frame_low = lines.low(PciPin::Frame);
        let fell = frame_low && !self.frame_was_low;
        self.frame_was_low = frame_low;
        let Some(running) = &mut self.running else {
            if fell {
                self.begin(at, lines, nic_drives_frame, listener);
            }
            return;
        };
        let (trdy, stop) = (lines.low(PciPin::Trdy), lines.low(PciPin::Stop));
        let irdy = lines.low(PciPin::Irdy);
        if irdy && trdy {
            Tracker::beat(&mut self.counters, running, at, lines, listener);
        }
        if irdy && !frame_low && (trdy || stop) {
            let outcome = match (stop, trdy) {
                (true, false) if lines.high(PciPin::Devsel) => Outcome::TargetAbort,
                (true, false) if running.beats == 0 => Outcome::Retry,
                (true, false) => Outcome::Disconnect,
                (true, true) if running.stop_seen => Outcome::Disconnect,
                _ => Outcome::Completed,
            };
            self.end(at, outcome, listener);
        } else if bus_idle(lines) {
            self.end(at, Outcome::MasterAbort, listener);
        } else {
            running.stop_seen |= stop;
        }
    }

    fn begin(&mut self, at: Ps, lines: &PciLines, nic_drives_frame: bool, listener: &mut Option<BoxedListener>) {
        self.serial += 1;
        let start = Start {
            serial: BusSerial(self.serial),
            master: if nic_drives_frame { AgentId::Nic } else { AgentId::Bridge },
            command: Command::decode(lines.cbe_n),
            address: BusAddr(lines.ad as u32),
            asked_64: lines.low(PciPin::Req64),
        };
        self.counters.masters[start.master as usize].started += 1;
        self.running = Some(Running { start, address: start.address.dword(), wide: false, beats: 0, stop_seen: false });
        if let Some(listener) = listener {
            listener.start(at, &start);
        }
    }

    fn beat(
        counters: &mut BusCounters,
        running: &mut Running,
        at: Ps,
        lines: &PciLines,
        listener: &mut Option<BoxedListener>,
    ) {
        if running.beats == 0 && running.start.asked_64 && lines.low(PciPin::Ack64) {
            running.wide = true;
            running.address = BusAddr(running.address.0 & !7);
        }
        let wide = running.wide;
        let master = &mut counters.masters[running.start.master as usize];
        master.beats += 1;
        master.wide_beats += u64::from(wide);
        if let Some(listener) = listener {
            let beat = Beat {
                serial: running.start.serial,
                address: running.address,
                data: if wide { lines.ad } else { u64::from(lines.ad as u32) },
                byte_enables: if wide { !lines.cbe_n } else { !lines.cbe_n & 0xF },
                wide,
            };
            if running.beats == 0 {
                listener.first_data(at, &beat);
            }
            listener.beat(at, &beat);
        }
        running.beats += 1;
        running.address = running.address + if wide { 8 } else { 4 };
    }

    fn end(&mut self, at: Ps, outcome: Outcome, listener: &mut Option<BoxedListener>) {
        let Some(running) = self.running.take() else {
            return;
        };
        self.counters.masters[running.start.master as usize].outcomes[outcome as usize] += 1;
        if let Some(listener) = listener {
            listener.end(at, &End { serial: running.start.serial, outcome, beats: running.beats });
        }
    }

    /// RST#.
    pub fn reset(&mut self, at: Ps, listener: &mut Option<BoxedListener>) {
        self.end(at, Outcome::Reset, listener);
        self.frame_was_low = false;
    }
}
