//! Frames of the operating system: the baseline of the libraries over EMP.

use nic_layout::nodes::NODES_USUAL;

use crate::personality::entry::{Lookup, Personality};
use crate::workload_kind::WorkloadKind;

pub const KERNEL: Personality = Personality {
    name: "kernel",
    description: "streams that the operating system makes of frames, as TCP does; the NIC only moves the frames",
    image_of_core_b: None,
    lookup: Lookup::Frames,
    nodes_max: NODES_USUAL,
    memory_of_others: &[],
    memory_limits: None,
    message_bytes: 1..=1 << 24,
    has_accounts: false,
    workloads: &[WorkloadKind::PingPong, WorkloadKind::Stream],
};
