//! The code before all programs: the start from reset, and the trap handler that they share.
//!
//! QEMU takes no interrupts, so an interrupt must change no state: its path through the handler
//! saves and restores the registers that it uses. Exceptions happen on both sides. Their path ends
//! after the instruction that trapped. If that instruction could not be fetched, it ends at the
//! address that the program noted before the jump.

use bench_core::asm::{self, csr, Program};

use crate::image::{EDGE, START};

/// Words at addresses that can be reached from `x0`. They belong to the handler, and to the code
/// around programs.
pub mod cell {
    /// The saved x31.
    pub const SAVED_31: i32 = 0x700;
    /// The saved x30.
    pub const SAVED_30: i32 = 0x704;
    /// The address at which a program continues after an instruction that cannot be fetched.
    pub const RETURN: i32 = 0x708;
    /// The number of backward jumps that a round of a program may still make.
    pub const FUSE: i32 = 0x70C;
    /// The number of rounds that a program still has to run.
    pub const ROUNDS: i32 = 0x710;
}

/// The address of the trap vectors, to which `mtvec` points.
pub const VECTORS: u32 = 0x1100;
/// The address behind the handler.
pub const END: u32 = 0x1200;

/// The handler's code.
pub fn handler() -> Program {
    let mut p = Program::at(VECTORS);
    for cause in 0..12 {
        let label = if cause == 11 { "interrupt" } else { "trap" };
        p.to(label, |d| asm::jal(0, d));
    }

    p.label("trap")
        .put(asm::sw(31, cell::SAVED_31, 0))
        .put(asm::csrr(31, csr::MCAUSE))
        .to("look", |d| asm::blt(31, 0, d))
        .put(asm::sw(30, cell::SAVED_30, 0))
        // These CSRs are read for the comparison only.
        .put(asm::csrr(30, csr::MTVAL))
        .put(asm::csrr(30, csr::MSTATUS))
        .put(asm::csrr(30, csr::MEPC))
        // An address at or behind the edge of memory has no instruction to look at. Only such an
        // address has none.
        .li(31, EDGE)
        .to("unfetchable", |d| asm::bgeu(30, 31, d))
        .put(asm::lbu(31, 0, 30))
        .put(asm::andi(31, 31, 3))
        .put(asm::addi(31, 31, -3))
        .put(asm::addi(30, 30, 2))
        .to("leave", |d| asm::bne(31, 0, d))
        .put(asm::addi(30, 30, 2))
        .label("leave")
        .put(asm::csrw(csr::MEPC, 30))
        .put(asm::lw(30, cell::SAVED_30, 0))
        .put(asm::lw(31, cell::SAVED_31, 0))
        .put(asm::mret());
    p.label("unfetchable").put(asm::lw(30, cell::RETURN, 0));
    p.to("leave", |d| asm::jal(0, d));

    p.label("interrupt").put(asm::sw(31, cell::SAVED_31, 0));
    p.label("look")
        .put(asm::csrr(31, csr::MCAUSE))
        .put(asm::csrr(31, csr::MEPC))
        .put(asm::csrr(31, csr::MSTATUS))
        .put(asm::csrr(31, csr::MTVAL))
        .put(asm::lw(31, cell::SAVED_31, 0))
        .put(asm::mret());
    assert!(p.here() <= END, "the handler ends at {:#x}", p.here());
    p
}

/// From reset to the first program: both sides get the same CSRs.
pub fn start(first_program: u32) -> Program {
    let mut p = Program::at(START);
    p.li(31, VECTORS).put(asm::csrw(csr::MTVEC, 31));
    for number in [csr::MSCRATCH, csr::MEPC, csr::MCAUSE, csr::MTVAL, csr::MCOUNTINHIBIT] {
        p.put(asm::csrw(number, 0));
    }
    // `MPP` always reads 3 in the core. In QEMU it reads 0 until it is written.
    p.li(31, 0x1888).put(asm::csrw(csr::MSTATUS, 31)).li(31, 1 << 11).put(asm::csrw(csr::MIE, 31));
    p.put(asm::jal(0, first_program.wrapping_sub(p.here()) as i32));
    assert!(p.here() <= VECTORS);
    p
}
