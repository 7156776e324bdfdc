//! Bar 4: what messages that hit take on the thesis's machine.

use nicscope_account::results::Row;
use nicscope_run::run;
use nicscope_scenario::error::Result;
use nicscope_scenario::failed;

use crate::engine::{Figure, Target};
use crate::measure::built_in::config;

pub const NOTE: &str = "ping-pong on lanai9, and reads one after the other, means, every lookup hitting";

pub fn measure() -> Result<Vec<Figure>> {
    let [word, page, long] = &rows("ping-pong", "4,4096,65536")?[..] else {
        return Err(failed!("ping-pong has not three sizes"));
    };
    let [read] = &rows("fetch", "4")?[..] else { return Err(failed!("fetch has not one size")) };
    Ok(vec![
        Figure::new("mini.4.write_word", word.latency_ps.mean / 1e6, "us", Target::AtMost(5.0)).paper("8 us"),
        Figure::new("mini.4.read_word", read.latency_ps.mean / 1e6, "us", Target::AtMost(12.0)).paper("22 us"),
        Figure::new("mini.4.write_4096", page.latency_ps.mean / 1e6, "us", Target::AtMost(45.0)).paper("52 us"),
        Figure::new("mini.4.peak", long.bandwidth_bits_per_s / 8e6, "MB/s", Target::AtLeast(120.0)).paper("118 MB/s"),
    ])
}

/// A row for each size, of a run that ends well.
fn rows(scenario: &str, sizes_bytes: &str) -> Result<Vec<Row>> {
    let sizes = format!("workload.sizes_bytes={sizes_bytes}");
    let set = ["platforms=lanai9", &sizes, "workload.iterations=12", "misses.ratios=0.0"];
    let results = run::run(&config(scenario, &set)?)?;
    results.check()?;
    Ok(results.runs.into_iter().flat_map(|run| run.rows).collect())
}
