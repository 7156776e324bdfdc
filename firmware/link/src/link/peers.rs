//! What is known of peers, and what that allows.

use nic_device::rarely;
use nic_dma::{HostReads, ReadTag};
use nic_layout::nodes::IMAGE_NODES;

use super::{Link, NODE_MASK};
use crate::types::{Barrier, Framing};

impl<F: Framing> Link<F> {
    /// Whether a node is a peer of this one: it exists, and is not this node.
    #[inline(always)]
    pub fn is_peer(&self, node: u32) -> bool {
        node < IMAGE_NODES as u32 && self.strangers >> node & 1 == 0
    }

    /// Whether there is anything to know of a node before a frame is sent to it: it is no peer, its
    /// frames are sent again, it gets no new frames, or must learn of refusals.
    #[inline(always)]
    pub fn is_special(&self, node: u32) -> bool {
        let special = self.strangers | self.barred | self.resending | self.refusing;
        node >= IMAGE_NODES as u32 || special >> node & 1 != 0
    }

    /// Whether a peer must learn of refusals, which only a frame without data can tell.
    #[inline(always)]
    pub fn is_refusing(&self, node: usize) -> bool {
        self.refusing >> (node & NODE_MASK) & 1 != 0
    }

    /// Whether a peer was given up.
    #[inline(always)]
    pub fn is_lost(&self, node: usize) -> bool {
        self.lost >> (node & NODE_MASK) & 1 != 0
    }

    /// Whether some peer gets no new frames, or has frames sent again: acknowledgements may let
    /// something go on.
    #[inline(always)]
    pub fn has_barred(&self) -> bool {
        self.barred | self.resending != 0
    }

    /// Whether older frames to a peer come before new ones, or the peer takes none.
    #[inline(always)]
    pub fn is_barred(&self, node: usize) -> bool {
        (self.barred | self.resending) >> node & 1 != 0
    }

    /// Whether the window of a peer takes `count` more frames.
    #[inline(always)]
    pub fn has_window(&self, node: usize, count: u32) -> bool {
        self.peers[node & NODE_MASK].window.in_flight() + count <= self.window_frames
    }

    /// Whether the window of a peer takes one more frame.
    #[inline(always)]
    pub fn has_place(&self, node: usize) -> bool {
        self.peers[node & NODE_MASK].window.in_flight() < self.window_frames
    }

    /// Frames in flight to a peer.
    #[inline(always)]
    pub fn in_flight(&self, node: usize) -> u32 {
        self.peers[node & NODE_MASK].window.in_flight()
    }

    /// Whether a frame to a peer, with so many host reads, has room in its window and in the ring.
    /// A frame without data needs a place in the ring if other transfers are under way.
    #[inline(always)]
    pub fn check_room<R: ReadTag>(&self, reads: &HostReads<R>, node: usize, count: u32) -> Result<(), Barrier> {
        if self.is_barred(node) {
            // New frames do not overtake those that are sent again, or that miss: the peer would
            // drop them.
            rarely();
            return Err(if self.lost >> node & 1 != 0 { Barrier::Unreachable } else { Barrier::Full });
        }
        let lacks_reads = (count > 1 || !reads.is_idle()) && !reads.has_room(count);
        if self.peers[node].window.in_flight() >= self.window_frames || lacks_reads {
            rarely();
            return Err(Barrier::Full);
        }
        Ok(())
    }
}
