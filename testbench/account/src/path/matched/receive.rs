//! From the wire to the process.

use host_model::events::EventKind;
use nic_layout::trace::Marker;
use sim_pins::Ps;

use super::super::way::{PathError, Way};
use super::facts::{Facts, Step};
use super::frame::Sent;
use crate::account::Clock;
use crate::log::{Core, Probe, SentFrame};

/// A receive ring index has so many bits.
const INDEX_MASK: usize = 0xFFFF;

impl Way<'_> {
    /// When a frame of the sender was in the receive ring, if it came there.
    fn stored(&self, frame: &SentFrame, sender: usize, receiver: usize) -> Option<Ps> {
        let arrived = self.journey.network.passage(sender, frame.start, frame.end)?.arrived;
        let log = self.journey.logs[receiver];
        let stored = log.first_pulse(Probe::MacRxDone, arrived)?;
        // Another frame cannot end before: if this one was dropped, that shows first.
        let dropped = log.first_pulse(Probe::MacRxDrop, arrived);
        dropped.is_none_or(|dropped| dropped > stored).then_some(stored)
    }

    /// When the firmware of a node took the frame that was stored then.
    fn taken_from_ring(&self, node: usize, stored: Ps) -> Option<Step> {
        let log = self.journey.logs[node];
        let index = (log.pulses(Probe::MacRxDone, stored) - 1) & INDEX_MASK;
        log.find(stored, Ps::MAX, |marker, argument| {
            marker == Marker::ReceiveBegin && argument as usize & INDEX_MASK == index
        })
    }

    /// When the receiver's firmware took a frame of the sender.
    pub(super) fn taken(&self, frame: &SentFrame) -> Option<Step> {
        let (sender, receiver) = (self.journey.sender, self.journey.receiver);
        self.taken_from_ring(receiver, self.stored(frame, sender, receiver)?)
    }

    /// A frame on the wire and in the ring of the other node, until its firmware takes it. `None`
    /// if the frame did not come there.
    pub(super) fn fly(&mut self, frame: &SentFrame, sender: usize, receiver: usize) -> Option<Step> {
        let arrived = self.network(frame, sender)?;
        self.mark(arrived, receiver, Clock::Link, "MAC: end of frame to the ring");
        let stored = self.stored(frame, sender, receiver)?;
        self.mark(stored, receiver, Clock::Core, "event waits");
        let taken = self.taken_from_ring(receiver, stored)?;
        self.work(receiver, taken.1, stored, taken.0);
        Some(taken)
    }

    /// The frame that brought the last data, until the descriptor says that the message is there.
    pub(super) fn receive(&mut self, facts: &Facts<'_>, sent: &Sent<'_>) -> Result<(), PathError> {
        let (journey, node) = (self.journey, self.journey.receiver);
        let log = journey.logs[node];
        let taken = self
            .fly(sent.frame, journey.sender, node)
            .ok_or_else(|| journey.missing("its last frame was never taken"))?;
        let ((placed, core), (received, _)) = (facts.placed, facts.received);
        if taken.1 == core {
            self.work(node, core, taken.0, placed);
        } else {
            self.hand_over(node, taken, (placed, core));
        }
        let placed_marker = log.find_last(placed, received, |marker, _| marker == Marker::MessagePlaced);
        let seen = placed_marker.map_or(received, |(at, _)| at);
        let written = log
            .last_pulse(Probe::DmaWriteDone, seen)
            .ok_or_else(|| journey.missing("no host-write DMA ended before its end"))?;
        // Transfers end in order, and one may begin while the one before it is on the bus.
        let begun = log
            .pulse(Probe::DmaWriteStart, log.pulses(Probe::DmaWriteDone, Ps(written.0 - 1)))
            .max(log.last_pulse(Probe::DmaWriteDone, Ps(written.0 - 1)))
            .map_or(placed, |at| at.clamp(placed, written.max(placed)));
        self.mark(placed, node, Clock::Core, "DMA write: waits");
        self.mark(begun, node, Clock::Pci, "DMA write: transfer");
        self.mark(written.max(placed), node, Clock::Core, "event waits");
        self.work(node, core, written.max(placed), received);
        Ok(())
    }

    /// From the core of the sorter to the core of the receiver.
    fn hand_over(&mut self, node: usize, (taken, sorter): Step, (placed, receiver): Step) {
        let log = self.journey.logs[node];
        // The sorter is done with the frame at the latest when it takes the next, or sleeps.
        let is_over = |marker: Marker| matches!(marker, Marker::ReceiveBegin | Marker::Idle);
        let mut after = log.markers_of(sorter, Ps(taken.0 + 1), placed).filter(|(_, marker, _)| is_over(*marker));
        let passed = after.next().map_or(placed, |(at, ..)| at);
        self.work(node, sorter, taken, passed);
        let name = if receiver == Core::B { "handed over, waits for core B" } else { "handed over, waits for core A" };
        self.mark(passed, node, Clock::Core, name);
        self.work(node, receiver, passed, placed);
    }

    /// From the descriptor that says so to the receiving process that sees it.
    pub(in crate::path) fn seen_by_the_receiver(&mut self) -> Result<(), PathError> {
        let (journey, node) = (self.journey, self.journey.receiver);
        let (received, _) = self.facts()?.received;
        let poll = journey.logs[node].arrival(journey.message, EventKind::PollBegin);
        self.poll(node, received, poll.ok_or_else(|| journey.missing("no PollBegin"))?);
        Ok(())
    }

    /// The read that sees the descriptor of a message that has ended at `ended`.
    pub(super) fn poll(&mut self, node: usize, ended: Ps, poll: Ps) {
        if poll > ended {
            self.mark(ended, node, Clock::Pci, "poll: waits for its turn");
        }
        self.mark(poll.max(ended), node, Clock::Pci, "poll: read of the descriptor");
    }
}
