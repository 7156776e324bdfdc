//! The way of one message through both nodes and the switches between them, as marks of an account.
//!
//! The message has arrived when its last frame's data are in host memory and the process has seen
//! them, so the way of the last frame counts: while earlier frames keep the sender's core busy,
//! that is where the message is. A frame that is dropped leaves the message waiting at the
//! receiver, where the host serves the miss, until the sender's time-out sends it again.

use host_model::events::{EventKind, Subject};
use nic_layout::trace::Marker;
use sim_pins::Ps;
use thiserror::Error;

use crate::account::{Account, Clock, Frequencies, Mark};
use crate::log::{NodeLog, Probe, SentFrame};
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

/// A message and the two nodes that it concerns.
pub struct Journey<'a> {
    /// The number of the message.
    pub message: u32,
    /// Data bytes of the message.
    pub size_bytes: u32,
    /// The node that sends it, counted from 0.
    pub sender: usize,
    /// The node that receives it.
    pub receiver: usize,
    /// Logs of all nodes.
    pub logs: &'a [&'a NodeLog],
    /// What joins the nodes.
    pub network: &'a Network<'a>,
    /// Frequencies of both nodes' clocks.
    pub hz: Frequencies,
}

impl Journey<'_> {
    /// The account from `PostBegin` on the sender to `ArrivalSeen` on the receiver.
    pub fn account(&self) -> Result<Account, PathError> {
        let (sender, receiver) = (self.logs[self.sender], self.logs[self.receiver]);
        let begin = sender.post(self.message, EventKind::PostBegin).ok_or_else(|| self.missing("no PostBegin"))?;
        let end =
            receiver.arrival(self.message, EventKind::ArrivalSeen).ok_or_else(|| self.missing("no ArrivalSeen"))?;
        let mut way = Way { journey: self, marks: Vec::new() };
        let attempts = self.attempts(begin, end)?;
        way.post(begin)?;
        way.first_transmission(&attempts)?;
        for (index, attempt) in attempts.iter().enumerate() {
            let accepted = way.flight(attempt)?;
            match attempts.get(index + 1) {
                // Accepted, or received and lost from sight: a later copy changes nothing.
                _ if accepted => break,
                Some(next) => way.wait_for_retransmission(attempt, next),
                None => return Err(self.missing("its last frame was never accepted")),
            }
        }
        way.delivery(end)?;
        Account::from_marks(self.message, self.size_bytes, &way.marks, end, &self.hz)
            .ok_or_else(|| self.missing(&format!("its marks run backwards: {:?}", way.backwards())))
    }

    /// Whether a lookup for any of its frames missed, on either node: for messages that take turns,
    /// so that no other can have.
    pub fn missed(&self) -> bool {
        let begin = self.logs[self.sender].post(self.message, EventKind::PostBegin);
        let end = self.logs[self.receiver].arrival(self.message, EventKind::ArrivalSeen);
        let (Some(begin), Some(end)) = (begin, end) else { return false };
        let raised = |log: &&NodeLog| {
            log.markers(begin, end).any(|(_, marker, _)| matches!(marker, Marker::MissRaised | Marker::FetchBegun))
        };
        [self.sender, self.receiver].map(|node| &self.logs[node]).into_iter().any(raised)
    }

    fn missing(&self, what: &str) -> PathError {
        PathError { message: self.message, what: what.into() }
    }

    /// All transmissions of the message's last frame.
    fn attempts(&self, begin: Ps, end: Ps) -> Result<Vec<&SentFrame>, PathError> {
        let own = |frame: &&SentFrame| {
            frame.start >= begin && frame.start <= end && frame.data.is_some_and(|data| data.message == self.message)
        };
        let frames: Vec<&SentFrame> = self.logs[self.sender].sent.iter().filter(own).collect();
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
            return Err(self.missing("no frame of it left the sender"));
        }
        Ok(attempts)
    }
}

/// Sequence numbers wrap.
fn is_after(a: Option<u32>, b: Option<u32>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => (a.wrapping_sub(b) as i32) > 0,
        _ => false,
    }
}

/// Marks in the making.
struct Way<'a> {
    journey: &'a Journey<'a>,
    marks: Vec<Mark>,
}

