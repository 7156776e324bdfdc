//! Ping-pong and stream over a library: the same two programs for every library, so that their
//! figures can be compared.
//!
//! * `carrier`: what a library has to offer. `mpi`, `sockets`: the libraries over EMP.
//!   `kernel`: streams of the operating system.

mod carrier;
mod kernel;
mod mpi;
mod sockets;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

use host_model::address::UserVirt;
use nic_layout::PAGE_BYTES;
use nicscope_scenario::error::{Error, Result, Statement};
use nicscope_scenario::failed;
use nicscope_scenario::scenario::{Scenario, WorkloadKind};
use sim_pins::Ps;

use super::app::{pattern, Totals};
use super::step::{Done, Timed};
use super::{Message, NodeReport, Note, Playing, Step, Work};
use crate::meeting::Meeting;
use crate::node::Handle;

pub(crate) use carrier::Carrier;
pub use kernel::KernelPath;
pub use mpi::Mpi;
pub use sockets::Streams;

/// Places for messages of one size, used in turn: more than may be under way at a time.
const SLOTS: u32 = 80;
/// Bytes of memory for messages of one direction, at most; but room for two messages at least.
const ROOM_BYTES: u32 = 16 << 20;

/// Plays the workload of the scenario over a library.
///
/// # Errors
/// The task fails if a call of the library fails, or a message arrives with wrong bytes (INV-27).
pub(crate) fn play<C: Carrier + 'static>(work: Work, handle: Handle, meeting: Meeting<Note>) -> Playing {
    Box::pin(run::<C>(work, handle, meeting))
}

async fn run<C: Carrier>(work: Work, handle: Handle, meeting: Meeting<Note>) -> Result<NodeReport> {
    let node = work.node;
    let peer = work.scenario.peer(node);
    let carrier = C::open(&work, &handle, &meeting).await?;
    let mut side = Side {
        node,
        peer,
        nodes: work.scenario.nodes as u32,
        scenario: work.scenario.clone(),
        handle: handle.clone(),
        meeting: meeting.clone(),
        carrier,
        sent: 0,
        arrived: 0,
        compared: 0,
        messages: work.messages.clone(),
    };
    let mut steps = Vec::new();
    for &size_bytes in &work.scenario.workload.sizes_bytes {
        steps.push(side.step(size_bytes).await?);
    }
    let compared = side.compared;
    side.carrier.close().await?;
    meeting.exchange("end", Note::Here).await;
    Ok(NodeReport { steps, compared, ..NodeReport::at_rest(node, &handle).await? })
}

/// Memory of a process for messages of one size, used in turn.
struct Slots {
    start: UserVirt,
    stride_bytes: u32,
    count: u32,
}

impl Slots {
    fn at(&self, turn: u32) -> UserVirt {
        self.start + turn % self.count * self.stride_bytes
    }
}

/// One process of a pair.
struct Side<C> {
    node: usize,
    peer: usize,
    nodes: u32,
    scenario: Arc<Scenario>,
    handle: Handle,
    meeting: Meeting<Note>,
    carrier: C,
    /// Messages of each direction so far; both sides count alike.
    sent: u32,
    arrived: u32,
    compared: u64,
    messages: Arc<AtomicU64>,
}

impl<C: Carrier> Side<C> {
    async fn meet(&self, what: &str) {
        self.meeting.exchange(what, Note::Here).await;
    }

    fn now(&self) -> Ps {
        self.handle.sim().now()
    }

    async fn totals(&self) -> Result<Totals> {
        Totals::read(&self.handle).await.map_err(|error| failed!("node {}: counters: {error}", self.node))
    }

    async fn slots(&self, size_bytes: u32) -> Result<Slots> {
        let stride_bytes = size_bytes.next_multiple_of(PAGE_BYTES);
        let count = (ROOM_BYTES / stride_bytes).clamp(2, SLOTS);
        Ok(Slots { start: self.carrier.alloc(stride_bytes * count).await?, stride_bytes, count })
    }

    /// Plays one step: the warm-up, then the measured messages.
    async fn step(&mut self, size_bytes: u32) -> Result<Step> {
        let (from, to) = (self.slots(size_bytes).await?, self.slots(size_bytes).await?);
        let workload = self.scenario.workload.clone();
        self.meet("step").await;
        self.play(workload.kind, size_bytes, workload.warm_up, &from, &to).await?;
        self.meet("warmed up").await;
        let before = self.totals().await?;
        self.meet("counted").await;
        let begin = self.now();
        let Done { sent, timed } = self.play(workload.kind, size_bytes, workload.iterations, &from, &to).await?;
        let end = self.now();
        self.meet("done").await;
        let after = self.totals().await?;
        Ok(Step { size_bytes, sent, begin, end, before, after, timed })
    }

