//! Abstract commands on registers.

use bench_core::asm::{self, Program, A0, A1, S0, ZERO};
use bench_debug::bench::{halted_program, Bench, Timing, BASE};
use bench_debug::debugger::{csr, dcsr, transfer, Cause, CommandError, Debugger};
use nic_layout::registers::debug::DATA;

const VALUE: u32 = 0x9E37_79B9;

/// Halted before a loop without effects.
fn halted() -> Debugger<Bench> {
    let mut program = Program::at(BASE);
    program.label("here").to("here", |d| asm::jal(ZERO, d));
    halted_program(&program, Timing::IDEAL)
}

#[test]
fn every_gpr_is_read_and_written() {
    for timing in [Timing::IDEAL, Timing::SLOW] {
        let mut debugger = halted();
        debugger.dmi.timing = timing;
        for number in 0..32 {
            debugger.write_gpr(number, VALUE.wrapping_mul(number + 1)).unwrap();
        }
        for number in (0..32).rev() {
            let expected = if number == 0 { 0 } else { VALUE.wrapping_mul(number + 1) };
            assert_eq!(debugger.read_gpr(number).unwrap(), expected, "x{number}");
        }
    }
}

#[test]
fn what_the_debugger_writes_is_what_the_program_finds() {
    let mut program = Program::at(BASE);
    program
        .put(asm::add(A0, A0, A1))
        .put(asm::csrr(A1, asm::csr::MSCRATCH))
        .label("end")
        .to("end", |d| asm::jal(ZERO, d));
    let mut debugger = halted_program(&program, Timing::IDEAL);
    debugger.write_gpr(A0, 40).unwrap();
    debugger.write_gpr(A1, 2).unwrap();
    debugger.write_csr(asm::csr::MSCRATCH, VALUE).unwrap();
    debugger.resume().unwrap();
    debugger.dmi.clocks(20).unwrap();
    debugger.halt().unwrap();
    assert_eq!(debugger.read_gpr(A0).unwrap(), 42);
    assert_eq!(debugger.read_gpr(A1).unwrap(), VALUE);
}

#[test]
fn csrs_are_read_and_written_and_s0_stays() {
    let mut debugger = halted();
    debugger.write_gpr(S0, 0x5050_5050).unwrap();
    let cases = [
        // The CSR, the value written, the value read back.
        (asm::csr::MSTATUS, u32::MAX, 0x1888),
        (asm::csr::MSTATUS, 0, 0x1800),
        (asm::csr::MIE, u32::MAX, 0x800),
        (asm::csr::MTVEC, 0x1000_0041, 0x1000_0041),
        (asm::csr::MSCRATCH, VALUE, VALUE),
        (asm::csr::MEPC, 0x1234_5679, 0x1234_5678),
        (asm::csr::MCAUSE, 0x8000_000B, 0x8000_000B),
        (asm::csr::MTVAL, VALUE, VALUE),
        (asm::csr::MCOUNTINHIBIT, 5, 5),
        (asm::csr::MCYCLE, 1000, 1000),
        (asm::csr::MINSTRET, 2000, 2000),
        (csr::DPC, 0x1000_0011, 0x1000_0010),
        (csr::DSCRATCH0, VALUE, VALUE),
        (
            csr::DCSR,
            u32::MAX,
            dcsr::FIXED | dcsr::EBREAKM | dcsr::STEPIE | dcsr::STEP | (Cause::HaltRequest as u32) << 6,
        ),
        (csr::TSELECT, u32::MAX, 3),
        (csr::TCONTROL, u32::MAX, 0x88),
    ];
    for (number, written, read) in cases {
        debugger.write_csr(number, written).unwrap();
        assert_eq!(debugger.read_csr(number).unwrap(), read, "CSR {number:#x}");
        assert_eq!(debugger.read_gpr(S0).unwrap(), 0x5050_5050, "CSR {number:#x}");
    }
    assert_eq!(debugger.read_csr(csr::TINFO).unwrap(), 0x0100_0040);
    assert_eq!(debugger.read_csr(asm::csr::MHARTID).unwrap(), 0);
}

#[test]
fn a_csr_that_does_not_exist_or_cannot_be_written_is_an_exception_and_s0_stays() {
    let mut debugger = halted();
    debugger.write_gpr(S0, 0x5050_5050).unwrap();
    let traps = [asm::csr::MEPC, asm::csr::MCAUSE, asm::csr::MTVAL, asm::csr::MSTATUS, csr::DPC, csr::DCSR];
    let before = traps.map(|number| debugger.read_csr(number).unwrap());
    for (regno, write) in [(0x000, false), (0x7A3, true), (0xFFF, false), (asm::csr::MHARTID, true), (0xC00, true)] {
        debugger.set(DATA.at(0), 1).unwrap();
        let command = transfer(regno).with_write(write).with_postexec(true);
        assert_eq!(debugger.try_command(command).unwrap(), Some(CommandError::Exception), "CSR {regno:#x}");
        assert_eq!(debugger.read_gpr(S0).unwrap(), 0x5050_5050, "CSR {regno:#x}");
    }
    assert_eq!(traps.map(|number| debugger.read_csr(number).unwrap()), before, "no trap");
}

#[test]
fn registers_of_debug_mode_are_illegal_outside() {
    let mut program = Program::at(BASE);
    program.la(A0, "trap").put(asm::csrw(asm::csr::MTVEC, A0));
    program.put(asm::csrr(A1, csr::DCSR)).label("trap").put(asm::ebreak());
    let mut debugger = halted_program(&program, Timing::IDEAL);
    debugger.write_csr(csr::DCSR, dcsr::EBREAKM).unwrap();
    for (number, illegal) in
        [(csr::DPC, true), (csr::DSCRATCH0, true), (csr::DSCRATCH1, true), (0x7B4, true), (csr::TDATA1, false)]
    {
        debugger.dmi.memory.poke(BASE + 12, asm::csrr(A1, number).bits());
        debugger.write_csr(csr::DPC, BASE).unwrap();
        debugger.write_csr(asm::csr::MCAUSE, 0).unwrap();
        debugger.resume().unwrap();
        debugger.until_halted().unwrap();
        assert_eq!(debugger.pc().unwrap(), BASE + 16);
        assert_eq!(debugger.read_csr(asm::csr::MCAUSE).unwrap(), if illegal { 2 } else { 0 }, "CSR {number:#x}");
    }
    // dret too
    debugger.dmi.memory.poke(BASE + 12, 0x7B20_0073);
    debugger.write_csr(csr::DPC, BASE).unwrap();
    debugger.resume().unwrap();
    debugger.until_halted().unwrap();
    assert_eq!(debugger.read_csr(asm::csr::MCAUSE).unwrap(), 2);
    assert_eq!(debugger.read_csr(asm::csr::MTVAL).unwrap(), 0x7B20_0073);
}

#[test]
fn counters_stand_still_in_debug_mode() {
    let mut debugger = halted();
    let before = [asm::csr::MCYCLE, asm::csr::MINSTRET].map(|number| debugger.read_csr(number).unwrap());
    for _ in 0..10 {
        debugger.read_gpr(A0).unwrap();
    }
    assert_eq!([asm::csr::MCYCLE, asm::csr::MINSTRET].map(|number| debugger.read_csr(number).unwrap()), before);
}
