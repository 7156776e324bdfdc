//! A process of a pair: its memory, its messages, and what it compares.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

use host_model::address::UserVirt;
use host_model::library::emp::{From, MessageError, Messages, Transfer};
use host_model::library::Process;
use nic_layout::PAGE_BYTES;
use nicscope_scenario::error::{Error, Result, Statement};
use nicscope_scenario::failed;
use nicscope_scenario::scenario::{MissedSide, Scenario};
use sim_pins::Ps;

use super::slots::{Cold, Slots};
use crate::meeting::Meeting;
use crate::node::Handle;
use crate::workload::app::{pattern, Flows, Totals};
use crate::workload::places::{self, Places, AREA_BYTES};
use crate::workload::{Message, Note, Work};

/// A receive that shall be late is posted so much later: its message has come before, and has been
/// refused.
const LATE: Ps = Ps::from_us(25);

/// The tag of all messages.
const TAG: u16 = 7;

/// Memory with chosen lines of the NIC's cache, if it has one.
async fn lines(work: &Work, process: &Process<Messages>) -> Result<Option<(Places, UserVirt)>> {
    if !work.scenario.has_caches() {
        return Ok(None);
    }
    let places = Places::of(&work.scenario, work.miss_ratio > 0.0)?;
    let bytes = places.region_bytes() + places.alignment_bytes();
    let reserved = process.alloc(bytes).map_err(|error| failed!("node {}: memory: {error}", work.node))?;
    Ok(Some((places, UserVirt(reserved.0.next_multiple_of(places.alignment_bytes())))))
}

/// Posts receives that no message matches. They end with their process.
async fn post_ahead(process: &Process<Messages>, node: u16, count: u32) -> std::result::Result<(), MessageError> {
    if count == 0 {
        return Ok(());
    }
    let room = process.alloc(PAGE_BYTES)?;
    process.lock(room, PAGE_BYTES).await?;
    let from = From { node: Some(node), tag: Some(!TAG) };
    for _ in 0..count {
        process.receive(from, room, 1).await?;
    }
    Ok(())
}

/// A process of the workload. In most workloads it has one peer.
pub(super) struct Side {
    pub(super) node: usize,
    pub(super) peer: usize,
    pub(super) nodes: u32,
    pub(super) seed: u64,
    pub(super) scenario: Arc<Scenario>,
    pub(super) handle: Handle,
    pub(super) meeting: Meeting<Note>,
    pub(super) process: Process<Messages>,
    /// Messages of each direction so far; both sides count alike.
    pub(super) sent: u32,
    pub(super) arrived: u32,
    /// Receives that were posted so far.
    pub(super) expected: u32,
    /// Share of the messages whose receives are posted late on this node.
    pub(super) late_ratio: f64,
    pub(super) compared: u64,
    pub(super) messages: Arc<AtomicU64>,
    /// Messages of each flow so far, by sender and receiver.
    pub(super) next_of: BTreeMap<(usize, usize), u32>,
    /// The same of those that have ended here.
    pub(super) flows: Flows,
    /// Places in the NIC's cache, and the memory that has them.
    pub(super) lines: Option<(Places, UserVirt)>,
    pub(super) miss_ratio: f64,
}

/// A receive that waits, and the memory that it fills.
pub(super) type Posted = (Transfer, UserVirt);

impl Side {
    pub(super) async fn open(work: &Work, handle: &Handle, meeting: Meeting<Note>) -> Result<Side> {
        let process = handle.open_with::<Messages>("application").await.map_err(|error| failed!("{error}"))?;
        process.set_translate(work.scenario.emp.translate.of_library());
        post_ahead(&process, work.scenario.peer(work.node) as u16, work.scenario.emp.posted_ahead)
            .await
            .map_err(|error| failed!("node {}: receives that nothing matches: {error}", work.node))?;
        let lines = lines(work, &process).await?;
        Ok(Side {
            lines,
            miss_ratio: work.miss_ratio,
            node: work.node,
            peer: work.scenario.peer(work.node),
            nodes: work.scenario.nodes as u32,
            seed: work.seed,
            scenario: work.scenario.clone(),
            handle: handle.clone(),
            meeting,
            process,
            sent: 0,
            arrived: 0,
            expected: 0,
            late_ratio: 0.0,
            compared: 0,
            messages: work.messages.clone(),
            next_of: BTreeMap::new(),
            flows: Flows::default(),
        })
    }

    pub(super) fn failed(&self, what: &str, error: &dyn std::fmt::Display) -> Error {
        failed!("node {}: {what}: {error}", self.node)
    }

    pub(super) async fn meet(&self, what: &str) {
        self.meeting.exchange(what, Note::Here).await;
    }

    pub(super) fn now(&self) -> Ps {
        self.handle.sim().now()
    }

    pub(super) async fn totals(&self) -> Result<Totals> {
        Totals::read(&self.handle).await.map_err(|error| self.failed("counters", &error))
    }

    /// Locked memory for `count` messages, whose addresses the library knows.
    pub(super) async fn slots(&self, size_bytes: u32, count: u32) -> Result<Slots> {
        let stride_bytes = size_bytes.max(1).next_multiple_of(PAGE_BYTES);
        let bytes = stride_bytes * count;
        let start = self.process.alloc(bytes).map_err(|error| self.failed("memory", &error))?;
        self.process.lock(start, bytes).await.map_err(|error| self.failed("lock", &error))?;
        self.process.learn(start, bytes).await.map_err(|error| self.failed("translate", &error))?;
        Ok(Slots { start, stride_bytes, count, cold: None })
    }

