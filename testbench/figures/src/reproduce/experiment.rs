//! What an experiment is, and what it leaves.

use std::path::PathBuf;

use nic_layout::vmh::VmhGeometry;
use nicscope_scenario::error::Result;
use serde::Serialize;
use serde_json::Value;

use super::report::Report;

/// A table or figure of a paper that can be made again.
pub struct Experiment {
    pub id: &'static str,
    pub title: &'static str,
    /// What the paper has.
    pub thesis: &'static str,
    /// All that decides the result, beside the build.
    pub parameters: fn() -> Value,
    /// Firmware images that are loaded.
    pub images: fn() -> Vec<(&'static str, VmhGeometry)>,
    pub measure: fn(jobs: usize) -> Result<Report>,
}

/// An experiment's report, and where its pictures are.
#[derive(Clone, Debug, Serialize)]
pub struct Outcome {
    pub id: String,
    pub title: String,
    pub thesis: String,
    pub build: String,
    pub parameters: Value,
    /// Measured by an earlier call.
    pub was_there: bool,
    pub report: Report,
    pub pictures: Vec<PathBuf>,
}
