//! Bar 2: bandwidth one way and both ways.

use nicscope_run::run;
use nicscope_scenario::error::Result;
use nicscope_scenario::failed;

use super::second_core;
use crate::engine::{Figure, Target};
use crate::measure::built_in::config;

pub const NOTE: &str = "tigon2, MTU 1500, one core, two messages posted: facts E-55 and E-56 with fewer messages";

/// What the wire carries of data: 1486 of 1538 bytes.
const WIRE_MBITS_PER_S: f64 = 966.2;
const ONE_WAY: f64 = 0.99 * WIRE_MBITS_PER_S;
const BOTH_WAYS: f64 = 1850.0;

pub fn measure() -> Result<Vec<Figure>> {
    let figure = |id: &str, scenario: &str, size: u32, count: u32, target| -> Result<Figure> {
        let value = mbits_per_s(scenario, 1500, size, count)?;
        Ok(Figure::new(format!("emp.2.{id}"), value, "Mb/s", target))
    };
    let mut figures = vec![
        figure("one_way_16384", "stream", 16_384, 200, Target::AtLeast(ONE_WAY))?.paper("840 to 880 Mb/s (thesis)"),
        figure("one_way_65536", "stream", 65_536, 60, Target::AtLeast(ONE_WAY))?.paper("840 to 880 Mb/s (thesis)"),
        figure("both_ways_16384", "both-ways", 16_384, 100, Target::AtLeast(BOTH_WAYS))?
            .paper("940 to 1100 Mb/s (thesis)"),
        figure("both_ways_65536", "both-ways", 65_536, 40, Target::None)?,
        Figure::new("emp.2.one_way_jumbo", mbits_per_s("stream", 9000, 65_536, 60)?, "Mb/s", Target::None),
    ];
    figures.extend(second_core::bandwidth()?);
    Ok(figures)
}

/// Data of both directions together.
fn mbits_per_s(scenario: &str, mtu_bytes: u32, size_bytes: u32, count: u32) -> Result<f64> {
    let (sizes, iterations) = (format!("workload.sizes_bytes={size_bytes}"), format!("workload.iterations={count}"));
    let mtu = format!("emp.mtu_bytes={mtu_bytes}");
    let set = [
        "personality=emp",
        "platforms=tigon2",
        "misses.ratios=0.0",
        "workload.outstanding=2",
        &sizes,
        &iterations,
        &mtu,
    ];
    let results = run::run(&config(scenario, &set)?)?;
    results.check()?;
    let row = results.runs.iter().flat_map(|run| &run.rows).next();
    row.map(|row| row.bandwidth_bits_per_s / 1e6).ok_or_else(|| failed!("{scenario} has no row"))
}
