//! The cost in clocks of each class of instruction, with memory that grants at once and answers in
//! the next clock. These are the numbers of docs/core.md.

use std::time::Instant;

use bench_core::asm::*;
use bench_core::bench::{Bench, Timing};
use bench_core::directed::*;
use bench_core::models::{BenchCore, BenchCorePlain, CoreModel};

/// The clocks of a trace marker, which is a CSR access.
const MARKER: u64 = 3;

/// The clocks of `body` between two trace markers, without the cost of the second marker.
fn cost(body: impl Fn(&mut Program)) -> u64 {
    cost_with(Timing::IDEAL, body)
}

fn cost_with(timing: Timing, body: impl Fn(&mut Program)) -> u64 {
    let mut p = program();
    p.to("start", |d| jal(ZERO, d));
    p.align(4).label("handler");
    p.put(csrw(csr::TRACE, ZERO));
    park(&mut p);
    p.align(4).label("start");
    set_handler(&mut p);
    p.li(T0, DATA).li(T1, 7).li(T2, 3).la(S0, "end").put(csrw(csr::MEPC, S0)).put(csrw(csr::TRACE, ZERO));
    body(&mut p);
    p.label("end").put(csrw(csr::TRACE, ZERO));
    park(&mut p);
    let run = run_to_end(start(&p, timing));
    run.traces[1].0 - run.traces[0].0 - MARKER
}

fn cost_of(codes: &[Code]) -> u64 {
    cost(|p| {
        p.put_all(codes.iter().copied());
    })
}

/// A label in the middle of a word, with a four-byte instruction behind it.
fn straddling_target(p: &mut Program) {
    p.put(nop()).put(c_nop()).label("target").put(nop());
}

#[test]
fn arithmetic_takes_one_clock_whatever_its_alignment() {
    assert_eq!(cost_of(&[add(A0, T1, T2), sub(A1, A0, T2), lui(A2, 1), auipc(A3, 1)]), 4);
    assert_eq!(cost_of(&[c_li(A0, 1), c_addi(A0, 1), c_mv(A1, A0), c_add(A1, A0)]), 4);
    assert_eq!(cost_of(&[c_nop(), nop(), nop(), nop(), nop(), nop(), c_nop()]), 7, "straddling words");
}

#[test]
fn loads_and_stores_take_one_clock() {
    assert_eq!(cost_of(&[lw(A0, 0, T0), lw(A1, 4, T0), lb(A2, 8, T0), lhu(A3, 12, T0)]), 4);
    assert_eq!(cost_of(&[sw(T1, 0, T0), sw(T1, 4, T0), sb(T1, 8, T0), sh(T1, 12, T0)]), 4);
    assert_eq!(cost_of(&[lw(A0, 0, T0), sw(T1, 4, T0), lw(A1, 8, T0), sw(T1, 12, T0)]), 4);
}

#[test]
fn the_result_of_a_load_costs_one_clock_more_if_needed_at_once() {
    assert_eq!(cost_of(&[lw(A0, 0, T0), addi(A1, A0, 1)]), 3);
    assert_eq!(cost_of(&[lw(A0, 0, T0), nop(), addi(A1, A0, 1)]), 3);
    assert_eq!(cost_of(&[lw(A0, 0, T0), sw(A0, 4, T0)]), 3);
}

/// The cost of a jump the first time, from the scratchpad and from a cache.
fn costs(body: impl Fn(&mut Program)) -> [u64; 2] {
    [cost_with(Timing::IDEAL, &body), cost_with(Timing::CACHED, &body)]
}

#[test]
fn jumps_take_three_clocks_the_first_time_one_more_from_a_cache_and_one_more_to_a_straddling_target() {
    assert_eq!(costs(|p| _ = p.to("end", |d| jal(ZERO, d))), [3, 4]);
    assert_eq!(costs(|p| _ = p.put(jalr(ZERO, S0, 0))), [3, 4]);
    let straddling = costs(|p| {
        p.to("target", |d| jal(ZERO, d));
        straddling_target(p);
    });
    assert_eq!(straddling, [4 + 1, 5 + 1]);
}

