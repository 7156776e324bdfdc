//! `nicscope reproduce`: tables and figures of the papers, ours beside them (docs/reproduce.md).

use std::path::PathBuf;

use nicscope_figures::engine::obtain::obtain;
use nicscope_figures::engine::{print, Outcome};
use nicscope_figures::reproduce::statements::Statements;
use nicscope_figures::reproduce::{all_cores, chosen, FOLDER};
use nicscope_run::files::prepare_folder;
use nicscope_scenario::error::Result;
use nicscope_scenario::{failed, request_error};
use serde::Serialize;

use crate::cli::ReproduceArgs;
use crate::commit::commit;
use crate::output;

/// Makes the experiments asked for and prints their reports.
///
/// # Errors
/// There is no such experiment, or a run fails.
pub fn run(arguments: &ReproduceArgs) -> Result<()> {
    let experiments = chosen(&arguments.ids)?;
    let jobs = match arguments.jobs {
        Some(0) => return Err(request_error!("--jobs 0: must be at least 1")),
        Some(jobs) => jobs,
        None => all_cores(),
    };
    let folder = arguments.out.clone().unwrap_or_else(|| PathBuf::from(FOLDER));
    prepare_folder(&folder)?;
    // Taken before the runs: the checkout may change meanwhile.
    let commit = commit();
    let mut outcomes = Vec::new();
    for experiment in experiments {
        let outcome = obtain(experiment, &folder, jobs, arguments.fresh)?;
        if !arguments.json {
            output::print(&print::outcome(&outcome))?;
        }
        outcomes.push(outcome);
    }
    if !arguments.json {
        let minutes = outcomes.iter().map(|outcome| outcome.seconds).sum::<f64>() / 60.0;
        output::print(&format!("{} experiments, measured in {minutes:.1} min\n", outcomes.len()))?;
    }
    if let Some(file) = &arguments.record {
        let mut statements = Statements::read_or_new(file)?;
        statements.add(&commit, &outcomes);
        statements.write(file)?;
    }
    if arguments.json {
        #[derive(Serialize)]
        struct Experiments {
            experiments: Vec<Outcome>,
        }
        let text = serde_json::to_string(&Experiments { experiments: outcomes });
        output::print(&(text.map_err(|error| failed!("experiments: {error}"))? + "\n"))?;
    }
    Ok(())
}
