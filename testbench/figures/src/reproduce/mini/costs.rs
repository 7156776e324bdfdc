//! Table 4.2: what the operations cost when everything hits.

use nicscope_account::results::{Row, Run};
use nicscope_run::cluster::ClusterConfig;
use nicscope_run::run;
use nicscope_scenario::error::Result;
use nicscope_scenario::failed;
use serde_json::{json, Value};

use super::setting::{self, CACHE, COMPARED, PLATFORM};
use crate::engine::digits::digits;
use crate::engine::report::{Cell, Finding, Report, Table};
use crate::engine::{work, Experiment, Measure};

pub const TABLE_4_2: Experiment = Experiment {
    id: "mini.table-4.2",
    title: "latency of a word and of 4 KB, written and read; largest bandwidths; a notification; all lookups hitting (MN-3)",
    thesis: "Table 4.2: write 8 us, 52 us, 118 MB/s; fetch 22 us, 81 us, 118 MB/s; notification 18 us",
    parameters,
    images: || COMPARED.map(|name| (name, nic_layout::vmh::VmhGeometry::RECOMMENDED)).into(),
    note: None,
    measure: Measure::Report(|jobs| {
        let configs: Vec<ClusterConfig> = COMPARED
            .iter()
            .flat_map(|personality| SCENARIOS.map(|scenario| config(personality, scenario)))
            .collect::<Result<_>>()?;
        let runs = work::each(TABLE_4_2.id, jobs, &configs, |config| run::single(PLATFORM, config))?;
        let costs = runs.chunks_exact(SCENARIOS.len()).map(|runs| Costs::of(runs.iter())).collect::<Result<Vec<_>>>();
        report(&COMPARED, &costs?)
    }),
};

const SIZES_BYTES: [u32; 5] = [4, 1024, 4096, 16_384, 65_536];
const ITERATIONS: u32 = 12;
const WARM_UP: u32 = 2;

/// Those whose latencies the table has, in this order.
const SCENARIOS: [(&str, &[u32]); 3] = [("ping-pong", &SIZES_BYTES), ("fetch", &SIZES_BYTES), ("notify", &[4])];

fn parameters() -> Value {
    json!({
        "platform": PLATFORM, "cache": CACHE, "personalities": COMPARED, "scenarios": SCENARIOS,
        "iterations": ITERATIONS, "warm_up": WARM_UP,
    })
}

fn config(personality: &str, (name, sizes_bytes): (&str, &[u32])) -> Result<ClusterConfig> {
    let mut scenario = setting::scenario(name, personality)?;
    scenario.workload.sizes_bytes = sizes_bytes.into();
    scenario.workload.iterations = ITERATIONS;
    scenario.workload.warm_up = WARM_UP;
    run::cluster_config(&setting::on_one_thread(scenario), PLATFORM, 0.0)
}

/// What was measured of one personality, by operation.
struct Costs {
    write: Vec<Row>,
    fetch: Vec<Row>,
    notify: Vec<Row>,
}

impl Costs {
    /// From a run of each scenario.
    fn of<'a>(mut runs: impl Iterator<Item = &'a Run>) -> Result<Costs> {
        let mut next = || {
            let run = runs.next().ok_or_else(|| failed!("a run is missing"));
            run.map(|run| run.rows.clone())
        };
        Ok(Costs { write: next()?, fetch: next()?, notify: next()? })
    }
}

fn bandwidth_mb_s(row: &Row) -> f64 {
    row.bandwidth_bits_per_s / 8e6
}

fn latency_us(rows: &[Row], size_bytes: u32) -> Result<f64> {
    let found = rows.iter().find(|row| row.size_bytes == size_bytes);
    found.map(|row| row.latency_ps.mean / 1e6).ok_or_else(|| failed!("no messages of {size_bytes} B were measured"))
}

fn best_mb_s(rows: &[Row]) -> Result<f64> {
    let all = rows.iter().map(bandwidth_mb_s);
    all.max_by(f64::total_cmp).ok_or_else(|| failed!("nothing was measured"))
}

fn report(personalities: &[&str], costs: &[Costs]) -> Result<Report> {
    let ours = personalities.iter().map(|name| format!("{name}, ours"));
    let columns = ["operation", "unit", "VMMC, thesis"].map(String::from).into_iter().chain(ours);
    let mut table = Table::new(format!("Costs on {PLATFORM}"), columns);
    let mut findings = Vec::new();
    let mut row = |operation: &str, unit: &str, thesis: f64, value: &dyn Fn(&Costs) -> Result<f64>| -> Result<()> {
        let values = costs.iter().map(value).collect::<Result<Vec<f64>>>()?;
        findings.push(finding(operation, unit, thesis, personalities, &values));
        let cells = values.into_iter().map(Cell::from);
        table.row([operation.into(), unit.into(), thesis.into()].into_iter().chain(cells));
        Ok(())
    };
    row("send of a word, one way", "us", 8.0, &|costs| latency_us(&costs.write, 4))?;
    row("fetch of a word, round trip", "us", 22.0, &|costs| latency_us(&costs.fetch, 4))?;
    row("send of 4 KB, one way", "us", 52.0, &|costs| latency_us(&costs.write, 4096))?;
    row("fetch of 4 KB, round trip", "us", 81.0, &|costs| latency_us(&costs.fetch, 4096))?;
    row("largest bandwidth of the ping-pong", "MB/s", 118.0, &|costs| best_mb_s(&costs.write))?;
    row("largest bandwidth of fetches", "MB/s", 118.0, &|costs| best_mb_s(&costs.fetch))?;
    row("notification, with a word", "us", 18.0, &|costs| latency_us(&costs.notify, 4))?;
    let mut sizes = Table::new("By size", ["personality", "operation", "size B", "latency us", "MB/s"]);
    for (name, costs) in personalities.iter().zip(costs) {
        for (operation, rows) in [("send", &costs.write), ("fetch", &costs.fetch)] {
            for row in rows {
                let latency_us = row.latency_ps.mean / 1e6;
                let (size, bandwidth) = (row.size_bytes.into(), bandwidth_mb_s(row).into());
                sizes.row([(*name).into(), operation.into(), size, latency_us.into(), bandwidth]);
            }
        }
    }
    Ok(Report { tables: vec![table, sizes], findings, ..Report::default() })
}

/// Whether a row is as good as the thesis's with each personality.
fn finding(operation: &str, unit: &str, thesis: f64, personalities: &[&str], values: &[f64]) -> Finding {
    let is_rate = unit.ends_with("/s");
    let least_or_most = if is_rate { "at least" } else { "at most" };
    let is_as_good = |value: &f64| if is_rate { *value >= thesis } else { *value <= thesis };
    let each = personalities.iter().zip(values).map(|(name, value)| format!("{name} {}", digits(*value)));
    Finding::new(
        "MN-3",
        format!("{operation}: {least_or_most} the {thesis} {unit} of the thesis"),
        values.iter().all(is_as_good),
        format!("{unit}: {}", each.collect::<Vec<_>>().join(", ")),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_worse_than_the_thesis_with_one_personality_does_not_hold() {
        let holds = |unit, values: &[f64]| finding("x", unit, 18.0, &["a", "b"], values).holds;
        assert!(holds("us", &[18.0, 3.0]) && !holds("us", &[3.0, 18.1]));
        assert!(holds("MB/s", &[18.0, 30.0]) && !holds("MB/s", &[30.0, 17.9]));
        let words = finding("fetch", "us", 81.0, &["a"], &[97.4]);
        assert_eq!((&*words.statement, &*words.figures), ("fetch: at most the 81 us of the thesis", "us: a 97.40"));
    }
}
