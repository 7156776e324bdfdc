//! A PCI master that a test moves by hand: one transaction at a time, clock by clock. It may do
//! what a bridge never does.

use crate::pins::{apply, drive_of};
use crate::{BenchError, BenchPci, CoreSide, BAR0, BAR1};
use sim_pins::{PciDrive, PciLines, PciPin};
use verilated::{Context, Model as _};

const PERIOD_PS: u64 = 30_000;
const PCI_CLOCK: u32 = 0b01;
const CORE_CLOCK: u32 = 0b10;

/// The end of a transaction (PCI 2.2, 3.3.3).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// All phases have moved, without STOP#.
    Completed,
    /// STOP# before any data moved.
    Retry,
    /// STOP# together with the last data that moved.
    DisconnectWithData,
    /// STOP# instead of further data.
    DisconnectWithoutData,
    /// No DEVSEL# came.
    MasterAbort,
}

/// The course of a transaction. Clocks count from 0, the clock that samples the address.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Report {
    /// The end.
    pub ending: Ending,
    /// The clock of DEVSEL#, if it came.
    pub devsel_clock: Option<u32>,
    /// The clock of the first TRDY# or STOP#, if one came.
    pub first_answer_clock: Option<u32>,
    /// The words that were read.
    pub words: Vec<u32>,
    /// Whether ACK64# came.
    pub ack64: bool,
}

/// A transaction of the master. `phases` are data (for writes) and active-high byte enables.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The bus command (PCI 2.2, 3.1.1).
    pub command: u8,
    /// The address.
    pub address: u32,
    /// The data phases: data (for writes), and active-high byte enables.
    pub phases: Vec<(u32, u8)>,
    /// Whether IDSEL is high in the address phase.
    pub idsel: bool,
    /// Whether REQ64# is asserted.
    pub req64: bool,
    /// Whether the next transaction follows without an idle clock (PCI 2.2, 3.4.2).
    pub fast_back_to_back: bool,
}

impl Plan {
    /// A transaction of 32 bits without IDSEL.
    pub fn new(command: u8, address: u32, phases: &[(u32, u8)]) -> Plan {
        let phases = phases.to_vec();
        Plan { command, address, phases, idsel: false, req64: false, fast_back_to_back: false }
    }
}

/// A model of `nic_pci`, the master, and the core side.
pub struct Hand {
    /// The model.
    pub model: BenchPci,
    /// The core side.
    pub core: CoreSide,
    /// The number of clock edges so far.
    pub clocks: u64,
    /// PAR for the AD lines that were driven in the previous clock.
    par: Option<bool>,
    /// Whether PAR is inverted after the next data phase.
    pub spoil_par: bool,
    /// The lines at every edge of the last transaction, and of the idle clocks behind it.
    pub seen: Vec<PciLines>,
    /// The levels and enables of the NIC at the same edges.
    pub nic: Vec<PciDrive>,
}

impl Hand {
    /// A master and a NIC after reset, with both BARs mapped and everything enabled.
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

    /// One clock edge, which samples the levels of this master and of the NIC.
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

    /// Advances by a number of clocks with an idle bus.
    pub fn idle(&mut self, clocks: u32) -> Result<(), BenchError> {
        for _ in 0..clocks {
            self.clock(PciDrive::NONE)?;
        }
        Ok(())
    }

    /// Runs one transaction to its end.
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

    /// Repeats a transaction until it ends without a retry.
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
