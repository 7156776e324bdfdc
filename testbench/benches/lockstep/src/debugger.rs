//! Halts the core at random clocks, reads registers, and lets the core resume or step. QEMU does
//! not take part, so a halt may change nothing.
//!
//! The core executes a new short program whenever it is halted. The program reports `dpc` and
//! `dcsr`, and sets `dcsr` for the next resume. It stores a few registers, overwrites them, and
//! loads them back. RVFI is silent in debug mode, so a register that is not restored shows in the
//! instructions after the resume. [`Compare::halted`](crate::compare::Compare::halted) judges the
//! reported values.

use bench_core::asm::{self, Code, Program, S0};
use bench_core::bench::{Bench, Clock};
use bench_core::memory::Memory;
use bench_core::models::CoreModel;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The debug area: its start, and the address at which the core enters it (parameters of
/// `nic_core`).
const AREA: u32 = 0xFFFF_F800;
const AREA_BYTES: u32 = 0x200;
const ENTRY: u32 = 0xFFFF_F900;
const EXCEPTION: u32 = 0xFFFF_F908;
const PROGRAM: u32 = 0xFFFF_F920;

/// Offsets of words in the area. x1 to x31 are stored at its start, by number.
mod cell {
    pub const DPC: i32 = -0x780;
    pub const DCSR: i32 = -0x77C;
    pub const NEXT_DCSR: i32 = -0x778;
    pub const FAILED: i32 = -0x774;

    pub fn x(number: u32) -> i32 {
        -0x800 + 4 * number as i32
    }
}

const DCSR: u32 = 0x7B0;
const DPC: u32 = 0x7B1;
const DSCRATCH0: u32 = 0x7B2;
const DRET: Code = Code::Word(0x7B20_0073);

const STEP: u32 = 1 << 2;
const STEPIE: u32 = 1 << 11;
const PRV_M: u32 = 3;

/// The most instructions that may retire after a request: those in the pipeline.
const IN_FLIGHT: u32 = 4;

/// The number of registers that the program reads.
const LOOKED_AT: usize = 3;

/// The reason why the core may be in debug mode.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// The debugger requested a halt.
    Request,
    /// A step has ended.
    Step {
        /// Whether interrupts were permitted in the step.
        stepie: bool,
    },
}

/// The report of the program in debug mode.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Halt {
    /// The reason for which a halt was expected. `None`: no halt was expected.
    pub reason: Option<Reason>,
    /// The address of the next instruction, from `dpc`.
    pub dpc: u32,
    /// The value of `dcsr`.
    pub dcsr: u32,
    /// The registers that were read: number and value.
    pub x: Vec<(u32, u32)>,
    /// The instructions that retired between the request, or the resume to a step, and the halt.
    pub retired: u32,
    /// Whether the program in debug mode ended in an exception.
    pub failed: bool,
}

/// Decides about halts, and reads the reports.
pub struct Debugger {
    rng: ChaCha8Rng,
    reason: Option<Reason>,
    /// The value that the program in the area writes to `dcsr`.
    next_dcsr: u32,
    looked_at: Vec<u32>,
    retired: u32,
    halted: bool,
    /// Instructions before `dret`, for tests that need a difference.
    spoil: Vec<Code>,
}

impl Debugger {
    /// A debugger for a bench. Every halt also executes `spoil`, which is empty except in tests
    /// that need a difference.
    pub fn new<M: CoreModel>(bench: &mut Bench<M>, spoil: &[Code]) -> Debugger {
        let mut debugger = Debugger {
            rng: ChaCha8Rng::seed_from_u64(0),
            reason: None,
            next_dcsr: 0,
            looked_at: Vec::new(),
            retired: 0,
            halted: false,
            spoil: spoil.to_vec(),
        };
        bench.debug_area = Some(debugger.program());
        debugger
    }

