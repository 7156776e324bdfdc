//! Random lists have the same results on the RTL, in host memory and on the model, in every
//! geometry.

use bench_lookup::geometry::{host_cache, RECOMMENDED, SMALL, WIDE};
use bench_lookup::search::Outcome;
use bench_lookup::{compare, Probe, Search};
use nic_layout::vmh::VmhGeometry;

fn agree(name: &'static str, geometry: VmhGeometry, cases: u32) {
    let mut probe = Probe::boot(geometry, false).unwrap_or_else(|error| panic!("{error}"));
    let (boot, begin) = (probe.core_cycles(), std::time::Instant::now());
    let search = Search::from_env(name, cases).unwrap_or_else(|error| panic!("{error}"));
    let coverage = match search.run(&mut probe).unwrap_or_else(|error| panic!("{error}")) {
        Outcome::Passed(coverage) => coverage,
        Outcome::Failed(found) => panic!("{found}"),
    };
    // Sets that no list used are as empty as at first, and the words beside the cache are
    // untouched.
    probe.reset().unwrap_or_else(|error| panic!("{error}"));
    let words = probe.read(0, geometry.bytes() / 4).unwrap_or_else(|error| panic!("{error}"));
    let empty = host_cache(geometry).unwrap_or_else(|error| panic!("{error}"));
    compare::same(geometry, empty.words(), &words).unwrap_or_else(|wrong| panic!("{wrong}"));
    probe.check_surroundings().unwrap_or_else(|error| panic!("{error}"));
    println!(
        "{name}: {} lists in {:.1} s and {} core clocks; {coverage:?}",
        search.cases,
        begin.elapsed().as_secs_f64(),
        probe.core_cycles() - boot
    );
    // A search that misses an answer tests little.
    assert!(coverage.least() * 8 >= search.cases, "too rare: {coverage:?}");
}

#[test]
fn small() {
    agree("small", SMALL, 500);
}

#[test]
fn wide() {
    agree("wide", WIDE, 150);
}

#[test]
fn recommended() {
    agree("recommended", RECOMMENDED, 150);
}
