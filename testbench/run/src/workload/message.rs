//! Messages of a run, and what its processes tell each other outside the NICs.

use host_management::Message as OnManagement;
use host_model::library::Export;
use serde::{Deserialize, Serialize};

/// What processes tell each other at a [`Meeting`](crate::meeting::Meeting).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// The sender has exported its memory.
    Export {
        /// The region of the process, as one buffer.
        export: Export,
        /// The same bytes under more identifiers, for messages that shall miss in the CBH cache.
        cold: Vec<Export>,
        /// Virtual address of the region on its own node.
        region: u32,
    },
    /// The sender has come to a point of the workload.
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
    /// The number of the message, unique in the run. Traces carry its low 24 bits.
    pub number: u32,
    /// Bytes of data.
    pub size_bytes: u32,
    /// The node that sent it; for a read, the node that reads.
    pub sender: usize,
}
