//! Meetings of whole nodes over the management network: their time is charged to daemons, all nodes
//! leave them together, and no measured message takes longer for them.

use std::sync::{Arc, Mutex};

use host_model::processor::Usage;
use nicscope_account::results::Run;
use nicscope_run::cluster;
use nicscope_run::progress::Progress;
use nicscope_run::run::{self, RunConfig};
use nicscope_run::summary::summarise;
use nicscope_scenario::scenario;
use sim_pins::Ps;

use crate::common::{job, Bench, Member};

/// When each node left each meeting, by node.
type Left = Arc<Mutex<[Vec<Ps>; 2]>>;

/// Node 1 comes late to the second meeting, and early to the third.
async fn meets(member: Member, left: Left) -> nicscope_scenario::error::Result<()> {
    for (name, late) in [("both", None), ("late", Some(1)), ("early", Some(0))] {
        if late == Some(member.node) {
            member.sleep_us(1234).await;
        }
        member.meet(name, Vec::new()).await;
        left.lock().expect("no test panics with it")[member.node].push(member.now());
    }
    Ok(())
}

/// Times at which the nodes left the meetings, and the work of their processors.
fn meetings(bench: Bench) -> ([Vec<Ps>; 2], [Usage; 2]) {
    let left = Left::default();
    let on = |left: Left| job(move |member| meets(member, left));
    let output = bench.run([on(left.clone()), on(left.clone())]);
    let left = left.lock().expect("no test panics with it").clone();
    (left, [0, 1].map(|node| output.nodes[node].accounting.usage.clone()))
}

#[test]
fn nodes_leave_a_meeting_together_however_late_the_last_one_comes() {
    let (left, _) = meetings(Bench::default());
    assert_eq!(left[0], left[1]);
    for pair in left[0].windows(2) {
        assert!((1234..1500).contains(&((pair[1] - pair[0]).0 / 1_000_000)), "{pair:?}");
    }
}

#[test]
fn daemons_are_charged_for_each_message_of_a_meeting() {
    let (_, usage) = meetings(Bench::default());
    let slow = |platform: &mut host_model::platform::Platform| platform.management.receive_ns += 10_000;
    let (_, slower) = meetings(Bench { change: slow, ..Bench::default() });
    for node in 0..2 {
        // One message to the other node and one from it, for each meeting of the test and of the
        // bench.
        let sent = usage[node][&("daemon", "send")];
        let messages = sent.0 / Ps::from_us(15).0;
        assert!(messages >= 3 && sent == Ps::from_us(15 * messages), "{sent}");
        assert_eq!(usage[node][&("daemon", "receive")], Ps::from_us(30 * messages));
        assert_eq!(slower[node][&("daemon", "receive")], Ps::from_us(40 * messages));
    }
}

/// A run of words over a management network with `latency_ns`.
fn words(latency_ns: u64, threads: usize) -> Run {
    let sets: Vec<String> =
        ["platforms=tigon2", "workload.sizes_bytes=4", "workload.iterations=16", "misses.ratios=0.0"]
            .map(str::to_owned)
            .to_vec();
    let scenario = scenario::load("ping-pong", &sets).expect("a scenario");
    let config = RunConfig { scenario, seed: 1, threads, firmware: None };
    let mut cluster = run::cluster_config(&config, "tigon2", 0.0).expect("a cluster");
    cluster.platform.management.latency_ns = latency_ns;
    let output = cluster::run(&cluster, &Progress::hidden()).unwrap_or_else(|error| panic!("{error}"));
    summarise("tigon2", &cluster, &output).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn a_slow_management_network_makes_set_up_longer_and_no_message() {
    let (fast, slow) = (words(10_000, 2), words(1_000_000, 2));
    assert!(slow.simulated_ps > fast.simulated_ps + Ps::from_us(5 * 2 * 990).0);
    let [fast, slow] = [fast, slow].map(|run| run.rows[0].latency_ps.mean);
    assert!((slow / fast - 1.0).abs() < 0.02, "{slow} ps, {fast} ps");
}

#[test]
fn a_management_network_quicker_than_the_link_makes_windows_shorter_and_nothing_else_wrong() {
    assert_eq!(words(100, 1), words(100, 2));
}
