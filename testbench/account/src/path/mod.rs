//! The way of one message through both nodes and the switches between them, as marks of an account.
//!
//! A way is a list of steps, one list for each operation. A write has arrived when its last
//! frame's data are in host memory and the process has seen them. So the way of the last frame
//! counts: while earlier frames keep the sender's core busy, that is where the message is. A frame
//! that is dropped leaves the message waiting at the receiver, where the host serves the miss,
//! until the sender's time-out sends it again. A read goes there and back: its request, then the
//! last reply, then the status page of the process.

mod ends;
mod flight;
mod host;
mod transmission;

use host_model::events::EventKind;
use nic_layout::frame::link::FrameKind;
use nic_layout::trace::Marker;
use sim_pins::Ps;
use thiserror::Error;

use crate::account::{Account, Clock, Frequencies, Mark};
use crate::log::{NodeLog, SentFrame};
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
}

impl Operation {
    fn steps(self) -> &'static [Step] {
        match self {
            Operation::Write => &WRITE,
            Operation::Read => &READ,
        }
    }

    /// The names of the two nodes in stages: the node that posts, then the other node.
    const fn roles(self) -> [&'static str; 2] {
        match self {
            Operation::Write => ["sender", "receiver"],
            Operation::Read => ["reader", "owner"],
        }
    }
}

/// Whether a stage is work of a core, by the role before its colon.
pub(crate) fn is_of_a_core(stage: &str) -> bool {
    let role = stage.split(':').next().unwrap_or_default();
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
    /// Logs of all nodes.
    pub logs: &'a [&'a NodeLog],
    /// What joins the nodes.
    pub network: &'a Network<'a>,
    /// Frequencies of both nodes' clocks.
    pub hz: Frequencies,
}

impl<'a> Journey<'a> {
    /// The account from `PostBegin` on the sender to the end of the operation.
    ///
    /// # Errors
    /// The logs lack a step, or have steps in an impossible order.
    pub fn account(&self) -> Result<Account, PathError> {
        let begin = self.begin().ok_or_else(|| self.missing("no PostBegin"))?;
        let (kind, end) = self.end();
        let end = end.ok_or_else(|| self.missing(&format!("no {kind:?}")))?;
        let mut way = Way { journey: self, begin, end, marks: Vec::new() };
        self.operation.steps().iter().try_for_each(|step| step(&mut way))?;
        Account::from_marks(self.message, self.size_bytes, &way.marks, end, &self.hz)
            .ok_or_else(|| self.missing(&format!("its marks run backwards: {:?}", way.backwards())))
    }

    /// Whether a lookup for any of its frames missed, on either node: for messages that take turns,
    /// so that no other can have.
    pub fn missed(&self) -> bool {
        let (Some(begin), (_, Some(end))) = (self.begin(), self.end()) else { return false };
        let raised = |log: &&NodeLog| {
            log.markers(begin, end).any(|(_, marker, _)| matches!(marker, Marker::MissRaised | Marker::FetchBegun))
        };
        [self.sender, self.receiver].map(|node| &self.logs[node]).into_iter().any(raised)
    }

    fn begin(&self) -> Option<Ps> {
        self.logs[self.sender].post(self.message, EventKind::PostBegin)
    }

    /// The event that ends the operation, and its time.
    fn end(&self) -> (EventKind, Option<Ps>) {
        match self.operation {
            Operation::Write => {
                let kind = EventKind::ArrivalSeen;
                (kind, self.logs[self.receiver].arrival(self.message, kind))
            }
            Operation::Read => {
                let kind = EventKind::StatusSeen;
                (kind, self.logs[self.sender].post(self.message, kind))
            }
        }
    }

    fn missing(&self, what: &str) -> PathError {
        PathError { message: self.message, what: what.into() }
    }

    /// The role of a node in the names of stages.
    fn role(&self, node: usize) -> &'static str {
        let [posts, other] = self.operation.roles();
        if node == self.sender {
            posts
        } else {
            other
        }
    }
}

/// The last frame of one kind of a message, on its way between two nodes.
struct Leg<'a> {
    from: usize,
    to: usize,
    kind: FrameKind,
    /// All transmissions of the frame; there is at least one.
    attempts: Vec<&'a SentFrame>,
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
const WRITE: [Step; 4] = [
    |way| way.post(),
    |way| way.transmission(FrameKind::WRITE),
    |way| way.flights(FrameKind::WRITE),
    |way| way.arrival(),
];

/// The way of a read.
const READ: [Step; 6] = [
    |way| way.post(),
    |way| way.transmission(FrameKind::READ),
    |way| way.flights(FrameKind::READ),
    |way| way.transmission(FrameKind::REPLY),
    |way| way.flights(FrameKind::REPLY),
    |way| way.status(),
];

/// Marks in the making.
struct Way<'a> {
    journey: &'a Journey<'a>,
    /// When the message begins and ends.
    begin: Ps,
    end: Ps,
    marks: Vec<Mark>,
}

impl<'a> Way<'a> {
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

    /// The last frame of a kind, with all its transmissions.
    fn leg(&self, kind: FrameKind) -> Result<Leg<'a>, PathError> {
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
    fn core_work(&mut self, node: usize, from: Ps, to: Ps) {
        let (log, role) = (self.journey.logs[node], self.journey.role(node));
        let mut stages: Vec<(Ps, Clock, String)> = log
            .markers(from, to)
            .filter(|(at, ..)| *at < to)
            .map(|(at, marker, _)| (at, Clock::Core, format!("{role}: {}", marker.stage())))
            .collect();
        if log.markers(from, to).any(|(_, marker, _)| marker == Marker::MissRaised) {
            let raised =
                log.markers(from, to).find(|(_, marker, _)| *marker == Marker::MissRaised).map_or(to, |(at, ..)| at);
            stages.extend(host::stages(log, raised, to));
            stages.sort_by_key(|(at, ..)| *at);
        }
        for (at, clock, stage) in stages {
            self.mark(at, node, clock, stage);
        }
    }
}

