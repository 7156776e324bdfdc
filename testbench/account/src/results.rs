//! What a run found, as it is written to `results.json`.

use indexmap::IndexMap;
use nic_image::StackUse;
use nicscope_scenario::error::Result;
use nicscope_scenario::failed;
use nicscope_scenario::scenario::Scenario;
use serde::{Deserialize, Serialize};

use crate::account::Account;

/// Changes when a field changes its meaning or goes.
pub const RESULTS_SCHEMA: u32 = 1;

/// What a run of a scenario measured: `results.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Results {
    /// [`RESULTS_SCHEMA`] of the command that measured.
    pub schema: u32,
    /// Version of nicscope that measured.
    pub version: String,
    /// The seed of everything random.
    pub seed: u64,
    /// The scenario with all overrides applied.
    pub scenario: Scenario,
    /// Each platform with each ratio of misses.
    pub runs: Vec<Run>,
}

impl Results {
    /// # Errors
    /// Sums of counters that do not agree, or spans that do not add up to their latency.
    pub fn check(&self) -> Result<()> {
        let broken: Vec<String> = self.runs.iter().flat_map(Run::broken).collect();
        match broken.is_empty() {
            true => Ok(()),
            false => Err(failed!("checks were violated (seed {}):\n  {}", self.seed, broken.join("\n  "))),
        }
    }
}

/// One platform with one ratio of misses.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// The name of the platform.
    pub platform: String,
    /// Clock of the NIC's cores, in Hz.
    pub core_hz: u64,
    /// Share of messages that were made to miss, 0 to 1.
    pub miss_ratio: f64,
    /// The messages by size.
    pub rows: Vec<Row>,
    /// The middle message of each size without a miss.
    pub hits: Vec<Account>,
    /// The first message of each size that missed.
    pub misses: Vec<Account>,
    /// The messages of `hits` until their senders know that they were accepted: for messages that
    /// the NIC matches.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub acceptances: Vec<Account>,
    /// Messages whose spans were added up.
    pub accounts: u64,
    /// The largest difference of a sum of spans to the measured latency, in ps.
    pub largest_difference_ps: u64,
    /// Totals of every counter at the end of the run, by node: firmware, RTL, host model.
    pub counters: Vec<IndexMap<String, u64>>,
    /// Sums that must agree (docs/protocol.md) and whether they do.
    pub conservation: Vec<Equation>,
    /// Simulated time of the run, in ps.
    pub simulated_ps: u64,
    /// Clocks of core A, by node.
    pub core_cycles: Vec<u64>,
    /// Messages and bytes by sender and receiver, in workloads of flows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flows: Vec<FlowSum>,
    /// Counters of each port of each switch.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub switches: Vec<Vec<IndexMap<String, u64>>>,
    /// The stacks of each node, core A first, in runs with a canary (`nic.stack_canary`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stacks: Vec<Vec<StackUse>>,
    /// What became of the messages of each node, in a workload of kind `restart`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub restarts: Vec<Restart>,
}

#[cfg(test)]
impl Run {
    /// A run on a platform that has measured nothing.
    pub(crate) fn empty(platform: &str, miss_ratio: f64) -> Run {
        Run {
            platform: platform.into(),
            core_hz: 1,
            miss_ratio,
            rows: Vec::new(),
            hits: Vec::new(),
            misses: Vec::new(),
            acceptances: Vec::new(),
            accounts: 0,
            largest_difference_ps: 0,
            counters: Vec::new(),
            conservation: Vec::new(),
            simulated_ps: 0,
            core_cycles: Vec::new(),
            flows: Vec::new(),
            switches: Vec::new(),
            stacks: Vec::new(),
            restarts: Vec::new(),
        }
    }
}

/// The messages of a node in a run in which a NIC is reset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Restart {
    /// Messages of the node before the reset whose posts ended well: all of them have arrived.
    pub ended_well: u32,
    /// Messages that were under way, or waited, when the stream was cut off: some have arrived.
    pub under_way: u32,
    /// Messages of the peer that had arrived whole then.
    pub arrived: u32,
    /// Messages in each direction after the reset; all have arrived with their bytes.
    pub exchanged: u32,
    /// The reset, on the node whose NIC was reset.
    pub reset: Option<Reset>,
}

