//! Figure 4.2: misses of page traces in 36 geometries, in the firmware's cache on the host, a part
//! of each proven equal on the RTL.

use host_model::platform::Platform;
use nic_layout::vmh::VmhGeometry;
use nic_lookup::Path;
use nicscope_scenario::error::Result;
use nicscope_scenario::failed;
use page_traces::{all_geometries, name, run, Access, Counts, Pattern};
use serde_json::json;

use super::miss_costs::{by_page_fill, cost, trials, MissCosts, PAGE_FILLS_US};
use super::programs::Misses;
use super::setting::{self, PERSONALITY, PLATFORM};
use super::trace_findings::findings;
use super::trace_on_rtl::{on_rtl, SEED};
use crate::engine::report::{Bar, Chart, Group, Picture, Report, Table};
use crate::engine::{work, Experiment, Measure};

pub const FIGURE_4_2: Experiment = Experiment {
    id: "mini.fig-4.2",
    title: "VMH misses of page traces in 36 geometries: send and receive, cold and not (MC-3 to MC-6)",
    thesis: "Figure 4.2: 0 to 40 % of lookups miss; longer lines help but for Ocean, size helps long lines, 4 ways are enough",
    parameters: || {
        json!({
            "platform": PLATFORM, "seed": SEED, "patterns": Pattern::ALL, "sample": SAMPLE, "page_fill_us": page_fill_us().ok(),
            "page_fills_us": PAGE_FILLS_US,
        })
    },
    images: || SAMPLED.iter().map(|geometry| ("cache-probe", *geometry)).collect(),
    note: None,
    measure: Measure::Report(measure),
};

/// Accesses of each trace that the RTL looks up too, in each of these geometries: the ends of the
/// ranges and the recommended one.
const SAMPLE: usize = 1000;

const SAMPLED: [VmhGeometry; 3] = [
    VmhGeometry { entries: 8 * 1024, line_entries: 8, ways: 2 },
    VmhGeometry::RECOMMENDED,
    VmhGeometry { entries: 32 * 1024, line_entries: 128, ways: 8 },
];

fn measure(jobs: usize) -> Result<Report> {
    let traces: Vec<Vec<Access>> = Pattern::ALL.iter().map(|pattern| pattern.trace(SEED)).collect();
    let geometries = all_geometries();
    let misses: Vec<Misses> = traces
        .iter()
        .zip(Pattern::ALL)
        .map(|(trace, pattern)| Misses {
            name: pattern.name(),
            counts: geometries.iter().map(|&geometry| (geometry, run(geometry, trace, &mut |_, _| {}))).collect(),
        })
        .collect();
    let samples = work::each(FIGURE_4_2.id, jobs, &SAMPLED, |&geometry| on_rtl(geometry, &traces, SAMPLE))?;
    let platform = Platform::load(PLATFORM).map_err(|error| failed!("{error}"))?;
    let page_fill_us = page_fill_us()?;
    let mut report = report(&misses, &MissCosts::of(&platform, page_fill_us));
    report.tables.push(sizes(&traces));
    let mut table = Table::new(
        "The same accesses on the RTL, answer by answer",
        ["geometry", "pattern", "lookups", "sets", "misses", "answers that differ"],
    );
    samples.into_iter().flatten().for_each(|row| table.rows.push(row));
    report.tables.push(table);
    Ok(report)
}

/// The time to fill a fresh page that the hosts of the scenario `pages` take, in us.
fn page_fill_us() -> Result<f64> {
    let load = setting::scenario("pages", PERSONALITY)?.load;
    load.map(|load| load.page_fill_us as f64).ok_or_else(|| failed!("the scenario pages has no load"))
}

fn sizes(traces: &[Vec<Access>]) -> Table {
    let mut table = Table::new("Traces", ["pattern", "pages shared", "lookups"]);
    for (pattern, trace) in Pattern::ALL.iter().zip(traces) {
        table.row([pattern.name().into(), pattern.pages().into(), (trace.len() as u64).into()]);
    }
    table
}

fn percent(part: u64, counts: &Counts) -> f64 {
    100.0 * part as f64 / counts.all_lookups() as f64
}

fn report(programs: &[Misses], costs: &MissCosts) -> Report {
    let mut tables = Vec::new();
    let mut ratios = Table::new(
        "Miss ratio, % of lookups",
        std::iter::once("geometry".to_string())
            .chain(programs.iter().map(|program| program.name.to_string()))
            .chain(["lost, us a lookup".to_string()]),
    );
    for geometry in all_geometries() {
        let cells = programs.iter().map(|program| {
            let counts = program.of(geometry.entries, geometry.line_entries, geometry.ways);
            (100.0 * counts.miss_ratio()).into()
        });
        ratios.row(std::iter::once(name(geometry).into()).chain(cells).chain([cost(programs, costs, geometry).into()]));
    }
    tables.push(ratios);
    for program in programs {
        let columns = ["geometry", "send, cold", "send, other", "receive, cold", "receive, other", "all"];
        let mut table = Table::new(format!("{}: misses, % of lookups", program.name), columns);
        for (geometry, counts) in &program.counts {
            let parts = parts(counts);
            table.row(
                std::iter::once(name(*geometry).into()).chain(parts.map(Into::into)).chain([percent(
                    counts.misses(),
                    counts,
                )
                .into()]),
            );
        }
        tables.push(table);
    }
    let (table, page_fill) = by_page_fill(&trials(programs, costs));
    tables.push(table);
    let pictures = programs.iter().map(picture).chain([page_fill]).collect();
    Report { tables, pictures, findings: findings(programs, costs), ..Report::default() }
}

fn parts(counts: &Counts) -> [f64; 4] {
    let [_, send_cold, send_other] = counts.of(Path::Send);
    let [_, receive_cold, receive_other] = counts.of(Path::Receive);
    [send_cold, send_other, receive_cold, receive_other].map(|part| percent(part, counts))
}

/// As in the thesis: a bar for each geometry, by size, then line, then ways.
fn picture(program: &Misses) -> Picture {
    let mut groups: Vec<Group> = Vec::new();
    for (geometry, counts) in &program.counts {
        let group = format!("{}K entries", geometry.entries / 1024);
        if groups.last().is_none_or(|last| last.name != group) {
            groups.push(Group { name: group, bars: Vec::new() });
        }
        let bars = &mut groups.last_mut().expect("there is one").bars;
        let name = format!("L{}.A{}", geometry.line_entries, geometry.ways);
        bars.push(Bar { name, values: parts(counts).into() });
    }
    let parts = ["send, cold", "send, other", "receive, cold", "receive, other"].map(String::from).into();
    Picture {
        name: program.name.to_lowercase(),
        title: format!("{}: VMH misses by geometry", program.name),
        chart: Chart::Stacks { y: "% of lookups".into(), parts, groups },
    }
}
