//! The counters of lost clocks (docs/core.md, Counters): each cause is right, and no clock is left
//! out.

use bench_core::asm::*;
use bench_core::bench::Timing;
use bench_core::directed::*;
use bench_core::lockstep::Lockstep;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::RngSeed;

const CAUSES: u32 = 9;
/// Numbers of causes, as in `mhpmevent`.
const LEAVES: usize = 0;
const FETCH: usize = 1;
const JUMP: usize = 2;
const ACCESS: usize = 3;
const EXECUTE: usize = 4;
const SLEEP: usize = 7;
const TRAP: usize = 8;

/// All counters stop.
fn stop(p: &mut Program) {
    p.put(addi(T6, ZERO, -1)).put(csrw(csr::MCOUNTINHIBIT, T6));
}

/// All counters start from zero.
fn restart(p: &mut Program) {
    stop(p);
    for counter in (0..CAUSES).map(|cause| csr::MHPMCOUNTER3 + cause).chain([csr::MCYCLE, csr::MINSTRET]) {
        p.put(csrw(counter, ZERO));
    }
    p.put(csrw(csr::MCOUNTINHIBIT, ZERO));
}

/// Stops the counters, and writes them to the trace port: causes, clocks, instructions.
fn report(p: &mut Program) {
    stop(p);
    for counter in (0..CAUSES).map(|cause| csr::MHPMCOUNTER3 + cause).chain([csr::MCYCLE, csr::MINSTRET]) {
        p.put(csrr(T6, counter)).put(csrw(csr::TRACE, T6));
    }
    park(p);
}

/// The counters that a run reported: causes, clocks, instructions.
fn counts(run: &Lockstep) -> (Vec<u32>, u32, u32) {
    let words: Vec<u32> = run.traces.iter().map(|trace| trace.1).collect();
    let (causes, others) = words.split_at(CAUSES as usize);
    (causes.to_vec(), others[0], others[1])
}

/// The clocks of `body` by cause, with memory that causes no waits.
fn causes_of(body: impl Fn(&mut Program)) -> Vec<u32> {
    let mut p = program();
    p.to("start", |d| jal(ZERO, d)).align(4).label("handler").put_all([csrr(T5, csr::MEPC), addi(T5, T5, 4)]);
    p.put_all([csrw(csr::MEPC, T5), mret()]).label("start");
    set_handler(&mut p);
    p.li(T0, DATA).li(T1, 7).li(T2, 3).put_all([sw(T1, 0, T0), csrrwi(ZERO, csr::MEVINDEX, 0)]);
    p.la(T5, "end").put(csrw(csr::MEVHANDLER, T5));
    restart(&mut p);
    body(&mut p);
    p.label("end");
    report(&mut p);
    let mut core = start(&p, Timing::IDEAL);
    core.bench.event = Some(0);
    let (causes, clocks, _) = counts(&run_to_end(core));
    assert_eq!(causes.iter().sum::<u32>(), clocks, "{causes:?}");
    causes
}

/// The clocks that `body` adds, by cause.
fn more(body: impl Fn(&mut Program)) -> [i64; CAUSES as usize] {
    let (with, without) = (causes_of(body), causes_of(|_| {}));
    std::array::from_fn(|cause| i64::from(with[cause]) - i64::from(without[cause]))
}

fn expected(causes: &[(usize, i64)]) -> [i64; CAUSES as usize] {
    let mut all = [0; CAUSES as usize];
    for &(cause, clocks) in causes {
        all[cause] = clocks;
    }
    all
}

