//! Random programs under random conditions have the same effects in the core and in the reference.
//!
//! `CORE_SEED` chooses the programs, `CORE_INSTRUCTIONS` how many instructions are compared,
//! `CORE_WAVES` a file for the waves of the shortest failing program, `CORE_SHRINKS` how many are
//! tried on the way to it.

use std::cell::Cell;
use std::env;
use std::path::Path;

use bench_core::lockstep::{End, Failure, Lockstep};
use bench_core::random::{case, Case};
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};

fn from_env(name: &str, default: u64) -> u64 {
    match env::var(name) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{name}={text} is not a number")),
        Err(_) => default,
    }
}

#[derive(Default, Debug)]
struct Totals {
    retired: Cell<u64>,
    interrupts: Cell<u64>,
    exceptions: Cell<u64>,
    dispatches: Cell<u64>,
    clocks: Cell<u64>,
    asleep: Cell<u64>,
    programs: Cell<u64>,
}

fn add(total: &Cell<u64>, more: u64) {
    total.set(total.get() + more);
}

fn run(case: &Case, waves: Option<&Path>, totals: &Totals) -> Result<(), Failure> {
    let mut lockstep = Lockstep::new(case.memory(), bench_core::random::BASE, case.timing, case.seed)?;
    if let Some(path) = waves {
        lockstep.waves(path)?;
    }
    let end = lockstep.run(case.budget())?;
    add(&totals.retired, lockstep.retired);
    add(&totals.interrupts, lockstep.interrupts);
    add(&totals.exceptions, lockstep.exceptions);
    add(&totals.dispatches, lockstep.dispatches);
    add(&totals.clocks, lockstep.clock);
    add(&totals.asleep, u64::from(end == End::Asleep));
    add(&totals.programs, 1);
    Ok(())
}

/// Compares at least this many instructions, in programs that follow from `seed`.
fn compare(instructions: u64, seed: u64) -> Totals {
    let max_shrink_iters = from_env("CORE_SHRINKS", 2000) as u32;
    let config = Config { cases: 50, failure_persistence: None, max_shrink_iters, ..Config::default() };
    let totals = Totals::default();
    for batch in 0u64.. {
        if totals.retired.get() >= instructions {
            break;
        }
        let mut seed_bytes = [0; 32];
        seed_bytes[..8].copy_from_slice(&seed.to_le_bytes());
        seed_bytes[8..16].copy_from_slice(&batch.to_le_bytes());
        let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &seed_bytes);
        let mut runner = TestRunner::new_with_rng(config.clone(), rng);
        let result = runner
            .run(&case(), |case| run(&case, None, &totals).map_err(|failure| TestCaseError::fail(failure.to_string())));
        if let Err(TestError::Fail(reason, case)) = result {
            let waves = env::var_os("CORE_WAVES");
            if let Some(path) = &waves {
                run(&case, Some(Path::new(path)), &totals).expect_err("it failed a moment ago");
            }
            panic!(
                "{reason}\nshortest program:\n{}\n{:?}, seed of the timing {}\n\n\
                 replay: CORE_SEED={seed} CORE_INSTRUCTIONS={instructions} CORE_WAVES=failure.fst \
                 cargo test -p bench-core --test core_alone random_programs",
                case.listing(),
                case.timing,
                case.seed,
            );
        }
        result.expect("the only other outcome is too many rejects, and nothing is rejected");
    }
    println!("seed {seed}: {totals:?}");
    totals
}

#[test]
fn random_programs_do_what_the_reference_does() {
    let totals = compare(from_env("CORE_INSTRUCTIONS", 200_000), from_env("CORE_SEED", 1));
    // The programs must reach the cases for which they are made.
    assert!(totals.interrupts.get() * 200 > totals.retired.get(), "{totals:?}");
    assert!(totals.exceptions.get() * 200 > totals.retired.get(), "{totals:?}");
    assert!(totals.dispatches.get() * 500 > totals.retired.get(), "{totals:?}");
    assert!(totals.asleep.get() * 4 < totals.programs.get(), "{totals:?}");
}

#[test]
#[ignore = "millions of instructions; CORE_INSTRUCTIONS says how many"]
fn soak() {
    let seed = from_env("CORE_SEED", 1000);
    let mut left = from_env("CORE_INSTRUCTIONS", 5_000_000);
    for round in 0.. {
        let portion = left.min(500_000);
        compare(portion, seed + round);
        left -= portion;
        if left == 0 {
            break;
        }
    }
}
