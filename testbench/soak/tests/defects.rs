//! Each planted defect is found by the invariant that it breaks, on nodes whose number and
//! topology are drawn, and the same workload without a defect breaks none.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use nicscope_scenario::error::Statement;
use nicscope_scenario::personality::{named, Personality, PERSONALITIES};
use nicscope_soak::campaign::FIND_CASES;
use nicscope_soak::case::Nodes;
use nicscope_soak::defect::{Defect, Drawn, Workload};
use nicscope_soak::defects::{drawn_nodes, of, recorded, Bench};
use nicscope_soak::language::Planted;
use nicscope_soak::personality::table::{mini, vmmc};
use nicscope_soak::{matched, messages};

const SEED: u64 = 7;
/// The tests run beside each other, and threads of one run wait for each other.
const THREADS: usize = 1;
/// A seed that draws four nodes behind a switch: the whole workload on eight takes twice the time.
const SEED_OF_FOUR: u64 = 19;
/// Most nodes on which `make test` seeks a defect. `make defects` takes all numbers of nodes.
const FEW_NODES: usize = 3;

fn personality(name: &str) -> &'static Personality {
    named(name).expect("a personality of the table")
}

fn nothing_is_found(name: &str, workload: Workload) {
    nothing_is_found_in(name, workload, FIND_CASES);
}

fn nothing_is_found_in(name: &str, workload: Workload, lists: u64) {
    // Lists draw nodes of their own: a second run would be the same.
    let clusters = if workload.has_lists() { 1 } else { 2 };
    for nodes in [Nodes::PAIR, drawn_nodes(SEED_OF_FOUR)].into_iter().take(clusters) {
        let bench = Bench { personality: personality(name), nodes, seed: SEED, threads: THREADS };
        let outcome = bench.run_sound(workload, lists).expect("it runs");
        assert_eq!(outcome.found, None, "{nodes:?}");
        let looks_up = matches!(workload, Workload::Caches | Workload::FetchingCaches | Workload::StaticTables);
        assert!(!looks_up || outcome.lookups > 500, "{} lookups", outcome.lookups);
    }
}

#[test]
fn without_a_defect_nothing_is_found() {
    nothing_is_found("mini", Workload::Caches);
}

#[test]
fn nor_is_it_when_the_nic_fetches_translations() {
    nothing_is_found("mini", Workload::FetchingCaches);
}

#[test]
fn nor_is_it_with_static_tables() {
    nothing_is_found("vmmc", Workload::StaticTables);
}

#[test]
fn nor_is_it_when_a_frame_of_a_dead_incarnation_is_late() {
    nothing_is_found("mini", Workload::LateFrame);
    nothing_is_found("vmmc", Workload::LateFrame);
}

/// The first of the lists in which a defect must show. `make defects` plays all.
#[test]
fn nor_is_it_in_a_random_list() {
    for (name, workload) in LISTS {
        nothing_is_found_in(name, workload, 1);
    }
}

#[test]
#[ignore = "takes minutes: `make defects` runs it"]
fn nor_is_it_in_random_lists() {
    for (name, workload) in LISTS {
        nothing_is_found(name, workload);
    }
}

const LISTS: [(&str, Workload); 4] = [
    ("echo", Workload::Lists),
    ("emp", Workload::Lists),
    ("emp", Workload::ListsOnTwoCores),
    ("emp-mini", Workload::Lists),
];

/// Defects that take a minute to find: they hide in many lists, or show when a watch gives up.
/// `make test` leaves them out.
const SLOW: [&str; 3] = ["copy-counts", "lost-timer", "answer-omitted"];

/// The nodes that a seed draws. In `make test` the first of the next seeds that draws few.
fn nodes_of(seed: u64) -> Nodes {
    let is_chosen = |nodes: &Nodes| recorded::are_sought() || nodes.nodes <= FEW_NODES;
    (seed..).map(drawn_nodes).find(is_chosen).expect("one of some seeds draws few nodes")
}

/// Runs the defects of a personality but the slow ones.
fn each_is_found(name: &str) {
    each_of_is_found(name, |defect| !SLOW.contains(&defect));
}