    async fn play(&mut self, kind: WorkloadKind, size: u32, count: u32, from: &Slots, to: &Slots) -> Result<Done> {
        match kind {
            WorkloadKind::PingPong => self.ping_pong(size, count, from, to).await,
            _ => self.stream(size, count, from, to).await,
        }
    }

    /// As E-54. The latency of a message is half of a round trip.
    async fn ping_pong(&mut self, size: u32, count: u32, from: &Slots, to: &Slots) -> Result<Done> {
        let (mut sent, mut timed) = (Vec::new(), Timed::default());
        let is_ping = self.node < self.peer;
        // A warm-up may have no message.
        if !is_ping && count > 0 {
            self.carrier.expect(to.at(0), size).await?;
        }
        self.meet("the first receive is posted").await;
        for turn in 0..count {
            // Bytes are put in place before the clock is looked at: they are no part of a message.
            let message = self.prepare(size, from.at(turn))?;
            if is_ping {
                let begin = self.now();
                self.carrier.expect(to.at(turn), size).await?;
                self.carrier.begin_send(from.at(turn), size).await?;
                self.carrier.end_send().await?;
                self.carrier.receive(to.at(turn), size).await?;
                let end = self.now();
                let half = Ps((end - begin).0 / 2);
                // A message each way, which took half of the round trip each.
                timed.begun.extend([begin, begin + half]);
                timed.ended.extend([begin + half, end]);
            } else {
                self.carrier.receive(to.at(turn), size).await?;
                self.carrier.begin_send(from.at(turn), size).await?;
                if turn + 1 < count {
                    self.carrier.expect(to.at(turn + 1), size).await?;
                }
                self.carrier.end_send().await?;
            }
            self.take(to.at(turn), size)?;
            sent.push(message);
        }
        Ok(Done { sent, timed })
    }

    /// As E-55. The time is from the sender's first send until the receiver has the last message
    /// and the sender's last send has ended.
    async fn stream(&mut self, size: u32, count: u32, from: &Slots, to: &Slots) -> Result<Done> {
        let ahead = to.count.min(count);
        if self.node < self.peer {
            self.meet("receives are posted").await;
            let (begin, mut sent, mut under_way) = (self.now(), Vec::new(), 0);
            let outstanding = self.scenario.workload.outstanding.min(from.count);
            for turn in 0..count {
                if under_way == outstanding {
                    self.carrier.end_send().await?;
                    under_way -= 1;
                }
                sent.push(self.prepare(size, from.at(turn))?);
                self.carrier.begin_send(from.at(turn), size).await?;
                under_way += 1;
            }
            for _ in 0..under_way {
                self.carrier.end_send().await?;
            }
            let timed = Timed { rounds: vec![(begin, self.now())], ..Timed::default() };
            return Ok(Done { sent, timed });
        }
        for turn in 0..ahead {
            self.carrier.expect(to.at(turn), size).await?;
        }
        self.meet("receives are posted").await;
        for turn in 0..count {
            self.carrier.receive(to.at(turn), size).await?;
            self.take(to.at(turn), size)?;
            if turn + ahead < count {
                self.carrier.expect(to.at(turn + ahead), size).await?;
            }
        }
        // The receiver's clock says when the last message has come, and nothing of the begin.
        let timed = Timed { rounds: vec![(Ps::MAX, self.now())], ..Timed::default() };
        Ok(Done { sent: Vec::new(), timed })
    }

    // ---- Messages -------------------------------------------------------------------------------

    /// The number of a message of a node. It is unique in the run.
    fn number(&self, node: usize, index: u32) -> u32 {
        index * self.nodes + node as u32
    }

    /// Puts the bytes of the next message in place, in no time.
    fn prepare(&mut self, size_bytes: u32, at: UserVirt) -> Result<Message> {
        let number = self.number(self.node, self.sent);
        self.sent += 1;
        self.messages.fetch_add(1, Ordering::Relaxed);
        self.carrier.store(at, &pattern(number, size_bytes))?;
        Ok(Message { number, size_bytes, sender: self.node })
    }

    /// Compares the bytes of the message that has arrived, in no time, and spoils them for the
    /// next.
    fn take(&mut self, at: UserVirt, size_bytes: u32) -> Result<()> {
        let number = self.number(self.peer, self.arrived);
        self.arrived += 1;
        let expected = pattern(number, size_bytes);
        let found = self.carrier.load(at, size_bytes)?;
        if let Some(first) = found.iter().zip(&expected).position(|(found, expected)| found != expected) {
            let statement = Statement::Invariant(27);
            return Err(Error::broken(
                statement,
                format!("{statement}: node {}: message {number} has a wrong byte at {first}", self.node),
            ));
        }
        let spoilt: Vec<u8> = expected.iter().map(|byte| !byte).collect();
        self.carrier.store(at, &spoilt)?;
        self.compared += 1;
        Ok(())
    }
}
