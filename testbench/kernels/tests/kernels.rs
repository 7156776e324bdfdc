//! Kernels on the RTL: right results, and counters that say what RVFI shows.

use bench_kernels::images::{has_c, Language, Placement};
use bench_kernels::model;
use bench_kernels::runs::{self, Run, NAMES};

fn checked(language: Language, placement: Placement) -> Vec<Run> {
    let runs = runs::measure(language, placement, 0).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(runs.len(), NAMES.len());
    for (run, expected) in runs.iter().zip(model::expected()) {
        assert_eq!(run.check, expected, "{}: result", run.name);
        assert_eq!(run.instructions, run.instructions_seen, "{}: minstret", run.name);
        assert_eq!(run.clocks, run.clocks_seen, "{}: mcycle", run.name);
        assert!(run.clocks >= run.instructions && run.instructions > 1000, "{run:?}");
    }
    runs
}

#[test]
fn rust_kernels_are_right_and_counted_in_both_placements() {
    for placement in Placement::ALL {
        checked(Language::Rust, placement);
    }
}

#[test]
fn c_kernels_are_right_and_counted_in_both_placements() {
    if !has_c() {
        eprintln!("SKIPPED: no C compiler for riscv32; tools/setup.sh bench installs it");
        return;
    }
    for placement in Placement::ALL {
        checked(Language::C, placement);
    }
}

#[test]
fn stalls_and_instructions_add_up_to_the_clocks() {
    for run in checked(Language::Rust, Placement::Sram) {
        assert_eq!(run.stalls.sum() + run.retired, run.clocks_seen, "{run:?}");
    }
}

#[test]
fn an_engine_on_the_sram_slows_what_runs_there_and_nothing_else() {
    let alone = checked(Language::Rust, Placement::Sram);
    let shared = runs::measure(Language::Rust, Placement::Sram, 4).unwrap();
    assert!(shared[0].clocks > alone[0].clocks);
    let alone = checked(Language::Rust, Placement::Scratchpad);
    let shared = runs::measure(Language::Rust, Placement::Scratchpad, 4).unwrap();
    assert_eq!(shared[0].clocks, alone[0].clocks);
}
