//! Functions that the directed tests share: the memory map, and running a program to its end under
//! several timings.

use crate::asm::{self, csr, Program, T5, ZERO};
use crate::bench::Timing;
use crate::lockstep::{End, Lockstep};
use crate::memory::Memory;

/// The address of the first instruction.
pub const BASE: u32 = 0x1000_0000;
/// The address of the data.
pub const DATA: u32 = BASE + 0x1000;
/// The address of 64 bytes whose accesses end with a bus error.
pub const FAULTY: u32 = BASE + 0x1800;
const LEN_BYTES: u32 = 0x2000;

/// An empty program at [`BASE`].
pub fn program() -> Program {
    Program::at(BASE)
}

/// Ends a program with a jump to itself, which [`run`] recognizes.
pub fn park(program: &mut Program) -> &mut Program {
    program.put(asm::jal(ZERO, 0))
}

/// Sends traps to the label `handler`.
pub fn set_handler(program: &mut Program) -> &mut Program {
    program.la(T5, "handler").put(asm::csrw(csr::MTVEC, T5))
}

/// Enables the external interrupt.
pub fn enable_interrupts(program: &mut Program) -> &mut Program {
    program.li(T5, 1 << 11).put(asm::csrw(csr::MIE, T5)).put(asm::csrrsi(ZERO, csr::MSTATUS, 8))
}

/// The memory of the directed tests with a program in it; accesses at [`FAULTY`] fail.
pub fn memory(program: &Program) -> Memory {
    let mut memory = Memory::new(BASE, LEN_BYTES);
    memory.add_faulty(FAULTY..FAULTY + 64);
    memory.load(program);
    memory
}

/// A core and a reference that are about to execute the first instruction of a program.
pub fn start(program: &Program, timing: Timing) -> Lockstep {
    let mut lockstep =
        Lockstep::new(memory(program), program.base(), timing, 1).unwrap_or_else(|failure| panic!("{failure}"));
    lockstep.keep_steps = true;
    lockstep
}

/// Runs a program to its end. Panics if the core differs from the reference.
pub fn run_to_end(mut lockstep: Lockstep) -> Lockstep {
    let end = lockstep.run(10_000).unwrap_or_else(|failure| panic!("{failure}"));
    assert_eq!(end, End::Parked, "the program did not end");
    lockstep
}

/// Runs a program with slow memory, and then with ideal memory; registers must be the same at the
/// end. Returns the second run. A program that reads `mcycle` cannot be run so.
pub fn run(program: &Program) -> Lockstep {
    let slow = run_to_end(start(program, Timing::SLOW));
    let ideal = run_to_end(start(program, Timing::IDEAL));
    assert_eq!(slow.x, ideal.x, "registers depend on the timing");
    ideal
}
