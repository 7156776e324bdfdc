//! Wrong requests end with status 2 and a message that names what would have been right, before
//! anything runs.

use std::path::Path;
use std::process::{Command, Output};

fn nicscope(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_nicscope")).args(arguments).output().expect("the command starts")
}

/// Ends with status 2, says all of `words` on standard error, and nothing on standard output.
#[track_caller]
fn refused(arguments: &[&str], words: &[&str]) {
    let output = nicscope(arguments);
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
    assert!(output.stdout.is_empty(), "{arguments:?} printed {}", String::from_utf8_lossy(&output.stdout));
    for word in words {
        assert!(error.contains(word), "{arguments:?} does not say {word:?}: {error}");
    }
    assert!(!error.contains("panicked"), "{error}");
    if error.starts_with("nicscope: ") {
        assert_eq!(error.lines().count(), 1, "{arguments:?} does not say it in one line: {error}");
    }
}

/// A run into a folder of the test with these overrides.
#[track_caller]
fn refused_run(settings: &[&str], words: &[&str]) {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("out");
    let mut arguments = vec!["run", "ping-pong", "--out", out.to_str().expect("a name")];
    for setting in settings {
        arguments.extend(["--set", setting]);
    }
    refused(&arguments, words);
}

#[test]
fn unknown_names_are_answered_with_the_known_ones() {
    refused(&["run", "pong"], &["pong", "ping-pong", "stream", "random", ".toml"]);
    refused(&["run", "nowhere.toml"], &["nowhere.toml"]);
    refused_run(&["platforms=tigon3"], &["tigon3", "tigon2", "lanai9"]);
    refused_run(&["personality=tcp"], &["tcp", "mini", "emp"]);
    refused_run(&["personality=kernel"], &["misses.ratios", "never misses"]);
    refused_run(&["workload.kind=flood"], &["flood", "ping-pong"]);
    refused_run(&["workload.iteration=1"], &["iteration", "iterations"]);
    refused_run(&["speed=1"], &["speed", "workload"]);
    refused_run(&["link.retransmit_us=0"], &["retransmit_us", "1 to 1000000"]);
    refused_run(&["link.retransmit_us=20"], &["retransmit_us", "more than", "acknowledges"]);
    refused_run(&["name=mine"], &["name", "no such key"]);
    refused(&["memory-map", "tcp"], &["tcp", "mini", "emp"]);
    refused(&["memory-map", "mini", "--platform", "tigon3"], &["tigon3", "tigon2"]);
    refused(&["memory-map", "mini", "--set", "link.latency_ns=30"], &["link.latency_ns=30", "cache.entries"]);
    refused(&["memory-map", "mini", "--set", "nodes=65"], &["nodes = 65", "2 to 64"]);
    refused(&["memory-map", "vmmc", "--set", "nodes=17"], &["nodes = 17", "16"]);
    refused(&["compare", "nowhere", "nowhere"], &["nowhere", "no such folder"]);
    refused(&["measure", "engine"], &["engine", "machine"]);
    refused(&["measure", "machine", "--only", "99"], &["99", "7"]);
    refused(&["reproduce", "mini.fig-9"], &["mini.fig-9", "mini.table-1.1", "mini.fig-4.1"]);
    refused(&["reproduce", "mini.table-1.1", "tcp"], &["tcp", "mini.table-1.1"]);
    refused(&["reproduce", "mini.table-1.1", "--jobs", "0"], &["--jobs 0", "at least 1"]);
    refused(&["explain", "/nowhere"], &["/nowhere"]);
    refused(&["fly"], &["fly"]);
}

#[test]
fn sizes_must_be_at_least_one_byte_and_fit_the_buffer() {
    refused_run(&["workload.sizes_bytes=0"], &["sizes_bytes", "0", "1 to 65536"]);
    refused_run(&["workload.sizes_bytes=4,65537"], &["65537", "1 to 65536"]);
    refused_run(&["workload.sizes_bytes=-1"], &["sizes_bytes", "-1", "a whole number"]);
    refused_run(&["workload.sizes_bytes=99999999999"], &["sizes_bytes", "a whole number from 0 to 4294967295"]);
    refused_run(
        &["workload.sizes_bytes=99999999999999999999"],
        &["sizes_bytes", "a whole number from 0 to 4294967295"],
    );
    refused_run(&["workload.sizes_bytes=many"], &["sizes_bytes", "many", "a whole number"]);
    refused_run(&["workload.sizes_bytes=[]"], &["sizes_bytes", "at least one"]);
}