#[test]
fn branches_take_one_clock_not_taken_and_are_jumps_taken() {
    assert_eq!(costs(|p| _ = p.to("end", |d| beq(T1, T2, d))), [1, 1]);
    assert_eq!(costs(|p| _ = p.to("end", |d| bne(T1, T2, d))), [3, 4]);
    let straddling = costs(|p| {
        p.to("target", |d| bne(T1, T2, d));
        straddling_target(p);
    });
    assert_eq!(straddling, [4 + 1, 5 + 1]);
    let behind_a_load = costs(|p| {
        p.put(lw(A0, 0, T0)).to("end", |d| bne(A0, A0, d));
    });
    assert_eq!(behind_a_load, [3, 3], "waits for the load");
}

/// A loop of `turns` iterations around `body`. The branch ends in the lower or the upper half of a
/// word.
fn turns(p: &mut Program, turns: i32, upper: bool, body: impl Fn(&mut Program)) {
    p.put(addi(A0, ZERO, turns)).align(4);
    if upper {
        p.put(c_nop());
    }
    p.label("turn");
    body(p);
    p.put(c_addi(A0, -1)).to_compressed("turn", |d| c_branch(7, A0, d));
}

#[test]
fn a_loop_costs_nothing_but_its_first_turn_and_its_end() {
    let clocks = |count: i32, upper: bool| {
        cost(|p| {
            turns(p, count, upper, |p| {
                p.put(add(A1, T1, A0));
            })
        })
    };
    for upper in [false, true] {
        assert_eq!(clocks(20, upper) - clocks(10, upper), 30, "three instructions, three clocks");
    }
    // The table of predictions is emptied in the first clocks after reset.
    let late = costs(|p| {
        p.put_all([nop(); 40]);
        turns(p, 10, false, |p| {
            p.put(add(A1, T1, A0));
        });
    });
    let all = 40 + 1 + 30;
    assert_eq!(late[1], all + 3 + 3, "three clocks for the first branch taken and for the last one not taken");
    assert_eq!(late[0], all + 2 + 2 + 2, "two each, and for the second taken: it was fetched before the table knew it");
}

#[test]
fn a_prediction_goes_when_it_was_wrong_once_or_if_it_was_often_right_twice() {
    let turns_of_all = 20;
    // A branch to the instruction behind it, taken in the first iterations and then not any more.
    // The loop is longer than the fetch runs ahead.
    let clocks = |taken: i32| {
        costs(|p| {
            p.put_all([nop(); 40]).put(addi(A3, ZERO, turns_of_all - taken));
            turns(p, turns_of_all, false, |p| {
                p.put(blt(A3, A0, 4)).put_all([nop(); 16]);
            });
        })
    };
    let never = clocks(0);
    // Wrong predictions cost two clocks each, and three from a cache.
    let wrong = |taken| {
        let [quick, cached] = clocks(taken);
        let guesses = (quick - never[0]) / 2;
        assert_eq!([quick, cached], [never[0] + 2 * guesses, never[1] + 3 * guesses]);
        guesses
    };
    assert_eq!(wrong(1), 1 + 1);
    assert_eq!(wrong(2), 1 + 2);
    assert_eq!(wrong(9), 1 + 2);
    assert_eq!(wrong(turns_of_all), 1);
}

#[test]
fn a_call_and_its_return_take_two_clocks_when_they_were_seen_before() {
    let clocks = |count: i32| {
        cost(|p| {
            p.to("begin", |d| jal(ZERO, d))
                .align(4)
                .label("function")
                .put(add(A1, T1, A0))
                .put(nop())
                .put(jalr(ZERO, RA, 0));
            p.label("begin");
            turns(p, count, false, |p| {
                p.to("function", |d| jal(RA, d));
            });
        })
    };
    assert_eq!(clocks(20) - clocks(10), 60, "call, add, nop, return, count, branch");
}

