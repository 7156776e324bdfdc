//! Every frame goes back to its sender: the shortest personality.

use crate::personality::entry::{Lookup, Personality};
use crate::workload_kind::WorkloadKind;

pub const ECHO: Personality = Personality {
    name: "echo",
    description: "every frame goes back to its sender: the shortest personality, an example of how to add one",
    lookup: Lookup::None,
    memory_of_others: &[],
    workloads: &[WorkloadKind::Stream, WorkloadKind::Random],
};
