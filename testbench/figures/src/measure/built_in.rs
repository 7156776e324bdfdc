//! Built-in scenarios and firmware images as bars use them.

use std::path::PathBuf;

use nic_layout::vmh::VmhGeometry;
use nicscope_run::run::{self, RunConfig, DEFAULT_SEED};
use nicscope_scenario::error::Result;
use nicscope_scenario::failed;
use nicscope_scenario::scenario;

use crate::reproduce::COMPARED;

/// A built-in scenario with some keys set, each as `KEY=VALUE`, and the default seed.
///
/// # Errors
/// There is no such scenario or key, or a value is out of its range.
pub fn config(scenario: &str, set: &[&str]) -> Result<RunConfig> {
    let set: Vec<String> = set.iter().map(|entry| entry.to_string()).collect();
    let scenario = scenario::load(scenario, &set)?;
    Ok(RunConfig { threads: run::default_threads(scenario.nodes), scenario, seed: DEFAULT_SEED, firmware: None })
}

/// The image of each personality with the recommended cache.
pub fn images() -> Vec<(&'static str, VmhGeometry)> {
    COMPARED.map(|name| (name, VmhGeometry::RECOMMENDED)).into()
}

/// A folder of this process for waves that are not kept. It goes with its value.
pub struct Folder {
    /// Where it is.
    pub path: PathBuf,
}

impl Folder {
    /// Makes the folder of that purpose.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn new(purpose: &str) -> Result<Folder> {
        let path = std::env::temp_dir().join(format!("nicscope-{}-{purpose}", std::process::id()));
        std::fs::create_dir_all(&path).map_err(|error| failed!("cannot make {}: {error}", path.display()))?;
        Ok(Folder { path })
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.path);
    }
}
