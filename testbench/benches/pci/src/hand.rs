//! A master moved by hand: one transaction at a time, clock by clock, with liberties that a bridge does not take.

use crate::pins::{apply, drive_of};
use crate::{BenchError, BenchPci, CoreSide, BAR0, BAR1};
use sim_pins::{PciDrive, PciLines, PciPin};
use verilated::{Context, Model as _};

const PERIOD_PS: u64 = 30_000;
const PCI_CLOCK: u32 = 0b01;
const CORE_CLOCK: u32 = 0b10;

/// How a transaction ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// All phases moved, without STOP#.
    Completed,
    Retry,
    /// STOP# with the last data that moved.
    DisconnectWithData,
    /// STOP# instead of further data.
    DisconnectWithoutData,
    MasterAbort,
}

/// What a transaction was like. Clocks count from the one that sees the address, which is 0.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Report {
    pub ending: Ending,
    pub devsel_clock: Option<u32>,
    /// TRDY# or STOP#.
    pub first_answer_clock: Option<u32>,
    pub words: Vec<u32>,
    pub ack64: bool,
}

/// One transaction. `phases` are data (for writes) and active-high byte enables.
#[derive(Clone, Debug)]
pub struct Plan {
    pub command: u8,
    pub address: u32,
    pub phases: Vec<(u32, u8)>,
    pub idsel: bool,
    pub req64: bool,
    /// The next transaction follows without an idle clock.
    pub fast_back_to_back: bool,
}

impl Plan {
    pub fn new(command: u8, address: u32, phases: &[(u32, u8)]) -> Plan {
        let phases = phases.to_vec();
        Plan { command, address, phases, idsel: false, req64: false, fast_back_to_back: false }
    }
}

pub struct Hand {
    pub model: BenchPci,
    pub core: CoreSide,
    /// Edges seen so far.
    pub clocks: u64,
    /// PAR that belongs to the AD driven in the clock before.
    par: Option<bool>,
    /// Inverts PAR behind the next data phase.
    pub spoil_par: bool,
    /// The lines at every edge of the last transaction, and of the idle clocks behind it.
    pub seen: Vec<PciLines>,
    pub nic: Vec<PciDrive>,
}

impl Hand {
    /// Out of reset, both BARs mapped, everything enabled.
    pub fn new() -> Result<Hand, BenchError> {
        let mut model = BenchPci::new(Context::new())?;
        let mut lines = PciLines::IDLE;
        lines.control.set(PciPin::Rst, false);
        apply(&lines, &model);
        for clock in 0..10 {
            model.tick(clock, PCI_CLOCK | CORE_CLOCK)?;
        }
        let mut hand = Hand {
            model,
            core: CoreSide::new(1),
            clocks: 0,
            par: None,
            spoil_par: false,
            seen: Vec::new(),
            nic: Vec::new(),
        };
        hand.idle(10)?;
        for (register, data) in [(0x10, BAR0), (0x14, BAR1), (0x04, 0x0146)] {
            let mut plan = Plan::new(0b1011, register, &[(data, 0xF)]);
            plan.idsel = true;
            hand.run(&plan)?;
        }
        Ok(hand)
    }

    /// One edge that sees what this master and the NIC drive.
    pub fn clock(&mut self, mut own: PciDrive) -> Result<PciLines, BenchError> {
        own.enables.set(PciPin::Rst, true);
        if let Some(par) = self.par {
            own.enables.set(PciPin::Par, true);
            own.levels.control.set(PciPin::Par, par);
        }
        let nic = drive_of(&self.model);
        let (lines, conflict) = own.resolve(&nic);
        assert_eq!(conflict, None, "at clock {}", self.clocks);
        let ones = (lines.ad as u32).count_ones() + u32::from(lines.cbe_n & 0xF).count_ones();
        self.par = (own.ad_enable != 0).then_some(ones & 1 == 1);
        self.seen.push(lines);
        self.nic.push(nic);
        apply(&lines, &self.model);
        let at = 1000 + self.clocks * PERIOD_PS;
        self.model.tick(at, PCI_CLOCK)?;
        self.core.before_edge(&self.model);
        self.model.tick(at + PERIOD_PS / 2, CORE_CLOCK)?;
        self.core.after_edge(&self.model);
        self.clocks += 1;
        Ok(lines)
    }

