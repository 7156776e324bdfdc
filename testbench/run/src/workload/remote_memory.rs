//! Processes that write and read the memory of other nodes.

use std::rc::Rc;

use host_model::address::UserVirt;
use host_model::library::Access;
use nic_layout::cbh::cbh_id;
use nicscope_scenario::error::Result;
use nicscope_scenario::failed;
use nicscope_scenario::scenario::{MissedCache, WorkloadKind};

use super::app::{App, Flows};
use super::bystander::Bystander;
use super::{
    bystander, fetch, flows, notify, pages, ping_pong, random, restart, stream, NodeReport, Note, Playing, Work,
};
use crate::meeting::Meeting;
use crate::node::Handle;
use crate::personality;

pub use super::flows::check;

/// Opens the NIC, finds the peers, and plays the scenario's workload.
///
/// # Errors
/// An operation of a process fails, or a message has wrong bytes (INV-27).
pub fn play(work: Work, handle: Handle, meeting: Meeting<Note>) -> Playing {
    Box::pin(run(work, handle, meeting))
}

async fn run(work: Work, handle: Handle, meeting: Meeting<Note>) -> Result<NodeReport> {
    if work.scenario.workload.kind == WorkloadKind::Restart {
        return restart::play(work, handle, meeting).await;
    }
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
        // No personality with remote memory has the other.
        WorkloadKind::Restart | WorkloadKind::BothWays => {}
        WorkloadKind::Bystander => {
            let bystander = Bystander::open(&app).await?;
            let bystander = Rc::new(bystander);
            for size_bytes in app.scenario.workload.sizes_bytes.clone() {
                steps.push(bystander::step(&mut app, &bystander, size_bytes).await?);
            }
        }
    }
    app.meet("end").await;
    let report = NodeReport::at_rest(app.node, &app.handle).await?;
    Ok(NodeReport { steps, compared: app.compared, flows: app.flows, ..report })
}

/// The rights of other nodes to the memory of a process.
fn access(kind: WorkloadKind) -> Access {
    match kind {
        WorkloadKind::Fetch => Access::BOTH,
        _ => Access::WRITE,
    }
}

async fn start(work: Work, handle: Handle, meeting: Meeting<Note>) -> Result<App> {
    let Work { node, scenario, places, miss_ratio, seed, messages, .. } = work;
    let failed = |what: &str, error: &dyn std::fmt::Display| failed!("node {node}: {what}: {error}");
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
