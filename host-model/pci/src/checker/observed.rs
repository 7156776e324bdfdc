//! What the rules look at, and where they report: an edge of the bus, the transaction that runs,
//! and the findings.

use super::rule::{Rule, Violation};
use crate::pins::bus_idle;
use crate::{AgentId, Command};
use sim_pins::{Conflict, PciDrive, PciLines, PciPin, Ps};

/// The bus at one edge: the lines, and the agents that drove them since the edge before.
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
    pub(super) fn low(&self, pin: PciPin) -> bool {
        self.lines.low(pin)
    }

    pub(super) fn high(&self, pin: PciPin) -> bool {
        self.lines.high(pin)
    }

    pub(super) fn idle(&self) -> bool {
        bus_idle(&self.lines)
    }

    pub(super) fn drive(&self, agent: AgentId) -> &PciDrive {
        match agent {
            AgentId::Bridge => &self.bridge,
            AgentId::Nic => &self.nic,
        }
    }

    pub(super) fn granted(&self, agent: AgentId) -> bool {
        match agent {
            AgentId::Bridge => self.bridge_granted,
            AgentId::Nic => self.low(PciPin::Gnt),
        }
    }

    pub(super) fn asks(&self, agent: AgentId) -> bool {
        match agent {
            AgentId::Bridge => self.bridge_asks,
            AgentId::Nic => self.low(PciPin::Req),
        }
    }

    /// A data phase completes at this edge.
    pub(super) fn completes(&self) -> bool {
        self.low(PciPin::Irdy) && (self.low(PciPin::Trdy) || self.low(PciPin::Stop))
    }

    /// The last data phase completes at this edge.
    pub(super) fn completes_last(&self) -> bool {
        self.completes() && self.high(PciPin::Frame)
    }
}

/// What has been seen of the running transaction before the edge under judgement; `clocks` count up
/// to it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Transaction {
    pub(super) master: AgentId,
    pub(super) command: Option<Command>,
    pub(super) is_read: bool,
    pub(super) asked_64: bool,
    /// Clocks since the address phase.
    pub(super) clocks: u32,
    /// Clocks since the address phase or the last completed data phase.
    pub(super) phase_clocks: u32,
    pub(super) first_phase: bool,
    pub(super) devsel_seen: bool,
    /// ACK64# came with DEVSEL#.
    pub(super) wide: bool,
    pub(super) stop_seen: bool,
    /// STOP# made the master end.
    pub(super) stopped: bool,
    /// When this data phase began, the latency timer had run out and GNT# was gone.
    pub(super) overdue: bool,
}

impl Transaction {
    pub(super) fn begin(now: &Sample, master: AgentId) -> Transaction {
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

    pub(super) fn learn(&mut self, now: &Sample, latency_timer_clocks: u32) {
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
pub(super) struct Findings {
    pub(super) at: Ps,
    pub(super) violations: Vec<Violation>,
    pub(super) on_violation: Option<fn(&Violation)>,
}

/// No more than this many are kept: a broken agent breaks its rule in every clock.
const VIOLATIONS_MAX: usize = 1000;

impl Findings {
    #[cold]
    pub(super) fn report(&mut self, rule: Rule, what: String) {
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
    pub(super) fn expect(&mut self, holds: bool, rule: Rule, what: impl FnOnce() -> String) {
        if !holds {
            self.report(rule, what());
        }
    }
}
