//! Retransmission, and peers that are given up.

use nic_device::Device;
use nic_dma::{HostReads, ReadTag};
use nic_fair::Members;
use nic_layout::counter::Counter;
use nic_layout::frame::link::word;
use nic_layout::trace::Marker;
use nic_reliable::Expired;

use super::{Link, NODE_MASK, WINDOW_MASK};
use crate::peer::Peer;
use crate::types::{Barrier, Ended, Framing, Overdue};

impl<F: Framing> Link<F> {
    /// Whether frames of a peer are sent again: 0 if of none.
    #[inline(always)]
    pub fn resending(&self) -> u32 {
        self.resending.any()
    }

    /// The time of a peer is over. What that means.
    pub fn check_overdue(&mut self, dev: &mut impl Device, node: usize) -> Overdue {
        let node = node & NODE_MASK;
        let window = &self.peers[node].window;
        if window.in_flight() == 0 {
            return Overdue::Idle;
        }
        let oldest = self.peers[node].in_flight[window.oldest() as usize & WINDOW_MASK] as usize;
        if self.buffers.is_in_ring(dev, &self.frames, oldest) {
            self.start_retransmit_timer(dev, node);
            return Overdue::NotSent;
        }
        dev.count(Counter::Timeouts);
        dev.trace(Marker::Timeout, node as u32);
        Overdue::Unanswered
    }

    /// A peer did not answer in time: its frames are sent again, or the peer is given up. Then all
    /// that goes to it has ended, and the owners of these frames are to be told before the frames
    /// are taken back (INV-32).
    pub fn retry(&mut self, dev: &mut impl Device, node: usize) -> Option<Ended> {
        let node = node & NODE_MASK;
        let salt = dev.now() ^ self.node_word;
        match self.peers[node].window.expire(self.retransmit_limit, salt) {
            Expired::Nothing => None,
            Expired::Resend => {
                let oldest = self.peers[node].window.oldest();
                self.begin_resend(node, oldest);
                self.start_retransmit_timer(dev, node);
                None
            }
            Expired::GiveUp => Some(self.give_up(dev, node)),
        }
    }

    /// The frames in flight are sent again, from a number on.
    pub(super) fn begin_resend(&mut self, node: usize, first: u32) {
        self.peers[node & NODE_MASK].resend_next = first;
        self.resending |= 1 << (node & NODE_MASK);
    }

    #[cold]
    #[inline(never)]
    fn give_up(&mut self, dev: &mut impl Device, node: usize) -> Ended {
        dev.count(Counter::PeersLost);
        dev.trace(Marker::PeerLost, node as u32);
        self.lost |= 1 << node;
        self.barred |= 1 << node;
        let peer = &mut self.peers[node];
        let first = peer.window.oldest();
        let count = peer.window.abandon();
        // It must not go on as if it had a peer: it would wait for replies, say, that are never
        // sent.
        peer.identity = Peer::NOBODY;
        self.resending &= !(1 << node);
        self.retransmit.cancel(node);
        dev.count_many(Counter::FramesAbandoned, count);
        Ended { node, first, count }
    }

    /// Sends one frame again, of the first peer that needs it. `Ok(true)`: the frames of that peer
    /// were all sent again, and new ones may follow. `Err`: the ring of host reads is full.
    #[cold]
    #[inline(never)]
    pub fn resend_one<R: ReadTag>(&mut self, dev: &mut impl Device, reads: &mut HostReads<R>) -> Result<bool, Barrier> {
        let Some(node) = self.resending.numbers().next() else {
            return Ok(false);
        };
        let peer = &self.peers[node & NODE_MASK];
        let sequence = peer.resend_next;
        if sequence.wrapping_sub(peer.window.oldest()) >= peer.window.in_flight() {
            self.resending &= !(1 << node);
            return Ok(true);
        }
        let buffer = peer.in_flight[sequence as usize & WINDOW_MASK] as usize;
        let before = peer.in_flight[sequence.wrapping_sub(1) as usize & WINDOW_MASK] as usize;
        let overtakes = sequence != peer.window.oldest()
            && self.buffers.age(&self.frames, buffer) > self.buffers.age(&self.frames, before);
        if self.buffers.is_in_ring(dev, &self.frames, buffer) {
            // It has not left yet; but the one before it was sent again and leaves later: then so
            // must this one, when it has left.
            if overtakes {
                return Ok(false);
            }
        } else {
            if !reads.has_room(1) {
                return Err(Barrier::Full);
            }
            let address = self.buffers.address(buffer);
            let acknowledge = self.acknowledge_with(node);
            dev.write(address + word::ACKNOWLEDGE, acknowledge);
            self.buffers.place_again(dev, &mut self.frames, buffer);
            reads.release(dev);
            dev.count(Counter::FramesRetransmitted);
            dev.trace(Marker::Retransmit, sequence);
        }
        self.peers[node & NODE_MASK].resend_next = sequence.wrapping_add(1);
        Ok(false)
    }
}
