//! What happened in a host, and when: the log from which latencies are split into spans.
//!
//! Recording takes no simulated time. The times are those of the instant, to the picosecond; the
//! events of one subject in the order of time cut its life into spans whose sum is the whole,
//! exactly.

use std::cell::RefCell;
use std::rc::Rc;

use sim_pins::Ps;

use crate::address::{NodeId, Pid};

/// Whose life an event belongs to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Subject {
    /// A post: the free-running index in its queue, and the number that travels with it.
    Post {
        /// The process that posts.
        pid: Pid,
        /// Free-running index of the post in its queue.
        index: u32,
        /// The number that travels with the message.
        message: u32,
    },
    /// Bytes that a process waited for, by the number that it gave.
    Arrival {
        /// The process that waits.
        pid: Pid,
        /// The number of the message that it waits for.
        message: u32,
    },
    /// The n-th miss that the driver read, and the key of its line or the CBH word of its buffer.
    Miss {
        /// Number of the miss, in the order of the ring.
        number: u64,
        /// Key of the line, or the CBH word of the buffer.
        key: u32,
    },
    /// The n-th time that INTA# was taken.
    Interrupt {
        /// Number of the interrupt, from 0.
        number: u64,
    },
    /// The n-th command to the firmware.
    Command {
        /// Number of the command, from 0.
        number: u64,
    },
    /// The start of the NIC.
    Boot,
}

/// What happened. The comments in between say which kinds of subject have which events.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EventKind {
    // A post.
    /// The library begins to build the descriptor.
    PostBegin,
    /// The stores of descriptor and doorbell have left the processor.
    PioIssued,
    /// The last word of the descriptor was taken by the NIC.
    DescriptorWritten,
    /// The doorbell was taken by the NIC.
    DoorbellWritten,
    /// The library has the physical addresses of a message that the NIC matches.
    PagesKnown,
    /// The NIC has taken the number that was in the mailbox before.
    MailboxFree,
    /// The number of the descriptor was taken by the NIC's mailbox.
    MailboxWritten,
    /// The process has seen in its status page, or in its descriptor, that the post has ended.
    StatusSeen,
    // An arrival.
    /// The process begins to wait for the bytes.
    WaitBegin,
    /// The device's write of the bytes woke the process.
    ArrivalWritten,
    /// The read of the NIC begins that sees the end of the message; also of a send.
    PollBegin,
    /// The process has read the bytes, or has seen the end in its descriptor.
    ArrivalSeen,
    // An interrupt and a miss.
    /// INTA# was asserted, or still stood after the last handler.
    InterruptAsserted,
    /// The first instruction of the interrupt handler.
    HandlerStart,
    /// The handler has read the miss from the ring.
    MissRead,
    /// The interrupt handler returns.
    HandlerEnd,
    /// The thread runs after it was woken.
    ThreadStart,
    /// The thread takes up this miss.
    ServiceStart,
    /// The driver begins to pin the pages of the miss.
    PinStart,
    /// The pages are pinned.
    PinEnd,
    /// The driver begins to write the translation or the descriptor to the NIC.
    FillStart,
    /// The last store of the fill has left the processor.
    FillIssued,
    /// The NIC has taken the key word: the line is valid.
    LineValid,
    /// The line was given back without a translation.
    LineReleased,
    /// The NIC has taken the word that there is no such buffer.
    BufferDenied,
    /// The NIC has taken the new consumer index of the miss ring.
    ServedWritten,
    // A command.
    /// The driver begins to write the command to the NIC.
    CommandIssued,
    /// The driver has the answer of the firmware.
    CommandAnswered,
    // Boot.
    /// The NIC was found and has bus addresses.
    ResourcesAssigned,
    /// The image of the firmware has left the processor for the SRAM.
    FirmwareLoaded,
    /// What was read back of the image is as it was written.
    FirmwareVerified,
    /// The core was released from reset.
    CoreReleased,
    /// The firmware has answered that it runs.
    FirmwareReady,
}

/// An event before it has a time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Note {
    /// What the event belongs to.
    pub subject: Subject,
    /// What happens.
    pub kind: EventKind,
}

/// An event of the log.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Event {
    /// When it happened.
    pub at: Ps,
    /// The node on which it happened.
    pub node: NodeId,
    /// What it belongs to.
    pub subject: Subject,
    /// What happened.
    pub kind: EventKind,
}

