//! What the nodes do.

use nic_layout::post::INLINE_BYTES_MAX;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{one, WorkloadKind};

/// What the nodes do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Workload {
    /// What the nodes do.
    pub kind: WorkloadKind,
    /// Bytes of a message; each size is measured in turn.
    pub sizes_bytes: Vec<u32>,
    /// Measured repetitions of each size.
    pub iterations: u32,
    /// Repetitions of each size before those that are measured.
    pub warm_up: u32,
    /// Messages that a process has under way at a time, 1 to 64.
    #[serde(default = "one")]
    pub outstanding: u32,
    /// The program whose page accesses are made, for the kind `pages` alone: fft, lu, radix or
    /// ocean.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// Messages of up to so many bytes travel with their post (PIO), 0 to 32. By default 32.
    #[serde(default = "inline_bytes_max", skip_serializing_if = "is_inline_bytes_max")]
    pub pio_bytes_max: u32,
}

fn inline_bytes_max() -> u32 {
    INLINE_BYTES_MAX
}

fn is_inline_bytes_max(number: &u32) -> bool {
    *number == INLINE_BYTES_MAX
}
