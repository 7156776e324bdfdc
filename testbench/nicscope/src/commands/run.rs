//! `nicscope run`: runs, writes what was found, prints it.

use std::path::PathBuf;

use nicscope_account::results::Results;
use nicscope_account::tables;
use nicscope_run::files;
use nicscope_run::run::{self, RunConfig};
use nicscope_scenario::error::Result;
use nicscope_scenario::{failed, scenario};
use nicscope_waves::shots::Watcher;
use nicscope_waves::when::When;

use crate::cli::RunArgs;
use crate::output;

/// Runs a scenario, writes its results, and prints them.
///
/// # Errors
/// The request is wrong, the run fails, or a check is violated.
pub fn run(arguments: &RunArgs) -> Result<()> {
    let mut waves = Watcher::new(When::parse(&arguments.waves)?);
    let scenario = scenario::load(&arguments.scenario, &arguments.set)?;
    let folder = arguments.out.clone().unwrap_or_else(|| PathBuf::from("out").join(&scenario.name));
    files::prepare_folder(&folder)?;
    let config = RunConfig {
        threads: arguments.threads.unwrap_or_else(|| run::default_threads(scenario.nodes)),
        scenario,
        seed: arguments.seed,
        firmware: arguments.firmware.clone(),
    };
    waves.warn();
    let results = match run::observe(&config, &mut waves) {
        Ok(results) => results,
        Err(error) => return Err(waves.after_failure(error, &folder, arguments.wave_format.into())),
    };
    files::write_json(&results, &folder)?;
    // What people read comes before the waves, which take a while.
    let text = match arguments.json {
        true => serde_json::to_string(&results).map_err(|error| failed!("results: {error}"))? + "\n",
        false => tables::results(&results) + &accounts(&results),
    };
    output::print(&text)?;
    let opened = waves.record(&folder, arguments.wave_format.into())?;
    if !arguments.json {
        output::print(&opened)?;
    }
    results.check()
}

/// A hit of each run without misses, and a miss of each run with some.
fn accounts(results: &Results) -> String {
    let mut text = String::new();
    for run in &results.runs {
        let account = match run.miss_ratio {
            0.0 => run.hits.first().map(|hit| ("a hit", hit)),
            _ => run.misses.first().map(|miss| ("a miss", miss)),
        };
        if let Some((what, account)) = account {
            text.push_str(&tables::account(&format!("{}: {what}", run.platform), account));
            text.push('\n');
        }
    }
    text
}
