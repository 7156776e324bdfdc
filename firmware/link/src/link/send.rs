//! Frames with a number that this node sends.

use nic_device::{Device, Place};
use nic_dma::{HostReads, ReadTag};
use nic_layout::counter::Counter;
use nic_layout::frame::link::word;
use nic_layout::trace::Marker;

use super::{Link, NODE_MASK, WINDOW_MASK};
use crate::types::Framing;

impl<F: Framing> Link<F> {
    /// Takes the next number of a peer, and the header word with its address.
    #[inline(always)]
    pub fn issue(&mut self, node: usize) -> (u32, u32) {
        let peer = &mut self.peers[node];
        (peer.window.issue(), peer.address_word)
    }

    /// The header word of node and length.
    #[inline(always)]
    pub fn node_length(&self, data_bytes: u32) -> u32 {
        self.node_word | data_bytes << 16
    }

    /// Gives a frame the next number of its peer, and writes the words of its header that depend on
    /// the peer.
    #[inline(always)]
    pub fn number(&mut self, dev: &mut impl Device, node: usize, at: Place, data_bytes: u32, acknowledge: u32) -> u32 {
        let (sequence, address_word) = self.issue(node);
        dev.put(at, word::ADDRESS_1, address_word);
        dev.put(at, word::NODE_LENGTH, self.node_length(data_bytes));
        dev.put(at, word::SEQUENCE, sequence);
        dev.put(at, word::ACKNOWLEDGE, acknowledge);
        sequence
    }

    /// Notes a frame that was placed: the number it has, the buffer it is in, to what it belongs.
    #[inline(always)]
    pub fn note_sent(
        &mut self,
        node: usize,
        sequence: u32,
        buffer: usize,
        transmit_index: u32,
        length_bytes: u32,
        owner: F::Owner,
    ) {
        self.peers[node].in_flight[sequence as usize & WINDOW_MASK] = buffer as u8;
        self.frames.note(buffer, transmit_index, length_bytes, owner);
    }

    /// Gives the frame in the next free buffer its number, and hands it to the MAC: the words of
    /// its header that say what it is, and its data, are in the buffer, or on their way. The caller
    /// has asked for room ([`Self::check_room`]) and for a ready buffer.
    #[inline(always)]
    pub fn send<R: ReadTag>(
        &mut self,
        dev: &mut impl Device,
        reads: &mut HostReads<R>,
        node: usize,
        data_bytes: u32,
        owner: F::Owner,
    ) {
        let node = node & NODE_MASK;
        let buffer = self.buffers.first();
        let (address, length_bytes) = (self.buffers.address(buffer), F::HEADER_BYTES + data_bytes);
        let at = dev.place(address);
        let acknowledge = self.acknowledge_with(node);
        let sequence = self.number(dev, node, at, data_bytes, acknowledge);
        let transmit_index = self.place(dev, address, length_bytes);
        reads.release(dev);
        dev.trace(Marker::TransmitPosted, sequence);
        self.buffers.take();
        self.note_sent(node, sequence, buffer, transmit_index, length_bytes, owner);
        dev.count(Counter::FramesSent);
        self.keep_retransmit_timer(dev, node);
        self.find_ready_buffer(dev);
    }

    /// The data of a frame that was placed did not come: it says so, and carries none. Its number
    /// stays, so the sequence is whole. The owner; `None` if the frame was taken back before: then
    /// its owner has ended, and another may have the owner's place.
    pub fn abort(&mut self, dev: &mut impl Device, buffer: usize, flags: u8) -> Option<F::Owner> {
        let address = self.buffers.address(buffer);
        let kind = dev.read(address + word::TYPE) & word::KIND_MASK;
        dev.write(address + word::TYPE, kind | u32::from(flags) << 24);
        dev.write(address + word::NODE_LENGTH, self.node_word);
        self.frames.shorten(dev, buffer, F::HEADER_BYTES);
        let address_word = dev.read(address + word::ADDRESS_1);
        let (node, sequence) =
            (word::destination(address_word) as usize & NODE_MASK, dev.read(address + word::SEQUENCE));
        let peer = &self.peers[node];
        let is_in_flight = peer.address_word == address_word
            && self.is_in_flight(node, sequence)
            && usize::from(peer.in_flight[sequence as usize & WINDOW_MASK]) == buffer;
        is_in_flight.then(|| self.frames.owner(buffer))
    }
}
