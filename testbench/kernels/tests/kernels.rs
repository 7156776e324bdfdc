//! Kernels on the RTL: their results are right, and the counters agree with RVFI.

use std::io::Write;

use nicscope_kernels::images::{self, has_c, Language, Placement};
use nicscope_kernels::model;
use nicscope_kernels::runs::{self, Run, NAMES};

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
        // Written to the file descriptor itself, since the harness captures the output of a test
        // that passes.
        let _ = writeln!(std::io::stderr(), "SKIPPED: no C compiler for riscv32; tools/setup.sh bench installs it");
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

/// The instruction that loads the upper bits of the hash's first factor: `lui`, with 0 in place of
/// the register.
const FACTOR: u32 = 0xCC9E_3037;

#[test]
fn a_wrong_constant_in_the_code_is_a_wrong_result_of_its_kernel_alone() {
    let mut image = images::kernels(Language::Rust, Placement::Scratchpad).unwrap();
    let mut changed = 0;
    for segment in &mut image.segments {
        // Instructions lie at even addresses.
        for at in (0..segment.bytes.len() - 3).step_by(2) {
            let word = u32::from_le_bytes(segment.bytes[at..at + 4].try_into().unwrap());
            if word & !0xF80 == FACTOR {
                segment.bytes[at + 3] ^= 0x10;
                changed += 1;
            }
        }
    }
    assert_eq!(changed, 1, "the factor is loaded in one place");
    let runs = runs::of(&image, "with a wrong constant", 0).unwrap();
    let wrong: Vec<&str> = runs
        .iter()
        .zip(model::expected())
        .filter(|(run, check)| run.check != *check)
        .map(|(run, _)| run.name)
        .collect();
    assert_eq!(wrong, ["hash"]);
}

#[test]
fn an_image_that_traps_is_told_from_one_that_computes() {
    let mut image = images::kernels(Language::Rust, Placement::Scratchpad).unwrap();
    // Everything but the start-up code is zeros, which are illegal instructions.
    image.segments.last_mut().unwrap().bytes.fill(0);
    let error = runs::of(&image, "zeros", 0).unwrap_err().to_string();
    assert!(error.contains("zeros: trap or panic, cause 2"), "{error}");
}
