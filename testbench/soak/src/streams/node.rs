//! A node of a case: both ends play the same operation, and the reader compares the bytes.

use host_model::address::UserVirt;
use host_model::driver::kernel::Peer;
use host_model::library::kernel::KernelStreams;
use host_model::library::Process;
use nicscope_run::workload::app::{pattern, Totals};
use nicscope_run::workload::NodeReport;
use nicscope_scenario::error::{Error, Result, Statement};
use nicscope_scenario::failed;
use sim_pins::Ps;

use super::operation::{Op, BYTES_MAX};
use crate::language::Seat;
use crate::messages::plant::Plant;

/// The port of all streams.
const PORT: u16 = 1;
/// Time for the NICs to come to rest: all copies of frames that a link may hold back, and
/// acknowledgements that wait.
const REST: Ps = Ps::from_us(3000);

fn peer(node: usize) -> Peer {
    Peer { node: node as u16, port: PORT }
}

async fn read(seat: &Seat<Op>, process: &Process<KernelStreams>, at: UserVirt, number: u32, op: &Op) -> Result<()> {
    let mut done = 0;
    while done < op.bytes {
        match process.receive_stream(peer(op.node), at + done, op.bytes - done).await {
            Ok(0) => return Err(failed!("write {number}: the stream ended after {done} bytes of {}", op.bytes)),
            Ok(part) => done += part,
            Err(error) => return Err(Error::broken(Statement::Invariant(33), format!("write {number}: {error}"))),
        }
    }
    let mut expected = pattern(number, op.bytes);
    if let (Some(Plant::WrongByte), Some(byte)) = (seat.options.plant, expected.first_mut()) {
        *byte = !*byte;
    }
    let found = process.load(at, op.bytes).map_err(|error| failed!("{error}"))?;
    if let Some(at) = found.iter().zip(&expected).position(|(found, expected)| found != expected) {
        let statement = Statement::Invariant(27);
        return Err(Error::broken(statement, format!("{statement}: write {number} has a wrong byte at {at}")));
    }
    seat.shared.at(seat.handle.sim().now());
    Ok(())
}

/// Boots the node, and plays its operations in the order of the list. So a reader always comes to
/// the oldest write that is not through.
pub async fn play(seat: Seat<Op>) -> Result<NodeReport> {
    seat.boot().await?;
    let (node, nodes) = (seat.node(), seat.cluster.topology.nodes);
    let wrong = |error: &dyn std::fmt::Display| failed!("node {node}: {error}");
    let process = seat.handle.open_with::<KernelStreams>("soak").await.map_err(|error| wrong(&error))?;
    let memory = process.alloc(BYTES_MAX).map_err(|error| wrong(&error))?;
    for other in (0..nodes).filter(|other| *other != node) {
        process.open_stream(peer(other)).await;
    }
    seat.meeting.exchange("opened", ()).await;
    for (number, op) in (0..).zip(seat.ops.iter()) {
        if op.node >= nodes || op.to >= nodes || op.node == op.to {
            continue;
        }
        if op.node == node {
            process.store(memory, &pattern(number, op.bytes)).map_err(|error| wrong(&error))?;
            let sent = process.send_stream(peer(op.to), memory, op.bytes).await;
            sent.map_err(|error| Error::broken(Statement::Invariant(33), format!("write {number}: {error}")))?;
        } else if op.to == node {
            read(&seat, &process, memory, number, op).await?;
        }
    }
    for other in (0..nodes).filter(|other| *other != node) {
        process.end_stream(peer(other)).await.map_err(|error| wrong(&error))?;
    }
    seat.meeting.exchange("ended", ()).await;
    process.close().await.map_err(|error| wrong(&error))?;
    seat.handle.sim().sleep_for(REST).await;
    seat.sleep_us(seat.cluster.topology.last_frames_us()).await;
    seat.meeting.exchange("rest", ()).await;
    let totals = Totals::read(&seat.handle).await.map_err(|error| wrong(&error))?;
    seat.meeting.exchange("counted", ()).await;
    Ok(NodeReport::of_totals(totals))
}
