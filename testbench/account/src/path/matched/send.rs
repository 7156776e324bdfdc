//! From the post to the wire.

use host_model::events::EventKind;
use nic_layout::trace::{Marker, ARGUMENT_MASK};
use sim_pins::Ps;

use super::super::way::{PathError, Way};
use super::facts::Facts;
use super::frame::Sent;
use crate::account::Clock;
use crate::log::{Core, NodeLog, Probe};

impl Way<'_> {
    /// From the call of the library to the descriptor that the sender has read.
    pub(super) fn post_message(&mut self, facts: &Facts<'_>) -> Result<(), PathError> {
        let (journey, node) = (self.journey, self.journey.sender);
        let log = journey.logs[node];
        let event = |kind| log.post(journey.message, kind).ok_or_else(|| journey.missing(&format!("no {kind:?}")));
        let (begin, known) = (event(EventKind::PostBegin)?, event(EventKind::PagesKnown)?);
        let (descriptor, free) = (event(EventKind::DescriptorWritten)?, event(EventKind::MailboxFree)?);
        let written = event(EventKind::MailboxWritten)?;
        self.mark(self.begin, node, Clock::Host, "library: posts a receive first");
        self.mark(begin, node, Clock::Host, "library: addresses");
        self.mark(known, node, Clock::Host, "library: descriptor");
        // The stores leave the processor while the bus already carries the first of them.
        self.mark(free.min(descriptor), node, Clock::Pci, "PIO: descriptor");
        if free > descriptor {
            self.mark(descriptor, node, Clock::Pci, "PIO: waits for the mailbox");
        }
        self.mark(free.max(descriptor), node, Clock::Pci, "PIO: mailbox");
        self.mark(written.min(facts.mailbox), node, Clock::Core, "mailbox: to the core's clock");
        self.mark(facts.mailbox, node, Clock::Core, "event waits");
        Ok(())
    }

    /// From the descriptor, or from what the message waited for, to the first byte on the wire.
    pub(super) fn send(&mut self, facts: &Facts<'_>, sent: &Sent<'_>) -> Result<(), PathError> {
        let (journey, node, from) = (self.journey, self.journey.sender, self.last());
        let log = journey.logs[node];
        let start = sent.frame.start;
        let header = transmitted(log, facts.mailbox, start, sent.header.numbers);
        let core = header.map_or(facts.posted.1, |(_, core)| core);
        let mac = log
            .last_pulse(Probe::MacTxStart, start)
            .filter(|at| *at >= from)
            .ok_or_else(|| journey.missing("the MAC never fetched its descriptor"))?;
        let released = match (sent.header.bytes, header) {
            // No transfer is waited for.
            (0, Some((posted, _))) => posted,
            (0, None) => mac,
            _ => {
                let done = |before: Ps| log.last_pulse(Probe::DmaReadDone, before).filter(|at| *at >= from);
                let missing = || journey.missing("no host-read DMA ended before its transmission");
                let last = done(mac).ok_or_else(missing)?;
                // The transfer that releases the frame is behind that of its data. There is none if
                // the data had come before the header was complete.
                let read = done(Ps(last.0 - 1)).unwrap_or(last);
                let released = match (read == last, header) {
                    (true, Some((posted, _))) => posted.clamp(read, mac),
                    _ => last,
                };
                let begun = log.last_pulse(Probe::DmaReadStart, read).map_or(from, |at| at.max(from));
                self.send_work(facts, core, from, begun);
                self.mark(begun, node, Clock::Pci, "DMA read: transfer");
                // The firmware completes the frame meanwhile.
                let posted = header.map_or(read, |(at, _)| at.clamp(read, released));
                self.mark(read, node, Clock::Core, format!("{}: header", self.role_of(node, core)));
                self.mark(posted, node, Clock::Core, "DMA read: release");
                released
            }
        };
        if sent.header.bytes == 0 {
            self.send_work(facts, core, from, released.max(from));
        }
        self.wait_for_the_wire(sent, released.max(from), mac);
        Ok(())
    }

    /// When the transmitter began a frame.
    pub(super) fn begun(&self, facts: &Facts<'_>, sent: &Sent<'_>) -> Ps {
        let log = self.journey.logs[self.journey.sender];
        let Some((posted, _)) = transmitted(log, facts.mailbox, sent.frame.start, sent.header.numbers) else {
            return sent.frame.start;
        };
        let begun = log.find_last(facts.mailbox, posted, |marker, _| marker == Marker::FrameBegun);
        begun.map_or(posted, |(at, _)| at)
    }

    /// The cores between two times: the sender's core until the message is posted, then the
    /// transmitter's.
    fn send_work(&mut self, facts: &Facts<'_>, core: Core, from: Ps, to: Ps) {
        let node = self.journey.sender;
        let (posted, sender) = facts.posted;
        let between = posted.clamp(from, to);
        if sender == core {
            return self.work(node, core, from, to);
        }
        self.work(node, sender, from, between);
        self.mark(between, node, Clock::Core, "handed over, waits for core B");
        self.work(node, core, between, to);
    }

    /// From the release of a frame to its first byte: the MAC sends the frames before it.
    fn wait_for_the_wire(&mut self, sent: &Sent<'_>, released: Ps, mac: Ps) {
        let node = self.journey.sender;
        let start = sent.frame.start;
        let frames = &self.journey.logs[node].sent;
        let before = frames.iter().take_while(|frame| frame.start < start).last().map_or(Ps::ZERO, |frame| frame.end);
        let free = before.clamp(released, start);
        if free > released {
            self.mark(released, node, Clock::Link, "link: frames before it");
        }
        if free < mac {
            self.mark(free, node, Clock::Core, "MAC: descriptor");
        }
        self.mark(free.max(mac), node, Clock::Core, "MAC: data to the link's clock");
    }
}

/// Where the header of a frame was written that left the node at `start`.
fn transmitted(log: &NodeLog, from: Ps, start: Ps, numbers: u32) -> Option<(Ps, Core)> {
    log.find_last(from, start, |marker, argument| {
        marker == Marker::TransmitPosted && argument == numbers & ARGUMENT_MASK
    })
}
