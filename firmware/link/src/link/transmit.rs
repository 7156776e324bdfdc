//! Transmit buffers and the transmit ring.

use nic_device::Device;
use nic_dma::{HostReads, ReadTag};
use nic_layout::frame::link::word;

use super::{Link, NODE_MASK, TRANSMIT_RING_ACK_LIMIT, WINDOW_MASK};
use crate::types::Framing;

impl<F: Framing> Link<F> {
    /// Where a buffer begins in SRAM.
    #[inline(always)]
    pub fn buffer_address(&self, buffer: usize) -> u32 {
        self.buffers.address(buffer)
    }

    /// The address of the free buffer that has rested longest, if the MAC is done with it. It stays
    /// free until it is taken.
    #[inline(always)]
    pub fn ready_buffer(&mut self, dev: &mut impl Device) -> Option<u32> {
        self.buffers.ready(dev, &self.frames)
    }

    /// The address that [`Self::ready_buffer`] gave.
    #[inline(always)]
    pub fn ready_address(&self) -> u32 {
        self.buffers.ready_address()
    }

    /// The number of the buffer that [`Self::take_buffer`] takes next. 0 if there is none.
    #[inline(always)]
    pub fn first_buffer(&self) -> usize {
        self.buffers.first()
    }

    /// The same where the caller knows that there is one.
    #[inline(always)]
    pub fn next_buffer(&self) -> usize {
        self.buffers.next()
    }

    /// Takes the buffer that is next.
    #[inline(always)]
    pub fn take_buffer(&mut self) {
        self.buffers.take();
    }

    /// Looks whether the MAC is done with the buffer that is taken next.
    #[inline(always)]
    pub fn find_ready_buffer(&mut self, dev: &mut impl Device) {
        self.buffers.find_ready(dev, &self.frames);
    }

    /// Whether so many buffers are free, and the transmit ring holds a copy of none that is.
    #[inline(always)]
    pub fn has_buffers(&mut self, dev: &mut impl Device, count: u32) -> bool {
        self.buffers.free_count() >= count && !self.buffers.linger(dev)
    }

    /// Puts a frame at the end of the transmit ring; it goes out when it is released. Its place,
    /// counted without end.
    #[inline(always)]
    pub fn place(&mut self, dev: &mut impl Device, address: u32, length_bytes: u32) -> u32 {
        self.buffers.place(dev, address, length_bytes)
    }

    /// Whether the rings take a frame without data.
    #[inline(always)]
    pub(super) fn has_short_room<R: ReadTag>(&mut self, dev: &mut impl Device, reads: &HostReads<R>) -> bool {
        if self.buffers.in_ring() >= TRANSMIT_RING_ACK_LIMIT {
            self.buffers.update_done(dev);
        }
        self.buffers.in_ring() < TRANSMIT_RING_ACK_LIMIT && reads.has_room(1)
    }

    /// Sends a prebuilt frame without data. The caller has asked for room.
    #[inline(always)]
    pub(super) fn place_short<R: ReadTag>(
        &mut self,
        dev: &mut impl Device,
        reads: &mut HostReads<R>,
        at: u32,
        acknowledgement: u32,
    ) {
        dev.write(at + word::ACKNOWLEDGE, acknowledgement);
        self.place(dev, at, F::HEADER_BYTES);
        reads.release(dev);
    }

    /// To what a frame in flight belongs.
    pub fn owner(&self, node: usize, sequence: u32) -> F::Owner {
        let buffer = self.peers[node & NODE_MASK].in_flight[sequence as usize & WINDOW_MASK] as usize;
        self.frames.owner(buffer)
    }
}
