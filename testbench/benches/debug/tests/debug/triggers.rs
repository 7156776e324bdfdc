//! Triggers of each kind, at the exact instruction.

use bench_core::asm::{self, csr as machine, Program, A0, A1, A2, S0, T0, T1, ZERO};
use bench_debug::bench::{debugged_program, halted_program, Bench, Timing, BASE};
use bench_debug::debugger::{csr, mcontrol6::*, Cause, Debugger};

const DATA: u32 = BASE + 0x800;
const WORD: u32 = 0x8899_AABB;

/// Loads and stores of every size, each at a label of its own.
fn accesses() -> Program {
    let mut p = Program::at(BASE);
    p.la(T0, "trap").put(asm::csrw(machine::MTVEC, T0)).li(S0, DATA).li(A0, WORD);
    p.label("sw").put(asm::sw(A0, 0, S0)).label("sh").put(asm::sh(A0, 6, S0)).label("sb").put(asm::sb(A0, 9, S0));
    p.label("lw").put(asm::lw(A1, 0, S0)).label("lh").put(asm::lh(A1, 6, S0)).label("lb").put(asm::lb(A1, 9, S0));
    p.label("lw2").put(asm::lw(A2, 0, S0)).label("use").put(asm::c_mv(A1, A2)).label("short").put(asm::c_addi(A1, 1));
    p.label("end").to("end", |d| asm::jal(ZERO, d));
    p.align(4).label("trap").to("trap", |d| asm::jal(ZERO, d));
    p
}

/// Runs until the hart halts for a trigger. `None` if it reaches the end.
fn run(debugger: &mut Debugger<Bench>) -> Option<u32> {
    debugger.resume().unwrap();
    debugger.dmi.clocks(300).unwrap();
    if !debugger.status().unwrap().allhalted() {
        return None;
    }
    assert_eq!(debugger.cause().unwrap(), Cause::Trigger);
    Some(debugger.pc().unwrap())
}

/// The label at which a trigger halts. No instruction from there on was executed.
fn stop(tdata1: u32, tdata2: u32, timing: Timing) -> Option<&'static str> {
    let program = accesses();
    let mut debugger = halted_program(&program, timing);
    debugger.set_trigger(2, DEBUG | tdata1, tdata2).unwrap();
    let pc = run(&mut debugger)?;
    assert_eq!(debugger.dmi.retired(0).last().unwrap().rvfi.next_pc, pc);
    let labels = ["sw", "sh", "sb", "lw", "lh", "lb", "lw2", "use", "short", "end", "trap"];
    let label = labels.into_iter().find(|label| program.address_of(label) == pc).unwrap();
    let after = tdata1 & (SELECT_DATA | LOAD) == SELECT_DATA | LOAD && label != "sw" && label != "sh";
    let hit = if after { HIT_AFTER } else { HIT_BEFORE };
    assert_eq!(debugger.tdata1(2).unwrap(), DEBUG | tdata1 | hit);
    // The following instructions are not lost.
    debugger.set_trigger(2, 0, 0).unwrap();
    debugger.resume().unwrap();
    debugger.dmi.clocks(300).unwrap();
    debugger.halt().unwrap();
    assert_eq!(debugger.pc().unwrap(), program.address_of("end"));
    assert_eq!(debugger.read_gpr(A1).unwrap(), WORD + 1);
    Some(label)
}

