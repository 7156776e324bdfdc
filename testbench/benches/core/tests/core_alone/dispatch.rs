//! `nic.dispatch`: waits for an event and goes to its handler (docs/core.md, Dispatch).

use bench_core::asm::*;
use bench_core::bench::Timing;
use bench_core::directed::*;
use bench_core::lockstep::{End, Lockstep, Step};
use bench_core::reference::cause;

/// Sets the handler of an event, by way of T5.
fn set_event_handler(p: &mut Program, event: u32, label: &str) {
    p.la(T5, label).put(csrrwi(ZERO, csr::MEVINDEX, event)).put(csrw(csr::MEVHANDLER, T5));
}

/// A program that dispatches at the label `here`, with the handlers of events 3 and 31 behind it.
fn dispatching(rd: u32) -> Program {
    let mut p = program();
    set_event_handler(&mut p, 3, "three");
    set_event_handler(&mut p, 31, "last");
    p.li(A0, 0).li(A1, 0).label("here").put(dispatch(rd)).label("behind").put(addi(A0, A0, 1));
    park(&mut p);
    p.align(4).label("three").put(addi(A1, A1, 3));
    park(&mut p);
    p.align(4).label("last").put(addi(A1, A1, 31));
    park(&mut p);
    p
}

/// Advances until the core has waited for this many clocks without an event.
fn wait(core: &mut Lockstep, clocks: u32) {
    let mut asleep = 0;
    while asleep < clocks {
        core.step_clock().unwrap_or_else(|failure| panic!("{failure}"));
        asleep = if core.bench.model.sleep_o.is_high() { asleep + 1 } else { 0 };
        assert!(core.clock < 10_000, "the core does not sleep");
    }
}

/// The only step at an address.
fn step_at(core: &Lockstep, pc: u32) -> Step {
    let mut steps = core.steps.iter().filter(|step| step.rvfi.pc == pc);
    let step = *steps.next().unwrap_or_else(|| panic!("nothing retired at {pc:#x}"));
    assert!(steps.next().is_none(), "{pc:#x} retired twice");
    step
}

#[test]
fn handlers_are_set_and_read_back_each_for_itself() {
    let mut p = program();
    for event in 0..32 {
        p.put(csrrwi(ZERO, csr::MEVINDEX, event)).li(T0, 0x1000_0000 * (event % 16) + 2 * event);
        p.put(csrw(csr::MEVHANDLER, T0));
    }
    for event in 0..32 {
        p.put(csrrwi(ZERO, csr::MEVINDEX, event)).put(csrr(A0, csr::MEVHANDLER)).put(csrw(csr::TRACE, A0));
    }
    p.put(csrr(A1, csr::MEVINDEX));
    park(&mut p);
    let run = run(&p);
    let read: Vec<u32> = run.traces.iter().map(|trace| trace.1).collect();
    assert_eq!(read, (0..32).map(|event| 0x1000_0000 * (event % 16) + 2 * event).collect::<Vec<u32>>());
    assert_eq!(run.x[A1 as usize], 31);
}

#[test]
fn handlers_are_even_and_the_index_has_five_bits() {
    let mut p = program();
    p.li(T0, u32::MAX).put_all([csrw(csr::MEVINDEX, T0), csrw(csr::MEVHANDLER, T0)]);
    p.put_all([csrr(A0, csr::MEVINDEX), csrr(A1, csr::MEVHANDLER)]);
    p.put_all([csrrci(ZERO, csr::MEVINDEX, 8), csrr(A2, csr::MEVINDEX)]);
    park(&mut p);
    let run = run(&p);
    assert_eq!((run.x[A0 as usize], run.x[A1 as usize], run.x[A2 as usize]), (31, u32::MAX - 1, 23));
}

#[test]
fn the_handler_of_the_event_comes_next_and_the_link_is_the_instruction_behind() {
    for (timing, event, added) in [(Timing::IDEAL, 3, 3), (Timing::SLOW, 31, 31)] {
        for rd in [RA, T0, T6] {
            let p = dispatching(rd);
            let mut core = start(&p, timing);
            core.bench.event = Some(event);
            let run = run_to_end(core);
            assert_eq!(run.x[rd as usize], p.address_of("behind"));
            assert_eq!(run.x[A1 as usize], added, "the other handler, or both");
        }
    }
}

#[test]
fn a_handler_returns_behind_the_dispatch() {
    let mut p = program();
    set_event_handler(&mut p, 0, "handler");
    p.li(A0, 0).li(A1, 0).label("loop").put(dispatch(RA)).put(addi(A0, A0, 1)).put(addi(T0, A0, -5));
    p.to("loop", |d| bne(T0, ZERO, d));
    park(&mut p);
    p.label("handler").put(addi(A1, A1, 1)).put(jalr(ZERO, RA, 0));
    for timing in [Timing::IDEAL, Timing::SLOW] {
        let mut core = start(&p, timing);
        core.bench.event = Some(0);
        let run = run_to_end(core);
        assert_eq!((run.x[A0 as usize], run.x[A1 as usize]), (5, 5));
        assert_eq!(run.dispatches, 5);
    }
}