    pub fn idle(&mut self, clocks: u32) -> Result<(), BenchError> {
        for _ in 0..clocks {
            self.clock(PciDrive::NONE)?;
        }
        Ok(())
    }

    pub fn run(&mut self, plan: &Plan) -> Result<Report, BenchError> {
        self.seen.clear();
        self.nic.clear();
        let is_read = plan.command & 1 == 0;
        let mut report = Report {
            ending: Ending::Completed,
            devsel_clock: None,
            first_answer_clock: None,
            words: Vec::new(),
            ack64: false,
        };
        let mut own = PciDrive { ad_enable: 1, cbe_enable: 1, ..PciDrive::NONE };
        own.enables.set(PciPin::Frame, true);
        own.levels.control.set(PciPin::Frame, false);
        own.levels.ad = u64::from(plan.address);
        own.levels.cbe_n = plan.command;
        own.enables.set(PciPin::Idsel, true);
        own.levels.control.set(PciPin::Idsel, plan.idsel);
        if plan.req64 {
            own.enables.set(PciPin::Req64, true);
            own.levels.control.set(PciPin::Req64, false);
            (own.ad_enable, own.cbe_enable) = (3, 3);
        }
        self.clock(own)?;

        own.levels.control.set(PciPin::Idsel, false);
        own.enables.set(PciPin::Irdy, true);
        own.levels.control.set(PciPin::Irdy, false);
        let mut stopped = false;
        let mut clock = 0;
        loop {
            clock += 1;
            let phase = report.words.len();
            let (data, byte_enables) = plan.phases[phase.min(plan.phases.len() - 1)];
            let last = phase + 1 >= plan.phases.len() || stopped;
            own.levels.control.set(PciPin::Frame, last);
            own.levels.control.set(PciPin::Req64, last);
            own.levels.cbe_n = 0xF0 | !byte_enables & 0xF;
            own.levels.ad = u64::from(data);
            if is_read {
                own.ad_enable = 0;
            }
            let lines = self.clock(own)?;
            if self.spoil_par && !is_read {
                self.par = self.par.map(|par| !par);
            }
            if lines.low(PciPin::Devsel) {
                report.devsel_clock.get_or_insert(clock);
            }
            report.ack64 |= lines.low(PciPin::Ack64);
            let (trdy, stop) = (lines.low(PciPin::Trdy), lines.low(PciPin::Stop));
            if trdy || stop {
                report.first_answer_clock.get_or_insert(clock);
            }
            if trdy {
                report.words.push(lines.ad as u32);
            }
            if stop && !stopped {
                stopped = true;
                report.ending = match (report.words.len(), trdy) {
                    (0, _) => Ending::Retry,
                    (_, true) => Ending::DisconnectWithData,
                    (_, false) => Ending::DisconnectWithoutData,
                };
            }
            if last && (trdy || stop) {
                break;
            }
            if report.devsel_clock.is_none() && clock >= 5 {
                report.ending = Ending::MasterAbort;
                if last {
                    break;
                }
                stopped = true;
                if own.levels.control.get(PciPin::Frame) {
                    break;
                }
            }
        }
        if plan.fast_back_to_back {
            return Ok(report);
        }
        let mut turn = PciDrive::NONE;
        turn.enables.set(PciPin::Irdy, true);
        self.clock(turn)?;
        self.idle(3)?;
        Ok(report)
    }

    /// Repeats a transaction until it is not retried.
    pub fn insist(&mut self, plan: &Plan) -> Result<Report, BenchError> {
        for _ in 0..200 {
            let report = self.run(plan)?;
            if report.ending != Ending::Retry {
                return Ok(report);
            }
        }
        panic!("retried for ever: {plan:?}");
    }
}