#[test]
fn multiplication_counting_and_choosing_take_one_clock_and_one_more_if_needed_at_once_division_thirty_four() {
    let products = [mul(A0, T1, T2), mulh(A0, T1, T2), mulhsu(A0, T1, T2), mulhu(A0, T1, T2)];
    let counts = [unary(0, A0, T1), unary(1, A0, T1), unary(2, A0, T1)];
    let choices = [min(A0, T1, T2), minu(A0, T1, T2), max(A0, T1, T2), maxu(A0, T1, T2)];
    for code in products.into_iter().chain(counts).chain(choices) {
        assert_eq!(cost_of(&[code]), 1);
        assert_eq!(cost_of(&[code, code]), 2);
        assert_eq!(cost_of(&[code, addi(A1, A0, 1)]), 3);
        assert_eq!(cost_of(&[code, nop(), addi(A1, A0, 1)]), 3);
    }
    for code in [div(A0, T1, T2), divu(A0, T1, T2), rem(A0, T1, T2), remu(A0, T1, ZERO)] {
        assert_eq!(cost_of(&[code]), 34);
    }
}

#[test]
fn bit_manipulation_takes_one_clock() {
    assert_eq!(cost_of(&[sh2add(A0, T1, T2), andn(A1, A0, T2), rori(A1, A1, 3), bext(A2, A1, T1), rev8(A3, A2)]), 5);
}

#[test]
fn csrs_take_three_clocks() {
    assert_eq!(cost_of(&[csrr(A0, csr::MCYCLE), csrw(csr::TRACE, T1)]), 3, "to the next marker");
    assert_eq!(cost_of(&[csrr(A0, csr::MSTATUS), csrw(csr::MSCRATCH, T1), csrrsi(ZERO, csr::MIE, 0)]), 9);
    assert_eq!(cost_of(&[lw(A0, 0, T0), csrw(csr::MSCRATCH, T1)]), 1 + 3, "no wait behind a load");
    assert_eq!(cost_of(&[csrr(A0, csr::MSTATUS), addi(A1, A0, 1)]), 3 + 1, "nor behind a CSR");
}

#[test]
fn counts_of_instructions_take_a_clock_more_behind_an_instruction() {
    // These instructions need the previous one to have retired.
    for code in [csrr(A0, csr::MINSTRET), csrr(A0, csr::INSTRETH), csrw(csr::MINSTRET, T1)] {
        assert_eq!(cost_of(&[code]), 4);
        assert_eq!(cost_of(&[nop(), code]), 1 + 4);
        assert_eq!(cost_of(&[lw(A0, 0, T0), code]), 1 + 4);
        assert_eq!(cost_of(&[mul(A0, T1, T2), code]), 1 + 4);
        assert_eq!(cost_of(&[code, code]), 8);
    }
}

#[test]
fn fences_take_one_clock_and_what_fetches_anew_four() {
    assert_eq!(cost_of(&[fence()]), 1);
    assert_eq!(cost_of(&[fence_i()]), 4);
    assert_eq!(cost_of(&[mret()]), 4);
}

#[test]
fn exceptions_take_four_clocks_and_faults_of_accesses_six() {
    assert_eq!(cost_of(&[ecall()]), 4);
    assert_eq!(cost_of(&[Code::Half(0)]), 4);
    assert_eq!(
        cost(|p| {
            p.put(lw(A0, 1, T0));
        }),
        4
    );
    assert_eq!(
        cost(|p| {
            p.li(T0, FAULTY).put(lw(A0, 0, T0));
        }),
        2 + 6
    );
}

#[test]
fn the_handler_retires_its_first_instruction_six_to_nine_clocks_after_the_interrupt_rises() {
    let mut p = program();
    set_handler(&mut p);
    enable_interrupts(&mut p);
    p.label("loop").put(nop()).to("loop", |d| jal(ZERO, d));
    p.align(4).label("handler");
    park(&mut p);
    let latencies: Vec<u64> = (60..66)
        .map(|rises| {
            let mut core = start(&p, Timing::IDEAL);
            while core.clock < rises {
                core.step_clock().unwrap_or_else(|failure| panic!("{failure}"));
            }
            core.bench.irq = true;
            let core = run_to_end(core);
            core.steps.iter().find(|step| step.rvfi.intr).expect("interrupted").clock - rises
        })
        .collect();
    // The latency is longer while the core waits for the target of a jump: an interrupt needs an
    // instruction whose place it takes.
    assert!(latencies.iter().all(|latency| (6..=9).contains(latency)), "{latencies:?}");
}

