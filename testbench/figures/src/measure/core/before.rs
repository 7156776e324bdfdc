//! Bar 6: the ping-pong before the core was made new, and now.

use indexmap::IndexMap;
use nicscope_account::results::Results;
use nicscope_run::run;
use nicscope_scenario::error::Result;
use nicscope_scenario::failed;
use serde::Deserialize;

use crate::engine::{Figure, Target};
use crate::measure::built_in::config;

pub const NOTE: &str =
    "one way, all lookups hitting, all data by DMA as then; what it was before stands in testbench/nicscope/src/measure/core/before.json";

/// Latencies in us by platform and size in bytes.
#[derive(Deserialize)]
struct Before {
    platforms: IndexMap<String, IndexMap<String, f64>>,
}

impl Before {
    fn recorded() -> Before {
        serde_json::from_str(include_str!("before.json")).expect("a test reads it")
    }

    fn us(&self, platform: &str, size_bytes: u32) -> Option<f64> {
        self.platforms.get(platform)?.get(&size_bytes.to_string()).copied()
    }
}

pub fn measure() -> Result<Vec<Figure>> {
    of(&Before::recorded(), &run::run(&config("ping-pong", &["misses.ratios=0.0", "workload.pio_bytes_max=0"])?)?)
}

fn of(before: &Before, now: &Results) -> Result<Vec<Figure>> {
    let mut figures = Vec::new();
    for run in &now.runs {
        for row in &run.rows {
            let (platform, size_bytes) = (&run.platform, row.size_bytes);
            let before_us = before
                .us(platform, size_bytes)
                .ok_or_else(|| failed!("before.json says nothing of {size_bytes} bytes on {platform}"))?;
            let id = format!("core.6.{platform}.{size_bytes}_bytes");
            // What is recorded is rounded: less by its last digit is less.
            let target = Target::AtMost(((before_us - 0.01) * 100.0).round() / 100.0);
            let figure = Figure::new(id, row.latency_ps.mean / 1e6, "us", target);
            figures.push(figure.paper(format!("{before_us:.2} us before")));
        }
    }
    Ok(figures)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_size_of_every_platform_is_recorded() {
        let (before, config) = (Before::recorded(), config("ping-pong", &[]).unwrap());
        for platform in &config.scenario.platforms {
            for &size_bytes in &config.scenario.workload.sizes_bytes {
                assert!(before.us(platform, size_bytes).is_some(), "{size_bytes} bytes on {platform}");
            }
        }
        assert_eq!(before.us("tigon2", 5), None);
    }

    #[test]
    fn a_latency_that_rises_is_found() {
        let set = ["platforms=tigon2", "workload.sizes_bytes=4", "workload.iterations=1", "misses.ratios=0.0"];
        let now = run::run(&config("ping-pong", &set).unwrap()).unwrap();
        let recorded = |us| Before { platforms: [("tigon2".into(), [("4".into(), us)].into())].into() };
        assert!(of(&recorded(1000.0), &now).unwrap()[0].ok());
        assert!(!of(&recorded(0.001), &now).unwrap()[0].ok());
    }
}
