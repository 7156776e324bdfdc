//! Each defect that is planted is found by the invariant that it breaks, and the same workload without one breaks none.

use nicscope_soak::defects::{run, run_sound, Setting, DEFECTS};

const SEED: u64 = 7;

#[test]
fn without_a_defect_nothing_is_found() {
    for setting in Setting::ALL {
        let outcome = run_sound(setting, SEED, 2).expect("it runs");
        assert_eq!(outcome.found, None, "{setting:?}");
        assert!(outcome.lookups > 500, "{setting:?}: {} lookups", outcome.lookups);
    }
}

/// All of them, with what they say: `make defects`.
#[test]
fn each_defect_is_found_by_the_invariant_that_it_breaks() {
    let mut wrong = Vec::new();
    for defect in DEFECTS {
        let outcome = run(&defect, SEED, 2).expect("it runs");
        let what = outcome.found.as_ref().map_or("nothing", |found| &found.what);
        let (name, personality) = (defect.name, defect.setting.personality());
        println!("{name:18} {personality:5} INV-{} expected, at {}: {what}", defect.invariant, outcome.at);
        if outcome.found.and_then(|found| found.invariant) != Some(defect.invariant) {
            wrong.push((name, personality));
        }
    }
    assert!(wrong.is_empty(), "found by another one, or not at all: {wrong:?}");
}
