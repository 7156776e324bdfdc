//! Runs of the command: exit status 0, results that repeat byte for byte, sums that agree.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

fn nicscope(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_nicscope")).args(arguments).output().expect("the command starts")
}

/// Ends with status 0 and says nothing on standard error.
#[track_caller]
fn done(arguments: &[&str]) -> String {
    let output = nicscope(arguments);
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {error}");
    assert!(error.is_empty(), "{arguments:?} complained: {error}");
    String::from_utf8(output.stdout).expect("text")
}

/// Standard output is exactly one JSON object, on one line.
#[track_caller]
fn object(arguments: &[&str]) -> Value {
    let text = done(arguments);
    assert_eq!(text.matches('\n').count(), 1, "{arguments:?} printed more than one line");
    let value: Value = serde_json::from_str(&text).expect("one JSON value");
    assert!(value.is_object());
    value
}

/// A run into a folder with these overrides; its results.
#[track_caller]
fn run(folder: &Path, scenario: &str, settings: &[&str], more: &[&str]) -> Value {
    let out = folder.to_str().expect("a name");
    let mut arguments = vec!["run", scenario, "--json", "--waves", "never", "--out", out];
    for setting in settings {
        arguments.extend(["--set", setting]);
    }
    arguments.extend(more);
    object(&arguments)
}

fn results_file(folder: &Path) -> Vec<u8> {
    std::fs::read(folder.join("results.json")).expect("a run leaves results.json")
}

/// Every sum agrees, of every run.
#[track_caller]
fn sums_agree(results: &Value) {
    let runs = results["runs"].as_array().expect("runs");
    assert!(!runs.is_empty());
    for run in runs {
        let sums = run["conservation"].as_array().expect("sums");
        assert!(sums.len() >= 28);
        for sum in sums {
            assert_eq!(sum["left"], sum["right"], "{}", sum["statement"]);
        }
        assert_eq!(run["largest_difference_ps"], 0);
    }
}

const SMALL: [&str; 5] = [
    "platforms=tigon2",
    "workload.sizes_bytes=4,3000",
    "workload.iterations=4",
    "workload.warm_up=1",
    "misses.ratios=0.0,0.5",
];

#[test]
fn list_names_what_there_is() {
    let text = done(&["list"]);
    let value = object(&["list", "--json"]);
    for group in ["scenarios", "platforms", "personalities", "groups", "experiments"] {
        let entries = value[group].as_array().expect("a list");
        assert!(!entries.is_empty(), "{group}");
        for entry in entries {
            assert!(text.contains(entry["name"].as_str().expect("a name")));
            assert!(!entry["description"].as_str().expect("words").is_empty());
        }
    }
}

#[test]
fn the_memory_map_covers_the_sram_of_each_platform() {
    for (platform, sram_bytes) in [("tigon2", 524_288), ("lanai9", 2_097_152)] {
        let map = object(&["memory-map", "mini", "--platform", platform, "--json"]);
        assert_eq!(map["sram"]["bytes"], sram_bytes);
        for memory in ["sram", "scratchpad"] {
            let regions = map[memory]["regions"].as_array().expect("regions");
            let sum: u64 = regions.iter().map(|region| region["bytes"].as_u64().expect("bytes")).sum();
            assert_eq!(map[memory]["bytes"], sum, "{platform} {memory}");
        }
        let stack = |key: &str| map["stack"][key].as_u64().expect("bytes");
        assert!((1..=stack("room_bytes")).contains(&stack("deepest_bytes")), "{}", map["stack"]);
        assert_eq!(map["stack"]["path"][0]["function"], "_start");
        // The thesis's own sums (MN-1), and a machine of the same order.
        let total = map["comparison"].as_array().expect("rows").last().expect("a total");
        assert_eq!((&total["thesis_base_kbytes"], &total["thesis_mini_kbytes"]), (&798.into(), &419.into()));
        assert!((200..420).contains(&(total["bytes"].as_u64().expect("bytes") / 1024)));
    }
    let text = done(&["memory-map", "mini"]);
    assert!(["Table 1.1", "stack: deepest path"].iter().all(|part| text.contains(part)), "{text}");
    let tables = object(&["memory-map", "vmmc", "--platform", "lanai9", "--json"]);
    assert_eq!((&tables["cache"], &tables["holds"]["translations"]), (&Value::Null, &65_536.into()));
    assert!(done(&["memory-map", "vmmc"]).contains("import tables"));
}

#[test]
fn a_geometry_of_ones_own_has_a_map_too() {
    let small = object(&["memory-map", "mini", "--set", "cache.entries=8192", "--set", "cache.ways=2", "--json"]);
    assert_eq!(small["cache"]["entries"], 8192);
    let regions = small["sram"]["regions"].as_array().expect("regions");
    let entries = regions.iter().find(|region| region["name"] == "VMH cache: entries").expect("the cache");
    assert_eq!(entries["bytes"], 4 * 8192);
}