    /// Draws from another seed from now on. It takes the seed from which the waits are drawn,
    /// inverted, so its numbers are others.
    pub fn reseed(&mut self, seed: u64) {
        self.rng = ChaCha8Rng::seed_from_u64(!seed);
    }

    /// Whether interrupts are masked although the program permits them: in a step without `stepie`.
    pub fn masks_interrupts(&self) -> bool {
        self.reason == Some(Reason::Step { stepie: false })
    }

    /// Evaluates a clock that has passed, and decides about the next. Returns the report if debug
    /// mode ended with it.
    pub fn clock<M: CoreModel>(&mut self, clock: &Clock, bench: &mut Bench<M>) -> Option<Halt> {
        if clock.outputs.debug_mode {
            self.halted = true;
            bench.debug_req = false;
            return None;
        }
        if self.halted {
            let halt = self.seen(bench.debug_area.as_ref().expect("it was made at the start"));
            self.halted = false;
            self.retired = 0;
            self.reason = (self.next_dcsr & STEP != 0).then_some(Reason::Step { stepie: self.next_dcsr & STEPIE != 0 });
            bench.debug_area = Some(self.program());
            return Some(halt);
        }
        self.retired += u32::from(clock.rvfi.is_some());
        let permille = bench.timing.halts_permille;
        if self.reason.is_none() && permille > 0 && self.rng.next_u32() % 1000 < permille {
            self.reason = Some(Reason::Request);
            self.retired = 0;
            bench.debug_req = true;
        }
        None
    }

    /// Whether the core should be in debug mode by now.
    pub fn overdue(&self) -> bool {
        !self.halted
            && match self.reason {
                None => false,
                Some(Reason::Request) => self.retired > IN_FLIGHT,
                Some(Reason::Step { .. }) => self.retired > 1,
            }
    }

    fn seen(&self, area: &Memory) -> Halt {
        let at = |cell: i32| area.peek(cell as u32);
        Halt {
            reason: self.reason,
            retired: self.retired,
            failed: at(cell::FAILED) != 0,
            dpc: at(cell::DPC),
            dcsr: at(cell::DCSR),
            x: self.looked_at.iter().map(|&number| (number, at(cell::x(number)))).collect(),
        }
    }

    /// The debug area with the program of the next halt.
    fn program(&mut self) -> Memory {
        self.next_dcsr = PRV_M | [0, 0, STEP, STEP | STEPIE][self.rng.next_u32() as usize % 4];
        self.looked_at = (0..LOOKED_AT).map(|_| 1 + self.rng.next_u32() % 31).collect();
        self.looked_at.sort_unstable();
        self.looked_at.dedup();

        let mut entry = Program::at(ENTRY);
        entry.put(asm::jal(0, (PROGRAM - ENTRY) as i32));
        let mut exception = Program::at(EXCEPTION);
        exception.put(asm::addi(S0, 0, 1)).put(asm::sw(S0, cell::FAILED, 0)).put(DRET);
        let mut p = Program::at(PROGRAM);
        p.put(asm::csrw(DSCRATCH0, S0));
        p.put(asm::csrr(S0, DPC)).put(asm::sw(S0, cell::DPC, 0));
        p.put(asm::csrr(S0, DCSR)).put(asm::sw(S0, cell::DCSR, 0));
        p.put(asm::lw(S0, cell::NEXT_DCSR, 0)).put(asm::csrw(DCSR, S0));
        p.put(asm::csrr(S0, DSCRATCH0));
        for &number in &self.looked_at {
            p.put(asm::sw(number, cell::x(number), 0)).put(asm::xori(number, number, -1));
        }
        for &number in &self.looked_at {
            p.put(asm::lw(number, cell::x(number), 0));
        }
        p.put_all(self.spoil.iter().copied()).put(DRET);

        let mut area = Memory::new(AREA, AREA_BYTES);
        area.load(&entry);
        area.load(&exception);
        area.load(&p);
        area.poke(cell::NEXT_DCSR as u32, self.next_dcsr);
        area
    }
}
