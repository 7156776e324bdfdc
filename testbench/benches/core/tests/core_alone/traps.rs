//! Each trap, with the values that it leaves in `mepc`, `mcause` and `mtval`; interrupts; `mret`
//! and `wfi`.

use bench_core::asm::*;
use bench_core::bench::Timing;
use bench_core::directed::*;
use bench_core::lockstep::Lockstep;
use bench_core::reference::cause;

#[derive(Debug, PartialEq)]
struct Trap {
    mcause: u32,
    /// Distance of `mepc` from the label `here`.
    mepc_from_here: i32,
    mtval: u32,
}

/// Runs `body`, which sets the label `here`, up to its first trap.
fn trap_of(body: impl Fn(&mut Program)) -> Trap {
    trap_and_run_of(body).0
}

fn trap_and_run_of(body: impl Fn(&mut Program)) -> (Trap, Lockstep) {
    let mut p = program();
    set_handler(&mut p);
    body(&mut p);
    park(&mut p);
    p.align(4).label("handler");
    p.put_all([csrr(A0, csr::MCAUSE), csrr(A1, csr::MEPC), csrr(A2, csr::MTVAL), csrr(A3, csr::MSTATUS)]);
    park(&mut p);
    let run = run(&p);
    assert_eq!(run.x[A3 as usize], 0x1800, "interrupts are off in the handler, MPIE holds the old MIE, MPP is M");
    let mepc_from_here = run.x[A1 as usize].wrapping_sub(p.address_of("here")) as i32;
    (Trap { mcause: run.x[A0 as usize], mepc_from_here, mtval: run.x[A2 as usize] }, run)
}

fn trap(mcause: u32, mtval: u32) -> Trap {
    Trap { mcause, mepc_from_here: 0, mtval }
}

#[test]
fn ecall_traps_with_value_zero() {
    assert_eq!(
        trap_of(|p| {
            p.label("here").put(ecall());
        }),
        trap(cause::ECALL, 0)
    );
}

#[test]
fn ebreak_traps_with_its_address() {
    let body = |p: &mut Program| {
        p.label("here").put(ebreak());
    };
    assert_eq!(trap_of(body).mcause, cause::BREAKPOINT);
    let (seen, run) = trap_and_run_of(|p| {
        p.label("here").put(c_ebreak());
    });
    assert_eq!(seen, trap(cause::BREAKPOINT, run.x[A1 as usize]));
}

#[test]
fn illegal_instructions_trap_with_their_encoding() {
    let illegal = [
        Code::Word(u32::MAX),
        Code::Word(0x0000_707F),                    // no such opcode
        Code::Word(load(3, 1, 0, 2).bits()),        // ld
        Code::Word(store(3, 1, 0, 2).bits()),       // sd
        Code::Word(branch(2, 1, 2, 8).bits()),      // no such condition
        Code::Word(op(2, 0, 1, 2, 3).bits()),       // no such funct7
        Code::Word(slli(1, 2, 3).bits() | 1 << 25), // shift by more than 31
        Code::Word(jalr(1, 2, 0).bits() | 1 << 12),
        Code::Word(0x1020_0073), // sret
        Code::Word(0x1050_00F3), // wfi with rd
        Code::Word(csr_op(4, 1, csr::MSCRATCH, 2).bits()),
        Code::Half(0x0000), // all zero
        Code::Half(0x0008), // c.addi4spn with immediate 0
        Code::Half(0x2000), // c.fld
        Code::Half(0x6081), // c.lui with immediate 0
        Code::Half(0x6101), // c.addi16sp with immediate 0
        Code::Half(0x9081), // c.srli by 32
        Code::Half(0x9C01), // c.subw
        Code::Half(0x1082), // c.slli by 32
        Code::Half(0x4002), // c.lwsp to x0
        Code::Half(0x8002), // c.jr x0
        Code::Half(0xE002), // c.fswsp
    ];
    for code in illegal {
        assert_eq!(
            trap_of(|p| {
                p.label("here").put(code);
            }),
            trap(cause::ILLEGAL, code.bits()),
            "{code:x?}"
        );
    }
}

/// Instructions that differ only in the number of the second register. All but five of these
/// numbers are illegal.
#[test]
fn numbers_beside_those_of_counts_and_extensions_are_illegal() {
    for number in (3..=31).filter(|number| ![4, 5].contains(number)) {
        let code = Code::Word(0x6000_1013 | number << 20 | 2 << 15 | 1 << 7);
        let seen = trap_of(|p| {
            p.label("here").put(code);
        });
        assert_eq!(seen, trap(cause::ILLEGAL, code.bits()), "number {number}");
    }
}

