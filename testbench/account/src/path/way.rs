//! What a message does, and the marks of its way in the making.

use host_model::events::EventKind;
use nic_layout::frame::link::FrameKind;
use nic_layout::trace::{Marker, ARGUMENT_MASK};
use sim_pins::Ps;
use thiserror::Error;

use super::host;
use crate::account::{Clock, Frequencies, Mark};
use crate::log::{Core, NodeLog, SentFrame};
use crate::route::Network;

/// The log lacks a step that every message takes: a bug of ours.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("message {message}: {what}")]
pub struct PathError {
    /// The number of the message.
    pub message: u32,
    /// The step that is missing.
    pub what: String,
}

/// What a message does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// The sender writes to memory of the receiver. It ends when a process there sees the bytes.
    Write,
    /// The sender reads memory of the receiver. It ends when the reading process sees the end in
    /// its status page.
    Read,
    /// The sender sends a message that the receiver's NIC matches. It ends when the receiving
    /// process sees the end in its descriptor.
    Message,
    /// The same message until the sending process sees the end in its descriptor: the receiver has
    /// accepted the message.
    Acceptance,
}

impl Operation {
    /// The names of the two nodes in stages: the node that posts, then the other node.
    const fn roles(self) -> [&'static str; 2] {
        match self {
            Operation::Write | Operation::Message | Operation::Acceptance => ["sender", "receiver"],
            Operation::Read => ["reader", "owner"],
        }
    }
}

/// Whether a stage is work of a core, by the role before its colon.
pub(crate) fn is_of_a_core(stage: &str) -> bool {
    let role = stage.split([':', ',']).next().unwrap_or_default();
    [Operation::Write, Operation::Read].iter().any(|operation| operation.roles().contains(&role))
}

/// A message and the two nodes that it concerns.
pub struct Journey<'a> {
    /// The number of the message.
    pub message: u32,
    /// Data bytes of the message.
    pub size_bytes: u32,
    /// What the message does.
    pub operation: Operation,
    /// The node that posts it, counted from 0.
    pub sender: usize,
    /// The other node.
    pub receiver: usize,
    /// When its time begins, if that is before its post: what the process does first belongs to it.
    pub since: Option<Ps>,
    /// Logs of all nodes.
    pub logs: &'a [&'a NodeLog],
    /// What joins the nodes.
    pub network: &'a Network<'a>,
    /// Frequencies of both nodes' clocks.
    pub hz: Frequencies,
}

impl Journey<'_> {
    pub(super) fn begin(&self) -> Option<Ps> {
        let posted = self.logs[self.sender].post(self.message, EventKind::PostBegin)?;
        Some(self.since.map_or(posted, |since| since.min(posted)))
    }

    /// The event that ends the operation, and its time.
    pub(super) fn end(&self) -> (EventKind, Option<Ps>) {
        match self.operation {
            Operation::Write | Operation::Message => {
                let kind = EventKind::ArrivalSeen;
                (kind, self.logs[self.receiver].arrival(self.message, kind))
            }
            Operation::Read | Operation::Acceptance => {
                let kind = EventKind::StatusSeen;
                (kind, self.logs[self.sender].post(self.message, kind))
            }
        }
    }

    pub(super) fn missing(&self, what: &str) -> PathError {
        PathError { message: self.message, what: what.into() }
    }

    /// The role of a node in the names of stages.
    pub(super) fn role(&self, node: usize) -> &'static str {
        let [posts, other] = self.operation.roles();
        if node == self.sender {
            posts
        } else {
            other
        }
    }
}

/// The last frame of one kind of a message, on its way between two nodes.
pub(super) struct Leg<'a> {
    pub from: usize,
    pub to: usize,
    pub kind: FrameKind,
    /// All transmissions of the frame; there is at least one.
    pub attempts: Vec<&'a SentFrame>,
}

/// Sequence numbers wrap.
fn is_after(a: Option<u32>, b: Option<u32>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => (a.wrapping_sub(b) as i32) > 0,
        _ => false,
    }
}

/// Marks in the making.
pub(super) struct Way<'a> {
    pub journey: &'a Journey<'a>,
    /// When the message begins and ends.
    pub begin: Ps,
    pub end: Ps,
    pub marks: Vec<Mark>,
}

impl<'a> Way<'a> {
    pub(super) fn mark(&mut self, at: Ps, node: usize, clock: Clock, stage: impl Into<String>) {
        self.marks.push(Mark { at, node, clock, stage: stage.into() });
    }

    pub(super) fn last(&self) -> Ps {
        self.marks.last().map_or(Ps::ZERO, |mark| mark.at)
    }

    /// For the message of an error: the first two marks that are out of order.
    pub(super) fn backwards(&self) -> Option<(&Mark, &Mark)> {
        self.marks.windows(2).find(|pair| pair[1].at < pair[0].at).map(|pair| (&pair[0], &pair[1]))
    }

    /// The last frame of a kind, with all its transmissions.
    pub(super) fn leg(&self, kind: FrameKind) -> Result<Leg<'a>, PathError> {
        let journey = self.journey;
        let (from, to) = match kind {
            FrameKind::REPLY => (journey.receiver, journey.sender),
            _ => (journey.sender, journey.receiver),
        };
        let own = |frame: &&SentFrame| {
            let is_own = frame.data.is_some_and(|data| data.message == journey.message && data.kind == kind);
            frame.start >= self.begin && frame.start <= self.end && is_own
        };
        let frames: Vec<&SentFrame> = journey.logs[from].sent.iter().filter(own).collect();
        let sequence = |frame: &SentFrame| frame.data.map(|data| data.sequence);
        // Frames of a message are first sent in order, so the last new sequence number is that of the last frame.
        let mut last = None;
        for frame in &frames {
            if last.is_none_or(|last| is_after(sequence(frame), last)) {
                last = Some(sequence(frame));
            }
        }
        let attempts: Vec<&SentFrame> = frames.into_iter().filter(|frame| Some(sequence(frame)) == last).collect();
        if attempts.is_empty() {
            return Err(journey.missing(&format!("no frame of it left the {}", journey.role(from))));
        }
        Ok(Leg { from, to, kind, attempts })
    }

    /// Stages of a core between two times, by the markers of its firmware; the host's work on
    /// misses where the firmware waits for it.
    pub(super) fn core_work(&mut self, node: usize, from: Ps, to: Ps) {
        let (log, role) = (self.journey.logs[node], self.journey.role(node));
        let mut stages: Vec<(Ps, Clock, String)> = log
            .markers(from, to)
            .filter(|(at, ..)| *at < to)
            .map(|(at, marker, _)| (at, Clock::Core, format!("{role}: {}", marker.stage())))
            .collect();
        if let Some(raised) = self.miss_raised(node, Core::A, from, to) {
            stages.extend(host::stages(log, raised, to));
        }
        stages.sort_by_key(|(at, ..)| *at);
        for (at, clock, stage) in stages {
            self.mark(at, node, clock, stage);
        }
    }

    /// When a core first raises a miss between two times.
    pub(super) fn miss_raised(&self, node: usize, core: Core, from: Ps, to: Ps) -> Option<Ps> {
        let mut markers = self.journey.logs[node].markers_of(core, from, to);
        markers.find(|(_, marker, _)| *marker == Marker::MissRaised).map(|(at, ..)| at)
    }
}

/// Markers carry the low 24 bits.
pub(super) fn same_low_bits(argument: u32, sequence: u32) -> bool {
    argument == sequence & ARGUMENT_MASK
}
