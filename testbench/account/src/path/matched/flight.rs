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
    /// When the firmware of a node took the frame that was stored then.
    fn taken_from_ring(&self, node: usize, stored: Ps) -> Option<Step> {
        let log = self.journey.logs[node];
        let index = (log.pulses(Probe::MacRxDone, stored) - 1) & INDEX_MASK;
        log.find(stored, Ps::MAX, |marker, argument| {
            marker == Marker::ReceiveBegin && argument as usize & INDEX_MASK == index
        })
    }

    /// When the firmware of node `to` took a frame of node `from`, if it came there.
    pub(super) fn taken(&self, frame: &SentFrame, from: usize, to: usize) -> Option<Step> {
        let (_, stored) = self.stored(frame, from, to)?;
        self.taken_from_ring(to, stored)
    }

    /// A frame on the wire and in the ring of the other node, until its firmware takes it. `None`
    /// if the frame did not come there.
    pub(super) fn fly(&mut self, frame: &SentFrame, sender: usize, receiver: usize) -> Option<Step> {
        let stored = self.arrive(frame, sender, receiver)?;
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
