//! Compares the core with QEMU, one retired instruction at a time.
//!
//! Compared are, for each instruction: its address and the address of the next, all 32 registers
//! after it, whether and where it traps, its encoding with the word in memory, and the operands
//! that RVFI reports with the registers. Stores are compared when their words are loaded, which
//! each program does at its end.
//!
//! **Interrupts** are taken by the core only, so the comparison stands still while the handler
//! runs. The handler must be entered at the address in `mtvec`, and only if `mstatus` and `mie` of
//! QEMU permit it and the pin was high. It must find in `mepc` the address at which QEMU stands, in
//! `mcause` the interrupt, and in `mstatus` MIE moved to MPIE. It must return to that address with
//! all registers unchanged. If the pin is high and interrupts are permitted, the interrupt must be
//! taken within [`LATEST`] instructions.
//!
//! **Halts** ([`Debugger`](crate::debugger::Debugger)) happen between any two instructions, also in
//! the handler. `dpc` must be the address of the next instruction. A step must have retired one
//! instruction, or none if an interrupt was taken instead. The registers that the debugger reads
//! are compared. A register that it does not restore shows after the resume.

use std::collections::VecDeque;
use std::fmt::Write as _;

use bench_core::asm::csr;
use bench_core::insn::Insn;
use bench_core::memory::Memory;
use bench_core::models::Rvfi;

use crate::debugger::{Halt, Reason};
use crate::handler;
use crate::image::Image;
use crate::isa::Isa;
use crate::qemu::{Qemu, QemuError, State};
use crate::rules::{self, Answer, Read};

/// The most instructions that may retire while an enabled interrupt is pending: those in the
/// pipeline.
const LATEST: u32 = 6;
/// The most instructions of the interrupt handler, with some reserve.
const HANDLER_LONGEST: u32 = 16;
/// The number of instructions for which a register may keep a value that rightly differs from
/// QEMU's.
const EXCUSED_LONGEST: u8 = 12;
/// The number of last instructions that the report of a difference lists.
const SHOWN: usize = 16;

const MIE: u32 = 1 << 3;
const MPIE: u32 = 1 << 7;
const MEIE: u32 = 1 << 11;
const INTERRUPT: u32 = 0x8000_000B;
const MRET: u32 = 0x3020_0073;

/// The reason why a comparison ended.
#[derive(Debug, thiserror::Error)]
pub enum Difference {
    /// The core and QEMU differ: the differences, and the last instructions.
    #[error("{0}")]
    Between(String),
    /// QEMU failed.
    #[error(transparent)]
    Qemu(#[from] QemuError),
}

/// The numbers of what was compared.
#[derive(Clone, Copy, Default, Debug)]
pub struct Totals {
    /// Instructions that both executed.
    pub instructions: u64,
    /// Instructions of interrupt handlers, which only the core executes.
    pub alone: u64,
    /// Interrupts that the core took.
    pub interrupts: u64,
    /// Exceptions.
    pub traps: u64,
    /// Halts by request.
    pub halts: u64,
    /// Halts at the end of a step.
    pub steps: u64,
}

/// The state of the core when it was interrupted.
struct Interrupted {
    back_to: u32,
    x: [u32; 32],
    retired: u32,
}

/// The state of a comparison: the registers of both sides, and the permitted differences.
pub struct Compare<'a> {
    image: &'a Image,
    isa: Isa,
    hart_id: u32,
    qemu: Qemu,
    /// QEMU's registers before the instruction that retires next.
    here: State,
    /// The core's registers, by the writes that RVFI reports.
    x: [u32; 32],
    /// For each register, the number of instructions for which it may still differ.
    excused: [u8; 32],
    /// The address of an instruction that cannot be fetched. QEMU has no record before it: the core
    /// must trap there first.
    unfetchable: Option<u32>,
    interrupted: Option<Interrupted>,
    answer: Option<Answer>,
    breakpoint: Option<u32>,
    pending_for: u32,
    log: VecDeque<Rvfi>,
    order: u64,
    /// The numbers of what was compared so far.
    pub totals: Totals,
}

