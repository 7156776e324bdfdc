//! REQ#, GNT#, parking and the latency timer.

use super::observed::{Findings, Sample, Transaction};
use super::rule::Rule;
use crate::{AgentId, Command};
use sim_pins::PciPin::{Frame, Irdy, Par};

const PARK_CLOCKS: u32 = 8;

#[derive(Debug, Default)]
pub(super) struct Arbitration {
    /// The master that must have REQ# high at the next edge too.
    must_release: Option<AgentId>,
    /// Clocks for which each agent has had GNT# on an idle bus.
    parked_clocks: [u32; 2],
}

impl Arbitration {
    pub fn check(&mut self, before: &Sample, now: &Sample, running: Option<&Transaction>, findings: &mut Findings) {
        if before.high(Frame) && now.low(Frame) {
            frame_with_grant(before, now, findings);
        }
        if before.idle() {
            grant_gap(before, now, findings);
        }
        self.request_released(before, now, running, findings);
        for agent in AgentId::ALL {
            self.parked(agent, now, findings);
        }
        if let Some(t) = running {
            let goes_on = t.overdue && now.low(Irdy) && now.low(Frame);
            let may = t.command == Some(Command::MemoryWriteInvalidate);
            findings.expect(!goes_on || may, Rule::LatencyTimerEnds, || {
                format!("{} goes on {} clocks after the address", t.master.name(), t.clocks)
            });
        }
    }

    fn request_released(
        &mut self,
        before: &Sample,
        now: &Sample,
        running: Option<&Transaction>,
        findings: &mut Findings,
    ) {
        if let Some(agent) = self.must_release.take() {
            findings.expect(!now.asks(agent), Rule::RequestReleased, || {
                format!("{} has REQ# high for one clock only after STOP#", agent.name())
            });
        }
        let Some(t) = running.filter(|t| t.stopped && now.idle()) else {
            return;
        };
        findings.expect(!now.asks(t.master), Rule::RequestReleased, || {
            format!("{} has REQ# low in the idle clock after STOP#", t.master.name())
        });
        self.must_release = before.asks(t.master).then_some(t.master);
    }

    fn parked(&mut self, agent: AgentId, now: &Sample, findings: &mut Findings) {
        let clocks = &mut self.parked_clocks[agent as usize];
        *clocks = if now.granted(agent) && now.idle() { *clocks + 1 } else { 0 };
        let drive = now.drive(agent);
        let drives = match *clocks {
            clocks if clocks == PARK_CLOCKS + 1 => drive.ad_enable & 1 != 0 && drive.cbe_enable & 1 != 0,
            clocks if clocks == PARK_CLOCKS + 2 => drive.enables.get(Par),
            _ => true,
        };
        findings.expect(drives, Rule::ParkedDrives, || {
            format!("{} lets AD, C/BE# or PAR float while it has GNT#", agent.name())
        });
    }
}

fn frame_with_grant(before: &Sample, now: &Sample, findings: &mut Findings) {
    for agent in AgentId::ALL {
        if !now.drive(agent).enables.get(Frame) {
            continue;
        }
        let granted = before.granted(agent);
        findings.expect(granted && before.idle(), Rule::FrameWithGrant, || {
            let bus = if before.idle() { "an idle" } else { "a busy" };
            let grant = if granted { "with" } else { "without" };
            format!("{} begins {grant} GNT# on {bus} bus", agent.name())
        });
    }
}

fn grant_gap(before: &Sample, now: &Sample, findings: &mut Findings) {
    for agent in AgentId::ALL {
        let moves = before.granted(agent) && now.granted(agent.other()) && !now.granted(agent);
        let both = now.granted(agent) && now.granted(agent.other());
        findings.expect(!moves && !both, Rule::GrantGap, || {
            format!("GNT# goes from {} to {} at once", agent.name(), agent.other().name())
        });
    }
}
