//! `nicscope soak`: random operations on whole clusters against a model.

use std::path::PathBuf;

use nicscope_figures::house::SoakRecords;
use nicscope_run::run::default_threads;
use nicscope_scenario::error::Result;
use nicscope_scenario::failed;
use nicscope_soak::campaign::Campaign;
use nicscope_soak::soak;

use nicscope_scenario::personality;

use crate::cli::SoakArgs;
use crate::commit::commit;
use crate::output;

/// Plays random operations and prints how many of each kind.
///
/// # Errors
/// The request is wrong, or an operation broke an invariant.
pub fn run(arguments: &SoakArgs) -> Result<()> {
    let folder = arguments.out.clone().unwrap_or_else(|| PathBuf::from("out/soak"));
    if let Some(file) = &arguments.replay {
        return output::print(&soak::replay(file, &folder)?.text());
    }
    let campaign = Campaign {
        operations: arguments.operations,
        seed: arguments.seed,
        personality: personality::named(&arguments.personality)?,
        jobs: arguments.jobs.unwrap_or_else(|| default_threads(2)),
        folder,
        fresh: arguments.fresh,
    };
    // Taken before the run: the checkout may change meanwhile.
    let commit = commit();
    let (progress, found) = soak::run(&campaign)?;
    output::print(&progress.text())?;
    if let Some(file) = &arguments.record {
        let mut records = SoakRecords::read(file)?;
        records.add(&commit, &progress);
        records.write(file)?;
    }
    if let Some(found) = found {
        return Err(failed!("{found}"));
    }
    let lacking = progress.lacking();
    output::print(&match lacking.is_empty() {
        true => "0 invariants broken, 0 bytes wrong, 0 pages left pinned\n".to_owned(),
        false => format!("nothing failed; too few operations, these never occurred: {}\n", lacking.join(", ")),
    })
}
