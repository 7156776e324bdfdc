//! One node of a case: every message is compared when it is back.

use std::collections::VecDeque;

use host_model::library::{Process, WriteHandle};
use nic_layout::counter::Counter;
use nicscope_run::personality::table::echo::play::{echo, is_back};
use nicscope_run::workload::app::{pattern, Totals};
use nicscope_run::workload::NodeReport;
use nicscope_scenario::error::Result;
use nicscope_scenario::failed;

use super::operation::{Op, What, PROCESSES};
use crate::language::Seat;

/// Messages that a process has under way at most: fewer than its queue holds.
const UNDER_WAY_MAX: usize = 32;

/// A process, and what it has under way.
struct Life {
    process: Process<()>,
    under_way: VecDeque<(WriteHandle, Vec<u8>)>,
}

impl Life {
    async fn begin(seat: &Seat<Op>) -> Result<Life> {
        let process = seat.handle.open_with("process").await.map_err(|error| failed!("{error}"))?;
        Ok(Life { process, under_way: VecDeque::new() })
    }

    /// Waits until so many messages at most are under way.
    async fn wait(&mut self, seat: &Seat<Op>, most: usize) -> Result<()> {
        while self.under_way.len() > most {
            let Some((post, bytes)) = self.under_way.pop_front() else { break };
            self.process.wait(post).await.map_err(|error| failed!("message {}: {error}", post.message))?;
            let end = seat.handle.sim().now() + seat.options.give_up;
            while !is_back(&self.process, post, &bytes).await? {
                if seat.handle.sim().now() > end {
                    return Err(failed!("message {} does not come back (INV-27)", post.message));
                }
            }
        }
        Ok(())
    }
}

/// Waits twice until no frame of any node is under way: the last acknowledgements end frames too.
async fn settle(seat: &Seat<Op>, meetings: &mut u32) -> Result<Totals> {
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
pub async fn play(seat: Seat<Op>) -> Result<NodeReport> {
    seat.boot().await?;
    let (nodes, mut number, mut meetings) = (seat.cluster.topology.nodes, seat.node() as u32, 0);
    let mut lives = Vec::new();
    for _ in 0..PROCESSES {
        lives.push(Life::begin(&seat).await?);
    }
    settle(&seat, &mut meetings).await?;
    for op in seat.ops.iter().filter(|op| op.what == What::Settle || op.node == seat.node()) {
        let life = &mut lives[op.process];
        match op.what {
            What::Send if op.to < nodes && op.to != op.node => {
                life.wait(&seat, UNDER_WAY_MAX - 1).await?;
                let bytes = pattern(number, op.bytes);
                let posted = echo(&life.process, op.to, number, &bytes).await;
                life.under_way.push_back((posted.map_err(|error| failed!("message {number}: {error}"))?, bytes));
                number += nodes as u32;
            }
            What::Send => {}
            What::Wait => life.wait(&seat, 0).await?,
            What::End | What::Kill => {
                // What is under way then comes back to a process that is not there any more.
                if op.what == What::End {
                    life.wait(&seat, 0).await?;
                }
                life.process.close().await.map_err(|error| failed!("{error}"))?;
                *life = Life::begin(&seat).await?;
            }
            What::Settle => {
                for life in &mut lives {
                    life.wait(&seat, 0).await?;
                }
                settle(&seat, &mut meetings).await?;
            }
        }
    }
    for life in &mut lives {
        life.wait(&seat, 0).await?;
        life.process.close().await.map_err(|error| failed!("{error}"))?;
    }
    settle(&seat, &mut meetings).await?;
    seat.sleep_us(seat.cluster.topology.last_frames_us()).await;
    settle(&seat, &mut meetings).await.map(NodeReport::of_totals)
}