/// The reset of a NIC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reset {
    /// The session of the NIC since then.
    pub session: u32,
    /// Simulated time at which the driver began the reset, in ps.
    pub begun_ps: u64,
    /// From there until the firmware runs again, in ps.
    pub ready_after_ps: u64,
    /// From there until the NICs of all other nodes know the session, in ps.
    pub told_after_ps: u64,
}

/// All messages from one node to another, warm-up included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlowSum {
    /// The node that sends.
    pub from: usize,
    /// The node that receives.
    pub to: usize,
    /// Messages whose posts have ended.
    pub messages: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Messages of which the receiver has compared every byte.
    pub compared_messages: u64,
    /// Their bytes.
    pub compared_bytes: u64,
}

impl Run {
    /// Sums of counters that do not agree, and spans that do not add up.
    pub fn broken(&self) -> Vec<String> {
        let sums = self.conservation.iter().filter(|equation| !equation.holds());
        let mut found: Vec<String> = sums
            .map(|sum| format!("{}: {}: {} is not {}", self.platform, sum.statement, sum.left, sum.right))
            .collect();
        if self.largest_difference_ps != 0 {
            let difference_ps = self.largest_difference_ps;
            found.push(format!("{}: spans differ from their latency by {difference_ps} ps", self.platform));
        }
        found
    }
}

/// Messages of one size.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Data bytes of a message.
    pub size_bytes: u32,
    /// Messages that were measured.
    pub messages: u32,
    /// One-way latency, in ps.
    pub latency_ps: Spread,
    /// Mean one-way latency in clocks of the NIC's core.
    pub latency_core_cycles: f64,
    /// Data bits delivered for each second of the measured time.
    pub bandwidth_bits_per_s: f64,
    /// Lookups on all nodes that hit.
    pub hits: u64,
    /// Lookups on all nodes that missed.
    pub misses: u64,
    /// Frames that were sent again.
    pub retransmissions: u64,
    /// What kept messages waiting that the NIC matches, on all nodes; `None` for other
    /// personalities.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waits: Option<Waits>,
}

/// What kept messages waiting that the NIC matches (docs/emp.md). All are numbers of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waits {
    /// Timers of a message that expired.
    pub timeouts: u64,
    /// Answers that no receive was posted.
    pub refusals: u64,
    /// First frames that were dropped because an earlier message had to be matched before.
    pub early: u64,
    /// Frames that found no receive buffer.
    pub no_buffer: u64,
    /// Times that time-outs narrowed the path to a node.
    pub narrowed: u64,
    /// Times that a node had too few free receive buffers.
    pub slowed: u64,
    /// Times that a message waited for its pace.
    pub held: u64,
}

/// The smallest, mean and largest of some values.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// The smallest value.
    pub min: u64,
    /// The mean.
    pub mean: f64,
    /// The largest value.
    pub max: u64,
}

impl Spread {
    /// `None` when there is nothing to summarise.
    pub fn of(values: &[u64]) -> Option<Spread> {
        let (min, max) = (*values.iter().min()?, *values.iter().max()?);
        let sum: u128 = values.iter().map(|&value| value as u128).sum();
        Some(Spread { min, mean: sum as f64 / values.len() as f64, max })
    }
}

/// `left` and `right` are sums of counters that must be equal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Equation {
    /// What is equal, in words.
    pub statement: String,
    /// The one sum.
    pub left: u64,
    /// The other sum.
    pub right: u64,
}

impl Equation {
    /// An equation of two sums.
    pub fn new(statement: impl Into<String>, left: u64, right: u64) -> Equation {
        Equation { statement: statement.into(), left, right }
    }

    /// Whether the sums agree.
    pub fn holds(&self) -> bool {
        self.left == self.right
    }
}