#[test]
fn without_a_link_register_x0_stays_zero() {
    let p = dispatching(ZERO);
    let mut core = start(&p, Timing::IDEAL);
    core.bench.event = Some(3);
    let run = run_to_end(core);
    let step = step_at(&run, p.address_of("here"));
    assert_eq!(step.rvfi.rd, (0, 0));
    assert_eq!(step.rvfi.next_pc, p.address_of("three"));
}

#[test]
fn it_waits_asleep_until_there_is_an_event() {
    let p = dispatching(RA);
    let mut core = start(&p, Timing::IDEAL);
    wait(&mut core, 300);
    assert!(core.steps.iter().all(|step| step.rvfi.pc != p.address_of("here")), "retired without an event");
    core.bench.event = Some(31);
    let run = run_to_end(core);
    assert_eq!(step_at(&run, p.address_of("here")).rvfi.next_pc, p.address_of("last"));
}

#[test]
fn without_event_and_interrupt_it_sleeps_for_ever() {
    let p = dispatching(RA);
    assert_eq!(start(&p, Timing::SLOW).run(100).unwrap(), End::Asleep);
}

#[test]
fn the_handlers_first_instruction_retires_five_clocks_after_the_event() {
    // The redirect is decided in the clock of the event; address, word, decode, execute, retirement
    // follow.
    for waited in 1..20 {
        let p = dispatching(RA);
        let mut core = start(&p, Timing::IDEAL);
        wait(&mut core, waited);
        let event_rises = core.clock;
        core.bench.event = Some(3);
        let run = run_to_end(core);
        assert_eq!(step_at(&run, p.address_of("here")).clock - event_rises, 1);
        assert_eq!(step_at(&run, p.address_of("three")).clock - event_rises, 5);
    }
}

#[test]
fn with_its_event_pending_it_costs_as_much_as_a_jump() {
    let p = dispatching(RA);
    let mut core = start(&p, Timing::IDEAL);
    core.bench.event = Some(3);
    let run = run_to_end(core);
    let before = step_at(&run, p.address_of("here") - 4).clock;
    assert_eq!(step_at(&run, p.address_of("here")).clock - before, 1);
    assert_eq!(step_at(&run, p.address_of("three")).clock - before, 1 + 4);
}

#[test]
fn every_other_encoding_of_its_opcode_is_illegal() {
    let others = (12..32).map(|bit| dispatch(RA).bits() | 1 << bit).chain([0xFFFF_FF8B, 0x2B, 0x5B, 0x7B]);
    for bits in others {
        let mut p = program();
        set_handler(&mut p);
        p.label("here").put(Code::Word(bits));
        park(&mut p);
        p.align(4).label("handler").put_all([csrr(A0, csr::MCAUSE), csrr(A1, csr::MEPC), csrr(A2, csr::MTVAL)]);
        park(&mut p);
        let mut core = start(&p, Timing::IDEAL);
        core.bench.event = Some(0);
        let run = run_to_end(core);
        let seen = (run.x[A0 as usize], run.x[A1 as usize], run.x[A2 as usize]);
        assert_eq!(seen, (cause::ILLEGAL, p.address_of("here"), bits), "{bits:#x}");
    }
}

/// Waits in `nic.dispatch` with interrupts enabled. The handler of interrupts adds one to A2 and
/// returns.
fn interruptible() -> Program {
    let mut p = program();
    set_handler(&mut p);
    set_event_handler(&mut p, 7, "seven");
    p.li(A2, 0);
    enable_interrupts(&mut p);
    p.label("here").put(dispatch(RA));
    park(&mut p);
    p.align(4).label("handler").put_all([addi(A2, A2, 1), csrr(A0, csr::MEPC), mret()]);
    p.label("seven").put(addi(A3, ZERO, 7));
    park(&mut p);
    p
}

#[test]
fn an_interrupt_takes_the_place_of_one_that_waits_and_it_waits_again_behind_mret() {
    let p = interruptible();
    for timing in [Timing::IDEAL, Timing::SLOW] {
        // The handler lets the line fall that the test raised.
        let mut core = start(&p, Timing { irq_falls_percent: 100, ..timing });
        for interrupts in 1..4 {
            wait(&mut core, 10);
            core.bench.irq = true;
            while core.interrupts < interrupts {
                core.step_clock().unwrap_or_else(|failure| panic!("{failure}"));
            }
            core.bench.irq = false;
        }
        wait(&mut core, 10);
        assert_eq!(core.x[A2 as usize], 3);
        assert_eq!(core.x[A0 as usize], p.address_of("here"), "mepc");
        assert!(core.steps.iter().all(|step| step.rvfi.pc != p.address_of("here")));
        core.bench.event = Some(7);
        let run = run_to_end(core);
        assert_eq!(run.x[A3 as usize], 7);
        assert_eq!(run.x[RA as usize], p.address_of("here") + 4);
    }
}

