//! Accounts of messages that the NIC matches: their spans add up to the latency, whatever the size,
//! and also where a message is refused or a frame is lost.

use nicscope_account::account::Account;
use nicscope_account::category::{self, Category};
use nicscope_account::results::Run;
use nicscope_run::run::{self, RunConfig};
use nicscope_scenario::scenario;

const SEED: u64 = 16;

/// A ping-pong of messages of these sizes.
fn runs(sizes_bytes: &[u32], set: &[&str]) -> Vec<Run> {
    let sizes = format!("workload.sizes_bytes={sizes_bytes:?}");
    let base = ["personality=emp", "platforms=tigon2", "workload.iterations=4", "workload.warm_up=1", &sizes];
    let set: Vec<String> = base.iter().chain(set).map(|key| key.to_string()).collect();
    let scenario = scenario::load("ping-pong", &set).expect("a scenario");
    let config = RunConfig { scenario, seed: SEED, threads: 1, firmware: None };
    let results = run::run(&config).expect("it runs");
    results.check().expect("all sums agree");
    results.runs
}

fn has(account: &Account, stages: &[&str]) {
    let mut spans = account.spans.iter();
    for stage in stages {
        assert!(spans.any(|span| span.stage == *stage), "{stage} of {:?}", account.spans);
    }
}

#[test]
fn spans_of_messages_of_random_sizes_add_up() {
    let random = (1..=4).map(|k: u32| 1 + (k.wrapping_mul(0x9E37_79B9) >> 8) % 40_000);
    let sizes: Vec<u32> = [0, 1475].into_iter().chain(random).collect();
    let runs = runs(&sizes, &["misses.ratios=0.0"]);
    // Each round trip: two messages, each until both of its processes know, and their sum.
    assert_eq!(runs[0].accounts, sizes.len() as u64 * 4 * 5);
    assert_eq!(runs[0].largest_difference_ps, 0);
    for account in runs[0].hits.iter().chain(&runs[0].acceptances) {
        assert!(account.spans.iter().all(|span| !span.stage.is_empty() && span.duration_ps > 0));
        let shares = category::shares(account);
        assert_eq!(shares.iter().map(|share| share.duration_ps).sum::<u64>(), account.latency_ps);
        let of = |category| shares.iter().find(|share| share.category == category).map_or(0, |share| share.duration_ps);
        assert!(of(Category::Host) > 0 && of(Category::Firmware) > 0 && of(Category::Link) > 0);
    }
    let to_the_process = ["PIO: mailbox", "sender: read descriptor", "link: frame", "receiver: return descriptor"];
    runs[0].hits.iter().for_each(|account| has(account, &to_the_process));
    let accepted = ["receiver: acknowledge", "link: frame", "sender: acknowledgement", "poll: read of the descriptor"];
    runs[0].acceptances.iter().for_each(|account| has(account, &accepted));
}

#[test]
fn a_message_that_is_refused_waits_at_its_sender() {
    let runs = runs(&[10, 5000], &["misses.ratios=0.5", "topology.kind=switch"]);
    assert_eq!(runs[0].largest_difference_ps, 0);
    assert_eq!(runs[0].misses.len(), 2, "one of each size");
    let refused =
        ["receiver: refuse message", "waits for the sender's pause", "sender: time-out", "receiver: place data"];
    runs[0].misses.iter().for_each(|account| has(account, &refused));
    runs[0].misses.iter().for_each(|account| has(account, &["switch 0: forward", "switch 0: forward"]));
}