/// The time between two neighbouring events of a subject.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Span {
    /// The event at which the span begins.
    pub from: EventKind,
    /// The event at which the span ends.
    pub to: EventKind,
    /// Time of the first event.
    pub start: Ps,
    /// Time between the two events.
    pub length: Ps,
}

/// The log of one node. Clones write to the same log.
#[derive(Clone)]
pub struct EventLog {
    node: NodeId,
    events: Option<Rc<RefCell<Vec<Event>>>>,
}

impl EventLog {
    /// A log that keeps every event.
    pub fn new(node: NodeId) -> EventLog {
        EventLog { node, events: Some(Rc::default()) }
    }

    /// Keeps nothing.
    pub fn silent(node: NodeId) -> EventLog {
        EventLog { node, events: None }
    }

    /// The node whose events these are.
    pub fn node(&self) -> NodeId {
        self.node
    }

    /// Adds an event. Events of a time in the past are allowed: the log keeps the order of
    /// recording.
    pub fn record(&self, at: Ps, note: Note) {
        if let Some(events) = &self.events {
            events.borrow_mut().push(Event { at, node: self.node, subject: note.subject, kind: note.kind });
        }
    }

    /// All events so far, in the order of recording.
    pub fn events(&self) -> Vec<Event> {
        self.events.as_ref().map(|events| events.borrow().clone()).unwrap_or_default()
    }

    /// Gives the events so far and forgets them.
    pub fn take(&self) -> Vec<Event> {
        self.events.as_ref().map(|events| std::mem::take(&mut *events.borrow_mut())).unwrap_or_default()
    }
}

impl Subject {
    /// An event of this subject, before it has a time.
    pub fn note(self, kind: EventKind) -> Note {
        Note { subject: self, kind }
    }
}

/// The life of one subject, cut at its events. The lengths add up to the time from the first event
/// to the last.
pub fn spans(events: &[Event], subject: Subject) -> Vec<Span> {
    let mut own: Vec<&Event> = events.iter().filter(|event| event.subject == subject).collect();
    // Stable: events of one instant keep the order in which they were recorded.
    own.sort_by_key(|event| event.at);
    own.windows(2)
        .map(|pair| Span { from: pair[0].kind, to: pair[1].kind, start: pair[0].at, length: pair[1].at - pair[0].at })
        .collect()
}

/// The subjects of a log that `wanted` accepts, in the order of their first event.
pub fn subjects(events: &[Event], wanted: impl Fn(&Subject) -> bool) -> Vec<Subject> {
    let mut found: indexmap::IndexSet<Subject> = indexmap::IndexSet::new();
    found.extend(events.iter().map(|event| event.subject).filter(wanted));
    found.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn spans_add_up_to_the_whole(times in prop::collection::vec(0_u64..1_000_000, 2..30)) {
            let log = EventLog::new(NodeId(0));
            let subject = Subject::Miss { number: 1, key: 2 };
            for at in &times {
                log.record(Ps(*at), subject.note(EventKind::PinStart));
                log.record(Ps(*at / 2), Subject::Boot.note(EventKind::FirmwareReady));
            }
            let spans = spans(&log.events(), subject);
            let sum: u64 = spans.iter().map(|span| span.length.0).sum();
            let whole = times.iter().max().expect("two") - times.iter().min().expect("two");
            prop_assert_eq!(sum, whole);
        }
    }

    #[test]
    fn a_silent_log_keeps_nothing() {
        let log = EventLog::silent(NodeId(3));
        log.record(Ps(1), Subject::Boot.note(EventKind::CoreReleased));
        assert!(log.events().is_empty() && log.take().is_empty());
    }

    #[test]
    fn subjects_come_in_the_order_of_their_first_event() {
        let log = EventLog::new(NodeId(0));
        for number in [5, 3, 5, 4] {
            log.record(Ps(number), Subject::Interrupt { number }.note(EventKind::HandlerStart));
        }
        let numbers = subjects(&log.events(), |subject| matches!(subject, Subject::Interrupt { .. }));
        let expected = [5, 3, 4].map(|number| Subject::Interrupt { number });
        assert_eq!(numbers, expected);
    }
}
