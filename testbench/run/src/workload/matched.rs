//! Processes that send messages which the NIC matches, and compare the bytes that arrive: the
//! benchmarks of EMP (facts E-54 to E-56).

mod flows;
mod random;
mod side;
mod slots;

use std::collections::VecDeque;

use nic_layout::personality::emp::descriptor::{
    chain_descriptors, left_in_bank, CHAIN_PAGES_MAX, RECEIVE_DESCRIPTORS, SEND_DESCRIPTORS,
};
use nic_layout::PAGE_BYTES;
use nicscope_scenario::error::Result;
use nicscope_scenario::failed;
use nicscope_scenario::scenario::{Library, Scenario, WorkloadKind};
use sim_pins::Ps;

use side::Side;
use slots::Slots;

use super::carried;
use super::places::Places;
use super::step::{Done, Timed};
use super::{NodeReport, Note, Playing, Step, Work};
use crate::meeting::Meeting;
use crate::node::Handle;

/// Receives that a process keeps posted, if its memory suffices (facts E-55).
const POSTED_MAX: u32 = 400;
/// Bytes of memory for messages that arrive, at most; but room for two messages at least.
const ROOM_BYTES: u32 = 16 << 20;

/// Receives of so many bytes of pages that can be posted at once, at most [`POSTED_MAX`]: a chain
/// of descriptors lies in one bank.
fn posted_max(bytes: u32) -> u32 {
    let needed = match bytes / PAGE_BYTES {
        pages if pages > CHAIN_PAGES_MAX => 1,
        pages => chain_descriptors(pages),
    };
    let end = SEND_DESCRIPTORS + RECEIVE_DESCRIPTORS;
    let mut number = SEND_DESCRIPTORS;
    let mut chains = 0;
    while number < end {
        let in_bank = left_in_bank(number);
        chains += in_bank / needed;
        number += in_bank;
    }
    chains.min(POSTED_MAX)
}

/// Checks that the library of the scenario can play its workload, and that the cache can miss as
/// the scenario asks.
///
/// # Errors
/// The library cannot, or the cache has too few sets for the ratios of misses.
pub fn check(scenario: &Scenario) -> Result<()> {
    Places::of(scenario, scenario.misses.ratios.iter().any(|ratio| *ratio > 0.0))?;
    scenario.emp.library.check(scenario)
}

/// Plays the workload of the scenario.
///
/// # Errors
/// The task fails if a message fails, or arrives with wrong bytes (INV-27).
pub fn play(work: Work, handle: Handle, meeting: Meeting<Note>) -> Playing {
    match work.scenario.emp.library {
        Library::Emp => Box::pin(run(work, handle, meeting)),
        Library::Mpi => carried::play::<carried::Mpi>(work, handle, meeting),
        Library::Sockets => carried::play::<carried::Streams>(work, handle, meeting),
    }
}

async fn run(work: Work, handle: Handle, meeting: Meeting<Note>) -> Result<NodeReport> {
    let node = work.node;
    let mut side = Side::open(&work, &handle, meeting.clone()).await?;
    let mut steps = Vec::new();
    // Without a cache, the messages that miss are those that find no receive.
    let is_late = node == work.scenario.misses.node && !work.scenario.has_caches();
    let late_ratio = if is_late { work.miss_ratio } else { 0.0 };
    match work.scenario.workload.kind {
        WorkloadKind::Random => steps.push(side.random().await?),
        kind => {
            for &size_bytes in &work.scenario.workload.sizes_bytes {
                steps.push(side.step(kind, size_bytes, late_ratio).await?);
            }
        }
    }
    let (compared, flows) = (side.compared, std::mem::take(&mut side.flows));
    side.process.close().await.map_err(|error| failed!("node {node}: {error}"))?;
    meeting.exchange("end", Note::Here).await;
    Ok(NodeReport { steps, compared, flows, ..NodeReport::at_rest(node, &handle).await? })
}

impl Side {
    /// Plays one step: the warm-up, then the measured messages.
    async fn step(&mut self, kind: WorkloadKind, size_bytes: u32, late_ratio: f64) -> Result<Step> {
        let stride_bytes = size_bytes.max(1).next_multiple_of(PAGE_BYTES);
        let fitting = (ROOM_BYTES / stride_bytes)
            .min(posted_max(stride_bytes).saturating_sub(self.scenario.emp.posted_ahead))
            .max(self.nodes);
        let (mut from, mut to) = match self.lines {
            Some(lines) => self.slots_in_lines(size_bytes, lines)?,
            None => (self.slots(size_bytes, fitting).await?, self.slots(size_bytes, fitting).await?),
        };
        let workload = self.scenario.workload.clone();
        // Every place that stays in the cache is used once.
        let warm_up = if self.lines.is_some() { workload.warm_up.max(from.count) } else { workload.warm_up };
        self.meet("step").await;
        self.late_ratio = 0.0;
        self.play(kind, size_bytes, warm_up, &from, &to).await?;
        from.played(warm_up);
        to.played(warm_up);
        self.meet("warmed up").await;
        let before = self.totals().await?;
        self.meet("counted").await;
        let begin = self.now();
        self.late_ratio = late_ratio;
        let Done { sent, timed } = self.play(kind, size_bytes, workload.iterations, &from, &to).await?;
        let end = self.now();
        self.meet("done").await;
        let after = self.totals().await?;
        Ok(Step { size_bytes, sent, begin, end, before, after, timed })
    }

    async fn play(&mut self, kind: WorkloadKind, size: u32, count: u32, from: &Slots, to: &Slots) -> Result<Done> {
        match kind {
            WorkloadKind::PingPong => self.ping_pong(size, count, from, to).await,
            WorkloadKind::Stream => self.stream(size, count, from, to).await,
            kind if kind.has_flows() => self.flows(size, count, from, to).await,
            _ => self.both_ways(size, count, from, to).await,
        }
    }

