//! Misses at either end.

use nic_device::Device;
use nic_dma::{HostReads, ReadTag};
use nic_layout::counter::Counter;
use nic_layout::frame::link::{word, FrameKind};
use nic_layout::trace::Marker;

use super::{Link, NODE_MASK};
use crate::types::{Framing, RETRANSMIT_TIMER};
use crate::LOST_RESTART_LOG2;

impl<F: Framing> Link<F> {
    /// Tells a peer that its frame missed here, or may come again: a frame without number that says
    /// its kind and an acknowledgement. False if the rings are full.
    ///
    /// A copy may still be in the ring, of the other kind perhaps: then the peer is told the newer
    /// thing twice.
    pub fn tell<R: ReadTag>(
        &mut self,
        dev: &mut impl Device,
        reads: &mut HostReads<R>,
        node: usize,
        kind: FrameKind,
    ) -> bool {
        if !self.has_short_room(dev, reads) {
            return false;
        }
        let acknowledgement = self.acknowledge_with(node);
        let expected = self.peers[node & NODE_MASK].receive.acknowledgement();
        let at = self.notice_buffer(node);
        dev.write(at + word::TYPE, word::kind(kind, 0) ^ F::MARK);
        dev.write(at + word::SEQUENCE, expected);
        self.place_short(dev, reads, at, acknowledgement);
        let (counter, marker) = match kind {
            FrameKind::RESTART => (Counter::RestartsSent, Marker::RestartSent),
            _ => (Counter::MissedSent, Marker::MissedSent),
        };
        dev.count(counter);
        dev.trace(marker, expected);
        true
    }

    /// Whether a frame of ours is in flight.
    pub(super) fn is_in_flight(&self, node: usize, sequence: u32) -> bool {
        let window = &self.peers[node & NODE_MASK].window;
        sequence.wrapping_sub(window.oldest()) < window.in_flight()
    }

    /// The peer has no translation for a frame of ours yet. It will say when it has: until then
    /// nothing that is sent would be taken.
    pub fn on_missed(&mut self, dev: &mut impl Device, node: usize, expected: u32) {
        let node = node & NODE_MASK;
        dev.trace(Marker::MissedReceived, expected);
        if !self.is_in_flight(node, expected) {
            return;
        }
        self.resending &= !(1 << node);
        self.halted |= 1 << node;
        self.barred |= 1 << node;
        // Should the restart be lost.
        let wait = self.peers[node].window.interval(self.retransmit_cycles) << LOST_RESTART_LOG2;
        if let Some(due) = self.retransmit.set(node, dev.now().wrapping_add(wait)) {
            dev.set_timer(RETRANSMIT_TIMER, due);
        }
    }

    /// The peer takes that frame now, and those behind it. The caller has called [`Self::go_on`].
    pub fn on_restart(&mut self, dev: &mut impl Device, node: usize, expected: u32) {
        if !self.is_in_flight(node, expected) {
            return;
        }
        self.begin_resend(node, expected);
        self.start_retransmit_timer(dev, node);
    }

    /// Frames for a peer that had none taken may go out again. Whether that is news.
    #[cold]
    pub fn go_on(&mut self, node: usize) -> bool {
        let bit = 1 << (node & NODE_MASK);
        if self.halted & bit == 0 {
            return false;
        }
        self.halted &= !bit;
        self.barred = self.lost | self.halted;
        true
    }
}
