//! Bar 8, the libraries: latency and bandwidth of EMP, two libraries over it, and the kernel.

use nicscope_account::results::Row;
use nicscope_run::run;
use nicscope_scenario::error::Result;
use nicscope_scenario::failed;

use crate::engine::{Figure, Target};
use crate::measure::built_in::config;

pub const NOTE: &str =
    "tigon2, one core: half of a round trip, and a stream of messages of 16 KB with two under way. The work of the \
     kernel is charged by constants of the platform file";

/// What figures are called, and the keys that make them.
const CASES: [(&str, &[&str]); 4] = [
    ("emp", &["personality=emp"]),
    ("mpi", &["personality=emp", "emp.library=mpi"]),
    ("sockets", &["personality=emp", "emp.library=sockets"]),
    ("kernel", &["personality=kernel"]),
];

pub fn measure() -> Result<Vec<Figure>> {
    let mut figures = Vec::new();
    for (name, keys) in CASES {
        let sizes = ["workload.sizes_bytes=[10,1024]", "workload.iterations=30"];
        for row in rows("ping-pong", keys, &sizes)? {
            let id = format!("emp.8.latency_{}_{name}", row.size_bytes);
            figures.push(Figure::new(id, row.latency_ps.mean / 1e6, "us", Target::None));
        }
        let sizes = ["workload.sizes_bytes=[16384]", "workload.iterations=100", "workload.outstanding=2"];
        for row in rows("stream", keys, &sizes)? {
            let id = format!("emp.8.bandwidth_{name}");
            figures.push(Figure::new(id, row.bandwidth_bits_per_s / 1e6, "Mb/s", Target::None));
        }
    }
    Ok(figures)
}

fn rows(scenario: &str, keys: &[&str], sizes: &[&str]) -> Result<Vec<Row>> {
    let set = [&["platforms=tigon2", "misses.ratios=0.0"], keys, sizes].concat();
    let results = run::run(&config(scenario, &set)?)?;
    results.check()?;
    match results.runs.into_iter().next() {
        Some(run) => Ok(run.rows),
        None => Err(failed!("{scenario} has no rows")),
    }
}