impl Way<'_> {
    fn mark(&mut self, at: Ps, node: usize, clock: Clock, stage: impl Into<String>) {
        self.marks.push(Mark { at, node, clock, stage: stage.into() });
    }

    fn last(&self) -> Ps {
        self.marks.last().map_or(Ps::ZERO, |mark| mark.at)
    }

    /// For the message of an error: the first two marks that are out of order.
    fn backwards(&self) -> Option<(&Mark, &Mark)> {
        self.marks.windows(2).find(|pair| pair[1].at < pair[0].at).map(|pair| (&pair[0], &pair[1]))
    }

    /// From the call of the library to the doorbell's event on the core.
    fn post(&mut self, begin: Ps) -> Result<(), PathError> {
        let (journey, node) = (self.journey, self.journey.sender);
        let log = journey.logs[node];
        let event = |kind| log.post(journey.message, kind).ok_or_else(|| journey.missing(&format!("no {kind:?}")));
        let (issued, descriptor, doorbell) =
            (event(EventKind::PioIssued)?, event(EventKind::DescriptorWritten)?, event(EventKind::DoorbellWritten)?);
        let pending =
            log.first_pulse(Probe::Doorbell, descriptor).ok_or_else(|| journey.missing("the doorbell set no event"))?;
        self.mark(begin, node, Clock::Host, "library: descriptor");
        // The stores leave the processor while the bus already carries the first of them.
        self.mark(issued.min(descriptor), node, Clock::Pci, "PIO: descriptor");
        self.mark(descriptor, node, Clock::Pci, "PIO: doorbell");
        self.mark(doorbell.min(pending), node, Clock::Core, "doorbell: to the core's clock");
        self.mark(pending, node, Clock::Core, "event waits");
        Ok(())
    }

    /// From the event to the first byte on the link: firmware, DMA, MAC.
    fn first_transmission(&mut self, attempts: &[&SentFrame]) -> Result<(), PathError> {
        let (journey, node) = (self.journey, self.journey.sender);
        let log = journey.logs[node];
        let (first, from) = (attempts[0], self.last());
        let sequence = first.data.map_or(0, |data| data.sequence);
        let mac_start = log
            .last_pulse(Probe::MacTxStart, first.start)
            .ok_or_else(|| journey.missing("the MAC never fetched its descriptor"))?;
        let is_read = log
            .markers(from, first.start)
            .any(|(_, marker, argument)| marker == Marker::DmaReadPosted && same_low_bits(argument, sequence));
        if !is_read {
            // Its data came with the post: no transfer to wait for, unless those of others release it.
            self.core_work(node, "sender", from, mac_start);
            self.mark(mac_start, node, Clock::Core, "MAC: data to the link's clock");
            return Ok(());
        }
        // The transfer that releases it is the last to end before; the one in front of that brought its last data.
        let released = log
            .last_pulse(Probe::DmaReadDone, mac_start)
            .filter(|at| *at > from)
            .ok_or_else(|| journey.missing("no transfer released it"))?;
        let dma_done = log
            .last_pulse(Probe::DmaReadDone, Ps(released.0 - 1))
            .filter(|at| *at >= from)
            .ok_or_else(|| journey.missing("no host-read DMA ended before its transmission"))?;
        let dma_start = log
            .last_pulse(Probe::DmaReadStart, dma_done)
            .ok_or_else(|| journey.missing("no host-read DMA began before its transmission"))?;
        let step = |wanted: Marker| {
            log.markers(from, first.start)
                .find(|(_, marker, argument)| *marker == wanted && same_low_bits(*argument, sequence))
                .map(|(at, ..)| at)
                .ok_or_else(|| journey.missing(&format!("no {} of its last frame", wanted.name())))
        };
        let (posted, complete) = (step(Marker::DmaReadPosted)?, step(Marker::TransmitPosted)?);
        self.core_work(node, "sender", from, posted);
        self.mark(posted.min(dma_start), node, Clock::Core, "DMA read: waits");
        self.mark(dma_start, node, Clock::Pci, "DMA read: transfer");
        // The firmware completes the frame meanwhile.
        self.mark(dma_done, node, Clock::Core, "sender: header");
        self.mark(complete.clamp(dma_done, released), node, Clock::Core, "DMA read: release");
        self.mark(released, node, Clock::Core, "MAC: descriptor");
        self.mark(mac_start, node, Clock::Core, "MAC: data to the link's clock");
        Ok(())
    }

    /// Stages of a core between two times, by the markers of its firmware; the host's work on
    /// misses where the firmware waits for it.
    fn core_work(&mut self, node: usize, side: &str, from: Ps, to: Ps) {
        let log = self.journey.logs[node];
        let mut stages: Vec<(Ps, Clock, String)> = log
            .markers(from, to)
            .filter(|(at, ..)| *at < to)
            .map(|(at, marker, _)| (at, Clock::Core, stage_of(side, marker)))
            .collect();
        if log.markers(from, to).any(|(_, marker, _)| marker == Marker::MissRaised) {
            let raised =
                log.markers(from, to).find(|(_, marker, _)| *marker == Marker::MissRaised).map_or(to, |(at, ..)| at);
            stages.extend(host_stages(log, raised, to));
            stages.sort_by_key(|(at, ..)| *at);
        }
        for (at, clock, stage) in stages {
            self.mark(at, node, clock, stage);
        }
    }

    /// The frame on its way through cables and switches; the time at which its end stands on the
    /// receiver's pins, if it comes there.
    fn network(&mut self, frame: &SentFrame, sender: usize) -> Option<Ps> {
        let network = self.journey.network;
        let Some(passage) = network.passage(sender, frame.start, frame.end) else {
            self.mark(frame.start, sender, Clock::Link, "link: frame");
            return None;
        };
        let mut end = frame.end;
        for (index, (switch, hop)) in passage.hops.iter().enumerate() {
            // The first symbol travels alone: the wait for the others is part of the reception.
            self.mark(hop.first_in - network.latency(), sender, Clock::Link, "link: latency");
            let stages = [
                (hop.first_in, "receive"),
                (hop.decided, "waits for room"),
                (hop.admitted, "forward"),
                (hop.ready, "waits in the queue"),
            ];
            for (at, stage) in stages {
                self.mark(at, sender, Clock::Link, format!("switch {switch}: {stage}"));
            }
            if index + 1 == passage.hops.len() {
                self.mark(hop.first_out, sender, Clock::Link, "link: frame");
                end = hop.last_out;
            }
        }
        if passage.hops.is_empty() {
            self.mark(frame.start, sender, Clock::Link, "link: frame");
        }
        self.mark(end, sender, Clock::Link, "link: latency");
        Some(passage.arrived)
    }

    /// One transmission: the frame on the link, and what the receiver made of it. True when it was
    /// accepted.
    fn flight(&mut self, frame: &SentFrame) -> Result<bool, PathError> {
        let journey = self.journey;
        let (sender, receiver) = (journey.sender, journey.receiver);
        let log = journey.logs[receiver];
        let sequence = frame.data.map_or(0, |data| data.sequence);
        let Some(arrived) = self.network(frame, sender) else {
            return Ok(false);
        };
        self.mark(arrived, receiver, Clock::Link, "MAC: end of frame to the ring");
        // The frame is in the ring well before another one of the smallest size can end.
        let stored = log.first_pulse(Probe::MacRxDone, arrived);
        let dropped = log.first_pulse(Probe::MacRxDrop, arrived);
        let stored = match (stored, dropped) {
            (Some(stored), Some(dropped)) if dropped < stored => return Ok(false),
            (None, _) => return Ok(false),
            (Some(stored), _) => stored,
        };
        self.mark(stored, receiver, Clock::Core, "event waits");
        let Some((mut header, ..)) = header_of(log, stored, sequence) else {
            return Ok(false);
        };
        let mut from = stored;
        let (decided, verdict) = loop {
            let Some((decided, verdict, _)) = log.markers(header, Ps::MAX).find(|(_, marker, _)| is_verdict(*marker))
            else {
                return Err(journey.missing("the receiver never decided on it"));
            };
            self.core_work(receiver, "receiver", from, decided);
            if verdict != Marker::FrameHeld {
                break (decided, verdict);
            }
            let Some((again, ..)) = header_of(log, decided, sequence) else {
                return Err(journey.missing("it was held for ever"));
            };
            let retaken = log.markers(decided, again).filter(|(_, marker, _)| *marker == Marker::FrameRetaken).last();
            let retaken = retaken.map_or(again, |(at, ..)| at);
            self.mark(decided, receiver, Clock::Core, "held, waits for the host");
            for (at, clock, stage) in host_stages(log, from, retaken).into_iter().filter(|(at, ..)| *at >= decided) {
                self.mark(at, receiver, clock, stage);
            }
            (from, header) = (retaken, again);
        };
        if verdict == Marker::Dropped {
            // The host may be at work on the miss before the firmware has dropped the frame.
            let waits = (Clock::Core, "waits for the sender's time-out".to_string());
            let host = host_stages(log, stored, decided).pop().map(|(_, clock, stage)| (clock, stage));
            let (clock, stage) = host.filter(|(_, stage)| stage != MISS_SERVED).unwrap_or(waits);
            self.mark(decided, receiver, clock, stage);
        }
        Ok(verdict == Marker::DmaWritePosted)
    }

    /// Between a dropped frame and its next copy: the host serves the miss, then the time-out runs
    /// out.
    fn wait_for_retransmission(&mut self, attempt: &SentFrame, next: &SentFrame) {
        let (sender, receiver) = (self.journey.sender, self.journey.receiver);
        let from = self.last();
        let sequence = attempt.data.map_or(0, |data| data.sequence);
        let again = self.journey.logs[sender]
            .markers(from, next.start)
            .filter(|(_, marker, argument)| *marker == Marker::Retransmit && same_low_bits(*argument, sequence))
            .last();
        let cause = self.journey.logs[sender]
            .markers(from, again.map_or(next.start, |(at, ..)| at))
            .filter(|(_, marker, _)| matches!(marker, Marker::Timeout | Marker::RestartReceived))
            .last();
        let until = cause.or(again).map_or(next.start, |(at, ..)| at);
        let (waits, begins) = match cause {
            Some((_, Marker::RestartReceived, _)) => ("waits for the sender to be told", "sender: restart"),
            _ => ("waits for the sender's time-out", "sender: time-out"),
        };
        // What the miss service does lies within the wait; after it the message waits for the sender.
        let mut stages = host_stages(self.journey.logs[receiver], from, until);
        if let Some(last) = stages.last_mut() {
            last.2 = waits.into();
        }
        for (at, clock, stage) in stages {
            self.mark(at, receiver, clock, stage);
        }
        if let Some((at, ..)) = cause {
            self.mark(at, sender, Clock::Core, begins);
        }
        if let Some((at, ..)) = again {
            self.mark(at, sender, Clock::Core, "sender: retransmission to the MAC");
        }
    }

    /// From the posted DMA to the process that sees the bytes.
    fn delivery(&mut self, end: Ps) -> Result<(), PathError> {
        let (journey, node) = (self.journey, self.journey.receiver);
        let log = journey.logs[node];
        let posted = log
            .markers(self.last(), end)
            .find(|(_, marker, _)| *marker == Marker::DmaWritePosted)
            .map(|(at, ..)| at)
            .ok_or_else(|| journey.missing("no DmaWritePosted of its last frame"))?;
        let written = log
            .arrival(journey.message, EventKind::ArrivalWritten)
            .ok_or_else(|| journey.missing("no ArrivalWritten"))?;
        // Transfers end in order, and one may begin while the one before it is on the bus: its own begins then.
        let ended = log.pulses(Probe::DmaWriteDone, written);
        let start = log
            .pulse(Probe::DmaWriteStart, ended)
            .max(log.last_pulse(Probe::DmaWriteDone, written))
            .filter(|at| *at <= written && (*at >= posted || *at >= self.last()))
            .ok_or_else(|| journey.missing("no host-write DMA began before its arrival"))?;
        self.mark(posted.min(start), node, Clock::Core, "DMA write: waits");
        self.mark(start, node, Clock::Pci, "DMA write: transfer");
        self.mark(written, node, Clock::Host, "process polls");
        let _ = end;
        Ok(())
    }
}