#[test]
fn each_kind_stops_at_its_instruction() {
    let at = |label: &str| accesses().address_of(label);
    let cases = [
        (EXECUTE, at("lh"), Some("lh")),
        (EXECUTE, at("use"), Some("use")),
        (EXECUTE, at("short") + 1, None),
        (EXECUTE | SIZE_16, at("short"), Some("short")),
        (EXECUTE | SIZE_32, at("short"), None),
        (EXECUTE | MATCH_NAPOT, at("sh") | 1, Some("sh")),
        (EXECUTE | SELECT_DATA, asm::lb(A1, 9, S0).bits(), Some("lb")),
        (EXECUTE | SELECT_DATA, asm::c_addi(A1, 1).bits(), Some("short")),
        (STORE, DATA, Some("sw")),
        (STORE, DATA + 3, Some("sw")),
        (STORE, DATA + 7, Some("sh")),
        (STORE, DATA + 5, None),
        (STORE, DATA + 9, Some("sb")),
        (STORE, DATA + 8, None),
        (LOAD, DATA, Some("lw")),
        (LOAD, DATA + 9, Some("lb")),
        (LOAD | STORE, DATA + 6, Some("sh")),
        (LOAD | SIZE_16, DATA, None),
        (LOAD | SIZE_32, DATA + 1, Some("lw")),
        (STORE | SIZE_8, DATA + 9, Some("sb")),
        (STORE | SIZE_16, DATA + 9, None),
        (LOAD | MATCH_NAPOT, (DATA + 4) | 1, Some("lh")),
        (LOAD | MATCH_NAPOT, (DATA + 4) | 3, Some("lw")),
        (LOAD | MATCH_NAPOT | SIZE_16, DATA | 7, Some("lh")),
        (STORE | SELECT_DATA, WORD, Some("sw")),
        (STORE | SELECT_DATA | SIZE_16, 0x1234_AABB, Some("sh")),
        (STORE | SELECT_DATA | SIZE_8, 0xBB, Some("sb")),
        (STORE | SELECT_DATA, 0x55, None),
        (LOAD | SELECT_DATA, WORD, Some("lh")),
        (LOAD | SELECT_DATA | SIZE_16, 0xAABB, Some("lb")),
        (LOAD | SELECT_DATA | SIZE_8, 0xBB, Some("lw2")),
        (LOAD | SELECT_DATA | SIZE_8, 0xCC, None),
        (LOAD | STORE | SELECT_DATA, WORD, Some("sw")),
    ];
    for timing in [Timing::IDEAL, Timing::SLOW] {
        for (tdata1, tdata2, expected) in cases {
            assert_eq!(stop(tdata1, tdata2, timing), expected, "tdata1 {tdata1:#x} tdata2 {tdata2:#x}");
        }
    }
}

#[test]
fn four_triggers_stop_in_the_order_of_the_program() {
    let program = accesses();
    let mut debugger = halted_program(&program, Timing::IDEAL);
    for (number, label) in ["lb", "sh", "use", "lw"].into_iter().enumerate() {
        debugger.set_trigger(number as u32, DEBUG | EXECUTE, program.address_of(label)).unwrap();
    }
    for (label, number) in [("sh", 1), ("lw", 3), ("lb", 0), ("use", 2)] {
        assert_eq!(run(&mut debugger), Some(program.address_of(label)));
        assert_eq!(debugger.tdata1(number).unwrap() & HIT_AFTER, HIT_BEFORE);
        debugger.set_trigger(number, 0, 0).unwrap();
    }
    assert_eq!(run(&mut debugger), None);
}

#[test]
fn a_trigger_on_the_instruction_that_is_stepped_comes_first_and_one_on_the_next_waits() {
    let program = accesses();
    let mut debugger = halted_program(&program, Timing::IDEAL);
    debugger.set_trigger(1, DEBUG | EXECUTE, program.address_of("lw2")).unwrap();
    assert_eq!(run(&mut debugger), Some(program.address_of("lw2")));
    debugger.set_trigger(1, 0, 0).unwrap();
    debugger.set_trigger(0, DEBUG | EXECUTE, program.address_of("use")).unwrap();
    debugger.step().unwrap();
    assert_eq!((debugger.cause().unwrap(), debugger.pc().unwrap()), (Cause::Step, program.address_of("use")));
    debugger.step().unwrap();
    assert_eq!((debugger.cause().unwrap(), debugger.pc().unwrap()), (Cause::Trigger, program.address_of("use")));
}

