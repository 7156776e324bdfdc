//! The personality `echo` on whole nodes: what comes back is what was sent, every sum holds, and
//! the watch finds a NIC that changes a frame or keeps it.

use std::fs;

use nic_layout::counter::Counter;
use nic_layout::plant::Plant;
use nic_layout::vmh::VmhGeometry;
use nicscope_account::results::Results;
use nicscope_run::run::{run, RunConfig};
use nicscope_scenario::error::{Result, Statement};
use nicscope_scenario::{image, scenario};

const RANDOM: [&str; 5] = [
    "personality=\"echo\"",
    "platforms=[\"tigon2\"]",
    "workload.sizes_bytes=[1,20]",
    "workload.iterations=600",
    "workload.outstanding=16",
];

/// Random sizes with a seed, and what the test changes. With a defect, if one is named.
fn echo(changes: &[&str], seed: u64, plant: Option<Plant>) -> Result<Results> {
    let overrides: Vec<String> = RANDOM.iter().chain(changes).map(|entry| entry.to_string()).collect();
    let firmware = match plant {
        None => None,
        Some(plant) => {
            let path = image::workspace().join(format!("target/planted/echo-{}", plant.name()));
            fs::write(&path, image::planted("echo", VmhGeometry::RECOMMENDED, plant)?).expect("the folder is there");
            Some(path)
        }
    };
    run(&RunConfig { scenario: scenario::load("random", &overrides)?, seed, threads: 1, firmware })
}

/// Every sum of the run holds, and so many messages came back in each of its steps.
fn check(results: &Results, messages: &[u32]) {
    let run = &results.runs[0];
    assert_eq!(run.broken(), Vec::<String>::new());
    assert_eq!(run.rows.iter().map(|row| row.messages).collect::<Vec<_>>(), messages);
    assert!(run.rows.iter().all(|row| row.latency_ps.min > 0));
    for counters in &run.counters {
        let of = |counter: Counter| counters[&format!("firmware.{}", counter.name())];
        assert_eq!(of(Counter::PostsFetched), of(Counter::PostsCompleted));
    }
}

#[test]
fn every_message_comes_back_with_its_bytes_and_the_sums_hold() {
    for seed in [1, 2] {
        check(&echo(&[], seed, None).unwrap(), &[600]);
    }
    check(&echo(&["workload.kind=\"stream\"", "workload.iterations=40"], 1, None).unwrap(), &[80, 80]);
}

#[test]
fn on_a_bad_link_they_come_back_all_the_same() {
    let bad = ["faults.loss_ratio=0.02", "faults.corrupt_ratio=0.02", "faults.duplicate_ratio=0.02"];
    let results = echo(&bad, 3, None).unwrap();
    check(&results, &[600]);
    assert!(results.runs[0].rows[0].retransmissions > 0);
}

#[test]
fn nodes_with_two_cores_and_four_nodes_do_the_same() {
    check(&echo(&["cores=2", "workload.iterations=100"], 1, None).unwrap(), &[100]);
    check(&echo(&["nodes=4", "topology.kind=\"switch\"", "workload.iterations=100"], 1, None).unwrap(), &[200]);
}

#[test]
fn a_message_that_fits_no_descriptor_is_refused() {
    let error = echo(&["workload.sizes_bytes=[21]"], 1, None).unwrap_err();
    assert!(error.exit_status() == 2 && error.to_string().contains("at most 20"), "{error}");
}

/// `make defects` plants the other defect too: for an answer that is omitted nodes wait until the
/// run is given up.
#[test]
fn the_watch_finds_a_frame_that_is_changed() {
    let error = echo(&["workload.iterations=10"], 1, Some(Plant::AnswerAltered)).unwrap_err();
    assert_eq!(error.statement(), Some(Statement::Invariant(27)), "{error}");
}
