//! From the wire to the process.

use host_model::events::EventKind;
use nic_layout::trace::Marker;
use sim_pins::Ps;

use super::super::way::{PathError, Way};
use super::facts::Facts;
use super::flight::Step;
use super::frame::Sent;
use crate::account::Clock;
use crate::log::{Core, Probe};

impl Way<'_> {
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
}
