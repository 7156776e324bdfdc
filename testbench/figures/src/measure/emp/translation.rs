//! Bar 5: addresses that the NIC translates, against addresses that the process asks for.

use nicscope_account::results::Row;
use nicscope_run::run;
use nicscope_scenario::error::Result;
use nicscope_scenario::failed;

use crate::engine::{Figure, Target};
use crate::measure::built_in::config;

pub const NOTE: &str = "tigon2, one core. emp: the host asks the driver for addresses, once or at each post. \
     emp-mini: the NIC looks pages up; a share of messages has no page in the cache where it arrives, and the driver's \
     thread fills the line. Latency: 10 bytes; bandwidth: 16 KB, two messages posted";

/// One way to translate, and the share of messages that miss.
struct Kind {
    id: &'static str,
    set: &'static [&'static str],
}

const KINDS: [Kind; 5] = [
    Kind { id: "asked_once", set: &["personality=emp", "misses.ratios=0.0"] },
    Kind { id: "asked_each_post", set: &["personality=emp", "misses.ratios=0.0", "emp.translate=each-post"] },
    Kind { id: "hits_100", set: &["personality=emp-mini", "misses.ratios=0.0"] },
    Kind { id: "hits_99", set: &["personality=emp-mini", "misses.ratios=0.01"] },
    Kind { id: "hits_90", set: &["personality=emp-mini", "misses.ratios=0.1"] },
];

/// Messages of each run, so that one in a hundred is one.
const PINGS: u32 = 100;
const STREAM: u32 = 100;
const BOTH_WAYS: u32 = 100;

pub fn measure() -> Result<Vec<Figure>> {
    let mut figures = Vec::new();
    for kind in &KINDS {
        let row = row("ping-pong", 10, PINGS, kind)?;
        figures.push(figure("latency", kind, row.latency_ps.mean / 1e6, "us"));
    }
    for kind in &KINDS {
        let row = row("stream", 16_384, STREAM, kind)?;
        figures.push(figure("one_way", kind, row.bandwidth_bits_per_s / 1e6, "Mb/s"));
    }
    for kind in &KINDS {
        let row = row("both-ways", 16_384, BOTH_WAYS, kind)?;
        figures.push(figure("both_ways", kind, row.bandwidth_bits_per_s / 1e6, "Mb/s"));
    }
    Ok(figures)
}

fn figure(what: &str, kind: &Kind, value: f64, unit: &'static str) -> Figure {
    Figure::new(format!("emp.5.{what}_{}", kind.id), value, unit, Target::None)
}

fn row(scenario: &str, size_bytes: u32, count: u32, kind: &Kind) -> Result<Row> {
    let (sizes, iterations) = (format!("workload.sizes_bytes={size_bytes}"), format!("workload.iterations={count}"));
    let common = ["platforms=tigon2", "workload.outstanding=2", &*sizes, &*iterations];
    let results = run::run(&config(scenario, &[&common[..], kind.set].concat())?)?;
    results.check()?;
    let row = results.runs.into_iter().flat_map(|run| run.rows).next();
    row.ok_or_else(|| failed!("{scenario} has no row"))
}
