//! Bar 5: what a second core costs the simulator.

use crate::cluster::{self, ClusterConfig};
use crate::error::Result;
use crate::measure::best::Best;
use crate::measure::machine::config;
use crate::measure::{Figure, Target};
use crate::progress::Progress;
use crate::run;

pub const NOTE: &str = "the NIC has one core today: the second figure comes with the second core";

/// Best of so many: the least disturbed one.
const ROUNDS: u32 = 3;

pub fn measure() -> Result<Vec<Figure>> {
    Ok(of(clocks_per_second()?, None))
}

/// Clocks of a NIC that a processor simulates in a second, in the stream of two nodes.
fn clocks_per_second() -> Result<f64> {
    let config = config("stream", &["platforms=tigon2", "workload.sizes_bytes=16384", "workload.iterations=96"])?;
    let cluster = ClusterConfig { threads: 1, ..run::cluster_config(&config, "tigon2", 0.0)? };
    let mut best = Best::default();
    let mut clocks = 0;
    for _ in 0..ROUNDS {
        let output =
            best.processor(|| cluster::run(&cluster, &Progress::new("stream on tigon2, one core".into())))??;
        clocks = output.nodes.iter().map(|node| node.core_cycles).sum();
    }
    Ok(clocks as f64 / best.seconds)
}

/// A clock of a NIC with two cores is a clock of each of them.
fn of(one_core: f64, two_cores: Option<f64>) -> Vec<Figure> {
    let slower = two_cores.map_or(f64::NAN, |two_cores| 100.0 * (1.0 - two_cores / one_core));
    vec![
        Figure::new("core.5.one_core", one_core, "NIC clocks/s of one processor", Target::None),
        Figure::new("core.5.slower_with_two", slower, "%", Target::AtMost(25.0)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_core_may_cost_a_quarter_of_the_speed() {
        let met = |two_cores| of(1e6, two_cores)[1].ok();
        assert!(met(Some(0.8e6)) && met(Some(1.1e6)));
        assert!(!met(Some(0.7e6)) && !met(None));
    }
}
