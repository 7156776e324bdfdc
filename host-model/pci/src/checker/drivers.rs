//! Rules about the agent that drives a line.

use super::observed::{Findings, Sample};
use super::rule::Rule;
use crate::AgentId;
use sim_pins::{PciDrive, PciPin};

/// Sustained three-state lines (PCI 2.3, section 2.1).
const SUSTAINED: u16 = PciPin::Frame.mask()
    | PciPin::Irdy.mask()
    | PciPin::Trdy.mask()
    | PciPin::Stop.mask()
    | PciPin::Devsel.mask()
    | PciPin::Perr.mask()
    | PciPin::Req64.mask()
    | PciPin::Ack64.mask();

const SHARED: u16 = SUSTAINED | PciPin::Par.mask() | PciPin::Par64.mask();

fn names(mask: u16) -> String {
    let names = PciPin::ALL.iter().filter(|pin| mask & pin.mask() != 0).map(|pin| pin.name());
    names.collect::<Vec<_>>().join(", ")
}

pub(super) fn one_driver(now: &Sample, findings: &mut Findings) {
    if let Some(conflict) = now.conflict {
        let mut lines = names(conflict.control.bits());
        for (name, both) in [("AD", conflict.ad), ("C/BE#", conflict.cbe)] {
            if both {
                lines = if lines.is_empty() { name.into() } else { format!("{lines}, {name}") };
            }
        }
        findings.report(Rule::OneDriver, format!("NIC and bridge both drive {lines}"));
    }
}

pub(super) fn floats_in_reset(before: &Sample, now: &Sample, findings: &mut Findings) {
    if before.high(PciPin::Rst) || now.high(PciPin::Rst) {
        return;
    }
    let control = now.nic.enables.bits();
    let floats = control == 0 && now.nic.ad_enable == 0 && now.nic.cbe_enable == 0;
    findings.expect(floats, Rule::FloatsInReset, || {
        format!("the NIC drives AD {:#b}, C/BE# {:#b}, {}", now.nic.ad_enable, now.nic.cbe_enable, names(control))
    });
}

pub(super) fn check(before: &Sample, now: &Sample, findings: &mut Findings) {
    for agent in AgentId::ALL {
        let (was, is) = (before.drive(agent), now.drive(agent));
        turnaround(agent, was, now.drive(agent.other()), is, findings);
        sustained_high(agent, was, is, findings);
    }
    if before.idle() {
        floats_afterwards(before, now, findings);
    }
}

/// `is` keeps a line that this agent goes on to drive from being reported twice.
fn turnaround(agent: AgentId, was: &PciDrive, other: &PciDrive, is: &PciDrive, findings: &mut Findings) {
    let control = was.enables.bits() & other.enables.bits() & !is.enables.bits() & SHARED;
    let ad = was.ad_enable & other.ad_enable & !is.ad_enable != 0;
    let cbe = was.cbe_enable & other.cbe_enable & !is.cbe_enable != 0;
    findings.expect(control == 0 && !ad && !cbe, Rule::Turnaround, || {
        let (ad, cbe) = (if ad { "AD " } else { "" }, if cbe { "C/BE# " } else { "" });
        format!(
            "{} follows {} without a clock between: {ad}{cbe}{}",
            agent.other().name(),
            agent.name(),
            names(control)
        )
    });
}

fn sustained_high(agent: AgentId, was: &PciDrive, is: &PciDrive, findings: &mut Findings) {
    let let_go = was.enables.bits() & !was.levels.control.bits() & !is.enables.bits() & SUSTAINED;
    findings.expect(let_go == 0, Rule::SustainedHigh, || {
        format!("{} lets go of {} while low", agent.name(), names(let_go))
    });
}

/// `before` was idle: the clock in which the last owner drove its lines high is over.
fn floats_afterwards(before: &Sample, now: &Sample, findings: &mut Findings) {
    const OF_TRANSACTION: u16 =
        PciPin::Frame.mask() | PciPin::Irdy.mask() | PciPin::Trdy.mask() | PciPin::Stop.mask() | PciPin::Devsel.mask();
    for agent in AgentId::ALL {
        let (was, is) = (before.drive(agent), now.drive(agent));
        let kept = was.enables.bits() & is.enables.bits() & is.levels.control.bits() & OF_TRANSACTION;
        findings.expect(kept == 0, Rule::FloatsAfterwards, || {
            format!("{} still drives {} on an idle bus", agent.name(), names(kept))
        });
    }
}
