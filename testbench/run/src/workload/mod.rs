//! Workloads: what the processes of a run do. Each kind has a file of its own.

pub mod app;
mod bystander;
mod fetch;
mod flows;
mod message;
mod notify;
pub mod pages;
mod ping_pong;
pub mod places;
mod random;
mod step;
mod stream;

pub use message::{Message, Note};
pub use step::{Step, Timed};

use std::rc::Rc;
use std::sync::atomic::AtomicU64;
use std::sync::Arc;

use host_model::address::UserVirt;
use host_model::driver::Kept;
use host_model::library::Access;
use nic_layout::cbh::cbh_id;
use sim_pins::Ps;

use crate::meeting::Meeting;
use crate::node::Handle;
use crate::personality;

use app::{App, Flows, Totals};
use bystander::Bystander;
use nicscope_scenario::error::Result;
use nicscope_scenario::failed;
use nicscope_scenario::scenario::{MissedCache, Scenario, WorkloadKind};
use places::Places;

/// The inputs of one node's task.
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
}

/// Checks that the messages of a scenario have places.
///
/// # Errors
/// A size is too large for the number of flows.
pub fn check(scenario: &Scenario) -> Result<()> {
    flows::check(scenario)
}

impl NodeReport {
    /// The report of a task without steps.
    pub fn of_totals(totals: Totals) -> NodeReport {
        NodeReport { steps: Vec::new(), totals, kept: None, compared: 0, flows: Flows::default() }
    }
}

/// Time for the NICs to come to rest: more than all frames that a NIC can hold take on the link.
const REST: Ps = Ps::from_us(1_000);

/// Boots the node, opens the NIC, finds the peers, and plays the scenario's workload.
///
/// # Errors
/// The node does not boot, an operation of a process fails, or a message has wrong bytes (INV-27).
pub async fn run(work: Work, handle: Handle, meeting: Meeting<Note>) -> Result<NodeReport> {
    let mut app = start(work, handle, meeting).await?;
    let kind = app.scenario.workload.kind;
    let mut steps = Vec::new();
    match kind {
        WorkloadKind::PingPong => {
            for size_bytes in app.scenario.workload.sizes_bytes.clone() {
                steps.push(ping_pong::step(&mut app, size_bytes).await?);
            }
        }
        WorkloadKind::Stream => {
            for size_bytes in app.scenario.workload.sizes_bytes.clone() {
                steps.push(stream::step(&mut app, size_bytes).await?);
            }
        }
        WorkloadKind::Fetch => {
            for size_bytes in app.scenario.workload.sizes_bytes.clone() {
                steps.push(fetch::step(&mut app, size_bytes).await?);
            }
        }
        WorkloadKind::Notify => {
            for size_bytes in app.scenario.workload.sizes_bytes.clone() {
                steps.push(notify::step(&mut app, size_bytes).await?);
            }
        }
        WorkloadKind::AllToAll | WorkloadKind::Incast | WorkloadKind::Ring => {
            for size_bytes in app.scenario.workload.sizes_bytes.clone() {
                steps.push(flows::step(&mut app, size_bytes).await?);
            }
        }
        WorkloadKind::Random => steps.push(random::step(&mut app).await?),
        WorkloadKind::Pages => steps.push(pages::step(&mut app).await?),
        WorkloadKind::Bystander => {
            let bystander = Bystander::open(&app).await?;
            let bystander = Rc::new(bystander);
            for size_bytes in app.scenario.workload.sizes_bytes.clone() {
                steps.push(bystander::step(&mut app, &bystander, size_bytes).await?);
            }
        }
    }
    app.meet("end").await;
    // Every post has ended, but copies of frames may still be on their way. Counters add up only at
    // rest.
    app.handle.sim().sleep_for(REST).await;
    let kept = app.kept().await?;
    let totals = app.totals().await?;
    Ok(NodeReport { steps, totals, kept, compared: app.compared, flows: app.flows })
}

/// The rights of other nodes to the memory of a process.
fn access(kind: WorkloadKind) -> Access {
    match kind {
        WorkloadKind::Fetch => Access::BOTH,
        _ => Access::WRITE,
    }
}

async fn start(work: Work, handle: Handle, meeting: Meeting<Note>) -> Result<App> {
    let Work { node, scenario, places, miss_ratio, seed, firmware, second, messages } = work;
    let failed = |what: &str, error: &dyn std::fmt::Display| failed!("node {node}: {what}: {error}");
    match second {
        Some(second) => handle.boot_pair(&firmware, &second).await,
        None => handle.boot(&firmware).await,
    }
    .map_err(|error| failed("boot", &error))?;
    let process = handle.open("application").await.map_err(|error| failed("open", &error))?;
    process.set_pio_bytes_max(scenario.workload.pio_bytes_max);
    let bytes = places.region_bytes();
    let reserved = process.alloc(bytes + places.alignment_bytes()).map_err(|error| failed("alloc", &error))?;
    let region = UserVirt(reserved.0.next_multiple_of(places.alignment_bytes()));
    let kind = scenario.workload.kind;
    let (export, told) = match kind {
        WorkloadKind::Notify => {
            let exported = process.export_with_notifications(region, bytes, access(kind)).await;
            exported.map(|(export, told)| (export, Some(told)))
        }
        _ => process.export_as(region, bytes, access(kind)).await.map(|export| (export, None)),
    }
    .map_err(|error| failed("export", &error))?;
    let mut cold = Vec::new();
    if scenario.misses.cache == MissedCache::Cbh && miss_ratio > 0.0 {
        for id in personality::cold_buffers(handle.driver(), cbh_id(export.buffer)) {
            let buffer = process.export_under(id, region, bytes, access(kind)).await;
            cold.push(buffer.map_err(|error| failed("export", &error))?);
        }
    }
    let note = Note::Export { export, cold, region: region.0 };
    let notes = meeting.exchange("exports", note).await;
    let mut exports = Vec::new();
    let mut cold_exports = Vec::new();
    let peer = scenario.peer(node);
    for (other, note) in notes.into_iter().enumerate() {
        let Note::Export { export, cold, .. } = note else {
            return Err(failed!("node {node}: node {other} came to the meeting without an export"));
        };
        exports.push(export);
        if other == peer {
            cold_exports = cold;
        }
    }
    for other in scenario.receivers(node) {
        process.connect(&exports[other]).await.map_err(|error| failed("connect", &error))?;
    }
    let mut app = App {
        node,
        peer,
        handle,
        process,
        scenario,
        places,
        region,
        peer_export: exports[peer],
        exports,
        cold_exports,
        miss_ratio,
        seed,
        told,
        meeting,
        meetings: 0,
        turn: 0,
        sent: 0,
        messages,
        compared: 0,
        posted_to_each: 0,
        flows: Flows::default(),
    };
    app.warm().await?;
    Ok(app)
}
