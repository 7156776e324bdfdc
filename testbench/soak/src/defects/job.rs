//! What the task of a node needs.

use host_model::library::Export;
use nicscope_run::meeting::Meeting;
use nicscope_run::node::Handle;
use nicscope_scenario::error::Error;
use nicscope_scenario::failed;

use crate::defect::Workload;
use crate::personality::Personality;

/// Two buffers of each process.
pub type Exports = Vec<[Export; 2]>;

/// The inputs of a node's task.
pub struct Job {
    pub workload: Workload,
    pub personality: &'static Personality,
    pub node: usize,
    pub handle: Handle,
    pub meeting: Meeting<Exports>,
    pub seed: u64,
}

/// An error with the text of another.
pub fn wrong<E: std::fmt::Display>(error: E) -> Error {
    failed!("{error}")
}