/// Runs some defects of a personality, by their names, each on nodes of its own, and prints what
/// finds each.
fn each_of_is_found(name: &str, is_chosen: impl Fn(&str) -> bool) {
    let (mut wrong, mut counts) = (Vec::new(), BTreeMap::new());
    for (defect, seed) in of(personality(name)).iter().zip(SEED..).filter(|(defect, _)| is_chosen(defect.name)) {
        // Lists draw nodes of their own.
        let nodes = if defect.workload.has_lists() { Nodes::PAIR } else { nodes_of(seed) };
        *counts.entry(nodes.nodes).or_insert(0) += 1;
        let bench = Bench { personality: personality(name), nodes, seed, threads: THREADS };
        let known = recorded::list_of(name, defect.name).expect("the recorded lists");
        let outcome = known.map_or_else(|| bench.run(defect), |known| bench.run_from(defect, known)).expect("it runs");
        if let Some(shown) = outcome.list {
            recorded::keep(name, defect.name, shown).expect("the recorded lists");
        }
        let what = outcome.found.as_ref().map_or("nothing", |found| &found.what);
        let Defect { name: planted, invariant, .. } = *defect;
        let place = outcome.list.map_or(nodes.to_string(), |Drawn { seed, list }| format!("seed {seed}, list {list}"));
        println!("{planted:18} {name:5} INV-{invariant} expected, at {}: {what} ({place})", outcome.at);
        if !outcome.found.is_some_and(|found| defect.is_found_by(found.invariant)) {
            wrong.push(planted);
        }
    }
    println!("{name}: clusters by number of nodes: {counts:?}");
    assert!(wrong.is_empty(), "found by another one, or not at all: {wrong:?}");
}

#[test]
fn each_defect_of_caches_is_found_by_the_invariant_that_it_breaks() {
    each_is_found("mini");
}

#[test]
fn each_defect_of_static_tables_is_found_by_the_invariant_that_it_breaks() {
    each_is_found("vmmc");
}

#[test]
fn each_defect_of_answers_is_found_by_the_invariant_that_it_breaks() {
    each_is_found("echo");
}

#[test]
fn each_defect_of_matched_messages_is_found_by_the_invariant_that_it_breaks() {
    each_is_found("emp");
}

#[test]
#[ignore = "takes minutes: `make defects` runs it"]
fn each_slow_defect_is_found_by_the_invariant_that_it_breaks() {
    let all = PERSONALITIES.iter().flat_map(|personality| of(personality));
    assert_eq!(all.filter(|defect| SLOW.contains(&defect.name)).count(), SLOW.len());
    for personality in PERSONALITIES {
        each_of_is_found(personality.name, |defect| SLOW.contains(&defect));
    }
}

#[test]
fn each_defect_of_messages_with_virtual_addresses_is_found_by_the_invariant_that_it_breaks() {
    each_is_found("emp-mini");
}

/// Rows of the tables of docs/properties.md below the heading of a personality: the name of a
/// defect, and the statements that find it.
fn documented(heading: &str) -> BTreeMap<String, String> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/properties.md");
    let page = fs::read_to_string(page).expect("the page of properties");
    let section = page.split(&format!("\n### {heading}\n")).nth(1).expect("the section");
    let section = section.split("\n#").next().unwrap_or_default();
    let rows = section.lines().filter_map(|line| {
        let mut cells = line.strip_prefix("| `")?.split(" | ");
        let name = cells.next()?.split('`').next()?.to_owned();
        let by = cells.next()?.trim_end_matches(" |");
        let by = by.split_once(':').map_or(by, |(by, _)| by);
        Some((name, by.to_owned()))
    });
    rows.collect()
}

/// A name that no defect has would never be played.
#[test]
fn recorded_lists_are_of_defects_that_lists_show() {
    for (name, lists) in recorded::read().expect("the recorded lists") {
        let in_firmware =
            of(personality(&name)).iter().filter(|it| it.workload.has_lists()).map(|it| it.name.to_owned());
        let in_the_model = before_the_model(&name).into_iter().map(|(name, _)| name);
        let known: Vec<String> = in_firmware.chain(in_the_model).collect();
        let unknown: Vec<&String> = lists.keys().filter(|list| !known.contains(list)).collect();
        assert!(unknown.is_empty(), "{name}: {unknown:?}");
    }
}

fn planted<P: std::fmt::Debug>(planted: &[Planted<P>]) -> Vec<(String, String)> {
    let of_one = |it: &Planted<P>| {
        let statements: Vec<String> = it.breaks.iter().map(Statement::to_string).collect();
        (format!("{:?}", it.plant), statements.join(", "))
    };
    planted.iter().map(of_one).collect()
}

/// The defects between the product and the model of a personality, and the statements that find
/// each.
fn before_the_model(personality: &str) -> Vec<(String, String)> {
    match personality {
        "mini" => planted(&mini::PLANTED),
        "vmmc" => planted(&vmmc::PLANTED),
        "emp" => planted(&matched::plant::PLANTED),
        "echo" => planted(&messages::plant::PLANTED),
        _ => Vec::new(),
    }
}

/// The tables of the personalities are the source: the documents list the same defects, and the
/// same statements.
#[test]
fn the_documents_list_the_defects_of_the_tables() {
    for personality in PERSONALITIES {
        let defect = |it: &Defect| (it.name.to_owned(), Statement::Invariant(it.invariant).to_string());
        let mut expected: BTreeMap<String, String> = of(personality).iter().map(defect).collect();
        expected.extend(before_the_model(personality.name));
        if expected.is_empty() {
            continue;
        }
        assert_eq!(documented(&format!("Defects of `{}`", personality.name)), expected);
    }
}