#[test]
fn results_are_the_same_for_any_number_of_threads_and_the_sums_agree() {
    let folder = tempfile::tempdir().expect("a folder");
    let [one, two] = ["1", "2"].map(|threads| {
        let out = folder.path().join(threads);
        let results = run(&out, "ping-pong", &SMALL, &["--threads", threads]);
        sums_agree(&results);
        // What is printed is what is written.
        assert_eq!(results, serde_json::from_slice::<Value>(&results_file(&out)).expect("JSON"));
        (results, results_file(&out))
    });
    assert!(one.1 == two.1, "the results of one and of two threads differ");
    let runs = one.0["runs"].as_array().expect("runs");
    assert_eq!(runs.len(), 2);
    assert_eq!(runs[0]["misses"].as_array().expect("accounts").len(), 0);
    assert_eq!(runs[1]["misses"].as_array().expect("accounts").len(), 2);
    // A miss is dear: interrupt, driver, refill and retransmission.
    let latency = |run: &Value| run["rows"][0]["latency_ps"]["max"].as_u64().expect("a latency");
    assert!(latency(&runs[1]) > 10 * latency(&runs[0]));
}

#[test]
fn random_messages_with_loss_are_all_delivered_and_a_seed_repeats() {
    let folder = tempfile::tempdir().expect("a folder");
    let settings = ["workload.iterations=40", "faults.loss_ratio=0.05", "faults.corrupt_ratio=0.05"];
    let with_seed = |name: &str, seed: &str| {
        let out = folder.path().join(name);
        let results = run(&out, "random", &settings, &["--seed", seed]);
        sums_agree(&results);
        let row = &results["runs"][0]["rows"][0];
        assert_eq!(row["messages"], 40);
        assert!(row["retransmissions"].as_u64().expect("a count") > 0);
        results_file(&out)
    };
    let first = with_seed("a", "5");
    assert!(first == with_seed("b", "5"), "the same seed gave other results");
    assert!(first != with_seed("c", "6"), "another seed drew the same messages");
}

#[test]
fn random_messages_of_the_largest_size_keep_apart() {
    let folder = tempfile::tempdir().expect("a folder");
    let settings = [
        "workload.sizes_bytes=60000,65536",
        "workload.iterations=8",
        "workload.outstanding=64",
        "faults.loss_ratio=0.0",
        "faults.corrupt_ratio=0.0",
    ];
    sums_agree(&run(folder.path(), "random", &settings, &[]));
}

#[test]
fn a_stream_fills_the_link_and_no_more() {
    let folder = tempfile::tempdir().expect("a folder");
    let settings = ["workload.sizes_bytes=64,16384", "workload.iterations=24", "workload.warm_up=4"];
    let results = run(folder.path(), "stream", &settings, &[]);
    sums_agree(&results);
    // On tigon2 the link is the narrowest part; headers, preamble and gap take 5 % of it. On lanai9
    // the bus of 32 bits and 33 MHz is the narrowest part; its addresses and waits take 7 %.
    for (run, (narrowest_bits_per_s, share)) in
        results["runs"].as_array().expect("runs").iter().zip([(1.0e9, 0.93..0.95), (32.0 * 33.0e6, 0.915..0.935)])
    {
        let bandwidth = |row: usize| run["rows"][row]["bandwidth_bits_per_s"].as_f64().expect("a number");
        assert!(share.contains(&(bandwidth(1) / narrowest_bits_per_s)), "{} b/s", bandwidth(1));
        // 64 bytes at a time, the cores are the narrowest part: one message each 8 to 12 us.
        assert!((40.0e6..80.0e6).contains(&bandwidth(0)), "{} b/s", bandwidth(0));
        assert_eq!(run["rows"][1]["retransmissions"], 0);
        assert_eq!(run["rows"][1]["misses"], 0);
    }
}

#[test]
fn a_stream_with_misses_and_loss_arrives_whole() {
    let folder = tempfile::tempdir().expect("a folder");
    let settings = [
        "platforms=tigon2",
        "workload.sizes_bytes=6000",
        "workload.iterations=20",
        "workload.outstanding=8",
        "misses.ratios=0.25",
        "faults.loss_ratio=0.02",
    ];
    let results = run(folder.path(), "stream", &settings, &[]);
    sums_agree(&results);
    let row = &results["runs"][0]["rows"][0];
    assert_eq!(row["messages"], 20);
    assert!(row["misses"].as_u64().expect("a count") >= 5 && row["retransmissions"].as_u64().expect("a count") >= 5);
}

