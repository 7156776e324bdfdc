//! The personality `emp` on NICs with two cores: every scheme carries every format of message, both
//! ways and on a bad link. The workloads compare the bytes of each message.

use nicscope_account::results::Run;
use nicscope_run::run::{run, RunConfig};
use nicscope_scenario::scenario::{self, Scheme};

use crate::common::BAD_LINK;

/// The run of a scenario with a scheme; every sum of it holds.
fn play(scheme: Scheme, name: &str, changes: &[&str]) -> Run {
    let scheme = format!("emp.scheme={:?}", scheme.name());
    let pair = ["personality=\"emp\"", "platforms=[\"tigon2\"]", "misses.ratios=[0.0]", "cores=2", &scheme];
    let overrides: Vec<String> = pair.iter().chain(changes).map(|entry| entry.to_string()).collect();
    let scenario = scenario::load(name, &overrides).unwrap();
    let results = run(&RunConfig { scenario, seed: 1, threads: 1, firmware: None })
        .unwrap_or_else(|error| panic!("{scheme} {name}: {error}"));
    let run = results.runs.into_iter().next().unwrap();
    assert_eq!(run.broken(), Vec::<String>::new(), "{scheme} {name}");
    run
}

/// Sizes at which a message has one frame more, a page more, or another format.
const SIZES: &str = "workload.sizes_bytes=[0,1,1474,1475,4097,28673]";

fn every_workload(scheme: Scheme) {
    let one_by_one = play(scheme, "ping-pong", &[SIZES, "workload.iterations=2", "workload.warm_up=1"]);
    assert!(one_by_one.rows.iter().all(|row| row.messages == 4 && row.retransmissions == 0));
    let many = ["workload.sizes_bytes=[10,9000,40000]", "workload.iterations=4", "workload.outstanding=3"];
    for name in ["stream", "both-ways"] {
        let run = play(scheme, name, &many);
        assert!(run.rows.iter().all(|row| row.messages > 0), "{name}");
    }
    // Most of the time is waiting for time-outs.
    let few =
        ["workload.sizes_bytes=[10,9000]", "workload.iterations=16", "workload.outstanding=3", "emp.resend_us=100"];
    let run = play(scheme, "both-ways", &[&few[..], &BAD_LINK].concat());
    let again: u64 = run.rows.iter().map(|row| row.retransmissions).sum();
    assert!(again > 0, "nothing was lost");
    // The longest frames take the most memory.
    let jumbo = ["emp.mtu_bytes=9000", "workload.sizes_bytes=[40000]", "workload.iterations=4"];
    let run = play(scheme, "stream", &jumbo);
    assert!(run.rows.iter().all(|row| row.messages > 0));
}

#[test]
fn one_core_of_two_carries_every_message() {
    every_workload(Scheme::Base);
}

#[test]
fn the_transmitter_on_core_b_carries_every_message() {
    every_workload(Scheme::So);
}

#[test]
fn the_receiver_on_core_b_carries_every_message() {
    every_workload(Scheme::Ro);
}

#[test]
fn sorter_and_receiver_on_core_b_carry_every_message() {
    every_workload(Scheme::Dsr);
}

#[test]
fn transmitter_and_receiver_on_core_b_carry_every_message() {
    every_workload(Scheme::Sr);
}

#[test]
fn two_cores_that_share_the_work_by_the_load_carry_every_message() {
    every_workload(Scheme::Dynamic);
}
