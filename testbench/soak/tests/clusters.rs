//! Random operations on whole clusters, RTL and firmware, compared with a model
//! (docs/properties.md, "Clusters"); and planted defects, by which each statement is seen to fail.

use std::ops::Range;
use std::path::{Path, PathBuf};

use nicscope_run::personality::table::echo::Echoes;
use nicscope_scenario::personality;
use nicscope_scenario::scenario::MissService;
use nicscope_soak::case::Case;
use nicscope_soak::defect::Drawn;
use nicscope_soak::defects::recorded;
use nicscope_soak::language::{Operation, Options, Planted};
use nicscope_soak::personality::table::{mini, vmmc};
use nicscope_soak::play::play;
use nicscope_soak::rdma::draw;
use nicscope_soak::rdma::operation::Op;
use nicscope_soak::rdma::plant::Plant;
use nicscope_soak::search::Search;
use nicscope_soak::{matched, messages, soak};
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
    let folder = tempfile::tempdir().expect("a folder for failing cases");
    for path in paths {
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{error}"));
        assert!(text.starts_with("# "), "{} does not say why it is kept", path.display());
        if let Err(error) = soak::replay(&path, folder.path()) {
            panic!("{}: {error}", path.display());
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

/// Defects whose lists `make test` shortens: the shortest has two operations.
const SHORTENED: [Plant; 1] = [Plant::OutOfOrder];

#[test]
fn a_failing_list_is_shortened() {
    mini::PLANTED.iter().filter(|planted| SHORTENED.contains(&planted.plant)).for_each(fails_and_is_shortened);
}

/// All defects are seen to fail on drawn clusters, so `make test` leaves these searches out.
#[test]
#[ignore = "takes minutes: `make defects` runs it"]
fn every_failing_list_is_shortened() {
    mini::PLANTED.iter().filter(|planted| !SHORTENED.contains(&planted.plant)).for_each(fails_and_is_shortened);
}

#[test]
fn statements_are_seen_to_fail_on_drawn_clusters_with_caches() {
    each_fails::<Op>("mini", &mini::PLANTED);
}

/// The statements are those of nodes with caches, so `make test` leaves them out.
#[test]
#[ignore = "takes minutes: `make defects` runs it"]
fn statements_are_seen_to_fail_on_drawn_clusters_with_static_tables() {
    each_fails::<Op>("vmmc", &vmmc::PLANTED);
}

#[test]
fn statements_are_seen_to_fail_on_drawn_clusters_with_messages() {
    each_fails::<messages::operation::Op<Echoes>>("echo", &messages::plant::PLANTED);
}

#[test]
fn statements_are_seen_to_fail_on_drawn_clusters_with_matched_messages() {
    each_fails::<matched::operation::Op>("emp", &matched::plant::PLANTED);
}

const CASES: u64 = 200;
const OPS: Range<usize> = 10..16;

/// Much longer than a peer takes to be given up, and shorter than in other cases: a defect may let
/// an operation hang.
const GIVE_UP: Ps = Ps::from_us(50_000);

/// A list on more nodes is recorded only if none on fewer shows the defect: it takes longer.
const RECORDED_NODES_MAX: usize = 3;

/// Plays drawn cases with each defect, until one fails, the recorded one first: on clusters of 2 to
/// 8 nodes, since each defect has a seed of its own.
fn each_fails<O: Operation>(name: &str, planted: &[Planted<O::Plant>]) {
    let personality = personality::named(name).unwrap();
    for (Planted { plant, breaks }, seed) in planted.iter().zip(7..) {
        let options = Options { plant: Some(*plant), give_up: GIVE_UP, ..Options::default() };
        let defect = format!("{plant:?}");
        let known = recorded::list_of(name, &defect).unwrap_or_else(|error| panic!("{error}"));
        let lists = known.into_iter().chain((0..CASES).map(|list| Drawn { seed, list }));
        let mut failing = lists.filter_map(|drawn| {
            let mut case = O::draw(drawn.seed, drawn.list, OPS);
            case.cluster = case.cluster.of_personality(personality);
            Some((drawn, case.cluster.topology, play(&case, &options).err()?))
        });
        let (drawn, nodes, failure) = failing.next().unwrap_or_else(|| panic!("{plant:?} was not found"));
        if recorded::are_sought() {
            let mut kept = drawn;
            if nodes.nodes > RECORDED_NODES_MAX {
                let quicker = failing.find(|(_, nodes, _)| nodes.nodes <= RECORDED_NODES_MAX);
                kept = quicker.map_or(drawn, |(quicker, ..)| quicker);
            }
            recorded::keep(name, &defect, kept).unwrap_or_else(|error| panic!("{error}"));
        }
        println!("{plant:?} of {name}, {nodes}: {}", failure.what);
        assert!(failure.statement.is_some_and(|broken| breaks.contains(&broken)), "{plant:?}: {}", failure.what);
    }
}

/// Searches for a defect, and shortens the failing list.
fn fails_and_is_shortened(planted: &Planted<Plant>) {
    let Planted { plant, breaks } = *planted;
    // Two writes overtake each other; a buffer is withdrawn and named by a post.
    let shortest = match plant {
        Plant::OutOfOrder => 2,
        Plant::BufferStays => 3,
        _ => 1,
    };
    let folder = tempfile::tempdir().expect("a folder for failing cases");
    let search = Search::<Op> {
        name: format!("{plant:?}"),
        seed: 7,
        cases: CASES,
        ops: OPS,
        // Two nodes are played several times as fast as eight. [`each_fails`] draws the clusters.
        draw: draw::case,
        options: Options { plant: Some(plant), give_up: Ps::from_us(5_000), ..Options::default() },
        folder: folder.path().to_path_buf(),
    };
    let found = search.run(|_, _| ()).unwrap_or_else(|error| panic!("{error}"));
    let found = found.unwrap_or_else(|| panic!("{plant:?} was not found"));
    let text = found.to_string();
    println!("{plant:?}:\n{text}\n");
    assert!(found.failure.statement.is_some_and(|broken| breaks.contains(&broken)), "{plant:?}: {text}");
    assert_eq!(found.case.ops.len(), shortest, "{plant:?}: {text}");
    // The report suffices to see the failure again: list, seed, command, and waves of every node.
    assert!(text.contains("seed 7") && text.contains("soak --replay"), "{text}");
    for op in &found.case.ops {
        assert!(text.contains(&format!("\n{op}\n")), "{op} in {text}");
    }
    assert_eq!(found.waves.len(), found.case.cluster.topology.nodes, "{text}");
    assert!(found.waves.iter().all(|file| std::fs::metadata(file).is_ok_and(|it| it.len() > 0)), "{text}");
    let kept = Case::<Op>::load(&found.file).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(kept, found.case);
    // Without the planted defect the same list goes well.
    if let Err(failure) = play(&found.case, &Options::default()) {
        panic!("{plant:?}: {}", failure.what);
    }
}
