//! Code and data may lie anywhere: every bit of an address is used.

use bench_core::asm::*;
use bench_core::bench::Timing;
use bench_core::lockstep::{End, Lockstep};
use bench_core::memory::Memory;

const LEN_BYTES: u32 = 0x1000;

/// Calls, branches, accesses, traps and an interrupt's return, all near `base`.
fn program(base: u32) -> Program {
    let mut p = Program::at(base);
    p.la(T5, "handler").put(csrw(csr::MTVEC, T5)).put(csrw(csr::MSCRATCH, T5)).put(ecall());
    p.la(T0, "data").put(sw(T5, 0, T0)).put(lw(A0, 0, T0)).put(lhu(A1, 2, T0));
    p.to("twice", |d| jal(RA, d)).la(RA, "parked").put(jalr(ZERO, RA, 0));
    p.label("twice").put(auipc(A2, 0xF_FFFF)).put(addi(A3, ZERO, 1)).put(jalr(ZERO, RA, 0));
    // `mtvec` holds addresses of words only.
    p.align(4).label("handler").put(csrr(T5, csr::MEPC)).put(csrr(T6, csr::MTVAL)).put(addi(T5, T5, 4));
    p.put(csrw(csr::MEPC, T5)).put(mret());
    p.label("parked").to_compressed("ebreak", |d| c_jump(5, d)).put(c_nop());
    p.label("ebreak").put(ebreak()).label("end").to("end", |d| jal(ZERO, d)).align(4).label("data").put(nop());
    p
}

#[test]
fn programs_run_at_every_address() {
    for base in [0x5555_5000, 0xAAAA_A000, 0xFFFF_E000, 0x0000_1000, 0x7FFF_F000, 0x8000_0000] {
        for offset in [0, 2, 0x554, 0xAAA] {
            let program = program(base + offset);
            let mut memory = Memory::new(base, LEN_BYTES);
            memory.load(&program);
            let mut core =
                Lockstep::new(memory, program.base(), Timing::SLOW, 1).unwrap_or_else(|failure| panic!("{failure}"));
            let end = core.run(1000).unwrap_or_else(|failure| panic!("{failure}"));
            assert_eq!(end, End::Parked, "at {:#x}", program.base());
            assert_eq!(core.exceptions, 2, "ecall and ebreak at {:#x}", program.base());
        }
    }
}