#[test]
fn geometries_must_be_powers_of_two_and_fit_the_sram() {
    refused_run(&["cache.entries=10000"], &["10000", "power of two"]);
    refused_run(&["cache.ways=3"], &["ways = 3", "power of two"]);
    refused_run(&["cache.ways=16"], &["16", "2, 4 or 8"]);
    refused_run(&["cache.line_entries=4"], &["line_entries = 4", "8 to 128"]);
    refused_run(&["cache.entries=0"], &["power of two"]);
    refused_run(&["cache.entries=128"], &["128", "at least one set"]);
    refused_run(&["cache.entries=131072"], &["131072", "524288", "tigon2", "at most 32768"]);
    refused_run(&["cache.entries=2147483648"], &["2147483648", "at most 32768"]);
    refused_run(&["cache.entries=524288", "platforms=lanai9"], &["524288", "lanai9", "at most 262144"]);
    refused_run(&["cache.entries=1024"], &["sets", "misses.ratios = [0.0]"]);
    refused(&["memory-map", "mini", "--set", "cache.entries=131072"], &["at most 32768"]);
    refused(&["memory-map", "mini", "--set", "cache.ways=5"], &["power of two"]);
}

/// A scenario of page traces runs in the 36 caches that the thesis measured.
#[test]
fn traces_need_a_cache_of_the_thesis() {
    for (setting, value) in [("cache.entries", 4096), ("cache.entries", 65536), ("cache.line_entries", 32)] {
        let setting = format!("{setting}={value}");
        let words = [&*value.to_string(), "pages", "[8192, 16384, 32768]", "[8, 16, 64, 128]"];
        refused(&["run", "pages", "--set", &setting], &words);
    }
}

#[test]
fn other_values_out_of_range_are_refused() {
    refused_run(&["nodes=3"], &["nodes = 3", "a cable joins 2 nodes"]);
    refused_run(&["cores=3"], &["cores = 3", "must be 1 or 2"]);
    refused_run(&["cores=2", "platforms=lanai9"], &["cores = 2", "lanai9 has 2097152 bytes", "524288"]);
    refused_run(&["misses.ratios=1.5"], &["1.5", "0 to 1"]);
    refused_run(&["misses.ratios=nan"], &["0 to 1"]);
    refused_run(&["workload.kind=random"], &["misses.ratios", "[0.0]"]);
    refused_run(&["misses.node=2"], &["misses.node = 2", "0 to 1"]);
    refused_run(&["faults.loss_ratio=1.0"], &["0.9"]);
    refused_run(&["faults.corrupt_ratio=-0.1"], &["corrupt_ratio", "0 to 1"]);
    refused_run(&["link.latency_ns=0"], &["latency_ns = 0", "20 to 1000000"]);
    refused_run(&["workload.iterations=0"], &["iterations = 0", "at least 1"]);
    refused_run(&["workload.iterations=4294967295"], &["warm_up and iterations", "at most 1000000"]);
    refused_run(&["workload.warm_up=4294967295"], &["warm_up and iterations", "at most 1000000"]);
    refused_run(&["workload.iterations=\"4\""], &["iterations = \"4\"", "a whole number"]);
    refused_run(&["nodes=1.5"], &["nodes = 1.5", "a whole number"]);
    refused_run(&["cache.ways=1"], &["ways = 1", "2, 4 or 8"]);
    refused_run(&["workload.outstanding=65"], &["outstanding = 65", "1 to 64"]);
    refused_run(&["workload.iterations"], &["KEY=VALUE"]);
    refused_run(&["=3"], &["key"]);
    refused_run(&["workload=3"], &["workload"]);
}

#[test]
fn options_that_make_no_sense_are_refused() {
    for seed in ["x", "-1", "18446744073709551616", "1.5", ""] {
        refused(&["run", "ping-pong", &format!("--seed={seed}")], &["--seed"]);
    }
    refused(&["run", "ping-pong", "--threads", "0"], &["threads 0", "at least 1"]);
    refused(&["run", "ping-pong", "--threads", "two"], &["--threads"]);
    for waves in ["sometimes", "5..", "..5", "7..3", "a..b", "-1..5"] {
        refused(&["run", "ping-pong", &format!("--waves={waves}")], &["waves", "FROM..TO"]);
    }
    refused(&["run", "ping-pong", "--wave-format", "gif"], &["gif", "fst", "vcd"]);
    refused(&["run"], &["SCENARIO"]);
    refused(&[], &["Usage"]);
}

