//! A whole PCI agent: master, target, parity, in one three-state drive.

use crate::master::{BurstReport, Master, MasterHabits};
use crate::pins::{bus_idle, par, par64, Pins};
use crate::target::{Target, TargetBackend};
use sim_pins::{PciDrive, PciLines, PciPin};

/// What one clock brought.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct AgentReport {
    pub ended: Option<BurstReport>,
    /// Data that this agent read as master in the clock before had wrong parity.
    pub bad_data_read: bool,
    /// Data that this agent took as target in the clock before had wrong parity.
    pub bad_data_taken: bool,
    /// Data that this agent sent as master two clocks ago were answered with PERR#.
    pub bad_data_sent: bool,
    /// The address phase before this clock had wrong parity, and another agent was its master.
    pub bad_address: bool,
}

/// What an agent expects on PAR and PAR64 in this clock.
#[derive(Clone, Copy, Debug)]
struct Expected {
    par: bool,
    par64: Option<bool>,
    as_master: bool,
}

impl Expected {
    fn of(lines: &PciLines, wide: bool, as_master: bool) -> Expected {
        Expected { par: par(lines), par64: wide.then(|| par64(lines)), as_master }
    }

    fn met_by(&self, lines: &PciLines) -> bool {
        lines.high(PciPin::Par) == self.par && self.par64.is_none_or(|par64| lines.high(PciPin::Par64) == par64)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Perr {
    Float,
    Low,
    High,
}

/// The settings of an agent that may change while it runs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AgentHabits {
    pub master: MasterHabits,
    /// Report wrong parity on PERR# and SERR# (command register bits 6 and 8).
    pub reports_parity: bool,
}

#[derive(Debug)]
pub(crate) struct Agent {
    pub master: Master,
    pub target: Target,
    drive: PciDrive,
    data_expected: Option<Expected>,
    address_expected: Option<Expected>,
    frame_was_low: bool,
    perr: Perr,
    serr: bool,
    /// PAR is wrong on purpose since the last edge.
    spoils: bool,
    /// Bit k: data sent as master at the k-th edge before this one.
    sent: u8,
}

impl Agent {
    pub fn new() -> Agent {
        Agent {
            master: Master::new(),
            target: Target::new(),
            drive: PciDrive::NONE,
            data_expected: None,
            address_expected: None,
            frame_was_low: false,
            perr: Perr::Float,
            serr: false,
            spoils: false,
            sent: 0,
        }
    }

    /// Everything floats, at once.
    pub fn reset(&mut self) {
        self.master.reset();
        self.target.reset();
        let Agent { master, target, .. } = std::mem::replace(self, Agent::new());
        self.master = master;
        self.target = target;
    }

    /// What the agent drives since the last edge.
    pub fn drive(&self) -> &PciDrive {
        &self.drive
    }

    pub fn spoils_now(&self) -> bool {
        self.spoils
    }

    pub fn is_settled(&self) -> bool {
        self.master.is_settled() && self.target.is_idle()
    }

    pub fn advance(
        &mut self,
        lines: &PciLines,
        granted: bool,
        habits: &AgentHabits,
        backend: &mut impl TargetBackend,
    ) -> AgentReport {
        let mut report = AgentReport::default();
        self.check_parity(lines, habits, &mut report);

        // PAR and PAR64 follow one clock behind the agent that drove AD.
        let spoil = self.master.spoils_parity(&habits.master) || self.target.spoils_parity();
        self.spoils = spoil;
        let drove_ad = self.drive.ad_enable;

        report.ended = self.master.advance(lines, granted, &habits.master);
        let own = self.master.on_bus();
        self.target.advance(lines, own, backend);

        let mut pins = Pins::FLOAT;
        self.master.put(&mut pins);
        self.target.put(&mut pins);
        if granted && bus_idle(lines) && !own {
            // Bus parking: the granted agent keeps AD, C/BE# and PAR from floating. The values mean
            // nothing.
            pins.drive_ad(u64::from(self.drive.levels.ad as u32), false);
            pins.drive_cbe(self.drive.levels.cbe_n, false);
        }
        if drove_ad & 1 != 0 {
            pins.drive(PciPin::Par, par(lines) ^ spoil);
        }
        if drove_ad & 2 != 0 {
            pins.drive(PciPin::Par64, par64(lines) ^ spoil);
        }
        match self.perr {
            Perr::Float => {}
            Perr::Low => pins.drive(PciPin::Perr, false),
            Perr::High => pins.drive(PciPin::Perr, true),
        }
        pins.pull_low(PciPin::Serr, self.serr);
        self.drive = pins.finish();
        report
    }

    fn check_parity(&mut self, lines: &PciLines, habits: &AgentHabits, report: &mut AgentReport) {
        let bad = self.data_expected.filter(|expected| !expected.met_by(lines));
        report.bad_data_read = bad.is_some_and(|expected| expected.as_master);
        report.bad_data_taken = bad.is_some_and(|expected| !expected.as_master);
        self.perr = match self.perr {
            _ if bad.is_some() && habits.reports_parity => Perr::Low,
            Perr::Low => Perr::High,
            _ => Perr::Float,
        };
        report.bad_address = self.address_expected.is_some_and(|expected| !expected.met_by(lines));
        self.serr = report.bad_address && habits.reports_parity;

        self.sent = self.sent << 1 | u8::from(self.master.sends(lines));
        report.bad_data_sent = lines.low(PciPin::Perr) && self.sent & 0b100 != 0;

        let as_master = self.master.receives(lines).map(|wide| Expected::of(lines, wide, true));
        self.data_expected =
            as_master.or_else(|| self.target.receives(lines).map(|wide| Expected::of(lines, wide, false)));
        let frame_low = lines.low(PciPin::Frame);
        let address_of_other = frame_low && !self.frame_was_low && !self.master.on_bus();
        self.address_expected = address_of_other.then(|| Expected::of(lines, lines.low(PciPin::Req64), false));
        self.frame_was_low = frame_low;
    }
}
