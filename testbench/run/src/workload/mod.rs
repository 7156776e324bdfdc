//! Workloads: what the processes of a run do. Each kind has a file of its own.

pub mod app;
mod bystander;
pub mod carried;
mod fetch;
mod flows;
pub mod matched;
mod message;
pub mod messages;
mod notify;
pub mod pages;
mod ping_pong;
pub mod places;
mod random;
pub mod remote_memory;
mod restart;
mod step;
mod stream;

pub use message::{Message, Note};
pub use step::{Step, Timed};

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::AtomicU64;
use std::sync::Arc;

use host_model::driver::Kept;
use nic_image::{Canary, StackUse};
use nicscope_account::results::Restart;
use sim_pins::Ps;

use crate::canary;
use crate::meeting::Meeting;
use crate::node::Handle;
use crate::personality;

use app::{kept, Flows, Totals};
use nicscope_scenario::error::Result;
use nicscope_scenario::failed;
use nicscope_scenario::scenario::Scenario;
use places::Places;

/// The inputs of one node's task.
#[derive(Clone)]
pub struct Work {
    /// The index of the node.
    pub node: usize,
    /// The scenario of the run.
    pub scenario: Arc<Scenario>,
    /// Places for messages in the region of each process.
    pub places: Places,
    /// Share of messages that shall miss, 0 to 1.
    pub miss_ratio: f64,
    /// The seed of the run, from which all nodes draw the same plans.
    pub seed: u64,
    /// The ELF file of the firmware of core A.
    pub firmware: Arc<Vec<u8>>,
    /// The ELF file of the firmware of core B, on a NIC with two cores.
    pub second: Option<Arc<Vec<u8>>>,
    /// The canaries in the stacks of `firmware` and `second`; none unless the scenario asks.
    pub canaries: Arc<Vec<Canary>>,
    /// Messages so far of all nodes together. The display of progress reads it.
    pub messages: Arc<AtomicU64>,
}

/// The result of a node's task.
#[derive(Clone, Debug)]
pub struct NodeReport {
    /// The steps in their order.
    pub steps: Vec<Step>,
    /// Counters at the end of the run.
    pub totals: Totals,
    /// The sums of core B, on a NIC with two cores.
    pub kept: Option<Kept>,
    /// Messages whose every byte was compared on this node.
    pub compared: u64,
    /// Messages to and from each other node, in a workload of flows.
    pub flows: Flows,
    /// The stacks of the cores, core A first, in a run with a canary.
    pub stacks: Vec<StackUse>,
    /// What became of the streams, in a workload with a reset.
    pub restart: Option<Restart>,
}

/// The task of a node, at work.
pub type Playing = Pin<Box<dyn Future<Output = Result<NodeReport>>>>;

/// Checks that the messages of a scenario have places.
///
/// # Errors
/// A size is too large for the number of flows.
pub fn check(scenario: &Scenario) -> Result<()> {
    (personality::of(scenario.personality).check)(scenario)
}

impl NodeReport {
    /// The report of a task without steps.
    pub fn of_totals(totals: Totals) -> NodeReport {
        NodeReport {
            steps: Vec::new(),
            totals,
            kept: None,
            compared: 0,
            flows: Flows::default(),
            stacks: Vec::new(),
            restart: None,
        }
    }

    /// A run that has no steps yet, at its end. Every post has ended, but copies of frames may
    /// still be on their way, and counters add up at rest only.
    pub async fn at_rest(node: usize, handle: &Handle) -> Result<NodeReport> {
        handle.sim().sleep_for(REST).await;
        let failed = |error| failed!("node {node}: {error}");
        let kept = kept(handle).await.map_err(failed)?;
        let totals = Totals::read(handle).await.map_err(failed)?;
        Ok(NodeReport { kept, ..NodeReport::of_totals(totals) })
    }
}

/// Time for the NICs to come to rest: more than all frames that a NIC can hold take on the link.
const REST: Ps = Ps::from_us(1_000);

/// Boots the node, and has its personality play the scenario's workload.
///
/// # Errors
/// The node does not boot, an operation of a process fails, or a message has wrong bytes (INV-27).
pub async fn run(work: Work, handle: Handle, meeting: Meeting<Note>) -> Result<NodeReport> {
    match &work.second {
        Some(second) => handle.boot_pair(&work.firmware, second).await,
        None => handle.boot(&work.firmware).await,
    }
    .map_err(|error| failed!("node {}: boot: {error}", work.node))?;
    let (node, canaries) = (work.node, work.canaries.clone());
    let play = personality::of(work.scenario.personality).play;
    let report = play(work, handle.clone(), meeting.clone()).await?;
    if canaries.is_empty() {
        return Ok(report);
    }
    // No peer needs this NIC any more.
    meeting.exchange("stacks", Note::Here).await;
    let stacks = canary::measure(&handle, &canaries)
        .await
        .map_err(|error| error.map_text(|text| format!("node {node}: {text}")))?;
    Ok(NodeReport { stacks, ..report })
}
