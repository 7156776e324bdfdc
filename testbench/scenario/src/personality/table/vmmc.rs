//! Handles looked up in static tables: the base that the miNI thesis compares itself with.

use nic_layout::static_tables::import;

use crate::personality::entry::{Lookup, Personality};
use crate::personality::table::thesis::TABLE_1_1;
use crate::scenario::REMOTE_BYTES_MAX;
use crate::workload_kind::WorkloadKind;

/// Bystanders and pages of programs are left out: they show what a miss costs.
pub const VMMC: Personality = Personality {
    name: "vmmc",
    image_of_core_b: Some("keeper"),
    description: "the same, the thesis's base: all translations, buffers and imports in static tables, which never miss and can be full",
    lookup: Lookup::Static,
    // An import has four bits for its node.
    nodes_max: import::NODES,
    memory_of_others: &TABLE_1_1,
    memory_limits: None,
    message_bytes: 1..=REMOTE_BYTES_MAX,
    has_accounts: true,
    workloads: &[
        WorkloadKind::PingPong,
        WorkloadKind::Stream,
        WorkloadKind::Random,
        WorkloadKind::Fetch,
        WorkloadKind::Notify,
        WorkloadKind::AllToAll,
        WorkloadKind::Incast,
        WorkloadKind::Ring,
        WorkloadKind::Restart,
    ],
};
