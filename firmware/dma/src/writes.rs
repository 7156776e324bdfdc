use nic_device::Device;

use crate::{Transfer, RING_ENTRIES};

/// Transfers to the host. `T` says what each is for.
#[derive(Clone, Copy, Debug)]
pub struct HostWrites<T> {
    tags: [T; RING_ENTRIES],
    posted: u32,
    ended: u32,
    /// `posted` when the last data of a message were.
    data: u32,
}

impl<T: Copy> HostWrites<T> {
    /// No transfer. `unused` stands in the places of tags, and is never seen.
    pub const fn new(unused: T) -> HostWrites<T> {
        HostWrites { tags: [unused; RING_ENTRIES], posted: 0, ended: 0, data: 0 }
    }

    /// Whether the ring takes `count` more transfers, which is at most the size of the ring.
    #[inline(always)]
    pub fn has_room(&self, count: u32) -> bool {
        self.under_way() <= RING_ENTRIES as u32 - count
    }

    /// Transfers that are under way, or have ended and were not seen to.
    #[inline(always)]
    pub fn under_way(&self) -> u32 {
        self.posted.wrapping_sub(self.ended)
    }

    /// The number of the transfer that is posted next. Numbers count without end.
    #[inline(always)]
    pub fn next_number(&self) -> u32 {
        self.posted
    }

    /// The number of the oldest transfer that was not seen to.
    #[inline(always)]
    pub fn ended(&self) -> u32 {
        self.ended
    }

    /// Posts a transfer. `flags` are those of the descriptor (`nic_layout::ring`). The caller has asked for room.
    #[inline(always)]
    pub fn post(&mut self, dev: &mut impl Device, transfer: Transfer, flags: u32, tag: T) {
        let index = self.posted;
        dev.post_dma_write(index, transfer.bus_address, transfer.sram_address, transfer.bytes | flags);
        self.posted = index.wrapping_add(1);
        self.tags[index as usize % RING_ENTRIES] = tag;
    }

    /// [`Self::post`] for data of a message: a process may wait for their end ([`Self::has_ended`] of [`Self::data_mark`]).
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

    /// Whether the transfers before number `mark` have ended and were seen to.
    #[inline(always)]
    pub fn has_ended(&self, mark: u32) -> bool {
        self.ended.wrapping_sub(mark) <= u32::MAX / 2
    }

    /// The tag of the oldest transfer that has ended, if it lies before `consumer`, the index of the engine. It stays there until
    /// [`Self::retire`].
    #[inline(always)]
    pub fn oldest_ended(&self, consumer: u16) -> Option<T> {
        if self.ended as u16 == consumer || self.ended == self.posted {
            return None;
        }
        Some(self.tags[self.ended as usize % RING_ENTRIES])
    }

    /// The transfer of [`Self::oldest_ended`] was seen to.
    #[inline(always)]
    pub fn retire(&mut self) {
        self.ended = self.ended.wrapping_add(1);
    }
}
