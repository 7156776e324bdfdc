//! Bar 6: the latency of a word and the bandwidth of a stream, beside what the papers measured.

use nicscope_account::results::{Results, Row};
use nicscope_run::run;
use nicscope_scenario::error::Result;
use nicscope_scenario::failed;

use crate::engine::{Figure, Target};
use crate::measure::built_in::config;

pub fn measure() -> Result<Vec<Figure>> {
    let words = run::run(&config("ping-pong", &["workload.sizes_bytes=4", "misses.ratios=0.0"])?)?;
    let stream = run::run(&config("stream", &["platforms=tigon2", "workload.sizes_bytes=16384"])?)?;
    let latency_us = |platform| -> Result<f64> { Ok(row(&words, platform)?.latency_ps.mean / 1e6) };
    let bandwidth = row(&stream, "tigon2")?.bandwidth_bits_per_s / 1e6;
    Ok(vec![
        Figure::new("machine.6.latency_lanai9", latency_us("lanai9")?, "us", Target::AtMost(8.0))
            .paper("8 us for a word (VMMC, LANai9)"),
        Figure::new("machine.6.latency_tigon2", latency_us("tigon2")?, "us", Target::AtMost(15.0))
            .paper("24.3 us for 10 B (EMP, Tigon2)"),
        Figure::new("machine.6.stream_tigon2", bandwidth, "Mb/s", Target::AtLeast(500.0))
            .paper("840 to 880 Mb/s (EMP, Tigon2)"),
    ])
}

fn row<'a>(results: &'a Results, platform: &str) -> Result<&'a Row> {
    let run = results.runs.iter().find(|run| run.platform == platform);
    run.and_then(|run| run.rows.first()).ok_or_else(|| failed!("no result of {platform}"))
}
