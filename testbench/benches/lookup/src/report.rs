//! The report of a search about a list that failed: seed, operations, and the command that replays
//! the list.

use std::fmt;
use std::path::{Path, PathBuf};

use nicscope_scenario::image;

use crate::list::List;

/// A list that failed, as short as it could be made.
#[derive(Clone, Debug)]
pub struct Found {
    /// The seed of the search.
    pub seed: u64,
    /// The name of the test.
    pub name: &'static str,
    /// The number of lists that passed before it.
    pub passed: u32,
    /// The number of operations of the list as it was drawn.
    pub drawn_ops: usize,
    /// The shortest list that still fails.
    pub list: List,
    /// The reason for which it fails.
    pub reason: String,
    /// The file in which it is kept.
    pub file: PathBuf,
}

/// A path relative to the folder of the workspace.
fn from_workspace(path: &Path) -> String {
    let workspace = image::workspace().canonicalize();
    let relative = path
        .canonicalize()
        .ok()
        .zip(workspace.ok())
        .and_then(|(path, workspace)| path.strip_prefix(workspace).ok().map(Path::to_path_buf));
    relative.unwrap_or_else(|| path.to_path_buf()).display().to_string()
}

/// The command that runs a list with waves, for the folder of the workspace.
pub fn replay_command(file: &Path) -> String {
    format!(
        "NICSCOPE_REPLAY={} NICSCOPE_WAVES=out/replay cargo test --release -p bench-lookup --test replay -- --exact named_list --nocapture",
        from_workspace(file)
    )
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Found { seed, name, passed, drawn_ops, list, reason, file } = self;
        writeln!(f, "{reason}")?;
        writeln!(
            f,
            "seed {seed}, after {passed} lists that passed; shrunk from {drawn_ops} operations to {}:",
            list.ops.len()
        )?;
        writeln!(f, "{}", List { remarks: Vec::new(), ..list.clone() })?;
        writeln!(f, "replay it with waves:")?;
        writeln!(f, "  {}", replay_command(file))?;
        writeln!(f, "search again from the same seed:")?;
        write!(f, "  NICSCOPE_SEED={seed} cargo test --release -p bench-lookup --test random -- --exact {name}")
    }
}
