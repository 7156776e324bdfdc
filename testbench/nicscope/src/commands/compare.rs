//! `nicscope compare`: the messages of earlier runs side by side.

use nicscope_account::results::Results;
use nicscope_account::{compare, explain};
use nicscope_scenario::error::Result;
use nicscope_scenario::failed;

use crate::cli::CompareArgs;
use crate::output;

/// Prints sizes that all runs measured, and in what their scenarios differ.
///
/// # Errors
/// A folder holds no results, or the runs have nothing in common.
pub fn run(arguments: &CompareArgs) -> Result<()> {
    let all: Vec<Results> = arguments.dirs.iter().map(|dir| explain::read(dir)).collect::<Result<_>>()?;
    let comparison = compare::compare(&all)?;
    if arguments.json {
        let text = serde_json::to_string(&comparison).map_err(|error| failed!("comparison: {error}"))?;
        output::print(&(text + "\n"))
    } else {
        output::print(&compare::text(&comparison))
    }
}
