//! `nicscope measure`: the figures of docs/measurements.md, measured again, beside their targets.

use std::path::PathBuf;

use nicscope_figures::engine::obtain::{obtain, MEASURED};
use nicscope_figures::engine::print;
use nicscope_figures::groups::{chosen, group, verdict};
use nicscope_figures::reproduce::all_cores;
use nicscope_run::files::prepare_folder;
use nicscope_scenario::error::Result;

use crate::cli::MeasureArgs;

/// Measures the bars asked for and prints their figures.
///
/// # Errors
/// There is no such group or bar, a run fails, or a figure misses its target.
pub fn run(arguments: &MeasureArgs) -> Result<()> {
    let bars = chosen(group(&arguments.group)?, &arguments.only)?;
    let folder = arguments.out.clone().unwrap_or_else(|| PathBuf::from(MEASURED));
    prepare_folder(&folder)?;
    let mut figures = Vec::new();
    for bar in bars {
        let outcome = obtain(bar, &folder, all_cores(), !arguments.resume)?;
        if !arguments.json {
            print!("{}", print::figures(&outcome.report.figures));
            if let Some(note) = bar.note {
                println!("{}: {note}", bar.id);
            }
        }
        figures.extend(outcome.report.figures);
    }
    if arguments.json {
        println!("{}", print::json(&figures)?);
    }
    verdict(&figures)
}
