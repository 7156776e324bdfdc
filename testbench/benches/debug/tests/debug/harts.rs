//! Halting, resuming, resets: the state of two harts as dmstatus shows it.

use bench_core::asm::*;
use bench_core::memory::Memory;
use bench_debug::bench::{Bench, Timing, BASE};
use bench_debug::debugger::{Cause, CommandError, Debugger};
use nic_layout::registers::debug::{Dmcontrol, DATA, DMCONTROL, HALTSUM0, HARTINFO, HARTINFO_RESET};

const OTHER: u32 = BASE + 0x800;

/// Both harts count in x10, in loops of their own.
fn counting(timing: Timing) -> Debugger<Bench> {
    let mut memory = Memory::new(BASE, 0x1000);
    for base in [BASE, OTHER] {
        let mut program = Program::at(base);
        program.put(addi(A0, ZERO, 0)).label("loop").put(addi(A0, A0, 1)).to("loop", |d| jal(ZERO, d));
        memory.load(&program);
    }
    let mut bench = Bench::new(memory, [BASE, OTHER], timing, 1).unwrap();
    bench.run = [true; 2];
    Debugger::new(bench).unwrap()
}

#[test]
fn a_hart_halts_and_goes_on_where_it_was() {
    for timing in [Timing::IDEAL, Timing::SLOW] {
        let mut debugger = counting(timing);
        debugger.dmi.clocks(100).unwrap();
        let status = debugger.status().unwrap();
        assert!(status.allrunning() && status.anyrunning() && !status.anyhalted() && !status.anyunavail());
        debugger.halt().unwrap();
        assert!(debugger.dmi.in_debug_mode(0) && !debugger.dmi.in_debug_mode(1));
        let status = debugger.status().unwrap();
        assert!(status.allhalted() && status.anyhalted() && !status.anyrunning());
        assert_eq!(debugger.cause().unwrap(), Cause::HaltRequest);

        let retired = debugger.dmi.retired(0).len();
        let last = *debugger.dmi.retired(0).last().unwrap();
        assert_eq!(debugger.pc().unwrap(), last.rvfi.next_pc);
        let count = debugger.read_gpr(A0).unwrap();
        debugger.dmi.clocks(100).unwrap();
        assert_eq!(debugger.read_gpr(A0).unwrap(), count);
        assert_eq!(debugger.dmi.retired(0).len(), retired, "nothing retires");

        debugger.resume().unwrap();
        assert!(debugger.status().unwrap().allresumeack());
        debugger.dmi.clocks(50).unwrap();
        assert_eq!(debugger.dmi.retired(0)[retired].rvfi.pc, last.rvfi.next_pc);
        assert!(debugger.status().unwrap().allrunning());
    }
}

#[test]
fn two_harts_halt_apart() {
    let mut debugger = counting(Timing::IDEAL);
    debugger.select(1).unwrap();
    debugger.halt().unwrap();
    assert!(debugger.dmi.in_debug_mode(1) && !debugger.dmi.in_debug_mode(0));
    assert!((OTHER..OTHER + 16).contains(&debugger.pc().unwrap()));
    assert_eq!(debugger.read_csr(csr::MHARTID).unwrap(), 1);
    assert_eq!(debugger.get(HALTSUM0).unwrap(), 0b10);

    debugger.select(0).unwrap();
    assert!(debugger.status().unwrap().allrunning());
    debugger.halt().unwrap();
    assert_eq!(debugger.get(HALTSUM0).unwrap(), 0b11);
    debugger.write_gpr(A0, 1000).unwrap();
    debugger.select(1).unwrap();
    debugger.write_gpr(A0, 2000).unwrap();
    debugger.select(0).unwrap();
    assert_eq!(debugger.read_gpr(A0).unwrap(), 1000);
    debugger.resume().unwrap();
    assert!(debugger.dmi.in_debug_mode(1));
    debugger.select(1).unwrap();
    assert_eq!(debugger.read_gpr(A0).unwrap(), 2000);
    assert!(debugger.status().unwrap().allhalted());
}

#[test]
fn a_core_in_reset_is_unavailable_and_says_that_it_was_reset() {
    let mut debugger = counting(Timing::IDEAL);
    debugger.dmi.clocks(50).unwrap();
    let status = debugger.status().unwrap();
    assert!(!status.anyhavereset(), "the reset came before the debug module woke");
    debugger.dmi.run[0] = false;
    debugger.dmi.clocks(5).unwrap();
    let status = debugger.status().unwrap();
    assert!(status.allunavail() && status.anyunavail() && !status.anyrunning() && !status.anyhalted());
    assert!(status.allhavereset() && status.anyhavereset());
    assert_eq!(debugger.try_command(bench_debug::debugger::transfer(0x1001)).unwrap(), Some(CommandError::HaltResume));
    debugger.dmi.run[0] = true;
    debugger.dmi.clocks(5).unwrap();
    let status = debugger.status().unwrap();
    assert!(status.allrunning() && status.allhavereset());
    debugger.control(|control| control.with_ackhavereset(true)).unwrap();
    assert!(!debugger.status().unwrap().anyhavereset());
}