#[test]
fn a_trigger_can_raise_a_breakpoint_where_tcontrol_permits_it() {
    let program = accesses();
    for (mte, tdata1, tdata2, epc) in [
        (false, EXECUTE, program.address_of("lh"), None),
        (true, EXECUTE, program.address_of("lh"), Some("lh")),
        (true, STORE, DATA + 9, Some("sb")),
        (true, LOAD | SELECT_DATA, WORD, Some("lh")),
        (true, EXECUTE, program.address_of("trap"), None),
    ] {
        let mut debugger = halted_program(&program, Timing::IDEAL);
        debugger.set_trigger(1, TYPE | M | tdata1, tdata2).unwrap();
        debugger.write_csr(csr::TCONTROL, if mte { 8 } else { 0 }).unwrap();
        debugger.resume().unwrap();
        debugger.dmi.clocks(300).unwrap();
        assert!(debugger.status().unwrap().allrunning());
        debugger.halt().unwrap();
        let Some(label) = epc else {
            assert_eq!(debugger.pc().unwrap(), program.address_of("end"));
            continue;
        };
        assert_eq!(debugger.pc().unwrap(), program.address_of("trap"));
        assert_eq!(debugger.read_csr(machine::MCAUSE).unwrap(), 3);
        assert_eq!(debugger.read_csr(machine::MTVAL).unwrap(), 0);
        assert_eq!(debugger.read_csr(machine::MEPC).unwrap(), program.address_of(label));
        assert_eq!(debugger.read_csr(csr::TCONTROL).unwrap(), 0x80, "off in the handler");
    }
}

/// A load whose data a trigger compares, with interrupts permitted. Counts exceptions in `A2` and
/// interrupts in `A0`.
fn load_among_interrupts() -> Program {
    let mut p = Program::at(BASE);
    p.la(T0, "trap").put(asm::csrw(machine::MTVEC, T0)).li(S0, DATA).li(A0, WORD).put(asm::sw(A0, 0, S0));
    p.li(A0, 0).li(A2, 0).li(T0, 1 << 11).put(asm::csrw(machine::MIE, T0)).put(asm::csrrsi(ZERO, machine::MSTATUS, 8));
    p.put(asm::nop()).put(asm::lw(A1, 0, S0)).label("after").put(asm::nop()).put(asm::nop());
    p.label("end").to("end", |d| asm::jal(ZERO, d));
    p.align(4).label("trap").put(asm::csrr(T0, machine::MCAUSE)).to("interrupt", |d| asm::blt(T0, ZERO, d));
    p.put(asm::csrr(T1, machine::MEPC)).put(asm::addi(A2, A2, 1)).put(asm::mret());
    p.label("interrupt").put(asm::addi(A0, A0, 1)).put(asm::mret());
    p
}

#[test]
fn a_trigger_on_loaded_data_comes_before_any_interrupt() {
    let program = load_among_interrupts();
    for delay in 0..180 {
        let mut debugger = halted_program(&program, Timing { irq_falls: 100, ..Timing::IDEAL });
        debugger.set_trigger(0, TYPE | M | LOAD | SELECT_DATA, WORD).unwrap();
        debugger.write_csr(csr::TCONTROL, 8).unwrap();
        debugger.resume().unwrap();
        debugger.dmi.clocks(delay).unwrap();
        debugger.dmi.irq[0] = true;
        debugger.dmi.clocks(10).unwrap();
        debugger.dmi.irq[0] = false;
        debugger.dmi.clocks(300).unwrap();
        debugger.halt().unwrap();
        assert_eq!(debugger.pc().unwrap(), program.address_of("end"), "delay {delay}");
        assert_eq!(debugger.read_gpr(A2).unwrap(), 1, "delay {delay}");
        assert_eq!(debugger.read_gpr(T1).unwrap(), program.address_of("after"), "delay {delay}");
    }
}

#[test]
fn a_trigger_on_loaded_data_is_not_lost_to_a_request() {
    let program = load_among_interrupts();
    let mut requests_first = 0;
    for delay in 0..180 {
        let mut debugger = halted_program(&program, Timing::IDEAL);
        debugger.set_trigger(0, DEBUG | LOAD | SELECT_DATA, WORD).unwrap();
        debugger.resume().unwrap();
        debugger.dmi.clocks(delay).unwrap();
        debugger.halt().unwrap();
        if debugger.cause().unwrap() == Cause::HaltRequest {
            requests_first += 1;
            debugger.resume().unwrap();
            debugger.until_halted().unwrap();
        }
        assert_eq!(debugger.cause().unwrap(), Cause::Trigger, "delay {delay}");
        assert_eq!(debugger.pc().unwrap(), program.address_of("after"), "delay {delay}");
    }
    assert!((1..180).contains(&requests_first), "{requests_first}");
}