#[test]
fn a_write_of_a_read_only_csr_traps_whatever_the_register_holds() {
    for code in [csrrs(A3, csr::CYCLE, T5), csr_op(3, A3, csr::MHARTID, T5)] {
        for held in [0, 1] {
            let seen = trap_of(|p| {
                p.put(addi(T5, ZERO, held)).label("here").put(code);
            });
            assert_eq!(seen, trap(cause::ILLEGAL, code.bits()), "{held}");
        }
    }
}

#[test]
fn a_missing_csr_and_a_write_of_a_read_only_one_are_illegal() {
    let illegal = [
        csrr(A0, 0x306), // mcounteren
        csrr(A0, 0x180), // satp
        csrr(A0, 0xB01),
        csrr(A0, 0x322),
        csrr(A0, 0xC03), // hpmcounter3
        csrw(csr::TIME, A0),
        csrw(csr::MCONFIGPTR, A0),
        csrw(csr::CYCLE, A0),
        csrrsi(A0, csr::INSTRET, 1),
        csrrwi(ZERO, csr::MHARTID, 0),
    ];
    for code in illegal {
        assert_eq!(
            trap_of(|p| {
                p.label("here").put(code);
            }),
            trap(cause::ILLEGAL, code.bits()),
            "{code:x?}"
        );
    }
}

#[test]
fn misaligned_accesses_trap_with_their_address() {
    for (code, cause, offset) in [
        (lh(A0, 1, T0), cause::LOAD_MISALIGNED, 1),
        (lhu(A0, 3, T0), cause::LOAD_MISALIGNED, 3),
        (lw(A0, 2, T0), cause::LOAD_MISALIGNED, 2),
        (lw(A0, -3, T0), cause::LOAD_MISALIGNED, -3),
        (sh(A0, 1, T0), cause::STORE_MISALIGNED, 1),
        (sw(A0, 1, T0), cause::STORE_MISALIGNED, 1),
        (sw(A0, 2, T0), cause::STORE_MISALIGNED, 2),
    ] {
        let seen = trap_of(|p| {
            p.li(T0, DATA).label("here").put(code);
        });
        assert_eq!(seen, trap(cause, DATA.wrapping_add_signed(offset)), "{code:x?}");
    }
}

#[test]
fn a_misaligned_access_whose_base_is_being_loaded_traps_too() {
    let seen = trap_of(|p| {
        p.li(T0, DATA).li(T1, DATA + 1).put(sw(T1, 0, T0)).put(lw(T2, 0, T0)).label("here").put(lw(A0, 0, T2));
    });
    assert_eq!(seen, trap(cause::LOAD_MISALIGNED, DATA + 1));
}

#[test]
fn a_faulty_load_is_precise() {
    let (seen, run) = trap_and_run_of(|p| {
        p.li(T0, FAULTY).li(T1, DATA).li(S0, 1).li(S1, 2);
        p.label("here").put(lw(S0, 4, T0)).put(addi(S1, S1, 1)).put(sw(S1, 0, T1));
    });
    assert_eq!(seen, trap(cause::LOAD_FAULT, FAULTY + 4));
    assert_eq!((run.x[S0 as usize], run.x[S1 as usize]), (1, 2), "neither the load nor what follows changed anything");
    assert_eq!(run.bench.memory.peek(DATA), 0, "the store behind it was not made");
}

#[test]
fn a_faulty_store_is_precise() {
    let (seen, run) = trap_and_run_of(|p| {
        p.li(T0, FAULTY).li(T1, DATA).li(S1, 2);
        p.label("here").put(sb(S1, 7, T0)).put(sw(S1, 0, T1)).put(csrw(csr::MSCRATCH, T1));
    });
    assert_eq!(seen, trap(cause::STORE_FAULT, FAULTY + 7));
    assert_eq!(run.bench.memory.peek(DATA), 0, "the store behind it was not made");
}

#[test]
fn a_taken_branch_behind_a_faulty_load_does_not_hide_the_fault() {
    let seen = trap_of(|p| {
        p.li(T0, FAULTY).label("here").put(lw(S0, 0, T0)).to("away", |d| jal(ZERO, d)).put(nop()).label("away");
        park(p);
    });
    assert_eq!(seen, trap(cause::LOAD_FAULT, FAULTY));
}