#[test]
fn a_folder_that_cannot_be_written_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("file");
    std::fs::write(&file, b"").expect("the folder is ours");
    for out in [file.as_path(), &file.join("below"), Path::new("/proc/nicscope")] {
        let out = out.to_str().expect("a name");
        refused(&["run", "ping-pong", "--out", out], &["--out", out, "cannot be written", "name a folder"]);
    }
}

/// A scenario or platform file of one's own that is damaged.
#[test]
fn files_that_are_no_scenario_or_platform_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("the folder is ours");
        path.to_str().expect("a name").to_owned()
    };
    refused(&["run", &write("empty.toml", b"")], &["empty", "description"]);
    refused(&["run", &write("not.toml", b"[workload")], &["not", "line 1"]);
    let text = include_str!("../../scenario/scenarios/ping-pong.toml");
    let changed = |name: &str, from: &str, to: &str| write(name, text.replacen(from, to, 1).as_bytes());
    refused(&["run", &changed("word.toml", "nodes = 2", "nodes = two")], &["word", "nodes = two", "line"]);
    refused(
        &["run", &changed("type.toml", "nodes = 2", "nodes = \"2\"")],
        &["type", "nodes = \"2\"", "a whole number"],
    );
    refused(&["run", &changed("key.toml", "nodes = 2", "knots = 2")], &["key", "knots", "nodes"]);
    refused(&["run", &changed("less.toml", "nodes = 2", "")], &["less", "the key nodes is missing"]);
    refused(&["run", folder.path().to_str().expect("a name")], &["unknown scenario", ".toml"]);
    refused(&["run", &write("bytes.toml", &[0xFF, 0xFE, 0x00])], &["bytes.toml"]);
    let platform = write("half.toml", b"description = \"half\"\n");
    refused_run(&[&format!("platforms={platform}")], &["half.toml", "core"]);
}

#[test]
fn firmware_that_the_nic_cannot_run_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let image = nicscope_scenario::image::build("mini", nic_layout::vmh::VmhGeometry::RECOMMENDED)
        .expect("the firmware builds");
    let good = std::fs::read(image).expect("the image was built");
    let damaged = |name: &str, change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = good.clone();
        change(&mut bytes);
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).expect("the folder is ours");
        path.to_str().expect("a name").to_owned()
    };
    let refused_image = |path: &str, words: &[&str]| {
        let out = folder.path().join("out");
        refused(&["run", "ping-pong", "--out", out.to_str().expect("a name"), "--firmware", path], words);
    };
    let missing = folder.path().join("missing");
    refused_image(missing.to_str().expect("a name"), &["firmware", "missing"]);
    refused_image(folder.path().to_str().expect("a name"), &["firmware"]);
    refused_image(&damaged("empty", &|bytes| bytes.clear()), &["not an ELF"]);
    refused_image(&damaged("text", &|bytes| *bytes = b"firmware".to_vec()), &["not an ELF"]);
    refused_image(&damaged("header", &|bytes| bytes.truncate(40)), &["damaged", "beyond its end"]);
    refused_image(&damaged("half", &|bytes| bytes.truncate(bytes.len() / 100)), &["damaged", "beyond its end"]);
    refused_image(&damaged("x86", &|bytes| bytes[18] = 62), &["machine 62", "RISC-V (243)"]);
    refused_image(&damaged("class", &|bytes| bytes[4] = 2), &["32-bit"]);
    refused_image(&damaged("object", &|bytes| bytes[16] = 1), &["must be linked"]);
    refused_image(&damaged("entry", &|bytes| bytes[27] = 0x33), &["entry point", "none of its segments"]);
    // The physical address of the first segment: program headers follow the file header.
    refused_image(&damaged("away", &|bytes| bytes[52 + 15] = 0x50), &["does not lie in the SRAM"]);
}

#[test]
fn folders_without_whole_results_are_not_explained() {
    let folder = tempfile::tempdir().expect("a folder");
    let shown = folder.path().to_str().expect("a name");
    refused(&["explain", shown], &["no results.json", "nicscope run"]);
    let file = folder.path().join("results.json");
    for damaged in [&b""[..], b"{", b"[1, 2]", b"{\"schema\": 4711}", b"{\"schema\": 1}", &[0xFF, 0xFE]] {
        std::fs::write(&file, damaged).expect("the folder is ours");
        refused(&["explain", shown], &["results.json"]);
    }
    std::fs::remove_file(&file).and_then(|()| std::fs::create_dir(&file)).expect("the folder is ours");
    refused(&["explain", shown], &["results.json", "run the scenario again"]);
    refused(&["explain", shown, "--size", "small"], &["--size"]);
}