    /// E-54. Ping: post a receive, post a send, spin until both are done. Pong: wait for a receive,
    /// post a send, post the next receive, wait for the send. The latency of a message is half of a
    /// round trip.
    ///
    /// E-54 has the pong post its next receive when its send has ended. Then the next ping would
    /// sometimes come before the receive, and come again after a time-out.
    async fn ping_pong(&mut self, size: u32, count: u32, from: &Slots, to: &Slots) -> Result<Done> {
        let (mut sent, mut timed) = (Vec::new(), Timed::default());
        let is_ping = self.node < self.peer;
        let mut next = None;
        // A warm-up may have no message.
        if !is_ping && count > 0 && !self.is_late(0) {
            next = Some(self.post_next(size, to.at(0)).await?);
        }
        self.meet("the first receive is posted").await;
        for turn in 0..count {
            // Bytes are put in place before the clock is looked at: they are no part of a message.
            let message = self.prepare(size, from.at(turn))?;
            if is_ping {
                let begin = self.now();
                if !self.is_late(turn) {
                    next = Some(self.post_next(size, to.at(turn)).await?);
                }
                self.process.name_next(message.number);
                let send = self.post_send(self.peer, size, from.at(turn)).await?;
                self.end(send).await?;
                let receive = self.posted_at_last(next.take(), size, to.at(turn)).await?;
                let posted = self.wait(&receive.0).await;
                let end = self.now();
                posted?;
                self.take_next(receive, size)?;
                let half = Ps((end - begin).0 / 2);
                // A message each way, which took half of the round trip each.
                timed.begun.extend([begin, begin + half]);
                timed.ended.extend([begin + half, end]);
            } else {
                let receive = self.posted_at_last(next.take(), size, to.at(turn)).await?;
                self.wait(&receive.0).await?;
                self.process.name_next(message.number);
                let send = self.post_send(self.peer, size, from.at(turn)).await?;
                if turn + 1 < count && !self.is_late(turn + 1) {
                    next = Some(self.post_next(size, to.at(turn + 1)).await?);
                }
                self.end(send).await?;
                self.take_next(receive, size)?;
            }
            sent.push(message);
        }
        Ok(Done { sent, timed })
    }

    /// E-55. The receiver keeps many receives posted. The sender keeps a few messages posted, and
    /// replaces each when it has ended. The time is from the sender's first post, when the receives
    /// stand, until it knows that all messages were accepted.
    async fn stream(&mut self, size: u32, count: u32, from: &Slots, to: &Slots) -> Result<Done> {
        let mut sent = Vec::new();
        if self.node < self.peer {
            self.meet("receives are posted").await;
            let (begin, mut posted) = (self.now(), VecDeque::new());
            for turn in 0..count {
                if posted.len() as u32 == self.scenario.workload.outstanding {
                    self.end_oldest(&mut posted).await?;
                }
                sent.push(self.prepare(size, from.at(turn))?);
                posted.push_back(self.post_send(self.peer, size, from.at(turn)).await?);
            }
            while !posted.is_empty() {
                self.end_oldest(&mut posted).await?;
            }
            let timed = Timed { rounds: vec![(begin, self.now())], ..Timed::default() };
            return Ok(Done { sent, timed });
        } else {
            let mut posted = VecDeque::new();
            for turn in 0..count.min(to.count) {
                posted.push_back(self.post_receive(self.peer, size, to.at(turn)).await?);
            }
            self.meet("receives are posted").await;
            for turn in to.count.min(count)..count + to.count.min(count) {
                let Some(receive) = posted.pop_front() else { break };
                self.wait(&receive.0).await?;
                self.take_next(receive, size)?;
                if turn < count {
                    posted.push_back(self.post_receive(self.peer, size, to.at(turn)).await?);
                }
            }
        }
        // The receiver's clock says nothing of the time.
        let timed = Timed { rounds: vec![(Ps::MAX, Ps::ZERO)], ..Timed::default() };
        Ok(Done { sent, timed })
    }

    /// E-56. Many receives are posted before. Each side has a few messages under way; it waits for
    /// the oldest of them and for the oldest receive, then posts one more of each.
    async fn both_ways(&mut self, size: u32, count: u32, from: &Slots, to: &Slots) -> Result<Done> {
        let (mut sent, mut sends, mut receives) = (Vec::new(), VecDeque::new(), VecDeque::new());
        for turn in 0..count.min(to.count) {
            receives.push_back(self.post_receive(self.peer, size, to.at(turn)).await?);
        }
        self.meet("receives are posted").await;
        let begin = self.now();
        let outstanding = self.scenario.workload.outstanding;
        for turn in 0..count.min(outstanding) {
            sent.push(self.prepare(size, from.at(turn))?);
            sends.push_back(self.post_send(self.peer, size, from.at(turn)).await?);
        }
        for turn in 0..count {
            self.end_oldest(&mut sends).await?;
            let Some(receive) = receives.pop_front() else { break };
            self.wait(&receive.0).await?;
            let (next, further) = (turn + outstanding, turn + to.count.min(count));
            if next < count {
                sent.push(self.prepare(size, from.at(next))?);
                sends.push_back(self.post_send(self.peer, size, from.at(next)).await?);
            }
            self.take_next(receive, size)?;
            if further < count {
                receives.push_back(self.post_receive(self.peer, size, to.at(further)).await?);
            }
        }
        let timed = Timed { rounds: vec![(begin, self.now())], ..Timed::default() };
        Ok(Done { sent, timed })
    }
}