#[test]
fn a_faulty_fetch_traps_with_the_address_of_the_faulty_half() {
    let jump = |target: u32| {
        let mut p = program();
        set_handler(&mut p);
        p.li(T0, target).put(jalr(ZERO, T0, 0));
        p.label("handler").put_all([csrr(A0, csr::MCAUSE), csrr(A1, csr::MEPC), csrr(A2, csr::MTVAL)]);
        park(&mut p);
        // A straddling instruction whose second half lies in the faulty range.
        let mut memory = memory(&p);
        memory.poke(FAULTY - 4, nop().bits() << 16);
        let run = run_to_end(Lockstep::new(memory, BASE, Timing::IDEAL, 1).expect("builds"));
        (run.x[A0 as usize], run.x[A1 as usize], run.x[A2 as usize])
    };
    assert_eq!(jump(FAULTY), (cause::FETCH_FAULT, FAULTY, FAULTY));
    assert_eq!(jump(FAULTY + 2), (cause::FETCH_FAULT, FAULTY + 2, FAULTY + 2));
    assert_eq!(jump(FAULTY - 2), (cause::FETCH_FAULT, FAULTY - 2, FAULTY));
    assert_eq!(jump(0), (cause::FETCH_FAULT, 0, 0));
}

#[test]
fn fetching_ahead_into_a_faulty_range_does_no_harm() {
    let mut p = Program::at(FAULTY - 8);
    p.put(c_nop()).put(c_nop()).put(jal(ZERO, 0));
    let run = run_to_end(Lockstep::new(memory(&p), FAULTY - 8, Timing::IDEAL, 1).expect("builds"));
    assert_eq!(run.exceptions, 0);
}

#[test]
fn mret_restores_what_the_trap_saved() {
    let mut p = program();
    set_handler(&mut p);
    p.put(csrrsi(ZERO, csr::MSTATUS, 8)).put(ecall()).label("back").put(csrr(A0, csr::MSTATUS));
    park(&mut p);
    p.align(4).label("handler").put(csrr(A1, csr::MSTATUS)).put(csrr(T0, csr::MEPC)).put(addi(T0, T0, 4));
    p.put(csrw(csr::MEPC, T0)).put(mret());
    let run = run(&p);
    assert_eq!(run.x[A1 as usize], 0x1880, "in the handler: MIE off, MPIE on");
    assert_eq!(run.x[A0 as usize], 0x1888, "back: MIE on again, MPIE set");
}

/// A program that counts in A0 until an interrupt comes.
fn interruptible(vectored: bool) -> Program {
    let mut p = program();
    p.la(T5, "handler").put(addi(T5, T5, i32::from(vectored))).put(csrw(csr::MTVEC, T5));
    enable_interrupts(&mut p);
    p.put(c_li(A0, 0)).label("loop").put(c_addi(A0, 1)).to_compressed("loop", |d| c_jump(5, d));
    p.align(4).label("handler");
    for entry in 0..12 {
        p.put(addi(A1, ZERO, entry)).label(format!("behind entry {entry}"));
    }
    p.put_all([csrr(A2, csr::MCAUSE), csrr(A3, csr::MEPC), csrr(T0, csr::MIP)]);
    park(&mut p);
    p
}

/// Interrupts the program after some clocks.
fn interrupted(vectored: bool) -> (Lockstep, u32) {
    let p = interruptible(vectored);
    let mut core = start(&p, Timing::IDEAL);
    while core.clock < 60 {
        core.step_clock().unwrap_or_else(|failure| panic!("{failure}"));
    }
    core.bench.irq = true;
    (run_to_end(core), p.address_of("loop"))
}

#[test]
fn the_interrupt_is_taken_at_the_base_in_direct_mode() {
    let (run, looped) = interrupted(false);
    let first = run.steps.iter().find(|step| step.rvfi.intr).expect("interrupted");
    assert_eq!(first.rvfi.rd, (A1 as u8, 0), "entry 0 is the first of the handler");
    assert_eq!(run.x[A2 as usize], cause::EXTERNAL_INTERRUPT);
    assert!((looped..looped + 4).contains(&run.x[A3 as usize]), "mepc is in the loop");
    assert_eq!(run.x[T0 as usize], 1 << 11, "mip shows the line");
}

#[test]
fn the_interrupt_is_taken_at_entry_eleven_in_vectored_mode() {
    let (run, _) = interrupted(true);
    let first = run.steps.iter().find(|step| step.rvfi.intr).expect("interrupted");
    assert_eq!(first.rvfi.rd, (A1 as u8, 11));
}

#[test]
fn exceptions_go_to_the_base_in_vectored_mode() {
    let mut p = program();
    p.la(T5, "handler").put(addi(T5, T5, 1)).put(csrw(csr::MTVEC, T5)).put(ecall());
    p.align(4).label("handler").put(addi(A0, ZERO, 1));
    park(&mut p);
    assert_eq!(run(&p).x[A0 as usize], 1);
}

#[test]
fn the_interrupt_waits_while_either_enable_is_off() {
    for (mie, mstatus) in [(0, 8), (1 << 11, 0)] {
        let mut p = program();
        set_handler(&mut p);
        p.li(T0, mie).put(csrw(csr::MIE, T0)).put(csrrwi(ZERO, csr::MSTATUS, mstatus)).put(nop()).put(nop());
        park(&mut p);
        p.align(4).label("handler");
        park(&mut p);
        let mut core = start(&p, Timing::IDEAL);
        core.bench.irq = true;
        assert_eq!(run_to_end(core).interrupts, 0);
    }
}

