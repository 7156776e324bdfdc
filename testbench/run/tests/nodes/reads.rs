//! Reads of another node's memory: each is accounted for, from the post to the status page.

use nicscope_account::account::Account;
use nicscope_account::results::Run;
use nicscope_run::run::{run, RunConfig, DEFAULT_SEED};
use nicscope_scenario::scenario;

fn runs(overrides: &[&str]) -> Vec<Run> {
    let common = ["workload.iterations=6", "workload.warm_up=1", "platforms=tigon2"];
    let overrides: Vec<String> = common.iter().chain(overrides).map(|text| text.to_string()).collect();
    let scenario = scenario::load("fetch", &overrides).expect("a scenario");
    run(&RunConfig { scenario, seed: DEFAULT_SEED, threads: 1, firmware: None }).expect("the run is well").runs
}

fn duration(account: &Account, stage: &str) -> Option<u64> {
    account.spans.iter().find(|span| span.stage == stage).map(|span| span.duration_ps)
}

#[test]
fn each_read_is_accounted_for_to_the_picosecond() {
    for personality in ["mini", "vmmc"] {
        let name = format!("personality={personality}");
        for run in runs(&[&name, "workload.sizes_bytes=4,1024,20000"]) {
            assert_eq!((run.accounts, run.largest_difference_ps), (3 * 6, 0), "{personality}");
            for account in &run.hits {
                let frames = account.spans.iter().filter(|span| span.stage == "link: frame").count();
                assert_eq!(frames, 2, "the request and the last reply: {account:?}");
                let nodes: Vec<usize> = account.spans.iter().map(|span| span.node).collect();
                let turns: Vec<usize> = nodes.chunk_by(|a, b| a == b).map(|run| run[0]).collect();
                assert_eq!(turns, [0, 1, 0], "there and back: {account:?}");
            }
        }
    }
}

#[test]
fn a_read_that_misses_waits_where_its_treatment_says() {
    for (treatment, waits, least_us) in [
        ("time-out", "waits for the reader's time-out", 100),
        ("restart", "waits for the reader to be told", 0),
        ("hold", "held, waits for the host", 1),
    ] {
        let treated = format!("misses.receive={treatment}");
        let found = runs(&["workload.sizes_bytes=64", "misses.ratios=0.5", &treated]);
        assert_eq!((found[0].accounts, found[0].largest_difference_ps), (6, 0), "{treatment}");
        let miss = found[0].misses.first().expect("half of the reads miss");
        let waited = duration(miss, waits).unwrap_or_else(|| panic!("{treatment}: {miss:?}"));
        assert!(waited >= least_us * 1_000_000, "{treatment}: {waited} ps");
        assert!(duration(miss, "pin pages").is_some(), "{treatment}: {miss:?}");
    }
}

#[test]
fn a_read_whose_frames_are_lost_is_accounted_for() {
    let found = runs(&["workload.sizes_bytes=20000", "faults.loss_ratio=0.05", "workload.iterations=20"]);
    assert_eq!((found[0].accounts, found[0].largest_difference_ps), (20, 0));
    assert!(found[0].rows[0].retransmissions > 0);
}
