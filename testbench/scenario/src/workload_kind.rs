//! What the nodes of a scenario do.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The kind of a workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WorkloadKind {
    /// Two processes write to each other in turn.
    PingPong,
    /// One process writes to the other without a pause.
    Stream,
    /// Two processes send to each other without a pause.
    BothWays,
    /// Random messages both ways.
    Random,
    /// Words of one process beside messages of another that miss.
    Bystander,
    /// Reads of the other node's memory.
    Fetch,
    /// Writes that wake the process to which they go.
    Notify,
    /// Page accesses of a parallel program.
    Pages,
    /// Each node writes to all others.
    AllToAll,
    /// All nodes write to node 0.
    Incast,
    /// Each node writes to the node behind it.
    Ring,
    /// Two processes write to each other while the NIC of one is reset, and go on afterwards.
    Restart,
}

impl WorkloadKind {
    /// Whether messages may flow between any two nodes. With the other kinds, messages flow only
    /// within pairs of nodes: 0 and 1, 2 and 3, and so on.
    pub fn has_flows(self) -> bool {
        matches!(self, WorkloadKind::AllToAll | WorkloadKind::Incast | WorkloadKind::Ring)
    }

    /// Whether the workload shows what misses cost, so that the NIC must have caches.
    pub fn needs_caches(self) -> bool {
        matches!(self, WorkloadKind::Bystander | WorkloadKind::Pages)
    }

    /// The name in a scenario, such as `ping-pong`.
    pub fn name(self) -> String {
        toml::Value::try_from(self).ok().and_then(|name| name.as_str().map(str::to_owned)).unwrap_or_default()
    }
}
