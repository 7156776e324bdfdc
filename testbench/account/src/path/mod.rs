//! The way of one message through both nodes and the switches between them, as marks of an account.
//!
//! A way is a list of steps, one list for each operation. A write has arrived when its last
//! frame's data are in host memory and the process has seen them. So the way of the last frame
//! counts: while earlier frames keep the sender's core busy, that is where the message is. A frame
//! that is dropped leaves the message waiting at the receiver, where the host serves the miss,
//! until the sender's time-out sends it again. A read goes there and back: its request, then the
//! last reply, then the status page of the process. A message that the NIC matches: [`matched`].

mod ends;
mod flight;
mod host;
mod matched;
mod transmission;
mod way;

use nic_layout::frame::link::FrameKind;
use nic_layout::trace::Marker;

use crate::account::Account;
use crate::log::NodeLog;

pub(crate) use way::is_of_a_core;
pub use way::{Journey, Operation, PathError};

use way::Way;

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

/// The way of a message that the receiver's NIC matches.
const MESSAGE: [Step; 2] = [|way| way.delivery(), |way| way.seen_by_the_receiver()];

/// The way of the same message until its sender knows that it was accepted.
const ACCEPTANCE: [Step; 3] = [|way| way.delivery(), |way| way.acknowledgement(), |way| way.seen_by_the_sender()];

fn steps(operation: Operation) -> &'static [Step] {
    match operation {
        Operation::Write => &WRITE,
        Operation::Read => &READ,
        Operation::Message => &MESSAGE,
        Operation::Acceptance => &ACCEPTANCE,
    }
}

impl Journey<'_> {
    /// The account from `PostBegin` on the sender to the end of the operation.
    ///
    /// # Errors
    /// The logs lack a step, or have steps in an impossible order.
    pub fn account(&self) -> Result<Account, PathError> {
        let begin = self.begin().ok_or_else(|| self.missing("no PostBegin"))?;
        let (kind, end) = self.end();
        let end = end.ok_or_else(|| self.missing(&format!("no {kind:?}")))?;
        let mut way = Way { journey: self, begin, end, marks: Vec::new() };
        steps(self.operation).iter().try_for_each(|step| step(&mut way))?;
        Account::from_marks(self.message, self.size_bytes, &way.marks, end, &self.hz)
            .ok_or_else(|| self.missing(&format!("its marks run backwards: {:?}", way.backwards())))
    }

    /// Whether a lookup for any of its frames missed, on either node: for messages that take turns,
    /// so that no other can have.
    pub fn missed(&self) -> bool {
        let (Some(begin), (_, Some(end))) = (self.begin(), self.end()) else { return false };
        let raised = |log: &&NodeLog| {
            let is_miss = |marker| matches!(marker, Marker::MissRaised | Marker::FetchBegun | Marker::MessageRefused);
            log.find(begin, end, |marker, _| is_miss(marker)).is_some()
        };
        [self.sender, self.receiver].map(|node| &self.logs[node]).into_iter().any(raised)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::Frequencies;
    use crate::log::SentFrame;
    use crate::log::{DataFrame, Probe};
    use crate::route::Network;
    use host_model::address::{NodeId, Pid};
    use host_model::events::{Event, EventKind, Subject};
    use nic_layout::trace;
    use sim_fabric::Topology;
    use sim_pins::Ps;

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
            sent: vec![SentFrame {
                start: Ps(900),
                end: Ps(1000),
                arrivals: vec![Ps(1000)],
                data,
                contents: Box::default(),
            }],
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
        let network = Network::new(&Topology::Cable {}, 2, &[], Ps(100));
        let logs = [&logs[0], &logs[1]];
        Journey {
            message: MESSAGE,
            size_bytes: 4,
            operation,
            sender: 0,
            receiver: 1,
            since: None,
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
                arrivals: vec![Ps(2400)],
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
