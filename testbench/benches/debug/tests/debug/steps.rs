//! Single steps, and the instructions that end or begin a halt.

use bench_core::asm::{self, csr as machine, Program, A0, A1, S0, T0, ZERO};
use bench_core::models::Rvfi;
use bench_debug::bench::{debugged_program, halted_program, Bench, Timing, BASE};
use bench_debug::debugger::{csr, dcsr, Cause, Debugger};

/// Calls, loops, loads, stores, a trap with its handler, compressed code and a division.
fn mixed() -> Program {
    let mut p = Program::at(BASE);
    p.la(T0, "trap").put(asm::csrw(machine::MTVEC, T0)).li(S0, BASE + 0x800).put(asm::addi(A0, ZERO, 3));
    p.label("loop").put(asm::sw(A0, 0, S0)).put(asm::lb(A1, 0, S0)).put(asm::c_addi(S0, 4));
    p.to("call", |d| asm::jal(asm::RA, d)).put(asm::c_addi(A0, -1)).to("loop", |d| asm::bne(A0, ZERO, d));
    p.put(asm::ecall()).put(asm::div(A1, S0, A1)).put(asm::lw(A1, 1, S0)).put(asm::ebreak()).put(asm::wfi());
    p.label("end").to("end", |d| asm::jal(ZERO, d));
    p.label("call").put(asm::mul(A1, A1, A0)).put(asm::jalr(ZERO, asm::RA, 0));
    p.align(4).label("trap");
    p.put(asm::csrr(T0, machine::MEPC)).put(asm::addi(T0, T0, 4)).put(asm::csrw(machine::MEPC, T0)).put(asm::mret());
    p
}

fn trace(debugger: &Debugger<Bench>) -> Vec<Rvfi> {
    debugger.dmi.retired(0).iter().map(|retired| retired.rvfi).collect()
}

#[test]
fn a_program_in_steps_does_what_it_does_at_once() {
    let program = mixed();
    let mut plain = debugged_program(&program, Timing::IDEAL);
    plain.dmi.clocks(200).unwrap();
    let plain = trace(&plain);
    let wfi = plain.iter().position(|rvfi| rvfi.insn == asm::ebreak().bits()).unwrap() + 5;

    for timing in [Timing::IDEAL, Timing::SLOW] {
        let mut debugger = halted_program(&program, timing);
        for (count, expected) in plain[..wfi].iter().enumerate() {
            assert_eq!(debugger.pc().unwrap(), expected.pc);
            debugger.step().unwrap();
            assert_eq!(debugger.cause().unwrap(), Cause::Step);
            assert_eq!(debugger.pc().unwrap(), expected.next_pc, "a trap is a step");
            assert_eq!(debugger.dmi.retired(0).len(), count + 1);
        }
        assert!(trace(&debugger) == plain[..wfi], "{timing:?}");
    }
}

#[test]
fn wfi_is_no_obstacle_to_steps_and_requests() {
    let mut program = Program::at(BASE);
    program.put(asm::wfi()).put(asm::addi(A0, A0, 1)).label("end").to("end", |d| asm::jal(ZERO, d));
    let mut debugger = halted_program(&program, Timing::IDEAL);
    debugger.step().unwrap();
    assert_eq!((debugger.cause().unwrap(), debugger.pc().unwrap()), (Cause::Step, BASE + 4));

    let mut debugger = debugged_program(&program, Timing::IDEAL);
    debugger.dmi.clocks(50).unwrap();
    assert!(debugger.dmi.asleep(0));
    debugger.halt().unwrap();
    assert_eq!((debugger.cause().unwrap(), debugger.pc().unwrap()), (Cause::HaltRequest, BASE + 4));
    assert_eq!(debugger.dmi.retired(0).len(), 1, "it is done");
}

/// Interrupts are enabled, with a handler; then additions without end.
fn interruptible() -> Program {
    let mut p = Program::at(BASE);
    p.la(T0, "handler").put(asm::csrw(machine::MTVEC, T0)).li(T0, 1 << 11);
    p.put(asm::csrw(machine::MIE, T0)).put(asm::csrrsi(ZERO, machine::MSTATUS, 8));
    p.label("loop").put(asm::addi(A0, A0, 1)).to("loop", |d| asm::jal(ZERO, d));
    p.align(4).label("handler").put(asm::mret());
    p
}

#[test]
fn interrupts_wait_for_the_end_of_steps() {
    let program = interruptible();
    let mut debugger = debugged_program(&program, Timing::IDEAL);
    debugger.dmi.clocks(50).unwrap();
    debugger.halt().unwrap();
    debugger.dmi.irq[0] = true;
    for _ in 0..6 {
        debugger.step().unwrap();
        assert_eq!(debugger.cause().unwrap(), Cause::Step);
        assert!(debugger.pc().unwrap() < program.address_of("handler"));
    }
    debugger.resume().unwrap();
    debugger.dmi.clocks(20).unwrap();
    assert!(debugger.dmi.retired(0).iter().any(|retired| retired.rvfi.intr), "they come when the hart runs");
}

