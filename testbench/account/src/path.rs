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
        let mut way = Way { journey: self, begin, end, attempts: self.attempts(begin, end)?, marks: Vec::new() };
        WRITE.iter().try_for_each(|step| step(&mut way))?;
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

/// A step of the way of a message: adds the marks of its stages, from where the last step ended.
type Step = fn(&mut Way<'_>) -> Result<(), PathError>;

/// The way of a write.
const WRITE: [Step; 4] = [|way| way.post(), |way| way.first_transmission(), |way| way.flights(), |way| way.delivery()];

/// Marks in the making.
struct Way<'a> {
    journey: &'a Journey<'a>,
    /// When the message begins and ends.
    begin: Ps,
    end: Ps,
    /// All transmissions of the last frame; there is at least one.
    attempts: Vec<&'a SentFrame>,
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
    fn post(&mut self) -> Result<(), PathError> {
        let (journey, node) = (self.journey, self.journey.sender);
        let log = journey.logs[node];
        let event = |kind| log.post(journey.message, kind).ok_or_else(|| journey.missing(&format!("no {kind:?}")));
        let (issued, descriptor, doorbell) =
            (event(EventKind::PioIssued)?, event(EventKind::DescriptorWritten)?, event(EventKind::DoorbellWritten)?);
        let pending =
            log.first_pulse(Probe::Doorbell, descriptor).ok_or_else(|| journey.missing("the doorbell set no event"))?;
        self.mark(self.begin, node, Clock::Host, "library: descriptor");
        // The stores leave the processor while the bus already carries the first of them.
        self.mark(issued.min(descriptor), node, Clock::Pci, "PIO: descriptor");
        self.mark(descriptor, node, Clock::Pci, "PIO: doorbell");
        self.mark(doorbell.min(pending), node, Clock::Core, "doorbell: to the core's clock");
        self.mark(pending, node, Clock::Core, "event waits");
        Ok(())
    }

    /// From the event to the first byte on the link: firmware, DMA, MAC.
    fn first_transmission(&mut self) -> Result<(), PathError> {
        let (journey, node) = (self.journey, self.journey.sender);
        let log = journey.logs[node];
        let (first, from) = (self.attempts[0], self.last());
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
            .map(|(at, marker, _)| (at, Clock::Core, format!("{side}: {}", marker.stage())))
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

    /// All transmissions of the last frame, up to the transmission that the receiver accepts.
    fn flights(&mut self) -> Result<(), PathError> {
        let attempts = self.attempts.clone();
        for (index, attempt) in attempts.iter().enumerate() {
            let accepted = self.flight(attempt)?;
            match attempts.get(index + 1) {
                // Accepted, or received and lost from sight: a later copy changes nothing.
                _ if accepted => break,
                Some(next) => self.wait_for_retransmission(attempt, next),
                None => return Err(self.journey.missing("its last frame was never accepted")),
            }
        }
        Ok(())
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
    fn delivery(&mut self) -> Result<(), PathError> {
        let (journey, node) = (self.journey, self.journey.receiver);
        let log = journey.logs[node];
        let posted = log
            .markers(self.last(), self.end)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::DataFrame;
    use host_model::address::{NodeId, Pid};
    use host_model::events::Event;
    use nic_layout::trace;
    use sim_fabric::Topology;

    const MESSAGE: u32 = 7;
    const SEQUENCE: u32 = 41;
    const HZ: Frequencies =
        Frequencies { host_hz: 800_000_000, pci_hz: 66_000_000, core_hz: 133_000_000, link_hz: 160_000_000 };

    fn event(at: u64, kind: EventKind) -> Event {
        let subject = match kind {
            EventKind::ArrivalWritten | EventKind::ArrivalSeen => Subject::Arrival { pid: Pid(1), message: MESSAGE },
            _ => Subject::Post { pid: Pid(1), index: 0, message: MESSAGE },
        };
        Event { at: Ps(at), node: NodeId(0), subject, kind }
    }

    fn markers(list: &[(u64, Marker, u32)]) -> Vec<(Ps, u32)> {
        list.iter().map(|(at, marker, argument)| (Ps(*at), trace::word(*marker, *argument))).collect()
    }

    fn pulses(list: &[(u64, Probe)]) -> Vec<(Ps, u32)> {
        list.iter().map(|(at, probe)| (Ps(*at), 1 << *probe as u32)).collect()
    }

    /// A word that goes with its post and hits everywhere, with 100 ps from event to event.
    fn logs() -> [NodeLog; 2] {
        let data = Some(DataFrame { message: MESSAGE, sequence: SEQUENCE });
        let sender = NodeLog {
            host: vec![
                event(100, EventKind::PostBegin),
                event(200, EventKind::PioIssued),
                event(300, EventKind::DescriptorWritten),
                event(400, EventKind::DoorbellWritten),
            ],
            trace: markers(&[(600, Marker::DoorbellTaken, 0), (700, Marker::TransmitPosted, SEQUENCE)]),
            probes: pulses(&[(500, Probe::Doorbell), (800, Probe::MacTxStart)]),
            sent: vec![SentFrame { start: Ps(900), end: Ps(1000), data, contents: Box::default() }],
            ..NodeLog::default()
        };
        let receiver = NodeLog {
            host: vec![event(2000, EventKind::ArrivalWritten), event(2100, EventKind::ArrivalSeen)],
            trace: markers(&[
                (1300, Marker::ReceiveBegin, 0),
                (1400, Marker::ReceiveHeader, SEQUENCE),
                (1500, Marker::BufferHit, 0),
                (1600, Marker::ReceiveLookupBegin, 0),
                (1700, Marker::LookupHit, 0),
                (1800, Marker::DmaWritePosted, SEQUENCE),
            ]),
            probes: pulses(&[(1200, Probe::MacRxDone), (1900, Probe::DmaWriteStart), (2050, Probe::DmaWriteDone)]),
            ..NodeLog::default()
        };
        [sender, receiver]
    }

    fn account(logs: &[NodeLog; 2]) -> Result<Account, PathError> {
        let network = Network::new(&Topology::Cable {}, 2, Vec::new(), Ps(100));
        let logs = [&logs[0], &logs[1]];
        Journey { message: MESSAGE, size_bytes: 4, sender: 0, receiver: 1, logs: &logs, network: &network, hz: HZ }
            .account()
    }

    #[test]
    fn a_word_that_hits_is_in_one_stage_after_the_other() {
        let account = account(&logs()).unwrap();
        let found: Vec<(&str, u64)> = account.spans.iter().map(|span| (&*span.stage, span.duration_ps)).collect();
        let expected = [
            ("library: descriptor", 100),
            ("PIO: descriptor", 100),
            ("PIO: doorbell", 100),
            ("doorbell: to the core's clock", 100),
            ("event waits", 100),
            ("sender: read descriptor", 100),
            ("sender: next frame", 100),
            ("MAC: data to the link's clock", 100),
            ("link: frame", 100),
            ("link: latency", 100),
            ("MAC: end of frame to the ring", 100),
            ("event waits", 100),
            ("receiver: read header", 100),
            ("receiver: find buffer", 100),
            ("receiver: checks", 100),
            ("receiver: lookup", 100),
            ("receiver: after lookup hit", 100),
            ("DMA write: waits", 100),
            ("DMA write: transfer", 100),
            ("process polls", 100),
        ];
        assert_eq!(found, expected);
        assert_eq!((account.latency_ps, account.difference_ps()), (2000, 0));
    }

    #[test]
    fn a_step_that_the_logs_lack_is_named() {
        let without = |remove: fn(&mut [NodeLog; 2])| {
            let mut logs = logs();
            remove(&mut logs);
            account(&logs).unwrap_err().what
        };
        assert_eq!(without(|logs| _ = logs[0].host.remove(2)), "no DescriptorWritten");
        assert_eq!(without(|logs| logs[0].sent.clear()), "no frame of it left the sender");
        assert_eq!(without(|logs| _ = logs[0].probes.pop()), "the MAC never fetched its descriptor");
        assert_eq!(without(|logs| _ = logs[1].trace.pop()), "the receiver never decided on it");
        assert_eq!(without(|logs| logs[1].trace.clear()), "its last frame was never accepted");
        assert_eq!(without(|logs| _ = logs[1].probes.remove(1)), "no host-write DMA began before its arrival");
    }
}