impl<'a> Compare<'a> {
    /// A comparison that begins at reset. An error if QEMU does not deliver its first record.
    pub fn new(image: &'a Image, isa: Isa, hart_id: u32, mut qemu: Qemu) -> Result<Compare<'a>, QemuError> {
        let here = qemu.next_state()?;
        Ok(Compare {
            image,
            isa,
            hart_id,
            qemu,
            here,
            x: [0; 32],
            // Registers are undefined at the start. The programs write each register before they
            // use it.
            excused: [u8::MAX; 32],
            unfetchable: None,
            interrupted: None,
            answer: None,
            breakpoint: None,
            pending_for: 0,
            log: VecDeque::new(),
            order: 0,
            totals: Totals::default(),
        })
    }

    /// Compares a retired instruction. `irq` tells whether the pin was high early enough, and since
    /// the last interrupt, to be seen.
    pub fn retired(&mut self, rvfi: &Rvfi, irq: bool, memory: &Memory) -> Result<(), Difference> {
        self.log.push_back(*rvfi);
        if self.log.len() > SHOWN {
            self.log.pop_front();
        }
        let mut wrong = String::new();
        check(&mut wrong, "order", rvfi.order as u32, self.order as u32);
        self.order += 1;
        if rvfi.insn != 0 || !rvfi.trap {
            check(&mut wrong, "encoding", rvfi.insn, fetched(memory, rvfi.pc));
        }
        self.operands(&mut wrong, rvfi);
        if rvfi.intr {
            self.enter(&mut wrong, rvfi, irq);
        }
        if self.interrupted.is_some() {
            self.alone(&mut wrong, rvfi);
        } else {
            self.together(&mut wrong, rvfi, irq)?;
        }
        if wrong.is_empty() {
            Ok(())
        } else {
            Err(Difference::Between(format!("{wrong}\n{}", self.listing())))
        }
    }

    fn operands(&mut self, wrong: &mut String, rvfi: &Rvfi) {
        for (name, (number, value)) in [("rs1", rvfi.rs1), ("rs2", rvfi.rs2)] {
            if !rvfi.trap && self.excused[usize::from(number)] == 0 {
                check(wrong, name, value, self.x[usize::from(number)]);
            }
        }
        if rvfi.rd.0 != 0 {
            self.x[usize::from(rvfi.rd.0)] = rvfi.rd.1;
        }
    }

    // ---- Both ---------------------------------------------------------------------------

    fn together(&mut self, wrong: &mut String, rvfi: &Rvfi, irq: bool) -> Result<(), Difference> {
        self.totals.instructions += 1;
        self.obeys(wrong, irq);
        if let Some(pc) = self.unfetchable.take() {
            check(wrong, "pc of what cannot be fetched", rvfi.pc, pc);
            check(wrong, "trap", rvfi.trap.into(), 1);
            check(wrong, "rd", rvfi.rd.0.into(), 0);
            check(wrong, "next pc", rvfi.next_pc, self.here.pc);
            self.trapped(rvfi, None);
            return Ok(());
        }

        check(wrong, "pc", rvfi.pc, self.here.pc);
        let next = self.qemu.next_state()?;
        if rvfi.trap {
            let base = self.here.mtvec & !3;
            check(wrong, "QEMU's next pc after a trap", next.pc, base);
            check(wrong, "QEMU's mepc after a trap", next.mepc, rvfi.pc);
            check(wrong, "rd of a trap", rvfi.rd.0.into(), 0);
            self.trapped(rvfi, (next.mcause == 3).then_some(rvfi.pc));
        } else {
            self.csr(wrong, rvfi, &next);
        }
        if rvfi.next_pc != next.pc && !rvfi.trap && next.mcause == 1 && next.mepc == rvfi.next_pc {
            self.unfetchable = Some(rvfi.next_pc);
        } else {
            check(wrong, "next pc", rvfi.next_pc, next.pc);
        }
        self.registers(wrong, &next);
        self.here = next;
        Ok(())
    }

    fn trapped(&mut self, rvfi: &Rvfi, breakpoint: Option<u32>) {
        self.totals.traps += 1;
        self.answer = self.image.answers.get(&rvfi.pc).copied();
        self.breakpoint = breakpoint;
    }

    fn csr(&mut self, wrong: &mut String, rvfi: &Rvfi, qemu: &State) {
        if let Some(number) = rules::csr_read(rvfi.insn) {
            let rd = usize::from(rvfi.rd.0);
            match rules::read(number, &self.isa, self.hart_id, self.answer, self.breakpoint) {
                Read::Same => {}
                Read::Is(value) => {
                    check(wrong, "value of a CSR", rvfi.rd.1, value);
                    self.excused[rd] = EXCUSED_LONGEST;
                }
                Read::With(bits) => {
                    check(wrong, "value of a CSR", rvfi.rd.1, qemu.x[rd] | bits);
                    self.excused[rd] = EXCUSED_LONGEST;
                }
                Read::Zero(mask) => {
                    check(wrong, "bits of a CSR that are zero", rvfi.rd.1 & mask, 0);
                    self.excused[rd] = EXCUSED_LONGEST;
                }
            }
        }
        // From now on QEMU has the value that the program wrote.
        let number = rvfi.insn >> 20;
        let writes = rvfi.insn & 0x7F == 0x73 && matches!(rvfi.insn >> 12 & 7, 1 | 5);
        if writes && (number == csr::MCAUSE || number == csr::MTVAL) {
            self.answer = None;
            self.breakpoint = None;
        }
    }

    fn registers(&mut self, wrong: &mut String, qemu: &State) {
        for number in 1..32 {
            if self.x[number] == qemu.x[number] {
                if self.excused[number] != u8::MAX {
                    self.excused[number] = 0;
                }
                continue;
            }
            match &mut self.excused[number] {
                0 => check(wrong, &format!("x{number}"), self.x[number], qemu.x[number]),
                // The register is undefined from reset until it is written.
                &mut u8::MAX => {}
                left => *left -= 1,
            }
        }
        let rd = self.log.back().map_or(0, |rvfi| usize::from(rvfi.rd.0));
        if self.excused[rd] == u8::MAX {
            self.excused[rd] = 0;
            check(wrong, &format!("x{rd}"), self.x[rd], qemu.x[rd]);
        }
    }

    // ---- Interrupts -----------------------------------------------------------------------

    fn permitted(&self) -> bool {
        // At an instruction that cannot be fetched, QEMU has trapped already, and has moved MIE to
        // MPIE.
        let mie = if self.unfetchable.is_some() { MPIE } else { MIE };
        self.here.mstatus & mie != 0 && self.here.mie & MEIE != 0
    }

    fn obeys(&mut self, wrong: &mut String, irq: bool) {
        self.pending_for = if irq && self.permitted() { self.pending_for + 1 } else { 0 };
        if self.pending_for > LATEST {
            write!(wrong, "an interrupt is pending and enabled for {LATEST} instructions; ")
                .expect("writes to a string");
        }
    }

    fn enter(&mut self, wrong: &mut String, rvfi: &Rvfi, irq: bool) {
        let vectored = self.here.mtvec & 1 == 1;
        check(wrong, "interrupt permitted", 1, (self.permitted() && self.interrupted.is_none()).into());
        check(wrong, "irq_i at an interrupt", 1, irq.into());
        check(wrong, "pc of an interrupt", rvfi.pc, (self.here.mtvec & !3) + if vectored { 44 } else { 0 });
        let mut x = self.x;
        // A register that the handler's first instruction writes would not show the interrupted
        // state. So this instruction writes none.
        x[usize::from(rvfi.rd.0)] = self.here.x[usize::from(rvfi.rd.0)];
        self.interrupted = Some(Interrupted { back_to: self.unfetchable.unwrap_or(self.here.pc), x, retired: 0 });
        self.pending_for = 0;
        self.totals.interrupts += 1;
    }

    fn alone(&mut self, wrong: &mut String, rvfi: &Rvfi) {
        self.totals.alone += 1;
        let interrupted = self.interrupted.as_mut().expect("the caller looked");
        interrupted.retired += 1;
        if interrupted.retired > HANDLER_LONGEST || !(handler::VECTORS..handler::END).contains(&rvfi.pc) || rvfi.trap {
            write!(wrong, "an interrupt leads to {:#x} and not back; ", rvfi.pc).expect("writes to a string");
        }
        match rules::csr_read(rvfi.insn) {
            Some(csr::MEPC) => check(wrong, "mepc of an interrupt", rvfi.rd.1, interrupted.back_to),
            Some(csr::MCAUSE) => check(wrong, "mcause of an interrupt", rvfi.rd.1, INTERRUPT),
            Some(csr::MSTATUS) => check(wrong, "mstatus of an interrupt", rvfi.rd.1, 3 << 11 | MPIE),
            Some(csr::MTVAL) => check(wrong, "mtval of an interrupt", rvfi.rd.1, 0),
            _ => {}
        }
        if rvfi.insn == MRET {
            check(wrong, "return from an interrupt", rvfi.next_pc, interrupted.back_to);
            for number in 1..32 {
                check(wrong, &format!("x{number} after an interrupt"), self.x[number], interrupted.x[number]);
            }
            self.interrupted = None;
        }
    }

    // ---- Debug mode -----------------------------------------------------------------------

    /// Compares the registers that a debugger read. `irq` as for [`Compare::retired`].
    pub fn halted(&mut self, halt: &Halt, irq: bool) -> Result<(), Difference> {
        let mut wrong = String::new();
        check(&mut wrong, "exceptions in debug mode", halt.failed.into(), 0);
        let vectored = self.here.mtvec & 1 == 1;
        let vector = (self.here.mtvec & !3) + if vectored { 44 } else { 0 };
        let next = match &self.interrupted {
            Some(_) => self.log.back().map_or(0, |rvfi| rvfi.next_pc),
            None => self.unfetchable.unwrap_or(self.here.pc),
        };
        // An interrupt was taken, and the core halted before its handler. The handler's first
        // instruction will report it.
        let interrupted = halt.dpc == vector && next != vector;
        if interrupted {
            let masked = halt.reason == Some(Reason::Step { stepie: false });
            let permitted = self.permitted() && self.interrupted.is_none() && irq && !masked;
            check(&mut wrong, "interrupt permitted in front of a halt", 1, permitted.into());
        } else {
            check(&mut wrong, "dpc", halt.dpc, next);
        }
        let cause = halt.dcsr >> 6 & 7;
        match halt.reason {
            Some(Reason::Request) => {
                self.totals.halts += 1;
                check(&mut wrong, "cause of a halt by request", cause, 3);
            }
            Some(Reason::Step { .. }) => {
                self.totals.steps += 1;
                check(&mut wrong, "cause of a halt behind a step", cause, 4);
                check(&mut wrong, "instructions of a step", halt.retired, (!interrupted).into());
            }
            None => wrong.push_str("debug mode without a reason; "),
        }
        for &(number, value) in &halt.x {
            let number = number as usize;
            if self.excused[number] == 0 {
                check(&mut wrong, &format!("x{number} in debug mode"), value, self.x[number]);
            }
        }
        if wrong.is_empty() {
            Ok(())
        } else {
            Err(Difference::Between(format!("{wrong}\n{}", self.listing())))
        }
    }

    // ---- Report ---------------------------------------------------------------------------

    /// The last instructions, as the core retired them.
    pub fn listing(&self) -> String {
        let mut text = String::from("        pc: insn\n");
        for rvfi in &self.log {
            write!(text, "  {:08x}: {:08x} {}", rvfi.pc, rvfi.insn, Insn::decode(rvfi.insn))
                .expect("writes to a string");
            if rvfi.rd.0 != 0 {
                write!(text, "  -> x{} = {:#x}", rvfi.rd.0, rvfi.rd.1).expect("writes to a string");
            }
            if rvfi.trap {
                write!(text, "  trap to {:#x}", rvfi.next_pc).expect("writes to a string");
            }
            text.push_str(if rvfi.intr { "  (first after an interrupt)\n" } else { "\n" });
        }
        text
    }

    /// The address of the next instruction, by QEMU.
    pub fn pc(&self) -> u32 {
        self.here.pc
    }
}

fn check(wrong: &mut String, what: &str, core: u32, right: u32) {
    if core != right {
        write!(wrong, "{what}: core {core:#x}, right {right:#x}; ").expect("writes to a string");
    }
}

/// The encoding at an address.
fn fetched(memory: &Memory, pc: u32) -> u32 {
    let half = |at: u32| memory.read(at).map_or(0, |word| word >> (8 * (at & 2)) & 0xFFFF);
    let low = half(pc);
    if low & 3 == 3 {
        low | half(pc.wrapping_add(2)) << 16
    } else {
        low
    }
}
