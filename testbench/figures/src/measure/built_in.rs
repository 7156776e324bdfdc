//! Built-in scenarios as bars run them.

use nicscope_run::run::{self, RunConfig, DEFAULT_SEED};
use nicscope_scenario::error::Result;
use nicscope_scenario::scenario;

/// A built-in scenario with some keys set, each as `KEY=VALUE`, and the default seed.
///
/// # Errors
/// There is no such scenario or key, or a value is out of its range.
pub fn config(scenario: &str, set: &[&str]) -> Result<RunConfig> {
    let set: Vec<String> = set.iter().map(|entry| entry.to_string()).collect();
    let scenario = scenario::load(scenario, &set)?;
    Ok(RunConfig { threads: run::default_threads(scenario.nodes), scenario, seed: DEFAULT_SEED, firmware: None })
}