/// Where a frame is judged, again perhaps.
fn header_of(log: &NodeLog, from: Ps, sequence: u32) -> Option<(Ps, Marker, u32)> {
    log.markers(from, Ps::MAX)
        .find(|(_, marker, argument)| *marker == Marker::ReceiveHeader && same_low_bits(*argument, sequence))
}

/// How the judgement of a frame ends.
fn is_verdict(marker: Marker) -> bool {
    matches!(marker, Marker::DmaWritePosted | Marker::Dropped | Marker::Refused | Marker::FrameHeld)
}

/// Markers carry the low 24 bits.
fn same_low_bits(argument: u32, sequence: u32) -> bool {
    argument == sequence & nic_layout::trace::ARGUMENT_MASK
}

/// Where the message is from a marker on.
fn stage_of(side: &str, marker: Marker) -> String {
    format!("{side}: {}", firmware_step(marker))
}

/// What the firmware does from a marker on.
pub fn firmware_step(marker: Marker) -> &'static str {
    match marker {
        Marker::Idle => "firmware idle",
        Marker::KeeperBegin => "adds up counters",
        Marker::KeeperEnd => "waits for the next round",
        Marker::Dispatch => "dispatch",
        Marker::DoorbellTaken => "read descriptor",
        Marker::PostRead => "prepare frame",
        Marker::PostRefused => "refuse post",
        Marker::PostParked | Marker::MissRaised => "parked",
        Marker::FetchBegun => "begin fetch",
        Marker::FetchFilled => "line filled",
        Marker::FetchLost | Marker::FetchUnfilled | Marker::FetchStalled => "fetch came to nothing",
        Marker::PostBlocked => "blocked",
        Marker::QueueAssigned => "queue assigned",
        Marker::LookupBegin | Marker::ReceiveLookupBegin => "lookup",
        Marker::LookupHit => "after lookup hit",
        Marker::LookupMiss => "reserve line, raise miss",
        Marker::LookupFault => "fault",
        Marker::FillSeen => "fill seen",
        Marker::Command => "command",
        Marker::DmaReadPosted => "header",
        Marker::HeaderBuilt => "release",
        Marker::TransmitPosted => "next frame",
        Marker::DmaReadDone => "end of DMA read",
        Marker::Retransmit => "retransmission",
        Marker::Timeout => "time-out",
        Marker::PeerLost => "peer lost",
        Marker::ReceiveBegin => "read header",
        Marker::ReceiveHeader => "find buffer",
        Marker::BufferHit => "checks",
        Marker::BufferMiss => "reserve entry, raise miss",
        Marker::DmaWritePosted => "bookkeeping",
        Marker::Accepted => "accepted",
        Marker::Dropped | Marker::Refused => "drop",
        Marker::DmaWriteDone => "end of DMA write",
        Marker::FrameHeld => "hold",
        Marker::FrameRetaken => "take held frame",
        Marker::MissedSent => "tell of the miss",
        Marker::RestartSent => "ask for the frame",
        Marker::MissedReceived => "told of a miss",
        Marker::RestartReceived => "restart",
        Marker::ReadTaken => "read taken",
        Marker::NotifyRaised => "notification",
        Marker::AckSent => "acknowledge",
        Marker::AckReceived => "acknowledgement",
        Marker::StatusWritten => "status",
        Marker::Unlocked => "miss",
        Marker::Ready | Marker::ProbeBegin | Marker::ProbeEnd | Marker::Crash => marker.name(),
    }
}

