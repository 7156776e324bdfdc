//! Clusters of more than two nodes behind switches, with flows between any nodes and with pairs of
//! nodes side by side.

use nicscope_account::results::Results;
use nicscope_run::cluster::{self, ClusterOutput};
use nicscope_run::equations::equations;
use nicscope_run::progress::Progress;
use nicscope_run::run::{self, RunConfig};
use nicscope_scenario::scenario;

fn config(name: &str, overrides: &[&str], threads: usize) -> RunConfig {
    let overrides: Vec<String> = overrides.iter().map(|entry| (*entry).to_owned()).collect();
    let scenario = scenario::load(name, &overrides).expect("a scenario");
    RunConfig { scenario, seed: 5, threads, firmware: None }
}

/// The results of a run whose sums agree, as text.
fn results(name: &str, overrides: &[&str], threads: usize) -> (Results, String) {
    let results = run::run(&config(name, overrides, threads)).unwrap_or_else(|error| panic!("{error}"));
    results.check().unwrap_or_else(|error| panic!("{error}"));
    let text = serde_json::to_string(&results).expect("results are data");
    (results, text)
}

#[test]
fn all_to_all_with_faults_delivers_every_message_alike_on_1_2_and_3_threads() {
    for (personality, platform) in [("mini", "tigon2"), ("vmmc", "lanai9")] {
        let (chosen, platform) = (format!("personality={personality}"), format!("platforms={platform}"));
        let overrides = [
            chosen.as_str(),
            platform.as_str(),
            "nodes=4",
            "workload.iterations=3",
            "workload.sizes_bytes=1,1500",
            "topology={kind=\"two-level\",nodes_per_leaf=2,spines=2}",
            "faults.loss_ratio=0.04",
            "faults.duplicate_ratio=0.04",
        ];
        let (results, text) = results("all-to-all", &overrides, 1);
        let run = &results.runs[0];
        assert_eq!(run.flows.len(), 12, "each of four nodes to each other one");
        assert!(run.flows.iter().all(|flow| flow.compared_messages == 2 * (3 + 2)), "{:?}", run.flows);
        assert_eq!(run.switches.len(), 4, "two leaves and two spines");
        assert!(run.rows.iter().map(|row| row.retransmissions).sum::<u64>() > 0, "frames were lost");
        for threads in [2, 3] {
            assert_eq!(self::results("all-to-all", &overrides, threads).1, text, "{personality}, {threads} threads");
        }
    }
}

#[test]
fn incast_and_ring_deliver_every_message_with_both_personalities() {
    for (name, flows) in [("incast", 3), ("ring", 4)] {
        for (personality, platform) in [("mini", "tigon2"), ("vmmc", "lanai9")] {
            let (chosen, platform) = (format!("personality={personality}"), format!("platforms={platform}"));
            let overrides = [&*chosen, &*platform, "nodes=4", "workload.iterations=4", "workload.sizes_bytes=1400"];
            let (results, _) = results(name, &overrides, 2);
            let run = &results.runs[0];
            assert_eq!(run.flows.len(), flows);
            assert!(run.flows.iter().all(|flow| flow.compared_messages == 6), "{:?}", run.flows);
        }
    }
}

#[test]
fn a_queue_that_is_too_small_drops_frames_and_every_message_still_arrives() {
    let small = "topology={kind=\"switch\",switch={output_queue_bytes=4000,frame_bytes_max=2000}}";
    let overrides = ["nodes=5", "workload.iterations=6", "workload.sizes_bytes=1400", small];
    let (results, _) = results("incast", &overrides, 2);
    let run = &results.runs[0];
    assert!(run.switches[0][0]["dropped_tail"] > 0, "{:?}", run.switches[0][0]);
    assert!(run.flows.iter().all(|flow| flow.compared_messages == 8), "{:?}", run.flows);
}

#[test]
fn pairs_play_side_by_side_behind_a_switch() {
    for name in ["stream", "random", "fetch", "notify", "bystander"] {
        let overrides = ["nodes=4", "topology.kind=switch", "workload.iterations=6", "misses.ratios=0.0"];
        let mut overrides = overrides.to_vec();
        if name != "random" {
            overrides.push("workload.sizes_bytes=100");
        }
        overrides.push("platforms=tigon2");
        let (results, _) = results(name, &overrides, 2);
        let counters = &results.runs[0].counters;
        for (node, counters) in counters.iter().enumerate() {
            assert!(counters["rtl.mac_rx_frames"] > 0, "{name}: node {node}: {counters:?}");
        }
    }
}

