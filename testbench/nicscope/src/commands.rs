//! What the subcommands do.

use std::path::PathBuf;

use crate::cli::{ExplainArgs, ListArgs, MeasureArgs, MemoryMapArgs, RunArgs};
use crate::error::Result;
use crate::run::{self, RunConfig};
use crate::{failed, scenario, tables};

pub fn list(_arguments: &ListArgs) -> Result<()> {
    for (name, _) in scenario::BUILT_IN {
        println!("{name}");
    }
    Ok(())
}

pub fn run(arguments: &RunArgs) -> Result<()> {
    let scenario = scenario::load(&arguments.scenario, &arguments.set)?;
    let folder = arguments.out.clone().unwrap_or_else(|| PathBuf::from("out").join(&scenario.name));
    run::prepare_folder(&folder)?;
    let config = RunConfig {
        threads: arguments.threads.unwrap_or_else(|| run::default_threads(scenario.nodes)),
        scenario,
        seed: arguments.seed,
        firmware: arguments.firmware.clone(),
    };
    let results = run::run(&config)?;
    run::write_json(&results, &folder)?;
    if arguments.json {
        let text = serde_json::to_string(&results).map_err(|error| failed!("results: {error}"))?;
        println!("{text}");
    } else {
        print!("{}", tables::results(&results));
        for run in &results.runs {
            if let Some(hit) = run.hits.first() {
                println!("{}", tables::account(&format!("{}: a hit", run.platform), hit));
            }
            if let Some(miss) = run.misses.first() {
                println!("{}", tables::account(&format!("{}: a miss", run.platform), miss));
            }
        }
    }
    Ok(())
}

pub fn measure(_arguments: &MeasureArgs) -> Result<()> {
    Err(failed!("nothing is measured yet"))
}

pub fn memory_map(_arguments: &MemoryMapArgs) -> Result<()> {
    Err(failed!("no map yet"))
}

pub fn explain(_arguments: &ExplainArgs) -> Result<()> {
    Err(failed!("nothing to explain yet"))
}
