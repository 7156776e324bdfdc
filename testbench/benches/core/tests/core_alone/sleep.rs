//! A sleeping core gets no clock, and no output of the core shows it (docs/core.md, Sleep).

use std::cell::Cell;

use bench_core::asm::*;
use bench_core::bench::{Bench, Timing};
use bench_core::directed::*;
use bench_core::models::{BenchCore, BenchSleep, CoreModel};
use bench_core::random::{case, BASE as RANDOM_BASE};
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};
use verilated::{Context, Error, Model};

/// Two cores with the same surroundings. The first keeps its clock while it sleeps.
fn twins(mut make: impl FnMut() -> Bench<BenchCore>) -> (Bench<BenchCore>, Bench<BenchCore>) {
    let mut awake = make();
    awake.keep_clock_running = true;
    (awake, make())
}

/// Advances both by one clock: all their outputs must be the same.
fn same_clock(awake: &mut Bench<BenchCore>, gated: &mut Bench<BenchCore>) -> Result<(), String> {
    let (a, b) = (awake.clock().map_err(|error| error.to_string())?, gated.clock().map_err(|error| error.to_string())?);
    match a == b {
        true => Ok(()),
        false => Err(format!("with its clock: {a:?}\nwithout: {b:?}")),
    }
}

#[test]
fn random_programs_do_the_same_in_each_clock_with_the_clock_stopped_and_without() {
    const CLOCKS: u64 = 1_500;
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    let config = Config { cases: 400, failure_persistence: None, ..Config::default() };
    let (clocks, stopped) = (Cell::new(0), Cell::new(0));
    let result = TestRunner::new_with_rng(config, rng).run(&case(), |case| {
        // The core is woken rarely, so that its clock stops.
        let timing = Timing { event_rises_percent: 1, irq_rises_percent: 1, ..case.timing };
        let (mut awake, mut gated) = twins(|| {
            let model = BenchCore::build(Context::new().zeroed()).expect("builds");
            Bench::with_model(model, case.memory(), RANDOM_BASE, timing, case.seed).expect("begins")
        });
        for clock in 0..CLOCKS {
            same_clock(&mut awake, &mut gated)
                .map_err(|text| TestCaseError::fail(format!("clock {clock}: {text}\n{}", case.listing())))?;
        }
        clocks.set(clocks.get() + CLOCKS);
        stopped.set(stopped.get() + gated.stopped);
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{error}"));
    let (clocks, stopped) = (clocks.get(), stopped.get());
    assert!(stopped * 50 > clocks, "the clock stops in few of the clocks: {stopped} of {clocks}");
}

/// Counts events while the core sleeps in `wfi` or `dispatch`, into A0 to A3. The handlers of
/// events come behind.
fn counting(sleeps: Code) -> Program {
    let mut p = program();
    set_handler(&mut p);
    p.la(T5, "handler").put_all([csrrwi(ZERO, csr::MEVINDEX, 3), csrw(csr::MEVHANDLER, T5)]);
    p.li(T5, 1 << 11).put(csrw(csr::MIE, T5)).put(sleeps).label("handler");
    p.put_all([csrr(A0, csr::MCYCLE), csrr(A1, csr::MINSTRET), csrr(A2, 0xB0A), csrr(A3, 0xB03)]);
    park(&mut p);
    p
}

#[test]
fn counters_go_on_while_the_clock_is_stopped() {
    for (sleeps, irq, event) in [(wfi(), true, None), (dispatch(RA), false, Some(3))] {
        let counts = [false, true].map(|keep_clock_running| {
            let mut core = start(&counting(sleeps), Timing::IDEAL);
            core.bench.keep_clock_running = keep_clock_running;
            while core.clock < 1_000 {
                core.step_clock().unwrap_or_else(|failure| panic!("{failure}"));
            }
            let stopped = core.bench.stopped;
            assert_eq!(stopped > 800, !keep_clock_running, "stopped for {stopped} clocks");
            (core.bench.irq, core.bench.event) = (irq, event);
            let core = run_to_end(core);
            (core.clock, [A0, A1, A2, A3].map(|register| core.x[register as usize]))
        });
        assert_eq!(counts[0], counts[1]);
        let [cycles, _, asleep, _] = counts[0].1;
        assert!(asleep > 900 && cycles > 1_000, "{counts:?}");
    }
}

#[test]
fn a_stopped_core_is_woken_without_a_clock_lost() {
    // docs/core.md: 5 clocks from the event to the retirement of the handler's first instruction.
    let mut core = start(&counting(dispatch(RA)), Timing::IDEAL);
    while core.bench.stopped < 100 {
        core.step_clock().unwrap_or_else(|failure| panic!("{failure}"));
    }
    let (stopped, retired, from) = (core.bench.stopped, core.retired, core.clock);
    core.bench.event = Some(3);
    core.step_clock().unwrap_or_else(|failure| panic!("{failure}"));
    assert_eq!(core.bench.stopped, stopped, "it has its clock in the clock of the event");
    while core.retired < retired + 2 {
        core.step_clock().unwrap_or_else(|failure| panic!("{failure}"));
    }
    // The handler begins with a CSR access, which takes three clocks.
    assert_eq!(core.clock - from, 5 + 1 + 2);
}

#[test]
fn a_debug_request_wakes_a_stopped_core() {
    let mut core = start(&counting(dispatch(RA)), Timing::IDEAL);
    while core.bench.stopped < 100 {
        core.step_clock().unwrap_or_else(|failure| panic!("{failure}"));
    }
    core.bench.debug_req = true;
    for _ in 0..4 {
        core.bench.clock().unwrap();
    }
    assert!(core.bench.model.debug_mode_o.is_high());
}

// ---- The gate alone -------------------------------------------------------------------------

const FREE: u32 = 1;
const BOTH: u32 = 3;

/// A gate after its reset, whose core has been still for a long time.
fn stopped_gate() -> BenchSleep {
    let mut gate = BenchSleep::new(Context::new()).unwrap();
    gate.on_display(|_| {});
    let mut clock = |still: bool, rst_n: bool| {
        gate.rst_ni.set_bool(rst_n);
        gate.still_i.set_bool(still);
        gate.eval().unwrap();
        let clock = gate.clock_o.is_high();
        gate.tick(0, if clock { BOTH } else { FREE }).unwrap();
        clock
    };
    assert!(clock(true, false) && clock(true, false), "in reset there is a clock");
    let behind_reset = (0..200).take_while(|_| clock(true, true)).count();
    assert_eq!(behind_reset, 63);
    for _ in 0..5 {
        assert!(clock(false, true), "awake");
    }
    let to_settle = (0..200).take_while(|_| clock(true, true)).count();
    assert_eq!(to_settle, 3);
    gate
}

#[track_caller]
fn fires(result: Result<(), Error>, assertion: &str) {
    match result {
        Err(Error::Stopped(stop)) => assert!(stop.message.contains(assertion), "{stop}"),
        other => panic!("{assertion} did not fire: {other:?}"),
    }
}

#[test]
fn the_clock_stops_when_all_is_settled_and_comes_back_at_once() {
    let mut gate = stopped_gate();
    gate.still_i.set(0);
    gate.eval().unwrap();
    assert!(gate.clock_o.is_high());
}

#[test]
fn something_that_reaches_a_stopped_core_is_seen() {
    let mut gate = stopped_gate();
    gate.acts_i.set(1);
    fires(gate.tick(0, FREE), "StandsStill");
}

#[test]
fn a_clock_that_does_not_come_is_seen() {
    let mut gate = stopped_gate();
    gate.still_i.set(0);
    gate.tick(0, FREE).unwrap();
    fires(gate.tick(0, FREE), "ClockComesWhenWanted");
}
