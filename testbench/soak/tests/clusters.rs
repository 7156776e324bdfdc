//! Random operations on whole clusters, RTL and firmware, compared with a model
//! (docs/properties.md, "Clusters"); and planted defects, by which each statement is seen to fail.

use std::path::{Path, PathBuf};

use nicscope_scenario::error::Statement;
use nicscope_scenario::personality;
use nicscope_scenario::scenario::MissService;
use nicscope_soak::case::Case;
use nicscope_soak::language::Options;
use nicscope_soak::play::play;
use nicscope_soak::rdma::draw;
use nicscope_soak::rdma::operation::Op;
use nicscope_soak::rdma::plant::Plant;
use nicscope_soak::search::Search;
use sim_pins::Ps;

/// The model's count of posts that had to end well.
const WELL: &str = "posts that had to end well";

#[test]
fn random_cases_agree_with_the_model() {
    let search = Search::<Op>::from_env("clusters", 8, 40..120).unwrap_or_else(|error| panic!("{error}"));
    let (mut ops, mut posts) = (0, 0);
    let found = search.run(|case, played| {
        ops += case.ops.len();
        posts += played.counts[WELL];
    });
    if let Some(found) = found.unwrap_or_else(|error| panic!("{error}")) {
        panic!("{found}");
    }
    println!("{} cases, {ops} operations, {posts} posts that had to end well", search.cases);
    assert!(posts * 8 > ops as u64, "of {ops} operations only {posts} were posts that had to end well");
}

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// Cases that failed once, or that are kept for the reason in their first line.
#[test]
fn kept_cases_agree_with_the_model() {
    let entries = std::fs::read_dir(folder("cases")).expect("the folder of kept cases");
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    assert!(!paths.is_empty());
    for path in paths {
        let case = Case::<Op>::load(&path).unwrap_or_else(|error| panic!("{error}"));
        assert!(!case.remarks.is_empty(), "{} does not say why it is kept", path.display());
        if let Err(failure) = play(&case, &Options::default()) {
            panic!("{}: {}", path.display(), failure.what);
        }
    }
}

/// A post from or to a page that cannot be pinned ends with an error. Other posts end as before,
/// and nothing is left of the attempt (M-24, M-34, INV-36).
#[test]
fn pins_that_are_refused_end_posts_and_leave_nothing() {
    for (seed, service) in (0..).zip([MissService::KernelThread, MissService::Interrupt, MissService::Nic]) {
        let mut case = draw::case(seed, 0, 60..90);
        (case.cluster.refuses, case.cluster.service) = (100, service);
        let played = play(&case, &Options::default()).unwrap_or_else(|failure| panic!("{}\n{case}", failure.what));
        assert!(played.counts["pins refused"] > 0, "{:?}", played.counts);
    }
}

/// Nodes with static tables move the same bytes and refuse the same posts, and nothing is left in
/// the tables (INV-24, 27, 28, 36).
#[test]
fn random_operations_agree_with_the_model_where_tables_are_static() {
    for seed in 0..2 {
        let mut case = draw::case(seed, 0, 40..120);
        case.cluster = case.cluster.of_personality(personality::named("vmmc").unwrap());
        let played = play(&case, &Options::default()).unwrap_or_else(|failure| panic!("{}\n{case}", failure.what));
        let (well, refused) = (played.counts[WELL], played.counts["posts that had to be refused"]);
        assert!(well > 0 && refused > 0, "{:?}", played.counts);
    }
}

/// A planted defect, the statements of which one must break, and the length of the shortened list.
type Planted = (Plant, &'static [Statement], usize);

use Statement::{Invariant, Requirement};

/// Defects of bytes in memory and of notifications.
const IN_MEMORY: [Planted; 6] = [
    (Plant::WrongByte, &[Invariant(27)], 1),
    (Plant::ByteBeside, &[Invariant(27)], 1),
    (Plant::WrongRead, &[Invariant(28)], 1),
    // The bytes of the wrong write stay, a read behind the writes finds them, or notifications come
    // in the wrong order.
    (Plant::OutOfOrder, &[Invariant(27), Invariant(28), Requirement(6)], 2),
    (Plant::ToldTwice, &[Requirement(6)], 1),
    (Plant::ToldNever, &[Requirement(6)], 1),
];

/// Defects of the ends of posts, and of what processes leave behind.
const IN_THE_END: [Planted; 7] = [
    // The monitor finds it as soon as the page is unpinned, before any DMA accesses the page.
    (Plant::PinGoes, &[Invariant(17)], 1),
    (Plant::KeyMends, &[Invariant(24)], 1),
    (Plant::KeyBreaks, &[Invariant(24)], 1),
    (Plant::BufferStays, &[Invariant(24)], 3),
    (Plant::EndUnseen, &[Invariant(33)], 1),
    (Plant::PinStays, &[Invariant(36)], 1),
    // The monitor sees the host write a key for which there was no miss.
    (Plant::LinesStay, &[Invariant(16)], 1),
];

#[test]
fn statements_about_memory_are_seen_to_fail() {
    IN_MEMORY.into_iter().for_each(fails);
}

#[test]
fn statements_about_ends_are_seen_to_fail() {
    IN_THE_END.into_iter().for_each(fails);
}

fn fails((plant, rules, shortest): Planted) {
    let folder = tempfile::tempdir().expect("a folder for failing cases");
    let options = Options { plant: Some(plant), give_up: Ps::from_us(5_000), ..Options::default() };
    let search = Search {
        name: format!("{plant:?}"),
        seed: 7,
        cases: 200,
        ops: 10..16,
        // Two nodes show each defect, and are played several times as fast as eight.
        draw: draw::case,
        options,
        folder: folder.path().to_path_buf(),
    };
    let found = search.run(|_, _| ()).unwrap_or_else(|error| panic!("{error}"));
    let found = found.unwrap_or_else(|| panic!("{plant:?} was not found"));
    let text = found.to_string();
    println!("{plant:?}:\n{text}\n");
    assert!(found.failure.statement.is_some_and(|broken| rules.contains(&broken)), "{plant:?}: {text}");
    assert_eq!(found.case.ops.len(), shortest, "{plant:?}: {text}");
    // The report suffices to see the failure again: list, seed, command, and waves of every node.
    assert!(text.contains("seed 7") && text.contains("soak --replay"), "{text}");
    for op in &found.case.ops {
        assert!(text.contains(&format!("\n{op}\n")), "{op} in {text}");
    }
    assert_eq!(found.waves.len(), found.case.cluster.topology.nodes, "{text}");
    assert!(found.waves.iter().all(|file| std::fs::metadata(file).is_ok_and(|it| it.len() > 0)), "{text}");
    let kept = Case::load(&found.file).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(kept, found.case);
    // Without the planted defect the same list goes well.
    if let Err(failure) = play(&found.case, &Options::default()) {
        panic!("{plant:?}: {}", failure.what);
    }
}