    /// Memory for messages to send and to receive. In the NIC's cache it has lines that stay there,
    /// and lines that are gone when their turn comes again.
    pub(super) fn slots_in_lines(
        &self,
        size_bytes: u32,
        (places, region): (Places, UserVirt),
    ) -> Result<(Slots, Slots)> {
        let stride_bytes = size_bytes.max(1).next_multiple_of(PAGE_BYTES);
        let count = AREA_BYTES / stride_bytes;
        if count < 2 {
            return Err(failed!(
                "node {}: messages of at most {} bytes have places in the cache",
                self.node,
                AREA_BYTES / 2
            ));
        }
        let misses = &self.scenario.misses;
        let cold = |side| {
            let is_it = self.node == misses.node && side == misses.side && self.miss_ratio > 0.0;
            is_it.then_some(Cold { region, places, ratio: self.miss_ratio, before: 0 })
        };
        let slots = |start, side| Slots { start: region + start, stride_bytes, count, cold: cold(side) };
        Ok((slots(places.send(0), MissedSide::Send), slots(places.hot(0), MissedSide::Receive)))
    }

    // ---- Messages -------------------------------------------------------------------------------

    /// The number of a message of a node. It is unique in the run.
    pub(super) fn number(&self, node: usize, index: u32) -> u32 {
        index * self.nodes + node as u32
    }

    /// Puts the bytes of the next message in place, in no time.
    pub(super) fn prepare(&mut self, size_bytes: u32, at: UserVirt) -> Result<Message> {
        let number = self.number(self.node, self.sent);
        self.sent += 1;
        self.fill(number, size_bytes, at)
    }

    /// Puts the bytes of a message in place, in no time.
    pub(super) fn fill(&self, number: u32, size_bytes: u32, at: UserVirt) -> Result<Message> {
        self.process.store(at, &pattern(number, size_bytes)).map_err(|error| self.failed("store", &error))?;
        Ok(Message { number, size_bytes, sender: self.node })
    }

    pub(super) async fn post_send(&self, to: usize, size: u32, at: UserVirt) -> Result<Transfer> {
        self.posted(self.process.send(to as u16, TAG, at, size).await)
    }

    /// Posts a receive of the next message, whose old bytes are wrong everywhere.
    pub(super) async fn post_receive(&self, from: usize, size: u32, at: UserVirt) -> Result<Posted> {
        let from = From { node: Some(from as u16), tag: Some(TAG) };
        Ok((self.posted(self.process.receive(from, at, size).await)?, at))
    }

    /// Posts the receive of the next message of the peer, and gives it the number of the message.
    pub(super) async fn post_next(&mut self, size: u32, at: UserVirt) -> Result<Posted> {
        self.process.name_next(self.number(self.peer, self.expected));
        self.expected += 1;
        self.post_receive(self.peer, size, at).await
    }

    /// Whether the receive of a message is posted late: the message is refused first.
    pub(super) fn is_late(&self, turn: u32) -> bool {
        places::misses(turn, self.late_ratio)
    }

    /// The receive of a message, which is posted now unless it was before.
    pub(super) async fn posted_at_last(&mut self, posted: Option<Posted>, size: u32, at: UserVirt) -> Result<Posted> {
        match posted {
            Some(posted) => Ok(posted),
            None => {
                // Behind a switch the first frame is on two links, one after the other.
                let first_frame = Ps::from_ns(16 * u64::from(size.min(1500)));
                self.handle.sim().sleep_for(LATE + first_frame).await;
                self.post_next(size, at).await
            }
        }
    }

    pub(super) fn posted(&self, posted: Result<Transfer, MessageError>) -> Result<Transfer> {
        posted.map_err(|error| self.failed("post", &error))
    }

    pub(super) async fn wait(&self, transfer: &Transfer) -> Result<()> {
        self.process.wait_message(transfer).await.map_err(|error| self.failed("message", &error))
    }

    /// Looks once whether a message has ended.
    pub(super) async fn has_ended(&self, transfer: &Transfer) -> Result<bool> {
        let ended = self.process.test(transfer).await.map_err(|error| self.failed("message", &error))?;
        Ok(ended.is_some())
    }

    /// Waits for a send, and frees it.
    pub(super) async fn end(&self, send: Transfer) -> Result<()> {
        self.wait(&send).await?;
        self.process.free(send);
        self.messages.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    pub(super) async fn end_oldest(&self, sends: &mut VecDeque<Transfer>) -> Result<()> {
        match sends.pop_front() {
            Some(oldest) => self.end(oldest).await,
            None => Ok(()),
        }
    }

    /// Takes the next message of the peer.
    pub(super) fn take_next(&mut self, receive: Posted, size_bytes: u32) -> Result<()> {
        let number = self.number(self.peer, self.arrived);
        self.arrived += 1;
        self.take(receive, number, size_bytes)
    }

    /// Compares the bytes of the message that has arrived, in no time, spoils them for the next
    /// one, and frees the receive.
    pub(super) fn take(&mut self, (receive, at): Posted, number: u32, size_bytes: u32) -> Result<()> {
        let expected = pattern(number, size_bytes);
        let found = self.process.load(at, size_bytes).map_err(|error| self.failed("load", &error))?;
        if let Some(first) = found.iter().zip(&expected).position(|(found, expected)| found != expected) {
            let statement = Statement::Invariant(27);
            return Err(Error::broken(
                statement,
                format!("{statement}: node {}: message {number} has a wrong byte at {first}", self.node),
            ));
        }
        let spoilt: Vec<u8> = expected.iter().map(|byte| !byte).collect();
        self.process.store(at, &spoilt).map_err(|error| self.failed("store", &error))?;
        self.process.free(receive);
        self.compared += 1;
        Ok(())
    }
}
