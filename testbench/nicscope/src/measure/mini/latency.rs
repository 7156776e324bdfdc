//! Bar 4: what messages that hit take on the thesis's machine.

use crate::error::Result;
use crate::failed;
use crate::measure::machine::config;
use crate::measure::{Figure, Target};
use crate::run;

pub const NOTE: &str = "ping-pong on lanai9, means, every lookup hitting; the read of a word is printed by `cargo test -p nicscope --test operations -- --nocapture takes`";

pub fn measure() -> Result<Vec<Figure>> {
    let set = ["platforms=lanai9", "workload.sizes_bytes=4,4096,65536", "workload.iterations=12", "misses.ratios=0.0"];
    let results = run::run(&config("ping-pong", &set)?)?;
    results.check()?;
    let rows = results.runs.first().map(|run| &run.rows[..]);
    let Some([word, page, long]) = rows else { return Err(failed!("ping-pong has not three sizes")) };
    Ok(vec![
        Figure::new("mini.4.write_word", word.latency_ps.mean / 1e6, "us", Target::AtMost(5.0)).paper("8 us"),
        Figure::new("mini.4.write_4096", page.latency_ps.mean / 1e6, "us", Target::AtMost(45.0)).paper("52 us"),
        Figure::new("mini.4.peak", long.bandwidth_bits_per_s / 8e6, "MB/s", Target::AtLeast(120.0)).paper("118 MB/s"),
    ])
}