#[test]
fn an_interrupt_that_is_off_does_not_end_it() {
    let mut p = program();
    set_event_handler(&mut p, 0, "handler");
    // MEIE is on and MIE off: that would end wfi.
    p.li(T0, 1 << 11).put(csrw(csr::MIE, T0)).put(dispatch(RA)).label("handler");
    park(&mut p);
    let mut core = start(&p, Timing::IDEAL);
    core.bench.irq = true;
    wait(&mut core, 100);
}

#[test]
fn an_interrupt_and_an_event_in_the_same_clock_are_both_served() {
    let p = interruptible();
    for apart in 0..6 {
        let mut core = start(&p, Timing { irq_falls_percent: 100, ..Timing::IDEAL });
        wait(&mut core, 5);
        core.bench.irq = true;
        for _ in 0..apart {
            core.step_clock().unwrap_or_else(|failure| panic!("{failure}"));
        }
        core.bench.event = Some(7);
        while core.interrupts == 0 {
            core.step_clock().unwrap_or_else(|failure| panic!("{failure}"));
        }
        core.bench.irq = false;
        let run = run_to_end(core);
        assert_eq!((run.x[A2 as usize], run.x[A3 as usize], run.dispatches), (1, 7, 1), "{apart} clocks apart");
    }
}

#[test]
fn what_is_predicted_for_another_instruction_does_not_lead_it_astray() {
    // A loop teaches the table that a jump ends in the word of `here`; then the program writes a
    // dispatch over it.
    let mut p = program();
    set_event_handler(&mut p, 0, "handler");
    p.li(T1, dispatch(RA).bits()).la(T0, "here").li(A0, 20).to("here", |d| jal(ZERO, d)).align(4).label("turn");
    p.put(addi(A0, A0, -1)).to("patch", |d| beq(A0, ZERO, d)).align(4);
    p.label("here").to("turn", |d| jal(ZERO, d)).label("behind");
    park(&mut p);
    p.label("patch").put_all([sw(T1, 0, T0), fence_i()]).label("again").to("here", |d| jal(ZERO, d));
    p.align(4).label("handler").put(mv(A1, RA));
    park(&mut p);
    for (timing, waits) in [(Timing::IDEAL, 0), (Timing::IDEAL, 20), (Timing::SLOW, 0), (Timing::SLOW, 20)] {
        let mut core = start(&p, timing);
        if waits != 0 {
            wait(&mut core, waits);
        }
        core.bench.event = Some(0);
        let run = run_to_end(core);
        assert_eq!(run.x[A1 as usize], p.address_of("behind"));
        assert_eq!(run.dispatches, 1);
        if (timing, waits) == (Timing::IDEAL, 0) {
            let jump = step_at(&run, p.address_of("again")).clock;
            let dispatch = run.steps.iter().rfind(|step| step.rvfi.pc == p.address_of("here")).unwrap().clock;
            assert_eq!(dispatch - jump, 3 + 4, "it was not predicted, and not fetched again");
        }
    }
}

#[test]
fn it_counts_as_one_instruction_however_long_it_waits() {
    let mut p = program();
    set_event_handler(&mut p, 0, "handler");
    p.put(csrr(A0, csr::MINSTRET)).put(dispatch(RA)).put(ebreak()).label("handler").put(csrr(A1, csr::MINSTRET));
    park(&mut p);
    for waits in [1, 50] {
        let mut core = start(&p, Timing::IDEAL);
        wait(&mut core, waits);
        core.bench.event = Some(0);
        let run = run_to_end(core);
        assert_eq!(run.x[A1 as usize] - run.x[A0 as usize], 2);
    }
}

#[test]
fn it_waits_for_the_load_in_front_of_it_and_that_may_fail() {
    let mut p = program();
    set_handler(&mut p);
    set_event_handler(&mut p, 0, "seven");
    p.li(T0, FAULTY).label("load").put(lw(A0, 0, T0)).put(dispatch(RA)).label("seven").put(ebreak());
    park(&mut p);
    p.align(4).label("handler").put_all([csrr(A0, csr::MCAUSE), csrr(A1, csr::MEPC)]);
    park(&mut p);
    for timing in [Timing::IDEAL, Timing::SLOW] {
        let mut core = start(&p, timing);
        core.bench.event = Some(0);
        let run = run_to_end(core);
        assert_eq!((run.x[A0 as usize], run.x[A1 as usize]), (cause::LOAD_FAULT, p.address_of("load")));
        assert_eq!(run.dispatches, 0);
    }
}