#[test]
fn a_scenario_of_ones_own_is_run_under_the_name_of_its_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("mine.toml");
    let text = include_str!("../../scenario/scenarios/ping-pong.toml").replacen("nodes = 2", "nodes = 2 # mine", 1);
    std::fs::write(&file, text).expect("the folder is ours");
    let results = run(folder.path(), file.to_str().expect("a name"), &SMALL, &[]);
    assert_eq!(results["scenario"]["name"], "mine");
    assert_eq!(results["runs"].as_array().map(Vec::len), Some(2));
    sums_agree(&results);
}

#[test]
fn buffers_that_are_not_in_their_cache_miss_as_often_as_asked() {
    let folder = tempfile::tempdir().expect("a folder");
    let settings = ["platforms=lanai9", "workload.sizes_bytes=4", "workload.iterations=10", "misses.cache=cbh"];
    let results = run(folder.path(), "ping-pong", &[&settings[..], &["misses.ratios=0.3"]].concat(), &[]);
    sums_agree(&results);
    let row = &results["runs"][0]["rows"][0];
    assert_eq!((&row["misses"], &row["retransmissions"]), (&3.into(), &3.into()), "{row}");
    // Of the warm-up: each node's buffer and, on the other's, the first lines.
    assert!(results["runs"][0]["counters"][1]["firmware.BufferMisses"].as_u64().unwrap() >= 4);
}

#[test]
fn a_bystander_is_held_up_by_misses_of_another_process() {
    let folder = tempfile::tempdir().expect("a folder");
    let results = run(folder.path(), "bystander", &["workload.iterations=4", "workload.sizes_bytes=64"], &[]);
    sums_agree(&results);
    let longest = |run: usize| results["runs"][run]["rows"][0]["latency_ps"]["max"].as_u64().expect("a number");
    assert!(longest(1) > 10 * longest(0), "{} ps, {} ps", longest(0), longest(1));
}

#[test]
fn reads_and_notifications_are_timed_from_the_call_to_their_end() {
    let folder = tempfile::tempdir().expect("a folder");
    let settings = ["platforms=lanai9", "workload.iterations=4", "workload.sizes_bytes=4,4096"];
    for scenario in ["fetch", "notify"] {
        let results = run(folder.path(), scenario, &[&settings[..], &["misses.ratios=0.0,1.0"]].concat(), &[]);
        sums_agree(&results);
        for size in [0, 1] {
            let row = |run: usize| &results["runs"][run]["rows"][size];
            let latency = |run: usize, which: &str| row(run)["latency_ps"][which].as_f64().expect("a number");
            assert_eq!((&row(0)["messages"], &row(0)["misses"]), (&4.into(), &0.into()), "{scenario}: {}", row(0));
            // Each message misses once, at its owner, and its sender has one time-out. The timer
            // may have been started for earlier frames.
            assert_eq!((&row(1)["messages"], &row(1)["misses"]), (&4.into(), &4.into()), "{scenario}: {}", row(1));
            assert!(latency(1, "min") > latency(0, "max") + 40e6, "{scenario}: {}", row(1));
        }
    }
}

#[test]
fn pages_of_a_program_are_accessed_on_busy_hosts_and_on_idle_ones() {
    let folder = tempfile::tempdir().expect("a folder");
    let results = run(folder.path(), "pages", &["workload.iterations=100", "workload.program=Ocean"], &[]);
    sums_agree(&results);
    let row = &results["runs"][0]["rows"][0];
    assert_eq!(row["messages"], 100, "{row}");
    assert!(row["misses"].as_u64().expect("a number") > 0, "{row}");
    let again = run(folder.path(), "pages", &["workload.iterations=100", "workload.program=Ocean"], &[]);
    assert_eq!(results, again);
    let idle = run(folder.path(), "pages", &["workload.iterations=100", "load.programs=0", "load.page_fill_us=0"], &[]);
    sums_agree(&idle);
}

#[test]
fn a_nic_with_two_cores_carries_a_stream_and_core_b_keeps_its_totals() {
    let folder = tempfile::tempdir().expect("a folder");
    let settings = ["cores=2", "platforms=tigon2", "workload.sizes_bytes=4096", "workload.iterations=12"];
    let results = run(folder.path(), "stream", &settings, &[]);
    sums_agree(&results);
    let statements: Vec<&str> = results["runs"][0]["conservation"]
        .as_array()
        .expect("sums")
        .iter()
        .filter(|sum| sum["left"] != 0)
        .filter_map(|sum| sum["statement"].as_str())
        .collect();
    for node in 0..2 {
        let kept = format!("node {node}: counters of core A = totals of core B");
        assert!(statements.contains(&kept.as_str()), "{statements:?}");
    }
}
