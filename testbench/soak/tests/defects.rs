//! Each defect that is planted is found by the invariant that it breaks, and the same workload without one breaks none.

use host_model::driver::MissService;
use nicscope_soak::defects::{run, run_served_by, DEFECTS};

const SEED: u64 = 7;

#[test]
fn without_a_defect_nothing_is_found() {
    let outcome = run(None, SEED, 2).expect("it runs");
    assert_eq!(outcome.found, None);
    assert!(outcome.lookups > 500, "{} lookups", outcome.lookups);
}

#[test]
fn nor_is_it_when_the_nic_fetches_translations() {
    let outcome = run_served_by(MissService::Nic, None, SEED, 2).expect("it runs");
    assert_eq!(outcome.found, None);
    assert!(outcome.lookups > 500, "{} lookups", outcome.lookups);
}

/// All of them, with what they say: `make defects`.
#[test]
fn each_defect_is_found_by_the_invariant_that_it_breaks() {
    let mut wrong = Vec::new();
    for defect in DEFECTS {
        let outcome = run(Some(&defect), SEED, 2).expect("it runs");
        let what = outcome.found.as_ref().map_or("nothing", |found| &found.what);
        println!("{:18} INV-{} expected, at {}: {what}", defect.name, defect.invariant, outcome.at);
        if outcome.found.and_then(|found| found.invariant) != Some(defect.invariant) {
            wrong.push(defect.name);
        }
    }
    assert!(wrong.is_empty(), "found by another one, or not at all: {wrong:?}");
}