#[test]
fn debug_mode_wins_over_an_exception_and_both_have_hit() {
    let program = accesses();
    let mut debugger = halted_program(&program, Timing::IDEAL);
    debugger.set_trigger(0, TYPE | M | STORE, DATA).unwrap();
    debugger.set_trigger(3, DEBUG | EXECUTE, program.address_of("sw")).unwrap();
    debugger.write_csr(csr::TCONTROL, 8).unwrap();
    assert_eq!(run(&mut debugger), Some(program.address_of("sw")));
    for trigger in [0, 3] {
        assert_eq!(debugger.tdata1(trigger).unwrap() & HIT_AFTER, HIT_BEFORE);
    }
}

#[test]
fn a_program_cannot_change_the_triggers_of_the_debugger() {
    let mut p = Program::at(BASE);
    p.put(asm::csrrwi(ZERO, csr::TSELECT, 1)).put(asm::csrw(csr::TDATA1, ZERO)).put(asm::csrw(csr::TDATA2, ZERO));
    // Machine mode may write its own triggers, but they cannot enter debug mode.
    p.put(asm::csrrwi(ZERO, csr::TSELECT, 0)).li(A0, DEBUG | EXECUTE).put(asm::csrw(csr::TDATA1, A0));
    p.put(asm::csrr(A1, csr::TDATA1)).label("end").to("end", |d| asm::jal(ZERO, d));
    let mut debugger = halted_program(&p, Timing::IDEAL);
    debugger.set_trigger(1, DEBUG | EXECUTE, p.address_of("end")).unwrap();
    assert_eq!(run(&mut debugger), Some(p.address_of("end")));
    assert_eq!(debugger.read_gpr(A1).unwrap(), TYPE | M | EXECUTE);
    assert_eq!(debugger.tdata1(0).unwrap(), TYPE | M | EXECUTE);
}

#[test]
fn fields_hold_what_can_be_held() {
    let mut debugger = halted_program(&accesses(), Timing::IDEAL);
    for number in 0..4 {
        debugger.write_csr(csr::TSELECT, number).unwrap();
        assert_eq!(debugger.read_csr(csr::TSELECT).unwrap(), number);
        for (written, read) in [
            (u32::MAX, TYPE | DMODE | HIT_AFTER | SELECT_DATA),
            (0, TYPE),
            (2 << 28 | M | EXECUTE, TYPE),
            (TYPE | M | EXECUTE | STORE | LOAD, TYPE | M | EXECUTE),
            (TYPE | M | STORE | LOAD | SIZE_32, TYPE | M | STORE | LOAD | SIZE_32),
            (TYPE | ACTION_DEBUG | M, TYPE | M),
            (TYPE | DMODE | ACTION_DEBUG | MATCH_NAPOT, TYPE | DMODE | ACTION_DEBUG | MATCH_NAPOT),
        ] {
            debugger.write_csr(csr::TDATA1, written).unwrap();
            assert_eq!(debugger.read_csr(csr::TDATA1).unwrap(), read, "{written:#x}");
        }
        debugger.write_csr(csr::TDATA2, u32::MAX).unwrap();
        assert_eq!(debugger.read_csr(csr::TDATA2).unwrap(), 0xBFFF_FFFF, "the largest range is half of all");
    }
}

#[test]
fn a_trigger_costs_clocks_only_while_it_watches() {
    let count = |tdata1: Option<u32>| {
        let mut debugger = debugged_program(&accesses(), Timing::IDEAL);
        debugger.halt().unwrap();
        if let Some(tdata1) = tdata1 {
            debugger.set_trigger(0, tdata1, 0).unwrap();
        }
        let before = debugger.read_csr(machine::MCYCLE).unwrap();
        let end = accesses().address_of("end");
        debugger.set_trigger(3, 0, 0).unwrap();
        debugger.resume().unwrap();
        while debugger.dmi.retired(0).last().is_none_or(|retired| retired.rvfi.pc != end) {
            debugger.dmi.clock().unwrap();
        }
        let clocks = debugger.dmi.retired(0).last().unwrap().clock;
        clocks - u64::from(before)
    };
    let plain = count(None);
    assert_eq!(count(Some(TYPE | DMODE | ACTION_DEBUG | EXECUTE)), plain, "m is 0");
    assert_eq!(count(Some(TYPE | M | EXECUTE)), plain, "tcontrol.mte is 0");
    assert_eq!(
        count(Some(DEBUG | EXECUTE)),
        plain + 5 * 17 + 5 * 4 - 1,
        "five for each instruction, and for the data of each load, to whose result one instruction would have waited"
    );
}
