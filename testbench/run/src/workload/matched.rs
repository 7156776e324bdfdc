//! Processes that send messages which the NIC matches, and compare the bytes that arrive: the
//! benchmarks of EMP (facts E-54 to E-56).

mod flows;
mod random;

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

use host_model::address::UserVirt;
use host_model::library::emp::{From, MessageError, Messages, Transfer};
use host_model::library::Process;
use nic_layout::personality::emp::descriptor::{
    chain_descriptors, left_in_bank, CHAIN_PAGES_MAX, RECEIVE_DESCRIPTORS, SEND_DESCRIPTORS,
};
use nic_layout::PAGE_BYTES;
use nicscope_scenario::error::{Error, Result, Statement};
use nicscope_scenario::failed;
use nicscope_scenario::scenario::{Library, MissedSide, Scenario, WorkloadKind};
use sim_pins::Ps;

use super::app::{pattern, Flows, Totals};
use super::carried;
use super::places::{self, Places, AREA_BYTES};
use super::step::{Done, Timed};
use super::{Message, NodeReport, Note, Playing, Step, Work};
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

/// A receive that shall be late is posted so much later: its message has come before, and has been
/// refused.
const LATE: Ps = Ps::from_us(25);

/// The tag of all messages.
const TAG: u16 = 7;

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

/// Memory of a process for messages of one size, used in turn.
struct Slots {
    start: UserVirt,
    stride_bytes: u32,
    count: u32,
    /// Where messages go whose page shall not be in the NIC's cache.
    cold: Option<Cold>,
}

impl Slots {
    fn at(&self, turn: u32) -> UserVirt {
        match self.cold.filter(|cold| places::misses(turn, cold.ratio)) {
            Some(cold) => cold.at(turn, self.stride_bytes),
            None => self.start + turn % self.count * self.stride_bytes,
        }
    }

    /// So many messages were played.
    fn played(&mut self, count: u32) {
        if let Some(cold) = &mut self.cold {
            cold.before += places::turns(count, cold.ratio);
        }
    }
}

/// Lines of one set of the NIC's cache, more than the set can hold.
#[derive(Clone, Copy)]
struct Cold {
    region: UserVirt,
    places: Places,
    /// Share of messages that go there.
    ratio: f64,
    /// Messages that went there in earlier plays.
    before: u32,
}

impl Cold {
    /// The place of a message: the next line, and in each line one message behind the other.
    fn at(&self, turn: u32, stride_bytes: u32) -> UserVirt {
        let number = self.before + places::turns(turn, self.ratio);
        let round = number / self.places.cold_places();
        let in_line = round % (self.places.line_bytes() / stride_bytes).max(1) * stride_bytes;
        self.region + self.places.cold(number) + in_line
    }
}

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
struct Side {
    node: usize,
    peer: usize,
    nodes: u32,
    seed: u64,
    scenario: Arc<Scenario>,
    handle: Handle,
    meeting: Meeting<Note>,
    process: Process<Messages>,
    /// Messages of each direction so far; both sides count alike.
    sent: u32,
    arrived: u32,
    /// Receives that were posted so far.
    expected: u32,
    /// Share of the messages whose receives are posted late on this node.
    late_ratio: f64,
    compared: u64,
    messages: Arc<AtomicU64>,
    /// Messages of each flow so far, by sender and receiver.
    next_of: BTreeMap<(usize, usize), u32>,
    /// The same of those that have ended here.
    flows: Flows,
    /// Places in the NIC's cache, and the memory that has them.
    lines: Option<(Places, UserVirt)>,
    miss_ratio: f64,
}

/// A receive that waits, and the memory that it fills.
type Posted = (Transfer, UserVirt);

