//! The group `machine`: does the machine run, exactly and fast enough?

mod accounts;
mod latency;
mod losses;
mod repeat;
mod speed;
mod times;

use super::Bar;
use nicscope_run::run::DEFAULT_SEED;
use nicscope_run::run::{self, RunConfig};
use nicscope_scenario::error::Result;
use nicscope_scenario::scenario;

pub const BARS: [Bar; 7] = [
    Bar { number: 1, measure: repeat::measure, note: None },
    Bar { number: 2, measure: accounts::differences, note: None },
    Bar { number: 3, measure: accounts::sums, note: None },
    Bar { number: 4, measure: losses::measure, note: None },
    Bar { number: 5, measure: speed::measure, note: Some(speed::NOTE) },
    Bar { number: 6, measure: latency::measure, note: None },
    Bar { number: 7, measure: times::measure, note: Some(times::NOTE) },
];

/// A built-in scenario with some keys set.
pub(super) fn config(scenario: &str, set: &[&str]) -> Result<RunConfig> {
    let set: Vec<String> = set.iter().map(|entry| entry.to_string()).collect();
    let scenario = scenario::load(scenario, &set)?;
    Ok(RunConfig { threads: run::default_threads(scenario.nodes), scenario, seed: DEFAULT_SEED, firmware: None })
}
