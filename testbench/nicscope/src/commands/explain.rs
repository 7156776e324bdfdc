//! `nicscope explain`: the account of one hit and one miss of an earlier run.

use nicscope_account::explain;
use nicscope_scenario::error::Result;
use nicscope_scenario::failed;

use crate::cli::ExplainArgs;
use crate::output;

/// Prints the account of a hit and of a miss.
///
/// # Errors
/// The folder holds no results, or none of that size or platform.
pub fn run(arguments: &ExplainArgs) -> Result<()> {
    let results = explain::read(&arguments.dir)?;
    let explanation = explain::explain(&results, arguments.size, arguments.platform.as_deref())?;
    if arguments.json {
        let text = serde_json::to_string(&explanation).map_err(|error| failed!("explanation: {error}"))?;
        output::print(&(text + "\n"))
    } else {
        output::print(&explain::text(&results, &explanation))
    }
}
