//! Bar 5: what a second core costs the simulator.

use nicscope_run::cluster::{self, ClusterConfig};
use nicscope_run::progress::Progress;
use nicscope_run::run;
use nicscope_scenario::error::Result;

use crate::engine::{Figure, Target};
use crate::measure::best::Best;
use crate::measure::built_in::config;

pub const NOTE: &str =
    "the stream of two nodes, on one processor; core B keeps totals of the counters (docs/firmware.md) and sleeps in between";

/// Best of so many: the least disturbed one.
const ROUNDS: u32 = 3;

pub fn measure() -> Result<Vec<Figure>> {
    let one = clocks_per_second(1)?;
    Ok(of(one, clocks_per_second(2)?))
}

/// Clocks of a NIC that a processor simulates in a second, in the stream of two nodes.
fn clocks_per_second(cores: u32) -> Result<f64> {
    let cores_set = format!("cores={cores}");
    let set = ["platforms=tigon2", "workload.sizes_bytes=16384", "workload.iterations=96", &cores_set];
    let config = config("stream", &set)?;
    let cluster = ClusterConfig { threads: 1, ..run::cluster_config(&config, "tigon2", 0.0)? };
    let mut best = Best::default();
    let mut clocks = 0;
    for _ in 0..ROUNDS {
        let output =
            best.processor(|| cluster::run(&cluster, &Progress::new(format!("stream on tigon2, cores: {cores}"))))??;
        clocks = output.nodes.iter().map(|node| node.core_cycles).sum();
    }
    Ok(clocks as f64 / best.seconds)
}

/// A clock of a NIC with two cores is a clock of each of them.
fn of(one_core: f64, two_cores: f64) -> Vec<Figure> {
    let slower = 100.0 * (1.0 - two_cores / one_core);
    vec![
        Figure::new("core.5.one_core", one_core, "NIC clocks/s of one processor", Target::None),
        Figure::new("core.5.two_cores", two_cores, "NIC clocks/s of one processor", Target::None),
        Figure::new("core.5.slower_with_two", slower, "%", Target::AtMost(25.0)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_core_may_cost_a_quarter_of_the_speed() {
        let met = |two_cores| of(1e6, two_cores)[2].ok();
        assert!(met(0.8e6) && met(1.1e6) && !met(0.7e6));
    }
}
