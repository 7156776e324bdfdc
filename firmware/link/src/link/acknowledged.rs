//! Acknowledgements that arrive.

use nic_device::Device;
use nic_layout::counter::Counter;
use nic_reliable::Acknowledged;

use super::{Link, NODE_MASK, WINDOW_MASK};
use crate::types::{Ended, Framing};

impl<F: Framing> Link<F> {
    /// A frame acknowledges what came before `acknowledge`. The frames that have ended are to be
    /// taken back, and then [`Self::after_acknowledgement`] to be called.
    #[inline(always)]
    pub fn acknowledge(&mut self, dev: &mut impl Device, node: usize, acknowledge: u32) -> Option<Ended> {
        let node = node & NODE_MASK;
        let first = self.peers[node].window.oldest();
        match self.peers[node].window.acknowledge(acknowledge) {
            Acknowledged::Nothing => None,
            Acknowledged::Frames(count) => Some(Ended { node, first, count }),
            Acknowledged::Wild => {
                dev.count(Counter::AcksWild);
                None
            }
        }
    }

    /// Takes a frame back that has ended: its buffer is free. To what it belonged.
    #[inline(always)]
    pub fn take_back(&mut self, node: usize, sequence: u32) -> F::Owner {
        let buffer = self.peers[node & NODE_MASK].in_flight[sequence as usize & WINDOW_MASK] as usize;
        self.buffers.give(&self.frames, buffer);
        self.frames.owner(buffer)
    }

    /// The retransmission timer of a peer after an acknowledgement of something new. `is_awaited`:
    /// more than frames in flight is awaited of it.
    #[inline(always)]
    pub fn after_acknowledgement(&mut self, dev: &mut impl Device, node: usize, is_awaited: bool) {
        if self.in_flight(node) == 0 && !is_awaited {
            self.retransmit.cancel(node);
        } else {
            self.start_retransmit_timer(dev, node);
        }
    }

    /// Frames were acknowledged that were to be sent again: only those behind them are.
    pub fn skip_acknowledged(&mut self, node: usize) {
        let peer = &mut self.peers[node & NODE_MASK];
        let behind = peer.resend_next.wrapping_sub(peer.window.oldest()) > peer.window.in_flight();
        if behind {
            peer.resend_next = peer.window.oldest();
        }
    }

    /// Whether `acknowledge` says something new.
    #[inline(always)]
    pub fn is_news(&self, node: usize, acknowledge: u32) -> bool {
        acknowledge != self.peers[node & NODE_MASK].window.oldest()
    }

    /// Whether an acknowledgement waits to be processed ([`Self::defer`]).
    #[inline(always)]
    pub fn has_deferred(&self) -> bool {
        self.deferred != 0
    }

    /// Puts an acknowledgement off: the answer to the frame that carried it goes first. None is put
    /// off.
    #[inline(always)]
    pub fn defer(&mut self, node: usize, acknowledge: u32) {
        self.deferred = 1 << (node & NODE_MASK);
        self.deferred_acknowledge = acknowledge;
    }

    /// The acknowledgement that was put off: node, and what it acknowledges.
    #[inline(always)]
    pub fn take_deferred(&mut self) -> Option<(usize, u32)> {
        if self.deferred == 0 {
            return None;
        }
        let node = self.deferred.trailing_zeros() as usize;
        self.deferred = 0;
        Some((node, self.deferred_acknowledge))
    }

    /// The same if it is of one peer, and acknowledges just one frame, whose number it gives: the
    /// frame is to be taken back. The inner `None`: that frame had ended before.
    #[inline(always)]
    pub fn take_deferred_one(&mut self, node: usize) -> Option<Option<u32>> {
        let node = node & NODE_MASK;
        let oldest = self.peers[node].window.oldest();
        let acknowledge = oldest.wrapping_add(1);
        if self.deferred != 1 << node || self.deferred_acknowledge != acknowledge {
            return None;
        }
        self.deferred = 0;
        let is_one = self.peers[node].window.acknowledge(acknowledge) == Acknowledged::Frames(1);
        Some(is_one.then_some(oldest))
    }
}
