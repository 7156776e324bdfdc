//! Acknowledgements that this node sends.

use nic_device::{rarely, Device};
use nic_dma::{HostReads, ReadTag};
use nic_fair::Members;
use nic_layout::counter::Counter;
use nic_layout::frame::link::word;
use nic_layout::trace::Marker;
use nic_reliable::AckDue;

use super::{Link, NODE_MASK};
use crate::types::Framing;

impl<F: Framing> Link<F> {
    /// A frame was taken, or taken before. `ends_message`: nothing may follow it.
    #[inline(always)]
    pub fn owe_ack(&mut self, dev: &mut impl Device, node: usize, ends_message: bool) {
        match self.peers[node & NODE_MASK].receive.owe(ends_message, self.ack_frames) {
            AckDue::Now => self.acks_due.add(1 << (node & NODE_MASK)),
            AckDue::Soon => self.start_ack_timer(dev, node),
            AckDue::Waiting => {}
        }
    }

    /// The acknowledgement that a frame to a peer carries. None is owed any more.
    #[inline(always)]
    pub fn acknowledge_with(&mut self, node: usize) -> u32 {
        if self.refusing >> node & 1 != 0 {
            rarely();
            return self.ack_before_refusals(node);
        }
        self.owe_no_ack(node);
        self.peers[node & NODE_MASK].receive.acknowledgement()
    }

    /// A frame carries what is owed to a peer.
    #[inline(always)]
    pub fn owe_no_ack(&mut self, node: usize) {
        let receive = &mut self.peers[node & NODE_MASK].receive;
        if receive.owes() {
            receive.acknowledged();
            self.ack_delay.cancel(node);
            self.acks_due.remove(node & NODE_MASK);
        }
    }

    /// A frame with data cannot say which frames were refused: it tells of those before them, and
    /// what is owed stays owed.
    #[cold]
    #[inline(never)]
    pub fn ack_before_refusals(&mut self, node: usize) -> u32 {
        let expected = self.peers[node & NODE_MASK].receive.acknowledgement();
        let refusals = &mut self.refusals[node & NODE_MASK];
        let oldest = refusals.oldest_before(expected);
        if !refusals.any() {
            self.refusing &= !(1 << node);
        }
        oldest
    }

    /// Whether peers wait for an acknowledgement of their own: 0 if none does.
    #[inline(always)]
    pub fn acks_due(&self) -> u32 {
        self.acks_due.waiting().any()
    }

    /// Acknowledgements that are put off, those to be processed and those to be sent: 0 if there
    /// are none.
    #[inline(always)]
    pub fn put_off(&self) -> u32 {
        (self.acks_due.waiting() | self.deferred).any()
    }

    /// The next peer that waits for an acknowledgement, which waits no more.
    #[inline(always)]
    pub fn next_ack_due(&mut self) -> Option<usize> {
        self.acks_due.pop()
    }

    /// Sends the prebuilt acknowledgement of a peer with the present number, or tries again later
    /// when the rings are full.
    ///
    /// The buffer may still be in the ring: then that copy says the newer words too, which are as
    /// true.
    #[inline(never)]
    #[cfg_attr(target_arch = "riscv32", link_section = ".fast.text")]
    pub fn send_ack<R: ReadTag>(&mut self, dev: &mut impl Device, reads: &mut HostReads<R>, node: usize) {
        if !self.has_short_room(dev, reads) {
            self.start_ack_timer(dev, node);
            return;
        }
        let acknowledgement = self.peers[node & NODE_MASK].receive.acknowledgement();
        let refused = match self.refusing >> node & 1 {
            0 => 0,
            _ => self.refusals[node & NODE_MASK].before(acknowledgement),
        };
        let at = self.ack_buffer(node);
        // First: the older number beside the newer bits is true, the newer number beside the older
        // bits is not.
        dev.write(at + word::REFUSALS, refused);
        self.place_short(dev, reads, at, acknowledgement);
        self.peers[node & NODE_MASK].receive.acknowledged();
        self.ack_delay.cancel(node);
        dev.count(Counter::AcksSent);
        dev.trace(Marker::AckSent, acknowledgement);
    }
}
