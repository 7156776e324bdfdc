//! Following the transactions, and asking the rules at each edge.

use super::observed::{Findings, Sample, Transaction};
use super::rule::Violation;
use super::{arbitration, data, drivers, master, target, wide};
use crate::{AgentId, Settings};
use sim_pins::{PciPin, Ps};

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