#[test]
fn reset_halt_comes_before_the_first_instruction() {
    let mut debugger = counting(Timing::IDEAL);
    debugger.control(|control| control.with_setresethaltreq(true)).unwrap();
    debugger.dmi.clocks(50).unwrap();
    assert!(debugger.status().unwrap().allrunning(), "not before a reset");
    for _ in 0..2 {
        debugger.control(|control| control.with_hartreset(true)).unwrap();
        assert!(debugger.get(DMCONTROL).unwrap().hartreset());
        debugger.dmi.clocks(5).unwrap();
        let retired = debugger.dmi.retired(0).len();
        debugger.control(|control| control).unwrap();
        debugger.until_halted().unwrap();
        assert_eq!(debugger.dmi.retired(0).len(), retired);
        assert_eq!(debugger.pc().unwrap(), BASE);
        assert_eq!(debugger.cause().unwrap(), Cause::HaltRequest);
        debugger.resume().unwrap();
        debugger.dmi.clocks(30).unwrap();
        assert!(debugger.status().unwrap().allrunning(), "once for each reset");
        assert_eq!(debugger.dmi.retired(0)[retired].rvfi.pc, BASE);
    }
    debugger.control(|control| control.with_clrresethaltreq(true)).unwrap();
    debugger.control(|control| control.with_hartreset(true)).unwrap();
    debugger.control(|control| control).unwrap();
    debugger.dmi.clocks(30).unwrap();
    assert!(debugger.status().unwrap().allrunning());
}

#[test]
fn a_reset_of_the_system_resets_both_harts_and_not_the_module() {
    let mut debugger = counting(Timing::IDEAL);
    debugger.halt().unwrap();
    debugger.set(DATA.at(1), 77).unwrap();
    debugger.control(|control| control.with_ndmreset(true)).unwrap();
    debugger.dmi.clocks(5).unwrap();
    for hart in [1, 0] {
        debugger
            .set(DMCONTROL, Dmcontrol::default().with_dmactive(true).with_ndmreset(true).with_hartsello(hart))
            .unwrap();
        let status = debugger.status().unwrap();
        assert!(status.allunavail() && status.allhavereset() && status.ndmresetpending());
    }
    debugger.control(|control| control).unwrap();
    debugger.dmi.clocks(30).unwrap();
    assert!(debugger.status().unwrap().allrunning(), "reset ends the halt");
    assert_eq!(debugger.get(DATA.at(1)).unwrap(), 77);
}

#[test]
fn a_halt_request_that_stands_halts_a_hart_out_of_reset() {
    let mut debugger = counting(Timing::IDEAL);
    debugger.dmi.run[0] = false;
    debugger.dmi.clocks(5).unwrap();
    let retired = debugger.dmi.retired(0).len();
    debugger.control(|control| control.with_haltreq(true)).unwrap();
    debugger.dmi.run[0] = true;
    debugger.until_halted().unwrap();
    assert_eq!(debugger.dmi.retired(0).len(), retired);
    debugger.control(|control| control.with_haltreq(true).with_resumereq(true)).unwrap();
    debugger.dmi.clocks(30).unwrap();
    assert!(debugger.status().unwrap().allhalted(), "resumereq is ignored while haltreq is set");
}

#[test]
fn harts_that_do_not_exist_can_be_selected_and_do_nothing() {
    let mut debugger = counting(Timing::IDEAL);
    debugger.set(DMCONTROL, Dmcontrol(0x03FF_FFC1)).unwrap();
    assert_eq!(debugger.get(DMCONTROL).unwrap().hartsello(), 3, "two bits of hartsel");
    for hart in [2, 3] {
        debugger.select(hart).unwrap();
        debugger.control(|control| control.with_haltreq(true)).unwrap();
        debugger.dmi.clocks(20).unwrap();
        let status = debugger.status().unwrap();
        assert!(status.allnonexistent() && status.anynonexistent());
        assert!(!status.anyrunning() && !status.anyhalted() && !status.anyunavail() && !status.anyhavereset());
        assert_eq!(debugger.get(HARTINFO).unwrap().0, 0);
        let error = debugger.try_command(bench_debug::debugger::transfer(0x1001)).unwrap();
        assert_eq!(error, Some(CommandError::HaltResume));
    }
    assert_eq!(debugger.get(HALTSUM0).unwrap(), 0);
    debugger.select(0).unwrap();
    assert_eq!(debugger.get(HARTINFO).unwrap(), HARTINFO_RESET);
}

#[test]
fn an_inactive_module_holds_nothing_but_dmactive() {
    let mut debugger = counting(Timing::IDEAL);
    let status = debugger.status().unwrap();
    assert_eq!((status.version(), status.authenticated(), status.impebreak()), (3, true, true));
    debugger.halt().unwrap();
    debugger.set(DATA.at(0), 5).unwrap();
    debugger.set(DMCONTROL, Dmcontrol::default()).unwrap();
    assert_eq!(debugger.get(DMCONTROL).unwrap(), Dmcontrol::default());
    debugger.set(DATA.at(0), 5).unwrap();
    debugger.set(DMCONTROL, Dmcontrol::default().with_haltreq(true)).unwrap();
    assert_eq!(debugger.get(DATA.at(0)).unwrap(), 0);
    // The execution of a hart is not state of the module.
    debugger.control(|control| control).unwrap();
    assert!(debugger.status().unwrap().allhalted());
    assert_eq!(debugger.get(DATA.at(0)).unwrap(), 0);
    debugger.resume().unwrap();
    debugger.dmi.clocks(20).unwrap();
    assert!(debugger.status().unwrap().allrunning());
}
