//! The protocol checker: watches what both agents drive, and knows nothing of how they decide.
//!
//! [`Checker::advance`] follows the transactions and hands the edge, the edge before it and the transaction to the rules, which live in
//! one module for each thing they watch.

mod arbitration;
mod data;
mod drivers;
mod master;
mod rule;
mod target;
#[cfg(test)]
mod tests;
mod wide;

pub use rule::{Rule, Violation};

use crate::pins::bus_idle;
use crate::{AgentId, Command, Settings};
use sim_pins::{Conflict, PciDrive, PciLines, PciPin, Ps};

/// The bus at one edge: the lines, and who drove them since the edge before.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    pub at: Ps,
    pub lines: PciLines,
    pub conflict: Option<Conflict>,
    pub bridge: PciDrive,
    pub nic: PciDrive,
    /// The bridge's own GNT# and REQ#, which are inside the chipset.
    pub bridge_granted: bool,
    pub bridge_asks: bool,
    /// The bridge made PAR wrong on purpose in this clock.
    pub spoilt: bool,
}

impl Sample {
    fn low(&self, pin: PciPin) -> bool {
        self.lines.low(pin)
    }

    fn high(&self, pin: PciPin) -> bool {
        self.lines.high(pin)
    }

    fn idle(&self) -> bool {
        bus_idle(&self.lines)
    }

    fn drive(&self, agent: AgentId) -> &PciDrive {
        match agent {
            AgentId::Bridge => &self.bridge,
            AgentId::Nic => &self.nic,
        }
    }

    fn granted(&self, agent: AgentId) -> bool {
        match agent {
            AgentId::Bridge => self.bridge_granted,
            AgentId::Nic => self.low(PciPin::Gnt),
        }
    }

    fn asks(&self, agent: AgentId) -> bool {
        match agent {
            AgentId::Bridge => self.bridge_asks,
            AgentId::Nic => self.low(PciPin::Req),
        }
    }

    /// A data phase completes at this edge.
    fn completes(&self) -> bool {
        self.low(PciPin::Irdy) && (self.low(PciPin::Trdy) || self.low(PciPin::Stop))
    }

    /// The last data phase completes at this edge.
    fn completes_last(&self) -> bool {
        self.completes() && self.high(PciPin::Frame)
    }
}

/// What has been seen of the running transaction before the edge under judgement; `clocks` count up to it.
#[derive(Clone, Copy, Debug)]
struct Transaction {
    master: AgentId,
    command: Option<Command>,
    is_read: bool,
    asked_64: bool,
    /// Clocks since the address phase.
    clocks: u32,
    /// Clocks since the address phase or the last completed data phase.
    phase_clocks: u32,
    first_phase: bool,
    devsel_seen: bool,
    /// ACK64# came with DEVSEL#.
    wide: bool,
    stop_seen: bool,
    /// STOP# made the master end.
    stopped: bool,
    /// When this data phase began, the latency timer had run out and GNT# was gone.
    overdue: bool,
}

impl Transaction {
    fn begin(now: &Sample, master: AgentId) -> Transaction {
        let command = Command::decode(now.lines.cbe_n);
        Transaction {
            master,
            command,
            is_read: command.is_some_and(Command::is_read),
            asked_64: now.low(PciPin::Req64),
            clocks: 0,
            phase_clocks: 0,
            first_phase: true,
            devsel_seen: false,
            wide: false,
            stop_seen: false,
            stopped: false,
            overdue: false,
        }
    }

    fn learn(&mut self, now: &Sample, latency_timer_clocks: u32) {
        if now.low(PciPin::Devsel) && !self.devsel_seen {
            self.devsel_seen = true;
            self.wide = self.asked_64 && now.low(PciPin::Ack64);
        }
        let stop = now.low(PciPin::Stop);
        if now.completes() {
            let ended_by_master = now.high(PciPin::Frame) && now.low(PciPin::Trdy) && !self.stop_seen;
            self.stopped |= stop && !ended_by_master;
            self.phase_clocks = 0;
            self.first_phase = false;
            // Two clocks of grace: implementations begin to count with different edges.
            self.overdue = self.clocks > latency_timer_clocks + 2 && !now.granted(self.master);
        }
        self.stop_seen |= stop;
    }
}

