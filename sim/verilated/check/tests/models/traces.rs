use std::path::PathBuf;

use verilated::{Context, Error, Model, TraceFormat};
use verilated_check::{TwoClocks, TwoClocksFst, TwoClocksVcd};
use wellen::simple::{self, Waveform};

const A: u32 = 0b01;
const B: u32 = 0b10;

fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// The changes of a signal as (time, value).
fn changes(wave: &mut Waveform, scope_and_name: (&[&str], &str)) -> Vec<(u64, u64)> {
    let (scope, name) = scope_and_name;
    let variable = wave.hierarchy().lookup_var(scope, name).expect("the signal is in the wave");
    let signal = wave.hierarchy()[variable].signal_ref();
    wave.load_signals(&[signal]);
    let times = wave.time_table().to_vec();
    let signal = wave.get_signal(signal).expect("loaded");
    let number = |value: wellen::SignalValueRef| u64::from_str_radix(&value.to_bit_string().unwrap(), 2).unwrap();
    signal.iter_changes().map(|(index, value)| (times[index as usize], number(value))).collect()
}

/// Clock a with a period of 10 ns, clock b with one of 6 ns.
fn run<M: Model>(top: &mut M, from_ns: u64, to_ns: u64) {
    for ns in from_ns..to_ns {
        let rising = if ns % 10 == 0 { A } else { 0 } | if ns % 6 == 0 { B } else { 0 };
        if rising != 0 {
            top.tick(ns * 1000, rising).unwrap();
        }
    }
}

fn check_clock_a(path: &PathBuf) {
    let mut wave = simple::read(path).expect("a readable wave");
    let edges = changes(&mut wave, (&["TOP"], "clk_a_i"));
    let expected: Vec<(u64, u64)> =
        (10..20).flat_map(|k| [(k * 10_000, 1), (k * 10_000 + 5_000, 0)]).filter(|&(t, _)| t < 194_000).collect();
    let from_second: Vec<_> = edges.into_iter().filter(|&(time, _)| time >= 100_000).collect();
    assert_eq!(from_second, expected, "both edges of clock a, at half periods");
}

/// A trace that opens at the time of the first tick has the values behind that tick.
#[test]
fn a_trace_from_the_first_instant_has_its_edges() {
    let path = file("first.fst");
    let mut top = TwoClocksFst::new(Context::new()).unwrap();
    top.add_i.set(0);
    top.open_fst(&path, 0).unwrap();
    run(&mut top, 0, 25);
    top.close_trace().unwrap();
    let mut wave = simple::read(&path).unwrap();
    assert_eq!(changes(&mut wave, (&["TOP"], "a_o")), [(0, 1), (10_000, 2), (20_000, 3)]);
    assert_eq!(changes(&mut wave, (&["TOP"], "clk_a_i"))[0], (0, 1));
}

#[test]
fn an_fst_shows_both_edges_of_all_clocks() {
    let path = file("window.fst");
    let mut top = TwoClocksFst::new(Context::new()).unwrap();
    top.add_i.set(0);
    run(&mut top, 0, 95);
    top.open_fst(&path, 0).unwrap();
    assert!(top.tracing());
    run(&mut top, 95, 195);
    top.close_trace().unwrap();
    run(&mut top, 195, 300);
    check_clock_a(&path);
    let mut wave = simple::read(&path).unwrap();
    let counted = changes(&mut wave, (&["TOP"], "a_o"));
    assert_eq!(counted.last(), Some(&(190_000, 20)), "the window ends where it was closed");
}

#[test]
fn a_clock_that_pauses_falls_after_half_of_its_period_all_the_same() {
    let path = file("pause.fst");
    let mut top = TwoClocksFst::new(Context::new()).unwrap();
    top.open_fst(&path, 0).unwrap();
    for ns in [10, 20, 30, 100, 110, 120] {
        top.tick(ns * 1000, A).unwrap();
    }
    top.tick(130_000, B).unwrap();
    drop(top);
    let edges = changes(&mut simple::read(&path).unwrap(), (&["TOP"], "clk_a_i"));
    let behind_pause: Vec<_> = edges.into_iter().filter(|&(time, _)| time > 30_000).collect();
    let expected = [(35_000, 0), (100_000, 1), (105_000, 0), (110_000, 1), (115_000, 0), (120_000, 1), (125_000, 0)];
    assert_eq!(behind_pause, expected);
}

