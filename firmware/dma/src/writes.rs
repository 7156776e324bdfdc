use nic_device::Device;

use crate::{Transfer, RING_ENTRIES};

/// Transfers to the host, each with a tag of type `T`.
#[derive(Clone, Copy, Debug)]
pub struct HostWrites<T> {
    tags: [T; RING_ENTRIES],
    posted: u32,
    /// Transfers whose end was handled.
    ended: u32,
    /// The number behind the last transfer that [`Self::post_data`] has posted.
    data: u32,
}

impl<T: Copy> HostWrites<T> {
    /// An empty queue. `unused` fills the places of the tags and is never returned.
    pub const fn new(unused: T) -> HostWrites<T> {
        HostWrites { tags: [unused; RING_ENTRIES], posted: 0, ended: 0, data: 0 }
    }

    /// Whether the ring has room for `count` more transfers. `count` is at most the number of
    /// entries of the ring.
    #[inline(always)]
    pub fn has_room(&self, count: u32) -> bool {
        self.under_way() <= RING_ENTRIES as u32 - count
    }

    /// The number of transfers in the queue: those in flight, and those whose end was not handled
    /// yet.
    #[inline(always)]
    pub fn under_way(&self) -> u32 {
        self.posted.wrapping_sub(self.ended)
    }

    /// The number of the transfer that is posted next. Numbers are free-running.
    #[inline(always)]
    pub fn next_number(&self) -> u32 {
        self.posted
    }

    /// The number of the oldest transfer in the queue.
    #[inline(always)]
    pub fn ended(&self) -> u32 {
        self.ended
    }

    /// Posts a transfer. `flags` are the descriptor's (`nic_layout::ring`). The caller has made
    /// sure that there is room ([`Self::has_room`]).
    #[inline(always)]
    pub fn post(&mut self, dev: &mut impl Device, transfer: Transfer, flags: u32, tag: T) {
        let index = self.posted;
        dev.post_dma_write(index, transfer.bus_address, transfer.sram_address, transfer.bytes | flags);
        self.posted = index.wrapping_add(1);
        self.tags[index as usize % RING_ENTRIES] = tag;
    }

    /// [`Self::post`] for data of a message. A process may wait for their end: [`Self::has_ended`]
    /// of [`Self::data_mark`].
    #[inline(always)]
    pub fn post_data(&mut self, dev: &mut impl Device, transfer: Transfer, flags: u32, tag: T) {
        self.post(dev, transfer, flags, tag);
        self.data = self.posted;
    }

    /// The number behind the last transfer of data.
    #[inline(always)]
    pub fn data_mark(&self) -> u32 {
        self.data
    }

    /// Whether all transfers before number `mark` have ended and their ends were handled.
    #[inline(always)]
    pub fn has_ended(&self, mark: u32) -> bool {
        self.ended.wrapping_sub(mark) <= u32::MAX / 2
    }

    /// The tag of the oldest transfer in the queue, if it has ended, that is, if its number is
    /// below the engine's consumer index `consumer`. The transfer stays in the queue until
    /// [`Self::retire`].
    #[inline(always)]
    pub fn oldest_ended(&self, consumer: u16) -> Option<T> {
        if self.ended as u16 == consumer || self.ended == self.posted {
            return None;
        }
        Some(self.tags[self.ended as usize % RING_ENTRIES])
    }

    /// Whether the transfer of [`Self::oldest_ended`] is the last that has ended. While the engine
    /// is halted, this is the transfer that failed.
    #[inline(always)]
    pub fn is_last_ended(&self, consumer: u16) -> bool {
        self.ended.wrapping_add(1) as u16 == consumer
    }

    /// Removes the transfer of [`Self::oldest_ended`] from the queue: its end was handled.
    #[inline(always)]
    pub fn retire(&mut self) {
        self.ended = self.ended.wrapping_add(1);
    }
}
