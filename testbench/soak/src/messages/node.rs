//! A node of a case: each message is compared when it has come back.

use nic_layout::counter::Counter;
use nicscope_run::workload::app::Totals;
use nicscope_run::workload::messages::{Messages, Sender};
use nicscope_run::workload::NodeReport;
use nicscope_scenario::error::Result;
use nicscope_scenario::failed;

use super::operation::{Op, What, PROCESSES};
use super::plant::Plant;
use crate::language::Seat;

/// Messages that a process has under way at most: fewer than its queue holds.
const UNDER_WAY_MAX: usize = 32;

/// Waits twice until no frame of any node is under way: the last acknowledgements end frames too.
async fn settle<M: Messages>(seat: &Seat<Op<M>>, meetings: &mut u32) -> Result<Totals> {
    let mut totals = Totals::default();
    for _ in 0..2 {
        *meetings += 1;
        seat.meeting.exchange(&meetings.to_string(), ()).await;
        let end = seat.handle.sim().now() + seat.options.give_up;
        loop {
            totals = Totals::read(&seat.handle).await.map_err(|error| failed!("{error}"))?;
            let of = |counter| totals.firmware(counter);
            if of(Counter::FramesSent) == of(Counter::FramesAcknowledged) + of(Counter::FramesAbandoned) {
                break;
            }
            if seat.handle.sim().now() > end {
                return Err(failed!("frames are not acknowledged, though no process sends (INV-32)"));
            }
            seat.sleep_us(10).await;
        }
    }
    seat.shared.at(seat.handle.sim().now());
    Ok(totals)
}

/// Boots the node, and plays its operations to the end of all processes.
pub async fn play<M: Messages>(seat: Seat<Op<M>>) -> Result<NodeReport> {
    seat.boot().await?;
    let (nodes, mut number, mut meetings) = (seat.cluster.topology.nodes, seat.node() as u32, 0);
    let (mut senders, sim) = (Vec::new(), seat.handle.sim().clone());
    for _ in 0..PROCESSES {
        senders.push(Sender::<M>::open(&seat.handle).await?);
    }
    settle(&seat, &mut meetings).await?;
    for op in seat.ops.iter().filter(|op| op.what == What::Settle || op.node == seat.node()) {
        let sender = &mut senders[op.process];
        match op.what {
            What::Send if op.to < nodes && op.to != op.node => {
                sender.wait(&sim, UNDER_WAY_MAX - 1).await?;
                sender.send(op.to, number, op.bytes).await?;
                if seat.options.plant == Some(Plant::WrongByte) {
                    sender.spoil();
                }
                number += nodes as u32;
            }
            What::Send => {}
            What::Wait => sender.wait(&sim, 0).await?,
            What::End | What::Kill => {
                // What is under way then comes back to a process that is not there any more.
                if op.what == What::End {
                    sender.wait(&sim, 0).await?;
                }
                sender.close().await?;
                *sender = Sender::open(&seat.handle).await?;
            }
            What::Settle => {
                for sender in &mut senders {
                    sender.wait(&sim, 0).await?;
                }
                settle(&seat, &mut meetings).await?;
            }
        }
    }
    for sender in &mut senders {
        sender.wait(&sim, 0).await?;
        sender.close().await?;
    }
    settle(&seat, &mut meetings).await?;
    seat.sleep_us(seat.cluster.topology.last_frames_us()).await;
    settle(&seat, &mut meetings).await.map(NodeReport::of_totals)
}