#[test]
fn each_lost_clock_has_its_cause() {
    let codes = |codes: &[Code]| more(|p| _ = p.put_all(codes.iter().copied()));
    assert_eq!(codes(&[nop(), nop()]), expected(&[(LEAVES, 2)]));
    assert_eq!(codes(&[lw(A0, 0, T0), nop()]), expected(&[(LEAVES, 2)]));
    assert_eq!(codes(&[lw(A0, 0, T0), addi(A0, A0, 1)]), expected(&[(LEAVES, 2), (ACCESS, 1)]));
    assert_eq!(codes(&[mul(A0, T1, T2), addi(A0, A0, 1)]), expected(&[(LEAVES, 2), (EXECUTE, 1)]));
    assert_eq!(codes(&[max(A0, T1, T2), addi(A0, A0, 1)]), expected(&[(LEAVES, 2), (EXECUTE, 1)]));
    assert_eq!(codes(&[div(A0, T1, T2)]), expected(&[(LEAVES, 1), (EXECUTE, 33)]));
    assert_eq!(codes(&[csrr(A0, csr::MSTATUS)]), expected(&[(LEAVES, 1), (EXECUTE, 2)]));
    assert_eq!(codes(&[dispatch(RA)]), expected(&[(LEAVES, 1), (JUMP, 3)]));
    // To the handler; then three instructions, two of them with a CSR access; then the way back.
    assert_eq!(codes(&[ecall()]), expected(&[(LEAVES, 4), (TRAP, 4), (EXECUTE, 4), (JUMP, 3)]));
    assert_eq!(more(|p| _ = p.to("end", |d| jal(ZERO, d))), expected(&[(LEAVES, 1), (JUMP, 2)]));
}

/// CSRs whose numbers end like those of the counters.
#[test]
fn writes_of_other_csrs_leave_the_counters_alone() {
    let mut p = program();
    stop(&mut p);
    for counter in (0..CAUSES).map(|cause| csr::MHPMCOUNTER3 + cause).chain([csr::MCYCLE, csr::MINSTRET]) {
        p.put(csrw(counter, ZERO));
    }
    p.li(T0, 0x1234_5670);
    for cause in 0..CAUSES {
        p.put(csrw(csr::MHPMEVENT3 + cause, T0));
    }
    p.put_all([csrw(csr::MTVEC, T0), csrw(csr::MIE, T0)]);
    report(&mut p);
    let (causes, ..) = counts(&run_to_end(start(&p, Timing::IDEAL)));
    assert_eq!(causes, [0; CAUSES as usize]);
}

#[test]
fn numbers_of_events_are_fixed_and_a_stopped_counter_can_be_written() {
    let mut p = program();
    for cause in 0..CAUSES {
        p.put(csrrwi(A0, csr::MHPMEVENT3 + cause, 31)).put(csrr(A0, csr::MHPMEVENT3 + cause)).put(csrw(csr::TRACE, A0));
    }
    p.put(csrr(A0, csr::MHPMEVENT3 + CAUSES)).put(csrw(csr::TRACE, A0));
    stop(&mut p);
    p.li(T0, 0x1234_5678).put(csrw(csr::MHPMCOUNTER3 + 3, T0)).put_all([nop(); 5]);
    p.put(csrr(A1, csr::MHPMCOUNTER3 + 3)).put(csrr(A2, csr::MHPMCOUNTER3H + 3)).put(csrr(A3, csr::MCOUNTINHIBIT));
    park(&mut p);
    let run = run_to_end(start(&p, Timing::IDEAL));
    let numbers: Vec<u32> = run.traces.iter().map(|trace| trace.1).collect();
    assert_eq!(numbers, [1, 2, 3, 4, 5, 6, 7, 8, 9, 0]);
    assert_eq!(run.x[11..14], [0x1234_5678, 0, 0xFFD]);
}

/// A program in which exceptions, interrupts and events return, up to where its counters start.
fn returning() -> Program {
    let mut p = program();
    p.to("start", |d| jal(ZERO, d)).align(4).label("handler").put_all([csrr(T5, csr::MCAUSE), csrr(A0, csr::MEPC)]);
    p.to("interrupted", |d| blt(T5, ZERO, d)).put_all([addi(A0, A0, 4), csrw(csr::MEPC, A0)]);
    p.label("interrupted").put(mret()).label("served").put_all([addi(A1, A1, 1), jalr(ZERO, RA, 0)]).label("start");
    set_handler(&mut p);
    p.la(T5, "served")
        .put(addi(T6, ZERO, 31))
        .label("next")
        .put(csrw(csr::MEVINDEX, T6))
        .put(csrw(csr::MEVHANDLER, T5));
    p.put(addi(T6, T6, -1)).to("next", |d| bge(T6, ZERO, d));
    p.li(A1, 0).li(A2, 0).li(A3, 0);
    p.li(T0, DATA).li(T1, 7).li(T2, 3).li(S0, FAULTY).put(sw(T1, 0, T0)).put(addi(S1, ZERO, 8));
    enable_interrupts(&mut p);
    restart(&mut p);
    p
}

