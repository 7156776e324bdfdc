//! Runs the lists that are kept: those in `lists`, each for a reason that it states, and those that
//! a search has left in `proptest-regressions`. It also runs the list that `NICSCOPE_REPLAY` names,
//! with waves in the folder `NICSCOPE_WAVES`.

use std::collections::BTreeMap;
use std::env;
use std::path::Path;
use std::process::{Command, Output};

use bench_lookup::replay::{self, replay, typed_path};
use bench_lookup::{compare, geometry, List, Probe};

const PACKAGE: &str = env!("CARGO_MANIFEST_DIR");

fn fine<T, E: std::fmt::Display>(result: Result<T, E>) -> T {
    result.unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn kept_lists() {
    let mut lists = fine(List::load_folder(&Path::new(PACKAGE).join("lists")));
    assert!(!lists.is_empty(), "the fixed lists are in the repository");
    lists.extend(fine(List::load_folder(&Path::new(PACKAGE).join("proptest-regressions"))));
    let mut probes = BTreeMap::new();
    for (file, list) in lists {
        let name = geometry::name(list.geometry);
        let probe = probes.entry(name).or_insert_with(|| fine(Probe::boot(list.geometry, false)));
        let verdict = compare(probe, &list.ops);
        assert!(verdict.is_ok(), "{}: {}", file.display(), verdict.unwrap_err());
    }
}

#[test]
fn named_list() {
    let Ok(value) = env::var("NICSCOPE_REPLAY") else {
        println!("NICSCOPE_REPLAY names no list");
        return;
    };
    let waves = env::var_os("NICSCOPE_WAVES").map(|folder| typed_path(Path::new(&folder)));
    let list = fine(replay::named_list(&value));
    let coverage = fine(replay(&list, waves.as_deref()));
    println!("{} operations, all three agree: {coverage:?}", list.ops.len());
}

/// Runs this test program as the printed command does.
fn run_named(list: &str, waves: &Path) -> Output {
    let program = fine(env::current_exe());
    let mut command = Command::new(program);
    command.args(["--exact", "named_list", "--nocapture"]).env("NICSCOPE_REPLAY", list).env("NICSCOPE_WAVES", waves);
    fine(command.output())
}

#[test]
fn a_named_list_leaves_waves() {
    let folder = fine(tempfile::tempdir());
    let output = run_named("testbench/benches/lookup/lists/drop-and-refill.ops", folder.path());
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains("use Send process 1 page 0x0") && text.contains("all three agree"), "{text}");

    let mut waves = fine(wellen::simple::read(folder.path().join("replay.fst")));
    let hierarchy = waves.hierarchy();
    let marker = hierarchy.all_vars().find(|&var| hierarchy[var].full_name(hierarchy).ends_with("trace_a_valid_o"));
    let signal = hierarchy[marker.unwrap_or_else(|| panic!("the trace port is not in the waves"))].signal_ref();
    waves.load_signals(&[signal]);
    let changes = waves.get_signal(signal).map_or(0, |signal| signal.iter_changes().count());
    // A marker before and one after each operation of the firmware.
    assert!(changes >= 10, "{changes}");
}

#[test]
fn a_list_in_the_variable_itself_is_run() {
    let folder = fine(tempfile::tempdir());
    let output = run_named("geometry 64 8 2; use receive 2 0x8; fill 0 1; use receive 2 0x9", folder.path());
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("3 operations, all three agree"), "{text}");
}

#[test]
fn a_list_that_is_not_there_is_a_clear_error() {
    let error = fine(named_list_error("no/such/list.ops"));
    assert!(error.contains("no/such/list.ops"), "{error}");
    let error = fine(named_list_error("geometry 64 8 3; use send 1 0x0"));
    assert!(error.contains("NotAPowerOfTwo"), "{error}");
}

fn named_list_error(value: &str) -> Result<String, &'static str> {
    match replay::named_list(value) {
        Ok(_) => Err("it was accepted"),
        Err(error) => Ok(error.to_string()),
    }
}