/// The host's last stage of a miss.
const MISS_SERVED: &str = "miss served";

/// What the host does about a miss, from the interrupt on.
fn host_stages(log: &NodeLog, from: Ps, to: Ps) -> Vec<(Ps, Clock, String)> {
    log.host_events(from, to)
        .filter(|event| event.at < to)
        .filter_map(|event| {
            let stage = match (event.subject, event.kind) {
                (Subject::Interrupt { .. }, EventKind::InterruptAsserted) => "interrupt delay",
                (Subject::Interrupt { .. }, EventKind::HandlerStart) => "interrupt handler",
                (Subject::Interrupt { .. }, EventKind::HandlerEnd) => "miss thread wakes",
                (_, EventKind::ThreadStart | EventKind::ServiceStart | EventKind::PinEnd) => "miss thread",
                (_, EventKind::PinStart) => "pin pages",
                (_, EventKind::FillStart) => "fill line (PIO)",
                (_, EventKind::LineValid | EventKind::LineReleased | EventKind::BufferDenied) => "report to the NIC",
                (_, EventKind::ServedWritten) => MISS_SERVED,
                _ => return None,
            };
            let clock = match event.kind {
                EventKind::FillStart | EventKind::LineValid => Clock::Pci,
                _ => Clock::Host,
            };
            Some((event.at, clock, stage.to_string()))
        })
        .collect()
}
