//! Frames on the wire and in the receive ring, and polls of descriptors.

use nic_layout::trace::Marker;
use sim_pins::Ps;

use super::super::way::Way;
use crate::account::Clock;
use crate::log::{Core, Probe, SentFrame};

/// A marker of either core.
pub(super) type Step = (Ps, Core);

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

    /// The read that sees the descriptor of a message that has ended at `ended`.
    pub(super) fn poll(&mut self, node: usize, ended: Ps, poll: Ps) {
        if poll > ended {
            self.mark(ended, node, Clock::Pci, "poll: waits for its turn");
        }
        self.mark(poll.max(ended), node, Clock::Pci, "poll: read of the descriptor");
    }
}
