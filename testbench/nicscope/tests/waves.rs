//! A run of a few messages with and without waves: the same results, and a file that tells the
//! story of the miss.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use nicscope_account::results::Results;
use nicscope_waves::savefile;
use wellen::simple;

/// One platform, one size, a miss among the first messages.
fn command(out: &Path, waves: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nicscope"));
    command.args(["run", "ping-pong", "--waves", waves, "--out"]).arg(out);
    for set in ["platforms=tigon2", "workload.sizes_bytes=4", "workload.iterations=4", "workload.warm_up=1"] {
        command.args(["--set", set]);
    }
    command
}

fn run(out: &Path, waves: &str) {
    let output = command(out, waves).output().expect("the command starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// The texts of a track in the order of time, without idleness.
fn track(wave: &mut simple::Waveform, path: &str) -> Vec<String> {
    let hierarchy = wave.hierarchy();
    let found = hierarchy.all_vars().find(|var| hierarchy[*var].full_name(hierarchy) == path);
    let signal = hierarchy[found.unwrap_or_else(|| panic!("{path} is in the file"))].signal_ref();
    wave.load_signals(&[signal]);
    let signal = wave.get_signal(signal).expect("it was loaded");
    // Nothing is known before the window.
    let known = |bits: &String| !bits.contains('x');
    let texts = signal.iter_changes().filter_map(|(_, value)| value.to_bit_string()).filter(known).map(|bits| {
        let bytes = bits.as_bytes().chunks(8);
        let text: String = bytes.map(|byte| byte.iter().fold(0u8, |byte, bit| byte << 1 | (bit & 1)) as char).collect();
        text.trim().to_string()
    });
    texts.filter(|text| !text.is_empty()).collect()
}

fn names(path: &Path) -> Vec<String> {
    let wave = simple::read(path).expect("the file can be read");
    let hierarchy = wave.hierarchy();
    hierarchy.all_vars().map(|var| hierarchy[var].full_name(hierarchy)).collect()
}

/// Whether `wanted` comes in this order, with anything between.
fn in_order(found: &[String], wanted: &[&str]) -> bool {
    let mut found = found.iter();
    wanted.iter().all(|wanted| found.any(|text| text == wanted))
}

#[test]
fn a_miss_is_seen_and_looking_does_not_touch() {
    let folder = tempfile::tempdir().unwrap();
    let (plain, waved) = (folder.path().join("plain"), folder.path().join("waved"));
    run(&plain, "never");
    run(&waved, "miss");
    let read = |path: &Path| std::fs::read(path.join("results.json")).unwrap();
    assert!(read(&plain) == read(&waved), "results are the same, byte for byte");
    let written: Vec<_> = std::fs::read_dir(&plain).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(written, ["results.json"], "without waves there is nothing else");

    let results: Results = serde_json::from_slice(&read(&waved)).unwrap();
    let account = &results.runs.iter().find_map(|run| run.misses.first()).expect("a message missed");
    let mut wave = simple::read(waved.join("miss.fst")).expect("the file can be read");
    let stages: Vec<String> = account.spans.iter().map(|span| span.stage.clone()).collect();
    assert_eq!(track(&mut wave, "message.stage"), stages, "the track is the account");

    let receiver = account.spans.last().expect("it has arrived").node;
    let sender = 1 - receiver;
    let miss_thread = track(&mut wave, &format!("node{receiver}.host.miss_thread"));
    let service = ["thread wakes", "page table", "pin pages", "fill line", "tell the NIC"];
    assert!(in_order(&miss_thread, &service), "{miss_thread:?}");
    let interrupt = track(&mut wave, &format!("node{receiver}.host.interrupt"));
    assert_eq!(interrupt, ["interrupt delay", "handler"]);
    let firmware = track(&mut wave, &format!("node{receiver}.firmware"));
    let lookups = ["lookup", "reserve line, raise miss", "drop", "fill seen", "lookup", "after lookup hit"];
    assert!(in_order(&firmware, &lookups), "{firmware:?}");
    let firmware = track(&mut wave, &format!("node{sender}.firmware"));
    assert!(in_order(&firmware, &["read descriptor", "time-out", "retransmission"]), "{firmware:?}");
    let bus = track(&mut wave, &format!("node{receiver}.pci.bus"));
    let fill = bus.iter().position(|text| text.starts_with("host writes") && text.ends_with("x8"));
    let fill = fill.unwrap_or_else(|| panic!("the line is filled in bursts: {bus:?}"));
    assert!(bus[fill..].iter().any(|text| text.starts_with("NIC writes")), "the bytes arrive by DMA: {bus:?}");
}

#[test]
fn save_files_show_only_what_is_in_their_files() {
    let folder = tempfile::tempdir().unwrap();
    run(folder.path(), "miss");
    for (waves, save) in
        [("miss.fst", "miss.gtkw"), ("hit.fst", "hit.gtkw"), ("node0.fst", "node0.gtkw"), ("node1.fst", "node1.gtkw")]
    {
        let names = names(&folder.path().join(waves));
        let text = std::fs::read_to_string(folder.path().join(save)).unwrap();
        assert!(text.contains(&format!("[dumpfile] \"{waves}\"")));
        for signal in savefile::signals(&text) {
            assert!(names.iter().any(|name| name == signal), "{save} shows {signal}, which {waves} has not");
        }
    }
    for picture in ["miss.svg", "hit.svg"] {
        let text = std::fs::read_to_string(folder.path().join(picture)).unwrap();
        assert!(text.starts_with("<svg") && text.contains("node 0") && text.contains("node 1"), "{picture}");
    }
}

/// Names in a folder, without those that begin with a dot.
fn listed(folder: &Path) -> Vec<String> {
    let names = std::fs::read_dir(folder).expect("the folder is there").map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
    names.retain(|name| !name.starts_with('.'));
    names.sort();
    names
}

#[test]
fn who_ends_a_recording_finds_whole_files_only() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path();
    let mut child = command(out, "miss").stdout(Stdio::null()).spawn().expect("the command starts");
    let begin = Instant::now();
    while !out.join(".recording/node0.fst").exists() {
        assert!(
            begin.elapsed() < Duration::from_secs(120) && child.try_wait().unwrap().is_none(),
            "nothing is recorded"
        );
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().and_then(|()| child.wait()).expect("it ends");
    assert_eq!(listed(out), ["results.json"]);
    nicscope_account::explain::read(out).expect("the results are whole");
    run(out, "miss");
    assert!(!out.join(".recording").exists());
    let names = ["hit.fst", "hit.gtkw", "hit.svg", "miss.fst", "miss.gtkw", "miss.svg"];
    let models = ["node0.fst", "node0.gtkw", "node1.fst", "node1.gtkw", "results.json"];
    assert_eq!(listed(out), [&names[..], &models].concat());
}
