//! Table 4.2: what the operations cost when everything hits.

use serde_json::{json, Value};

use super::ping_pong::{PingPong, Point};
use super::{CACHE, PLATFORM};
use crate::error::Result;
use crate::failed;
use crate::reproduce::report::{Cell, Report, Table};
use crate::reproduce::Experiment;
use crate::results::{Row, Run};
use crate::scenario::{MissedCache, PERSONALITIES};

pub const TABLE_4_2: Experiment = Experiment {
    id: "mini.table-4.2",
    title: "latency of a word and of 4 KB, largest bandwidth of the ping-pong, all lookups hitting (MN-3)",
    thesis: "Table 4.2: 8 us, 52 us, 118 MB/s",
    parameters,
    images: || PERSONALITIES.map(|name| (name, nic_layout::vmh::VmhGeometry::RECOMMENDED)).into(),
    measure: |jobs| {
        let hits = Point { miss_ratio: 0.0, retransmit_us: None };
        let runs = PERSONALITIES.map(|name| ping_pong(name).runs(TABLE_4_2.id, jobs, &[hits]));
        let runs: Vec<Run> = runs.into_iter().collect::<Result<Vec<_>>>()?.into_iter().flatten().collect();
        report(&PERSONALITIES, &runs)
    },
};

fn ping_pong(personality: &'static str) -> PingPong {
    let sizes_bytes = vec![4, 1024, 4096, 16_384, 65_536];
    PingPong { personality, cache: MissedCache::Vmh, sizes_bytes, iterations: 12, warm_up: 2 }
}

fn parameters() -> Value {
    json!({"platform": PLATFORM, "cache": CACHE, "workloads": PERSONALITIES.map(ping_pong)})
}

fn bandwidth_mb_s(row: &Row) -> f64 {
    row.bandwidth_bits_per_s / 8e6
}

fn latency_us(run: &Run, size_bytes: u32) -> Result<f64> {
    let found = run.rows.iter().find(|row| row.size_bytes == size_bytes);
    found.map(|row| row.latency_ps.mean / 1e6).ok_or_else(|| failed!("no messages of {size_bytes} B were measured"))
}

fn best_mb_s(run: &Run) -> Result<f64> {
    let all = run.rows.iter().map(bandwidth_mb_s);
    all.max_by(f64::total_cmp).ok_or_else(|| failed!("nothing was measured"))
}

/// A run for each personality.
fn report(personalities: &[&str], runs: &[Run]) -> Result<Report> {
    let ours = personalities.iter().map(|name| format!("{name}, ours"));
    let columns = ["operation", "unit", "VMMC, thesis"].map(String::from).into_iter().chain(ours);
    let mut table = Table::new(format!("Costs on {PLATFORM}"), columns);
    let mut row = |operation: &str, unit: &str, thesis: f64, value: &dyn Fn(&Run) -> Result<f64>| -> Result<()> {
        let values = runs.iter().map(|run| Ok(value(run)?.into())).collect::<Result<Vec<Cell>>>()?;
        table.row([operation.into(), unit.into(), thesis.into()].into_iter().chain(values));
        Ok(())
    };
    row("send of a word, one way", "us", 8.0, &|run| latency_us(run, 4))?;
    row("send of 4 KB, one way", "us", 52.0, &|run| latency_us(run, 4096))?;
    row("largest bandwidth of the ping-pong", "MB/s", 118.0, &best_mb_s)?;
    let mut sizes = Table::new("By size", ["personality", "size B", "latency us", "MB/s"]);
    for (name, run) in personalities.iter().zip(runs) {
        for row in &run.rows {
            let latency_us = row.latency_ps.mean / 1e6;
            sizes.row([(*name).into(), row.size_bytes.into(), latency_us.into(), bandwidth_mb_s(row).into()]);
        }
    }
    Ok(Report { tables: vec![table, sizes], ..Report::default() })
}
