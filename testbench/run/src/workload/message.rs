//! What passes between the processes of a run.

use host_model::library::Export;
use serde::{Deserialize, Serialize};

/// What processes tell each other at a [`Meeting`](crate::meeting::Meeting).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    Export { export: Export, cold: Vec<Export>, region: u32 },
    Here,
}

/// A message that was sent and has arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Unique in the run.
    pub number: u32,
    pub size_bytes: u32,
    pub sender: usize,
}