#[test]
fn wfi_with_its_interrupt_pending_takes_one_clock() {
    let mut p = program();
    p.li(T0, 1 << 11).put_all([csrw(csr::MIE, T0), nop(), csrw(csr::TRACE, T0), wfi(), csrw(csr::TRACE, T0)]);
    park(&mut p);
    let mut core = start(&p, Timing::IDEAL);
    core.bench.irq = true;
    let run = run_to_end(core);
    assert_eq!(run.traces[1].0 - run.traces[0].0 - MARKER, 1);
}

/// A mix as in firmware: a ring entry is read, checked, summed, and copied by a function, 16 times.
fn mix() -> Program {
    let mut p = program();
    p.li(S0, DATA).li(S1, DATA + 0x400).li(SP, DATA + 0x700).li(A3, 0);
    p.label("forever").put(csrw(csr::TRACE, A3)).put(addi(A2, ZERO, 16)).put(mv(T0, S0)).put(mv(T1, S1));
    p.label("entry").put(lw(A0, 0, T0)).put(lw(A1, 4, T0)).put(andi(T2, A0, 0x7F)).put(add(A3, A3, A1));
    p.to("empty", |d| blt(T2, ZERO, d)).put(srli(T2, A0, 16)).put(xor(A0, A0, A3));
    p.to("copy", |d| jal(RA, d));
    p.label("empty").put(addi(T0, T0, 16)).put(addi(T1, T1, 8)).put(c_addi(A2, -1));
    p.to_compressed("entry", |d| c_branch(7, A2, d)).to("forever", |d| jal(ZERO, d));
    p.label("copy").put(c_addi(SP, -16)).put(sw(RA, 12, SP)).put(sw(A0, 0, T1)).put(sh(T2, 4, T1)).put(lbu(T5, 8, T0));
    p.put(slli(T6, T2, 2)).put(add(T6, T6, T5)).put(sb(T6, 6, T1)).put(lw(RA, 12, SP)).put(c_addi(SP, 16));
    p.put(jalr(ZERO, RA, 0));
    p
}

/// The clocks of the trace markers in so many clocks of the mix.
fn run_mix<M: CoreModel>(clocks: u64) -> Vec<u64> {
    let mut bench: Bench<M> = Bench::new(memory(&mix()), BASE, Timing::IDEAL, 1).expect("builds");
    let mut markers = Vec::new();
    for clock in 0..clocks {
        if bench.clock().expect("no assertion fails").outputs.trace.is_some() {
            markers.push(clock);
        }
    }
    markers
}

#[test]
fn rvfi_changes_no_clock() {
    assert_eq!(run_mix::<BenchCore>(5000), run_mix::<BenchCorePlain>(5000));
}

#[test]
fn the_mix_takes_its_known_clocks() {
    let instructions = 1 + 3 + 16 * 23 + 1;
    let markers = run_mix::<BenchCore>(5000);
    let clocks = markers[3] - markers[2];
    println!("mix: {clocks} clocks for {instructions} instructions, {:.3} each", clocks as f64 / instructions as f64);
    // Two more where the loop ends, and what the marker costs beyond a clock.
    assert_eq!(clocks, instructions + 2 + (MARKER - 1));
}

#[test]
fn the_model_is_not_slow() {
    let clocks = 1_000_000;
    let begin = Instant::now();
    run_mix::<BenchCorePlain>(clocks);
    let clocks_per_s = clocks as f64 / begin.elapsed().as_secs_f64();
    println!("{:.1} million clocks per second, with the bench's memory", clocks_per_s / 1e6);
    // Far below the speed of any machine. A model that was built without optimisation would be
    // slower.
    assert!(clocks_per_s > 1e5);
}
