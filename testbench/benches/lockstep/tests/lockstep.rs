//! The core and QEMU execute the same programs with the same results.
//!
//! `LOCKSTEP_SEED` chooses the programs, `LOCKSTEP_INSTRUCTIONS` the number of instructions that
//! are compared, `LOCKSTEP_SHRINKS` the most programs that are tried to find the shortest that
//! fails.

use std::env;

use bench_lockstep::campaign::Campaign;
use bench_lockstep::isa::Isa;

fn from_env(name: &str, default: u64) -> u64 {
    match env::var(name) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{name}={text} is not a number")),
        Err(_) => default,
    }
}

fn campaign() -> Campaign {
    let isa = Isa::of_core().expect("the model works");
    let seed = from_env("LOCKSTEP_SEED", 1);
    println!("{isa}, seed {seed}");
    let mut campaign = Campaign::new(seed, isa);
    campaign.max_shrinks = from_env("LOCKSTEP_SHRINKS", 600) as u32;
    campaign
}

#[test]
fn programs_listed_by_hand_do_what_they_do_in_qemu() {
    let totals = campaign().directed().unwrap_or_else(|failure| panic!("{failure}"));
    println!("{totals:?}");
}

#[test]
fn random_programs_do_what_they_do_in_qemu() {
    let campaign = campaign();
    let (mut instructions, mut interrupts, mut traps, mut halts, mut steps) = (0, 0, 0, 0, 0);
    for number in 0.. {
        let totals = campaign.batch(number).unwrap_or_else(|failure| panic!("{failure}"));
        instructions += totals.instructions;
        interrupts += totals.interrupts;
        traps += totals.traps;
        halts += totals.halts;
        steps += totals.steps;
        if instructions >= from_env("LOCKSTEP_INSTRUCTIONS", 1_000_000) {
            break;
        }
    }
    println!("{instructions} instructions, {interrupts} interrupts, {traps} traps, {halts} halts, {steps} steps");
    // The programs must reach the cases for which they are made. (With letter B fewer encodings are
    // illegal.)
    assert!(interrupts * 500 > instructions, "{interrupts} interrupts");
    assert!(traps * 150 > instructions, "{traps} traps");
    assert!(halts * 1000 > instructions, "{halts} halts");
    assert!(steps * 1000 > instructions, "{steps} steps");
}