#[test]
fn a_disagreement_of_switch_mac_or_flow_is_found() {
    let overrides = ["nodes=3", "workload.iterations=2", "workload.sizes_bytes=64", "workload.warm_up=0"];
    let config = run::cluster_config(&config("all-to-all", &overrides, 2), "tigon2", 0.0).expect("a cluster");
    let mut output = cluster::run(&config, &Progress::hidden()).unwrap_or_else(|error| panic!("{error}"));
    let broken = |output: &ClusterOutput| -> Vec<String> {
        let broken = equations(output).into_iter().filter(|equation| !equation.holds());
        broken.map(|equation| equation.statement).collect()
    };
    assert_eq!(broken(&output), Vec::<String>::new());
    output.switches[0].counts.ports[1].frames_in += 1;
    let found = broken(&output).join("\n");
    assert!(found.contains("node 1: frames on the link") && found.contains("switch 0, port 1: frames in"), "{found}");
    output.switches[0].counts.ports[1].frames_in -= 1;
    output.switches[0].counts.ports[2].frames_out += 1;
    let found = broken(&output).join("\n");
    assert!(found.contains("switch 0, port 2: frames offered") && found.contains("out of the queue"), "{found}");
    output.switches[0].counts.ports[2].frames_out -= 1;
    output.switches[0].links[2].lost += 1;
    assert!(broken(&output).join("\n").contains("the MAC of node 2"), "{:?}", broken(&output));
    output.switches[0].links[2].lost -= 1;
    let report = output.nodes[0].outcome.as_mut().expect("the run has ended");
    report.flows.compared.get_mut(&2).expect("a flow from node 2").bytes -= 1;
    assert_eq!(broken(&output), ["node 2 to node 0: bytes that were sent = bytes that were compared"]);
}

/// Spans are compared with the latency of every message; `Results::check` finds a difference.
#[test]
fn accounts_add_up_across_one_and_three_switches() {
    let one = "topology={kind=\"switch\",switch={mode=\"cut-through\"}}";
    // Each node has a leaf of its own.
    let three = "topology={kind=\"two-level\",nodes_per_leaf=1,spines=2}";
    for (topology, switches) in [(one, 1), (three, 3)] {
        let overrides =
            ["nodes=4", topology, "platforms=tigon2", "workload.iterations=4", "workload.sizes_bytes=4,3000"];
        let (results, _) = results("ping-pong", &overrides, 2);
        for run in &results.runs {
            assert_eq!((run.accounts, run.largest_difference_ps), (2 * 4 * 4, 0));
            for account in run.hits.iter().chain(&run.misses) {
                let forwarded = account.spans.iter().filter(|span| span.stage.ends_with(": forward")).count();
                assert!(forwarded >= switches, "{account:?}");
                let latencies = account.spans.iter().filter(|span| span.stage == "link: latency").count();
                assert_eq!(latencies, forwarded + forwarded / switches, "{account:?}");
            }
        }
    }
}

#[test]
#[ignore = "takes a minute: `make test-long` runs it"]
fn a_ring_of_34_nodes_delivers_every_message() {
    let few = ["platforms=tigon2", "workload.iterations=1", "workload.warm_up=0", "workload.sizes_bytes=5000"];
    let overrides = [&["nodes=34"], &few[..]].concat();
    let (results, _) = results("ring", &overrides, 2);
    let run = &results.runs[0];
    assert_eq!(run.flows.len(), 34);
    assert!(run.flows.iter().all(|flow| flow.compared_messages == 1), "{:?}", run.flows);
}

#[test]
fn seventeen_nodes_write_to_each_other_and_eighteen_read_in_pairs() {
    let few = ["platforms=tigon2", "workload.iterations=1", "workload.warm_up=0", "workload.sizes_bytes=5000"];
    let (results, _) = results("all-to-all", &[&["nodes=17"], &few[..]].concat(), 2);
    let run = &results.runs[0];
    assert_eq!(run.flows.len(), 17 * 16);
    assert!(run.flows.iter().all(|flow| flow.compared_messages == 1), "{:?}", run.flows);

    let pairs = ["nodes=18", "topology.kind=switch", "misses.ratios=0.0"];
    let overrides = [&pairs[..], &few[..]].concat();
    let (results, _) = self::results("fetch", &overrides, 2);
    let counters = &results.runs[0].counters;
    assert_eq!(counters.len(), 18);
    let completed = |node: usize| counters[node]["firmware.ReadsCompleted"];
    assert!(completed(16) + completed(17) > 0, "the last pair reads: {:?}", counters[16]);
}
