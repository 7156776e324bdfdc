//! Every frame goes back to its sender: the shortest personality.

use nic_layout::nodes::NODES_USUAL;

use crate::personality::entry::{Lookup, Personality};
use crate::scenario::REMOTE_BYTES_MAX;
use crate::workload_kind::WorkloadKind;

pub const ECHO: Personality = Personality {
    name: "echo",
    image_of_core_b: Some("keeper"),
    description: "every frame goes back to its sender: the shortest personality, an example of how to add one",
    lookup: Lookup::None,
    // Among more nodes a peer has one place of the transmit buffers, and a frame that goes back
    // would find none.
    nodes_max: NODES_USUAL,
    memory_of_others: &[],
    memory_limits: None,
    message_bytes: 1..=REMOTE_BYTES_MAX,
    has_accounts: true,
    workloads: &[WorkloadKind::Stream, WorkloadKind::Random],
};
