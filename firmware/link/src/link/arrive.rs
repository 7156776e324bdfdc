//! Frames that arrive: source, number, and what the link answers.

use nic_device::{Device, Place};
use nic_layout::counter::Counter;
use nic_layout::frame::link::word;
use nic_layout::plant::{is_planted, Plant};
use nic_reliable::Arrival;

use super::{Link, NODE_MASK};
use crate::types::Framing;

impl<F: Framing> Link<F> {
    /// Shape, flags, destination, source and session of a frame: the node that sent it, or the
    /// counter that says what is wrong. One after the other, since a branch that is not taken costs
    /// least. `IS_PLAIN`: the caller has seen the flags; otherwise none but `flags` may be set.
    #[inline(always)]
    pub fn check_source<const IS_PLAIN: bool>(
        &self,
        dev: &impl Device,
        at: Place,
        (type_word, flags): (u32, u8),
        node_length: u32,
        length_bytes: u32,
    ) -> Result<usize, Counter> {
        let data_bytes = word::data_bytes(node_length);
        // The MAC takes no frame that is shorter than any may be, or longer than those with the
        // most data (`MAC_RX.MAX_FRAME`).
        if F::HEADER_BYTES + data_bytes > length_bytes || !IS_PLAIN && word::flags(type_word) & !flags != 0 {
            return Err(Counter::FramesMalformed);
        }
        let address_0 = dev.get(at, word::ADDRESS_0) ^ self.address_words[0];
        let address_1 = dev.get(at, word::ADDRESS_1) ^ self.address_words[1];
        // Bits 23:16 are the session of the receiver.
        let address_bits = if is_planted(Plant::OldSession) { !(0xFF << 16) } else { u32::MAX };
        if (address_0 | address_1 << 16) & address_bits != 0 {
            return Err(Counter::FramesMalformed);
        }
        let node = word::node(node_length) as usize & NODE_MASK;
        let identity_bits = if is_planted(Plant::OldSession) { 0xFF } else { u32::MAX };
        if (word::identity(node_length) ^ self.peers[node].identity) & identity_bits != 0 {
            return Err(Counter::FramesStrange);
        }
        Ok(node)
    }

    /// What a sequence number of a peer means.
    #[inline(always)]
    pub fn classify(&self, node: usize, sequence: u32) -> Arrival {
        self.peers[node & NODE_MASK].receive.classify(sequence)
    }

    /// The next sequence number that is expected of a peer.
    #[inline(always)]
    pub fn expected(&self, node: usize) -> u32 {
        self.peers[node & NODE_MASK].receive.acknowledgement()
    }

    /// The frame in order is accepted: it will be acknowledged.
    #[inline(always)]
    pub fn advance(&mut self, node: usize) {
        self.peers[node & NODE_MASK].receive.advance();
    }

    /// The frame in order is refused for good, so the sequence goes on (M-49); the sender is told
    /// that it was, not why (INV-24).
    pub fn refuse(&mut self, dev: &mut impl Device, node: usize, ends_message: bool) {
        let receive = &mut self.peers[node & NODE_MASK].receive;
        self.refusals[node & NODE_MASK].refuse(receive.acknowledgement());
        self.refusing |= 1 << (node & NODE_MASK);
        receive.advance();
        self.owe_ack(dev, node, ends_message);
    }
}