#[test]
fn with_stepie_an_interrupt_is_a_step() {
    let program = interruptible();
    let mut debugger = debugged_program(&program, Timing::IDEAL);
    debugger.dmi.clocks(50).unwrap();
    debugger.halt().unwrap();
    debugger.write_csr(csr::DCSR, dcsr::STEPIE).unwrap();
    let (before, retired) = (debugger.pc().unwrap(), debugger.dmi.retired(0).len());
    debugger.dmi.irq[0] = true;
    debugger.step().unwrap();
    assert_eq!((debugger.cause().unwrap(), debugger.pc().unwrap()), (Cause::Step, program.address_of("handler")));
    assert_eq!(debugger.read_csr(machine::MEPC).unwrap(), before);
    assert_eq!(debugger.read_csr(machine::MCAUSE).unwrap(), 0x8000_000B);
    assert_eq!(debugger.dmi.retired(0).len(), retired, "no instruction was executed");
    debugger.dmi.irq[0] = false;
    debugger.step().unwrap();
    assert_eq!(debugger.pc().unwrap(), before, "mret");
}

#[test]
fn ebreak_halts_if_the_debugger_wants_it_and_traps_if_not() {
    for code in [asm::ebreak(), asm::c_ebreak()] {
        let mut program = Program::at(BASE);
        program.la(T0, "trap").put(asm::csrw(machine::MTVEC, T0)).label("break").put(code);
        program.align(4).label("trap").to("trap", |d| asm::jal(ZERO, d));
        let mut debugger = halted_program(&program, Timing::IDEAL);
        debugger.write_csr(csr::DCSR, dcsr::EBREAKM).unwrap();
        let instret = debugger.read_csr(machine::MINSTRET).unwrap();
        debugger.resume().unwrap();
        debugger.until_halted().unwrap();
        assert_eq!((debugger.cause().unwrap(), debugger.pc().unwrap()), (Cause::Ebreak, program.address_of("break")));
        assert_eq!(debugger.read_csr(machine::MINSTRET).unwrap(), instret + 3, "the ebreak does not count");
        debugger.step().unwrap();
        assert_eq!((debugger.cause().unwrap(), debugger.pc().unwrap()), (Cause::Ebreak, program.address_of("break")));

        debugger.write_csr(csr::DCSR, 0).unwrap();
        debugger.resume().unwrap();
        debugger.dmi.clocks(50).unwrap();
        debugger.halt().unwrap();
        assert_eq!(debugger.pc().unwrap(), program.address_of("trap"));
        assert_eq!(debugger.read_csr(machine::MCAUSE).unwrap(), 3);
        assert_eq!(debugger.read_csr(machine::MEPC).unwrap(), program.address_of("break"));
    }
}

#[test]
fn the_program_goes_on_where_the_debugger_says() {
    let mut program = Program::at(BASE);
    program.label("here").to("here", |d| asm::jal(ZERO, d)).label("there").put(asm::addi(A0, ZERO, 7));
    program.label("end").to("end", |d| asm::jal(ZERO, d));
    let mut debugger = halted_program(&program, Timing::SLOW);
    debugger.write_csr(csr::DPC, program.address_of("there")).unwrap();
    debugger.step().unwrap();
    assert_eq!(debugger.pc().unwrap(), program.address_of("end"));
    assert_eq!(debugger.read_gpr(A0).unwrap(), 7);
}

#[test]
fn a_step_into_code_that_cannot_be_fetched_traps_with_the_next_step() {
    let mut program = Program::at(BASE);
    program.la(T0, "trap").put(asm::csrw(machine::MTVEC, T0)).li(A0, 0x3000_0000).put(asm::jalr(ZERO, A0, 0));
    program.align(4).label("trap").to("trap", |d| asm::jal(ZERO, d));
    let mut debugger = halted_program(&program, Timing::IDEAL);
    for _ in 0..6 {
        debugger.step().unwrap();
    }
    assert_eq!(debugger.pc().unwrap(), 0x3000_0000);
    debugger.step().unwrap();
    assert_eq!(debugger.pc().unwrap(), program.address_of("trap"));
    assert_eq!(debugger.read_csr(machine::MCAUSE).unwrap(), 1);
}

#[test]
fn a_program_has_no_access_to_the_debug_area() {
    let mut program = Program::at(BASE);
    program.la(T0, "trap").put(asm::csrw(machine::MTVEC, T0)).label("first").put(asm::nop());
    program.label("end").to("end", |d| asm::jal(ZERO, d)).align(4).label("trap").to("trap", |d| asm::jal(ZERO, d));
    for (code, cause) in
        [(asm::lw(A0, -2048 + 16, ZERO), 5), (asm::sw(A0, -2048, ZERO), 7), (asm::jalr(ZERO, ZERO, -0x700), 1)]
    {
        let mut debugger = debugged_program(&program, Timing::IDEAL);
        debugger.dmi.run[0] = false;
        debugger.dmi.clocks(3).unwrap();
        debugger.dmi.memory.poke(program.address_of("first"), code.bits());
        debugger.dmi.run[0] = true;
        debugger.dmi.clocks(50).unwrap();
        assert!(debugger.status().unwrap().allrunning());
        debugger.halt().unwrap();
        assert_eq!(debugger.pc().unwrap(), program.address_of("trap"));
        assert_eq!(debugger.read_csr(machine::MCAUSE).unwrap(), cause);
    }
}