/// Markers carry the low 24 bits.
fn same_low_bits(argument: u32, sequence: u32) -> bool {
    argument == sequence & nic_layout::trace::ARGUMENT_MASK
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::{DataFrame, Probe};
    use host_model::address::{NodeId, Pid};
    use host_model::events::{Event, Subject};
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
        let data = Some(DataFrame { message: MESSAGE, sequence: SEQUENCE, kind: FrameKind::WRITE, bytes: 4 });
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
        account_of(Operation::Write, logs)
    }

    fn account_of(operation: Operation, logs: &[NodeLog; 2]) -> Result<Account, PathError> {
        let network = Network::new(&Topology::Cable {}, 2, Vec::new(), Ps(100));
        let logs = [&logs[0], &logs[1]];
        Journey {
            message: MESSAGE,
            size_bytes: 4,
            operation,
            sender: 0,
            receiver: 1,
            logs: &logs,
            network: &network,
            hz: HZ,
        }
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

    /// A read of a word that hits everywhere, with 100 ps from event to event.
    fn logs_of_a_read() -> [NodeLog; 2] {
        let frame = |kind, bytes| Some(DataFrame { message: MESSAGE, sequence: SEQUENCE, kind, bytes });
        let [mut reader, _] = logs();
        reader.sent[0].data = frame(FrameKind::READ, 8);
        reader.host.push(event(3300, EventKind::StatusSeen));
        reader.trace.extend(markers(&[
            (2700, Marker::ReceiveBegin, 0),
            (2800, Marker::ReceiveHeader, SEQUENCE),
            (2900, Marker::DmaWritePosted, SEQUENCE),
        ]));
        reader.probes.extend(pulses(&[
            (2600, Probe::MacRxDone),
            (2910, Probe::DmaWriteStart),
            (3000, Probe::DmaWriteDone),
            (3100, Probe::DmaWriteStart),
            (3200, Probe::DmaWriteDone),
        ]));
        let owner = NodeLog {
            trace: markers(&[
                (1300, Marker::ReceiveBegin, 0),
                (1400, Marker::ReceiveHeader, SEQUENCE),
                (1500, Marker::BufferHit, 0),
                (1700, Marker::Accepted, SEQUENCE),
                (2050, Marker::TransmitPosted, SEQUENCE),
            ]),
            probes: pulses(&[
                (1200, Probe::MacRxDone),
                (1600, Probe::DmaReadStart),
                (1900, Probe::DmaReadDone),
                (2050, Probe::DmaReadStart),
                (2100, Probe::DmaReadDone),
                (2200, Probe::MacTxStart),
            ]),
            sent: vec![SentFrame {
                start: Ps(2300),
                end: Ps(2400),
                data: frame(FrameKind::REPLY, 4),
                contents: Box::default(),
            }],
            ..NodeLog::default()
        };
        [reader, owner]
    }

    #[test]
    fn a_read_goes_there_and_back_to_the_status_page() {
        let account = account_of(Operation::Read, &logs_of_a_read()).unwrap();
        let found: Vec<(&str, u64)> = account.spans.iter().map(|span| (&*span.stage, span.duration_ps)).collect();
        let expected = [
            ("library: descriptor", 100),
            ("PIO: descriptor", 100),
            ("PIO: doorbell", 100),
            ("doorbell: to the core's clock", 100),
            ("event waits", 100),
            ("reader: read descriptor", 100),
            ("reader: next frame", 100),
            ("MAC: data to the link's clock", 100),
            ("link: frame", 100),
            ("link: latency", 100),
            ("MAC: end of frame to the ring", 100),
            ("event waits", 100),
            ("owner: read header", 100),
            ("owner: find buffer", 100),
            ("owner: checks", 100),
            ("DMA read: transfer", 300),
            ("owner: header", 150),
            ("DMA read: release", 50),
            ("MAC: descriptor", 100),
            ("MAC: data to the link's clock", 100),
            ("link: frame", 100),
            ("link: latency", 100),
            ("MAC: end of frame to the ring", 100),
            ("event waits", 100),
            ("reader: read header", 100),
            ("reader: find buffer", 100),
            ("DMA write: waits", 10),
            ("DMA write: transfer", 90),
            ("status: waits", 100),
            ("status: transfer", 100),
            ("process polls", 100),
        ];
        assert_eq!(found, expected);
        assert_eq!((account.latency_ps, account.difference_ps()), (3200, 0));
    }

    #[test]
    fn a_step_of_a_read_that_the_logs_lack_is_named() {
        let without = |remove: fn(&mut [NodeLog; 2])| {
            let mut logs = logs_of_a_read();
            remove(&mut logs);
            account_of(Operation::Read, &logs).unwrap_err().what
        };
        assert_eq!(without(|logs| _ = logs[0].host.pop()), "no StatusSeen");
        assert_eq!(without(|logs| logs[1].sent.clear()), "no frame of it left the owner");
        assert_eq!(without(|logs| _ = logs[1].trace.drain(3..)), "the owner never decided on it");
        assert_eq!(without(|logs| _ = logs[1].probes.drain(1..3)), "no host-read DMA ended before its transmission");
        assert_eq!(without(|logs| _ = logs[0].probes.drain(3..)), "its status page was not written");
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