impl Side {
    async fn open(work: &Work, handle: &Handle, meeting: Meeting<Note>) -> Result<Side> {
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

    fn failed(&self, what: &str, error: &dyn std::fmt::Display) -> Error {
        failed!("node {}: {what}: {error}", self.node)
    }

    async fn meet(&self, what: &str) {
        self.meeting.exchange(what, Note::Here).await;
    }

    fn now(&self) -> Ps {
        self.handle.sim().now()
    }

    async fn totals(&self) -> Result<Totals> {
        Totals::read(&self.handle).await.map_err(|error| self.failed("counters", &error))
    }

    /// Locked memory for `count` messages, whose addresses the library knows.
    async fn slots(&self, size_bytes: u32, count: u32) -> Result<Slots> {
        let stride_bytes = size_bytes.max(1).next_multiple_of(PAGE_BYTES);
        let bytes = stride_bytes * count;
        let start = self.process.alloc(bytes).map_err(|error| self.failed("memory", &error))?;
        self.process.lock(start, bytes).await.map_err(|error| self.failed("lock", &error))?;
        self.process.learn(start, bytes).await.map_err(|error| self.failed("translate", &error))?;
        Ok(Slots { start, stride_bytes, count, cold: None })
    }

    /// Memory for messages to send and to receive. In the NIC's cache it has lines that stay there,
    /// and lines that are gone when their turn comes again.
    fn slots_in_lines(&self, size_bytes: u32, (places, region): (Places, UserVirt)) -> Result<(Slots, Slots)> {
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
        if !is_ping && !self.is_late(0) {
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

    // ---- Messages -------------------------------------------------------------------------------

    /// The number of a message of a node. It is unique in the run.
    fn number(&self, node: usize, index: u32) -> u32 {
        index * self.nodes + node as u32
    }

    /// Puts the bytes of the next message in place, in no time.
    fn prepare(&mut self, size_bytes: u32, at: UserVirt) -> Result<Message> {
        let number = self.number(self.node, self.sent);
        self.sent += 1;
        self.fill(number, size_bytes, at)
    }

    /// Puts the bytes of a message in place, in no time.
    fn fill(&self, number: u32, size_bytes: u32, at: UserVirt) -> Result<Message> {
        self.process.store(at, &pattern(number, size_bytes)).map_err(|error| self.failed("store", &error))?;
        Ok(Message { number, size_bytes, sender: self.node })
    }

    async fn post_send(&self, to: usize, size: u32, at: UserVirt) -> Result<Transfer> {
        self.posted(self.process.send(to as u16, TAG, at, size).await)
    }

    /// Posts a receive of the next message, whose old bytes are wrong everywhere.
    async fn post_receive(&self, from: usize, size: u32, at: UserVirt) -> Result<Posted> {
        let from = From { node: Some(from as u16), tag: Some(TAG) };
        Ok((self.posted(self.process.receive(from, at, size).await)?, at))
    }

    /// Posts the receive of the next message of the peer, and gives it the number of the message.
    async fn post_next(&mut self, size: u32, at: UserVirt) -> Result<Posted> {
        self.process.name_next(self.number(self.peer, self.expected));
        self.expected += 1;
        self.post_receive(self.peer, size, at).await
    }

    /// Whether the receive of a message is posted late: the message is refused first.
    fn is_late(&self, turn: u32) -> bool {
        places::misses(turn, self.late_ratio)
    }

    /// The receive of a message, which is posted now unless it was before.
    async fn posted_at_last(&mut self, posted: Option<Posted>, size: u32, at: UserVirt) -> Result<Posted> {
        match posted {
            Some(posted) => Ok(posted),
            None => {
                self.handle.sim().sleep_for(LATE).await;
                self.post_next(size, at).await
            }
        }
    }

    fn posted(&self, posted: Result<Transfer, MessageError>) -> Result<Transfer> {
        posted.map_err(|error| self.failed("post", &error))
    }

    async fn wait(&self, transfer: &Transfer) -> Result<()> {
        self.process.wait_message(transfer).await.map_err(|error| self.failed("message", &error))
    }

    /// Looks once whether a message has ended.
    async fn has_ended(&self, transfer: &Transfer) -> Result<bool> {
        let ended = self.process.test(transfer).await.map_err(|error| self.failed("message", &error))?;
        Ok(ended.is_some())
    }

    /// Waits for a send, and frees it.
    async fn end(&self, send: Transfer) -> Result<()> {
        self.wait(&send).await?;
        self.process.free(send);
        self.messages.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    async fn end_oldest(&self, sends: &mut VecDeque<Transfer>) -> Result<()> {
        match sends.pop_front() {
            Some(oldest) => self.end(oldest).await,
            None => Ok(()),
        }
    }

    /// Takes the next message of the peer.
    fn take_next(&mut self, receive: Posted, size_bytes: u32) -> Result<()> {
        let number = self.number(self.peer, self.arrived);
        self.arrived += 1;
        self.take(receive, number, size_bytes)
    }

    /// Compares the bytes of the message that has arrived, in no time, spoils them for the next
    /// one, and frees the receive.
    fn take(&mut self, (receive, at): Posted, number: u32, size_bytes: u32) -> Result<()> {
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
