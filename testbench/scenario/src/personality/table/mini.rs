//! Handles looked up in caches on the NIC.

use nic_layout::nodes::NODES_MAX;

use crate::personality::entry::{Lookup, Personality};
use crate::personality::table::thesis::TABLE_1_1;
use crate::scenario::REMOTE_BYTES_MAX;
use crate::workload_kind::WorkloadKind;

pub const MINI: Personality = Personality {
    name: "mini",
    image_of_core_b: Some("keeper"),
    description:
        "remote writes and reads of exported buffers; translations and buffers in caches that miss to the host",
    lookup: Lookup::Cached,
    nodes_max: NODES_MAX,
    memory_of_others: &TABLE_1_1,
    memory_limits: None,
    message_bytes: 1..=REMOTE_BYTES_MAX,
    has_accounts: true,
    workloads: &[
        WorkloadKind::PingPong,
        WorkloadKind::Stream,
        WorkloadKind::Random,
        WorkloadKind::Bystander,
        WorkloadKind::Fetch,
        WorkloadKind::Notify,
        WorkloadKind::Pages,
        WorkloadKind::AllToAll,
        WorkloadKind::Incast,
        WorkloadKind::Ring,
        WorkloadKind::Restart,
    ],
};
