//! Messages that the NIC matches with posted receives.

use nic_layout::nodes::NODES_USUAL;
use nic_layout::personality::emp;

use crate::personality::entry::{Lookup, Personality};
use crate::personality::table::thesis::TIGON2;
use crate::workload_kind::WorkloadKind;

pub const EMP: Personality = Personality {
    name: "emp",
    image_of_core_b: Some("emp-b"),
    description: "messages of any length, matched by source and tag with posted receives on the NIC (EMP)",
    lookup: Lookup::Matched,
    nodes_max: NODES_USUAL,
    memory_of_others: &[],
    memory_limits: Some(TIGON2),
    message_bytes: 0..=emp::MESSAGE_BYTES_MAX,
    has_accounts: true,
    workloads: &[
        WorkloadKind::PingPong,
        WorkloadKind::Stream,
        WorkloadKind::BothWays,
        WorkloadKind::Random,
        WorkloadKind::AllToAll,
        WorkloadKind::Incast,
        WorkloadKind::Ring,
    ],
};
