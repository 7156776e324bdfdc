//! What passes between the processes of a run.

use host_management::Message as OnManagement;
use host_model::library::Export;
use serde::{Deserialize, Serialize};

/// What processes tell each other at a [`Meeting`](crate::meeting::Meeting).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// The buffers of the process.
    Export {
        /// The buffer that is always found.
        export: Export,
        /// More buffers of the same bytes, for misses of buffers.
        cold: Vec<Export>,
        /// Where the buffers begin in the process.
        region: u32,
    },
    /// The process has come, and has nothing to tell.
    Here,
}

impl OnManagement for Note {
    fn wire_bytes(&self) -> u32 {
        match self {
            Note::Export { export, cold, region } => {
                size_of_val(region) as u32 + export.wire_bytes() + cold.wire_bytes()
            }
            Note::Here => 0,
        }
    }
}

/// A message of the measured link that was sent and has arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Unique in the run.
    pub number: u32,
    /// Data bytes.
    pub size_bytes: u32,
    /// The node that sent it.
    pub sender: usize,
}