/// Runs the program of `returning`. Returns the clocks by cause, whose sum must be all clocks.
fn sum_of(mut p: Program, timing: Timing, seed: u64) -> Result<Vec<u32>, String> {
    p.put(csrrci(ZERO, csr::MSTATUS, 8));
    report(&mut p);
    let mut core = start(&p, timing);
    core.bench.reseed(seed);
    let (causes, clocks, _) = counts(&run_to_end(core));
    if causes.iter().sum::<u32>() == clocks {
        Ok(causes)
    } else {
        Err(format!("{causes:?} are not {clocks} clocks"))
    }
}

fn memory_is(percent: u32) -> Timing {
    Timing {
        instr_gnt_percent: percent,
        instr_rvalid_percent: percent,
        look_percent: percent,
        data_gnt_percent: percent,
        data_rvalid_percent: percent,
        irq_rises_percent: 3,
        irq_falls_percent: 30,
        event_rises_percent: 10,
        event_falls_percent: 30,
        halts_permille: 0,
    }
}

#[test]
fn the_sum_of_all_causes_is_mcycle_whatever_happens() {
    let mut seen = [0; CAUSES as usize];
    for seed in 0..60 {
        let mut p = returning();
        p.label("turn").put_all([lw(A2, 0, T0), addi(A2, A2, 1), sw(A2, 4, T0), mul(A3, A2, T1), add(A3, A3, A2)]);
        p.put_all([div(A3, A3, T2), dispatch(RA), ecall(), lw(A2, 1, T0), lw(A2, 0, S0), fence_i(), max(A3, A2, T1)]);
        p.put_all([add(A3, A3, A3), dispatch(RA), csrr(A2, csr::MINSTRET), c_nop(), nop(), addi(S1, S1, -1)]);
        p.to("done", |d| beq(S1, ZERO, d)).to("turn", |d| jal(ZERO, d)).label("done");
        let causes = sum_of(p, memory_is([100, 80, 30][seed as usize % 3]), seed).unwrap();
        for (seen, cause) in seen.iter_mut().zip(causes) {
            *seen += cause;
        }
    }
    assert!(seen.iter().all(|&clocks| clocks > 100), "each cause is there: {seen:?}");
    assert!(seen[FETCH] > 0 && seen[SLEEP] > 0);
}

/// The pieces of a random program: instructions of every kind that loses clocks, and instructions
/// that need their results.
fn pieces() -> Vec<Code> {
    vec![
        nop(),
        c_nop(),
        addi(A2, A2, 1),
        add(A3, A3, A2),
        lw(A2, 0, T0),
        sw(A3, 4, T0),
        lw(A3, 4, T0),
        // Misaligned accesses, and accesses to an address without memory.
        lw(A2, 1, T0),
        sw(A2, 0, S0),
        mul(A3, A2, T1),
        max(A2, A3, T1),
        div(A3, A2, T2),
        csrr(A2, csr::MINSTRET),
        csrr(A2, csr::MSTATUS),
        csrrci(ZERO, csr::MSTATUS, 8),
        csrrsi(ZERO, csr::MSTATUS, 8),
        dispatch(RA),
        wfi(),
        ecall(),
        fence(),
        fence_i(),
        // To the next instruction, taken or not.
        jal(ZERO, 4),
        beq(A2, A3, 4),
        bne(A2, A3, 4),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, rng_seed: RngSeed::Fixed(1), ..ProptestConfig::default() })]

    #[test]
    fn the_sum_of_all_causes_is_mcycle_in_random_programs(
        body in vec(select(pieces()), 1..60),
        turns in 1..4u32,
        percent in select(vec![100, 80, 30]),
        seed in any::<u64>(),
    ) {
        let mut p = returning();
        p.li(S1, turns).label("turn").put_all(body).put(addi(S1, S1, -1));
        p.to("done", |d| beq(S1, ZERO, d)).to("turn", |d| jal(ZERO, d)).label("done");
        let sum = sum_of(p, memory_is(percent), seed);
        prop_assert!(sum.is_ok(), "{sum:?}");
    }
}
