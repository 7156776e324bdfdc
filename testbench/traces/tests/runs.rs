//! The cache under traces, compared with a list of lists; and a sample, compared with the whole
//! trace.

use std::collections::BTreeSet;

use nic_layout::vmh::VmhGeometry;
use nic_lookup::host::{Answer, InMemory};
use nic_lookup::Path;
use page_traces::{all_geometries, name, replay, run, sample, Access, Counts, Pattern};
use proptest::prelude::*;

/// Pages of two processes. They are close to each other, so that they compete for few sets of any
/// geometry.
fn accesses() -> impl Strategy<Value = Vec<Access>> {
    let access = (any::<bool>(), 1u32..=2, 0u32..64, 0u32..300).prop_map(|(receive, pid, turn, near)| Access {
        path: if receive { Path::Receive } else { Path::Send },
        pid,
        page: (turn * 4096 + near) & 0xF_FFFF,
    });
    prop::collection::vec(access, 1..600)
}

fn geometry() -> impl Strategy<Value = VmhGeometry> {
    prop::sample::select(all_geometries())
}

/// A cache made of lists: the lines of each set, the most recently used first.
fn dull(geometry: VmhGeometry, accesses: &[Access]) -> Counts {
    let mut sets: Vec<Vec<(u32, u32)>> = vec![Vec::new(); geometry.sets() as usize];
    let mut ever = BTreeSet::new();
    let mut counts = Counts::default();
    for &Access { path, pid, page } in accesses {
        let line = (pid, page / geometry.line_entries);
        let set = &mut sets[(line.1 % geometry.sets()) as usize];
        counts.lookups[path as usize] += 1;
        match set.iter().position(|&held| held == line) {
            Some(position) => {
                set.remove(position);
            }
            None if ever.insert(line) => counts.cold[path as usize] += 1,
            None => counts.non_cold[path as usize] += 1,
        }
        set.insert(0, line);
        set.truncate(geometry.ways as usize);
    }
    counts
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_firmwares_cache_misses_as_often_as_a_dull_one(geometry in geometry(), accesses in accesses()) {
        prop_assert_eq!(run(geometry, &accesses, &mut |_, _| {}), dull(geometry, &accesses));
    }

    #[test]
    fn a_sample_gets_the_answers_of_the_whole(accesses in accesses(), count in 1usize..200, seed: u64) {
        const SHAPE: VmhGeometry = VmhGeometry { entries: 8192, line_entries: 16, ways: 2 };
        let (sample, counts) = sample(SHAPE, &accesses, count, seed);
        prop_assert_eq!(counts.all_lookups(), accesses.len() as u64);
        prop_assert!(sample.accesses.len() <= count && !sample.accesses.is_empty());
        let mut cache = InMemory::<8192, 16, 2>::default();
        let Ok(answers) = replay(&mut cache, SHAPE, &sample.accesses);
        prop_assert_eq!(answers, sample.answers);
    }
}

#[test]
fn the_programs_miss_as_often_as_in_a_dull_cache() {
    for pattern in Pattern::ALL {
        let trace = pattern.trace(7);
        for geometry in all_geometries().into_iter().step_by(5) {
            assert_eq!(
                run(geometry, &trace, &mut |_, _| {}),
                dull(geometry, &trace),
                "{} in {}",
                pattern.name(),
                name(geometry)
            );
        }
    }
}

/// A replay finds a cache that gives other answers.
#[test]
fn a_cache_with_fewer_ways_gives_other_answers() {
    let whole = VmhGeometry { entries: 8192, line_entries: 16, ways: 4 };
    let far = whole.sets() * whole.line_entries;
    let accesses: Vec<Access> = (0..8).map(|turn| Access { path: Path::Send, pid: 1, page: turn % 4 * far }).collect();
    let (sample, _) = sample(whole, &accesses, 8, 0);
    assert!(matches!(sample.answers[4..], [Answer::Hit { .. }, ..]));
    let mut same = InMemory::<8192, 16, 4>::default();
    assert_eq!(replay(&mut same, whole, &sample.accesses), Ok(sample.answers.clone()));
    let mut other = InMemory::<8192, 16, 2>::default();
    assert_ne!(replay(&mut other, whole, &sample.accesses), Ok(sample.answers));
}
