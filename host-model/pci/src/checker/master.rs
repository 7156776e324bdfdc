//! FRAME# and IRDY#.

use super::observed::{Findings, Sample, Transaction};
use super::rule::Rule;
use crate::Command;
use sim_pins::PciPin::{Frame, Irdy, Stop};

/// DEVSEL# may come as late as the fourth clock after the address; what the master does about its
/// absence shows one clock later.
const ABORT_CLOCK: u32 = 5;
const IRDY_CLOCKS: u32 = 8;

pub(super) fn check_command(transaction: &Transaction, findings: &mut Findings) {
    let known = !matches!(transaction.command, None | Some(Command::DualAddressCycle));
    findings
        .expect(known, Rule::CommandKnown, || format!("{} sends {:?}", transaction.master.name(), transaction.command));
}

pub(super) fn check(before: &Sample, now: &Sample, running: Option<&Transaction>, findings: &mut Findings) {
    let frame_rises = before.low(Frame) && now.high(Frame);
    findings.expect(!frame_rises || now.low(Irdy), Rule::FrameRisesWithIrdy, || {
        "FRAME# goes high while IRDY# is high".into()
    });
    let Some(t) = running else { return };
    let who = t.master.name();
    let frame_falls = before.high(Frame) && now.low(Frame);
    findings
        .expect(!(frame_falls && now.low(Irdy)), Rule::FrameNotReasserted, || format!("{who} asserts FRAME# again"));

    if before.low(Irdy) && !before.completes() {
        let aborts = !t.devsel_seen && t.clocks >= ABORT_CLOCK;
        findings.expect(!frame_rises || aborts, Rule::FrameHeld, || {
            format!("{who} raises FRAME# in a data phase, {} clocks after the address", t.clocks)
        });
        findings.expect(now.low(Irdy) || (aborts && before.high(Frame)), Rule::IrdyHeld, || {
            format!("{who} raises IRDY# in a data phase, {} clocks after the address", t.clocks)
        });
    }
    findings.expect(!(before.completes_last() && now.low(Irdy)), Rule::IrdyReleased, || {
        format!("{who} keeps IRDY# low after the last data phase")
    });
    findings.expect(
        !(before.low(Stop) && before.low(Frame) && now.low(Irdy) && now.low(Frame)),
        Rule::EndsAfterStop,
        || format!("{who} goes on after STOP#"),
    );
    let over = before.completes_last() || now.idle();
    let late = t.phase_clocks == IRDY_CLOCKS && now.high(Irdy) && !over;
    findings
        .expect(!late, Rule::IrdyWithin8, || format!("{who} has IRDY# high {IRDY_CLOCKS} clocks into a data phase"));
    if t.command == Some(Command::MemoryWriteInvalidate) && t.clocks >= 1 && now.low(Irdy) {
        let disabled = now.lines.cbe_n & if t.wide { 0xFF } else { 0x0F };
        findings.expect(disabled == 0, Rule::InvalidateWholeWords, || format!("{who} disables bytes {disabled:#b}"));
    }
}