/// Violations on their way out.
#[derive(Debug)]
struct Findings {
    at: Ps,
    violations: Vec<Violation>,
    on_violation: Option<fn(&Violation)>,
}

/// No more than this many are kept: a broken agent breaks its rule in every clock.
const VIOLATIONS_MAX: usize = 1000;

impl Findings {
    #[cold]
    fn report(&mut self, rule: Rule, what: String) {
        let violation = Violation { at: self.at, rule, what };
        if let Some(on_violation) = self.on_violation {
            on_violation(&violation);
        }
        if self.violations.len() < VIOLATIONS_MAX {
            self.violations.push(violation);
        }
    }

    /// Reports unless the rule holds.
    #[inline]
    fn expect(&mut self, holds: bool, rule: Rule, what: impl FnOnce() -> String) {
        if !holds {
            self.report(rule, what());
        }
    }
}

#[derive(Debug)]
pub(crate) struct Checker {
    on: bool,
    before: Option<Sample>,
    transaction: Option<Transaction>,
    arbitration: arbitration::Arbitration,
    data: data::Data,
    wide: wide::Wide,
    bridge_latency_timer_clocks: u32,
    findings: Findings,
}

impl Checker {
    pub fn new(settings: &Settings) -> Checker {
        Checker {
            on: settings.checks,
            before: None,
            transaction: None,
            arbitration: arbitration::Arbitration::default(),
            data: data::Data::new(settings.reports_parity),
            wide: wide::Wide::default(),
            bridge_latency_timer_clocks: settings.latency_timer_clocks,
            findings: Findings { at: Ps::ZERO, violations: Vec::new(), on_violation: settings.on_violation },
        }
    }

    #[inline]
    pub fn advance(&mut self, now: &Sample) {
        if self.on {
            self.judge(now);
        }
    }

    fn judge(&mut self, now: &Sample) {
        let findings = &mut self.findings;
        findings.at = now.at;
        let before = self.before.replace(*now);
        drivers::one_driver(now, findings);
        let Some(before) = before else { return };
        if now.low(PciPin::Rst) || before.low(PciPin::Rst) {
            drivers::floats_in_reset(&before, now, findings);
            self.transaction = None;
            self.arbitration = arbitration::Arbitration::default();
            self.data.reset();
            self.wide = wide::Wide::default();
            return;
        }
        if let Some(transaction) = &mut self.transaction {
            transaction.clocks += 1;
            transaction.phase_clocks += 1;
        }
        let running = self.transaction.as_ref();
        drivers::check(&before, now, findings);
        master::check(&before, now, running, findings);
        target::check(&before, now, running, findings);
        self.arbitration.check(&before, now, running, findings);
        self.data.check(&before, now, running, findings);
        self.wide.check(&before, now, running, findings);

        let begins = before.high(PciPin::Frame) && now.low(PciPin::Frame);
        if begins {
            let nic_drives = now.nic.enables.get(PciPin::Frame);
            let master = if nic_drives { AgentId::Nic } else { AgentId::Bridge };
            let transaction = Transaction::begin(now, master);
            master::check_command(&transaction, findings);
            self.transaction = Some(transaction);
        } else if now.idle() {
            self.transaction = None;
        } else if let Some(transaction) = &mut self.transaction {
            let timer_clocks = match transaction.master {
                AgentId::Bridge => self.bridge_latency_timer_clocks,
                AgentId::Nic => self.data.nic_latency_timer_clocks(),
            };
            transaction.learn(now, timer_clocks);
        }
    }

    pub fn violations(&self) -> &[Violation] {
        &self.findings.violations
    }

    pub fn take_violations(&mut self) -> Vec<Violation> {
        std::mem::take(&mut self.findings.violations)
    }
}