/// A program that sleeps, with interrupts globally on or off.
fn sleeper(globally_enabled: bool) -> Program {
    let mut p = program();
    set_handler(&mut p);
    p.li(T5, 1 << 11).put(csrw(csr::MIE, T5));
    p.put(csrrwi(ZERO, csr::MSTATUS, if globally_enabled { 8 } else { 0 }));
    p.label("sleep").put(wfi()).label("behind").put(c_li(A0, 1));
    park(&mut p);
    p.align(4).label("handler").put(csrr(A1, csr::MEPC));
    park(&mut p);
    p
}

fn slept(p: &Program) -> (Lockstep, u64) {
    let mut core = start(p, Timing::IDEAL);
    let pass = |core: &mut Lockstep, clocks: u64| {
        for _ in 0..clocks {
            core.step_clock().unwrap_or_else(|failure| panic!("{failure}"));
        }
    };
    pass(&mut core, 60);
    let retired = core.retired;
    pass(&mut core, 40);
    assert_eq!(core.retired, retired, "it sleeps");
    core.bench.irq = true;
    let woken = core.clock;
    (run_to_end(core), woken)
}

#[test]
fn wfi_sleeps_until_the_interrupt_even_with_mie_off() {
    let (run, _) = slept(&sleeper(false));
    assert_eq!((run.x[A0 as usize], run.interrupts), (1, 0), "it went on behind wfi");
}

#[test]
fn wfi_returns_from_the_interrupt_behind_itself() {
    let p = sleeper(true);
    let (run, _) = slept(&p);
    assert_eq!(run.x[A1 as usize], p.address_of("behind"));
    assert_eq!(run.interrupts, 1);
}

#[test]
fn sleep_is_shown_exactly_while_the_core_sleeps() {
    let p = sleeper(false);
    let mut core = start(&p, Timing::IDEAL);
    let mut asleep = Vec::new();
    for clock in 0..80 {
        core.bench.irq = clock >= 70;
        let seen = core.bench.clock().expect("no assertion fails");
        if seen.outputs.sleep {
            asleep.push(clock);
        }
    }
    let first = asleep[0];
    assert_eq!(asleep, (first..=71).collect::<Vec<_>>(), "in one piece, until the clock after the interrupt's first");
}

#[test]
fn an_interrupt_does_not_break_an_access_that_waits_for_its_grant() {
    let mut p = program();
    set_handler(&mut p);
    p.li(T0, DATA).li(T1, 0x55);
    enable_interrupts(&mut p);
    p.label("store").put(sw(T1, 0, T0)).label("behind").put(nop());
    park(&mut p);
    p.align(4).label("handler").put(csrr(A1, csr::MEPC));
    park(&mut p);
    let mut core = start(&p, Timing { data_gnt_percent: 0, ..Timing::IDEAL });
    while core.clock < 60 {
        core.step_clock().unwrap_or_else(|failure| panic!("{failure}"));
    }
    core.bench.irq = true;
    for _ in 0..10 {
        core.step_clock().unwrap_or_else(|failure| panic!("{failure}"));
    }
    core.bench.timing = Timing::IDEAL;
    let run = run_to_end(core);
    assert_eq!(run.bench.memory.peek(DATA), 0x55);
    assert_eq!(run.x[A1 as usize], p.address_of("behind"));
}

/// RVFI: such an instruction does not wait for its sources. While one of them is still to come, a
/// report of it would be stale.
#[test]
fn an_instruction_that_traps_without_starting_reports_no_source_that_is_to_come() {
    const EXECUTE_IN_M: u32 = 1 << 2 | 1 << 6;
    for (is_watched, instruction, mcause) in [
        (true, add(T1, T2, T2), cause::BREAKPOINT),
        (true, sw(T2, 0, T2), cause::BREAKPOINT),
        (false, csrw(csr::CYCLE, T2), cause::ILLEGAL),
    ] {
        let (seen, _) = trap_and_run_of(|p| {
            if is_watched {
                p.la(T0, "here").put(csrrwi(ZERO, csr::TSELECT, 0)).put(csrw(csr::TDATA2, T0));
                p.li(T0, 6 << 28 | EXECUTE_IN_M).put(csrw(csr::TDATA1, T0)).put(csrrwi(ZERO, csr::TCONTROL, 8));
            }
            p.li(S0, DATA).li(T1, 77).put(sw(T1, 0, S0)).li(T2, 5);
            p.put(lw(T2, 0, S0)).label("here").put(instruction);
        });
        assert_eq!((seen.mcause, seen.mepc_from_here), (mcause, 0));
    }
}
