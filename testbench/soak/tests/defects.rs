//! Each planted defect is found by the invariant that it breaks, and the same workload without a
//! defect breaks none.

use nicscope_soak::defects::{run, run_sound, Setting, DEFECTS};

const SEED: u64 = 7;

fn nothing_is_found(setting: Setting) {
    let outcome = run_sound(setting, SEED, 2).expect("it runs");
    assert_eq!(outcome.found, None);
    assert!(outcome.lookups > 500, "{} lookups", outcome.lookups);
}

#[test]
fn without_a_defect_nothing_is_found() {
    nothing_is_found(Setting::Caches);
}

#[test]
fn nor_is_it_when_the_nic_fetches_translations() {
    nothing_is_found(Setting::FetchingCaches);
}

#[test]
fn nor_is_it_with_static_tables() {
    nothing_is_found(Setting::StaticTables);
}

/// Runs all defects of some settings and prints what finds each: `make defects`.
fn each_is_found(of: impl Fn(Setting) -> bool) {
    let mut wrong = Vec::new();
    for defect in DEFECTS.iter().filter(|defect| of(defect.setting)) {
        let outcome = run(defect, SEED, 2).expect("it runs");
        let what = outcome.found.as_ref().map_or("nothing", |found| &found.what);
        let (name, personality) = (defect.name, defect.setting.personality().name);
        println!("{name:18} {personality:5} INV-{} expected, at {}: {what}", defect.invariant, outcome.at);
        if outcome.found.and_then(|found| found.invariant) != Some(defect.invariant) {
            wrong.push(name);
        }
    }
    assert!(wrong.is_empty(), "found by another one, or not at all: {wrong:?}");
}

#[test]
fn each_defect_of_caches_is_found_by_the_invariant_that_it_breaks() {
    each_is_found(|setting| setting != Setting::StaticTables);
}

#[test]
fn each_defect_of_static_tables_is_found_by_the_invariant_that_it_breaks() {
    each_is_found(|setting| setting == Setting::StaticTables);
}