#[test]
fn a_vcd_is_complete_when_its_model_is_dropped() {
    let path = file("dropped.vcd");
    {
        let mut top = TwoClocksVcd::new(Context::new()).unwrap();
        top.add_i.set(0);
        run(&mut top, 0, 95);
        top.open_vcd(&path, 0).unwrap();
        run(&mut top, 95, 195);
    }
    check_clock_a(&path);
}

#[test]
fn inputs_stand_before_the_edge_that_samples_them() {
    let path = file("inputs.fst");
    let mut top = TwoClocksFst::new(Context::new()).unwrap();
    top.open_fst(&path, 0).unwrap();
    for k in 1..=3 {
        top.add_i.set(10 * k as u32);
        top.tick(k * 10_000, A).unwrap();
    }
    drop(top);
    let mut wave = simple::read(&path).unwrap();
    let driven = changes(&mut wave, (&["TOP"], "add_i"));
    let before = |t: u64| driven.iter().rev().find(|&&(time, _)| time < t).unwrap().1;
    assert_eq!((before(10_000), before(20_000), before(30_000)), (10, 20, 30));
}

#[test]
fn looking_does_not_touch() {
    let mut seen = TwoClocksFst::new(Context::new()).unwrap();
    let mut unseen = TwoClocks::new(Context::new()).unwrap();
    for window in 0..6 {
        if window % 2 == 1 {
            seen.open_fst(file("touch.fst"), 0).unwrap();
        }
        for ns in window * 100..window * 100 + 100 {
            let rising = if ns % 10 == 0 { A } else { 0 } | if ns % 6 == 0 { B } else { 0 };
            seen.add_i.set(ns as u32);
            unseen.add_i.set(ns as u32);
            seen.tick(ns * 1000, rising).unwrap();
            unseen.tick(ns * 1000, rising).unwrap();
            assert_eq!((seen.a_o.get(), seen.b_o.get()), (unseen.a_o.get(), unseen.b_o.get()), "at {ns} ns");
            assert_eq!(seen.sum_o.get(), unseen.sum_o.get());
        }
        seen.close_trace().unwrap();
    }
}

#[test]
fn evaluations_are_dumped_where_asked() {
    let path = file("by_hand.vcd");
    let mut top = TwoClocksVcd::new(Context::new()).unwrap();
    top.open_vcd(&path, 1).unwrap();
    for (time_ps, add) in [(1_000, 5), (2_500, 6)] {
        top.add_i.set(add);
        top.set_time(time_ps);
        top.eval().unwrap();
        top.dump().unwrap();
    }
    top.flush_trace();
    drop(top);
    let mut wave = simple::read(&path).unwrap();
    assert_eq!(changes(&mut wave, (&["TOP"], "sum_o")), [(1_000, 5), (2_500, 6)]);
}

#[test]
fn what_was_not_built_cannot_be_opened() {
    let mut plain = TwoClocks::new(Context::new()).unwrap();
    let mut fst = TwoClocksFst::new(Context::new()).unwrap();
    let message = |result: Result<(), Error>| result.unwrap_err().to_string();
    assert!(message(plain.open_fst(file("no.fst"), 0)).starts_with("TwoClocks was built without FST traces"));
    assert!(message(fst.open_vcd(file("no.vcd"), 0)).starts_with("TwoClocksFst was built without VCD traces"));
    assert_eq!((TwoClocks::TRACE, TwoClocksFst::TRACE), (None, Some(TraceFormat::Fst)));
    assert!(!plain.tracing() && plain.dump().is_ok() && plain.close_trace().is_ok());

    fst.open_fst(file("once.fst"), 0).unwrap();
    assert!(matches!(fst.open_fst(file("twice.fst"), 0), Err(Error::TraceIsOpen { .. })));
    fst.close_trace().unwrap();
    let error = message(fst.open_fst(file("no/such/folder.fst"), 0));
    assert!(error.contains("folder.fst: No such file"), "{error}");
}
