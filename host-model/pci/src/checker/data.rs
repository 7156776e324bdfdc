//! AD, C/BE#, PAR, PAR64 and PERR#.

use super::observed::{Findings, Sample, Transaction};
use super::rule::Rule;
use crate::pins::{par, par64};
use crate::{AgentId, Command};
use sim_pins::PciPin::{Frame, Idsel, Irdy, Par, Par64, Perr, Trdy};

const COMMAND_REGISTER: u32 = 0x04;
const TIMER_REGISTER: u32 = 0x0C;
const PARITY_RESPONSE: u32 = 1 << 6;

/// Data that stood at the edge before, and whether they moved there.
#[derive(Clone, Copy, Debug)]
struct Judged {
    receiver: AgentId,
    moved: bool,
}

#[derive(Debug)]
pub(super) struct Data {
    bridge_reports: bool,
    /// The NIC's command and latency timer registers, as written over the bus.
    nic_command: u32,
    nic_timer: u32,
    /// The register of the configuration write that runs.
    register: Option<u32>,
    /// Wrong parity was seen at the edge before; the data it is about stood one edge earlier.
    bad: Option<Judged>,
}

impl Data {
    pub fn new(bridge_reports: bool) -> Data {
        Data { bridge_reports, nic_command: 0, nic_timer: 0, register: None, bad: None }
    }

    pub fn reset(&mut self) {
        *self = Data::new(self.bridge_reports);
    }

    pub fn nic_latency_timer_clocks(&self) -> u32 {
        self.nic_timer >> 8 & 0xFF
    }

    pub fn check(&mut self, before: &Sample, now: &Sample, running: Option<&Transaction>, findings: &mut Findings) {
        self.snoop(now, running);
        self.perr(now, findings);
        let Some(t) = running else { return };
        stable(before, now, t, findings);
        self.parity(before, now, t, findings);
    }

    /// Follows what the host writes to the NIC's configuration space.
    fn snoop(&mut self, now: &Sample, running: Option<&Transaction>) {
        let Some(t) = running else {
            let is_config_write = Command::decode(now.lines.cbe_n) == Some(Command::ConfigWrite);
            let begins = now.low(Frame) && now.high(Idsel) && is_config_write;
            self.register = begins.then_some(now.lines.ad as u32 & 0xFC);
            return;
        };
        let (true, Some(register)) = (t.first_phase && now.completes(), self.register) else {
            return;
        };
        if now.high(Trdy) {
            return;
        }
        let lanes =
            (0..4).filter(|lane| now.lines.cbe_n >> lane & 1 == 0).fold(0, |mask, lane| mask | 0xFFu32 << (8 * lane));
        let merge = |old: u32| (old & !lanes) | (now.lines.ad as u32 & lanes);
        match register {
            COMMAND_REGISTER => self.nic_command = merge(self.nic_command),
            TIMER_REGISTER => self.nic_timer = merge(self.nic_timer),
            _ => {}
        }
    }

    fn perr(&mut self, now: &Sample, findings: &mut Findings) {
        let bad = self.bad.take();
        let low = now.low(Perr);
        findings.expect(!low || bad.is_some(), Rule::PerrHasReason, || {
            "PERR# is low, and the data two clocks ago were right".into()
        });
        let Some(Judged { receiver, moved: true }) = bad else {
            return;
        };
        let reports = match receiver {
            AgentId::Bridge => self.bridge_reports,
            AgentId::Nic => self.nic_command & PARITY_RESPONSE != 0,
        };
        findings.expect(low || !reports, Rule::ParityErrorReported, || {
            format!("{} took wrong data and says nothing", receiver.name())
        });
    }

    fn parity(&mut self, before: &Sample, now: &Sample, t: &Transaction, findings: &mut Findings) {
        let is_address = t.clocks == 1;
        let source = if t.is_read && !is_address { t.master.other() } else { t.master };
        let valid = is_address || before.low(if t.is_read { Trdy } else { Irdy });
        if !valid {
            return;
        }
        let drive = now.drive(source);
        let right = now.high(Par) == par(&before.lines);
        findings.expect((right || now.spoilt) && drive.enables.get(Par), Rule::Parity, || {
            let fault = if right { "does not drive PAR" } else { "drives wrong PAR" };
            let what = if is_address { "an address" } else { "data" };
            format!("{} {fault} behind {what} {:#010x}", source.name(), before.lines.ad as u32)
        });
        let wide = if is_address { t.asked_64 } else { t.wide };
        let right64 = !wide || now.high(Par64) == par64(&before.lines);
        let driven64 = !wide || drive.enables.get(Par64);
        findings.expect((right64 || now.spoilt) && driven64, Rule::Parity64, || {
            format!("{} drives no or wrong PAR64 behind {:#018x}", source.name(), before.lines.ad)
        });
        if !(is_address || right && right64) {
            let moved = before.completes() && before.low(Trdy);
            self.bad = Some(Judged { receiver: source.other(), moved });
        }
    }
}

fn stable(before: &Sample, now: &Sample, t: &Transaction, findings: &mut Findings) {
    let in_phase = t.clocks >= 2 && !before.completes() && !now.idle();
    if !in_phase {
        return;
    }
    let cbe_mask = if t.wide { 0xFF } else { 0x0F };
    findings.expect((before.lines.cbe_n ^ now.lines.cbe_n) & cbe_mask == 0, Rule::CbeStable, || {
        format!("C/BE# goes from {:#04x} to {:#04x}", before.lines.cbe_n, now.lines.cbe_n)
    });
    let source_ready = before.low(if t.is_read { Trdy } else { Irdy });
    let ad_mask = if t.wide { u64::MAX } else { 0xFFFF_FFFF };
    let changes = (before.lines.ad ^ now.lines.ad) & ad_mask != 0;
    // A master abort ends the data phase without completing it.
    let still = now.low(Irdy) || t.is_read;
    findings.expect(!(source_ready && changes && still), Rule::AdStable, || {
        format!("AD goes from {:#018x} to {:#018x}", before.lines.ad, now.lines.ad)
    });
}
