//! DEVSEL#, TRDY# and STOP#.

use super::observed::{Findings, Sample, Transaction};
use super::rule::Rule;
use sim_pins::PciPin::{Devsel, Frame, Irdy, Stop, Trdy};

const FIRST_DATA_CLOCKS: u32 = 16;
const LATER_DATA_CLOCKS: u32 = 8;

pub(super) fn check(before: &Sample, now: &Sample, running: Option<&Transaction>, findings: &mut Findings) {
    let responds = now.low(Trdy) || now.low(Stop);
    let Some(t) = running else {
        findings.expect(!responds && now.high(Devsel), Rule::ResponseInTransaction, || {
            "a target responds while no transaction runs".into()
        });
        return;
    };
    let who = t.master.other().name();

    if before.completes_last() {
        let released = now.high(Devsel) && !responds;
        findings.expect(released, Rule::ResponseReleased, || {
            format!("{who} keeps DEVSEL#, TRDY# or STOP# low after the last data phase")
        });
        return;
    }
    if now.high(Devsel) {
        let unclaimed = responds && !t.devsel_seen;
        findings.expect(!unclaimed, Rule::DevselFirst, || format!("{who} responds without having claimed"));
        let both = t.devsel_seen && now.low(Trdy);
        findings.expect(!both, Rule::TargetAbortEncoding, || format!("{who} has TRDY# low and DEVSEL# high"));
        let drops = before.low(Devsel) && now.high(Stop) && now.high(Trdy) && !now.idle();
        findings.expect(!drops, Rule::DevselHeld, || format!("{who} raises DEVSEL# without STOP#"));
    }
    if (before.low(Trdy) || before.low(Stop)) && before.high(Irdy) {
        let held = [Devsel, Trdy, Stop].iter().all(|pin| before.low(*pin) == now.low(*pin));
        findings.expect(held, Rule::ResponseHeld, || format!("{who} changes its response before IRDY#"));
    }
    findings.expect(!(before.low(Stop) && before.low(Frame) && now.high(Stop)), Rule::StopHeld, || {
        format!("{who} raises STOP# before FRAME# is high")
    });
    latency(t, who, now, responds, findings);
    if t.is_read && t.clocks == 1 {
        let drives = now.drive(t.master.other()).ad_enable != 0;
        findings
            .expect(!drives && now.high(Trdy), Rule::ReadTurnaround, || format!("{who} is too early with its data"));
    }
}

fn latency(t: &Transaction, who: &str, now: &Sample, responds: bool, findings: &mut Findings) {
    if responds || now.idle() || !(t.devsel_seen || now.low(Devsel)) {
        return;
    }
    if t.first_phase {
        findings.expect(t.clocks != FIRST_DATA_CLOCKS, Rule::FirstDataWithin16, || {
            format!("{who} has not responded {FIRST_DATA_CLOCKS} clocks after the address")
        });
    } else {
        findings.expect(t.phase_clocks != LATER_DATA_CLOCKS, Rule::LaterDataWithin8, || {
            format!("{who} has not responded {LATER_DATA_CLOCKS} clocks into a data phase")
        });
    }
}
