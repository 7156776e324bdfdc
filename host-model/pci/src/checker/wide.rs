//! REQ64# and ACK64#.

use super::observed::{Findings, Sample, Transaction};
use super::rule::Rule;
use sim_pins::PciPin::{Ack64, Devsel, Frame, Req64};

/// The central resource holds REQ64# for a moment after RST#, and then drives it high.
const RESET_GRACE_CLOCKS: u32 = 3;

#[derive(Debug, Default)]
pub(super) struct Wide {
    clocks_since_reset: u32,
}

impl Wide {
    pub fn check(&mut self, before: &Sample, now: &Sample, running: Option<&Transaction>, findings: &mut Findings) {
        self.clocks_since_reset = self.clocks_since_reset.saturating_add(1);
        let begins = before.high(Frame) && now.low(Frame);
        let asked = begins || running.is_some_and(|t| t.asked_64);
        let follows = if begins {
            true
        } else if asked {
            now.low(Req64) == now.low(Frame)
        } else {
            now.high(Req64) || self.clocks_since_reset <= RESET_GRACE_CLOCKS
        };
        findings.expect(follows, Rule::Req64WithFrame, || {
            let level = if now.low(Req64) { "low" } else { "high" };
            format!("REQ64# is {level} out of step with FRAME#")
        });

        let claimed = running.filter(|t| t.asked_64 && t.clocks >= 1);
        let allowed = match claimed {
            // Until DEVSEL# has been seen, ACK64# may come with it.
            Some(t) if !t.devsel_seen => now.high(Ack64) || now.low(Devsel),
            Some(t) if t.wide => now.low(Ack64) == now.low(Devsel),
            _ => now.high(Ack64),
        };
        findings.expect(allowed, Rule::Ack64WithDevsel, || {
            let level = if now.low(Ack64) { "low" } else { "high" };
            format!("ACK64# is {level} out of step with DEVSEL#")
        });
    }
}
