use nic_device::{rarely, Device};
use nic_layout::ring::{DMA_FLAG_ASSIST, DMA_FLAG_EVENT};

use crate::{Transfer, RING_ENTRIES};

/// The tag of a host read: what the transfer is for.
pub trait ReadTag: Copy {
    /// The tag of the empty transfer that releases a frame ([`HostReads::release`]).
    const RELEASE: Self;
}

/// Transfers from the host, each with a tag of type `T`.
#[derive(Clone, Copy, Debug)]
pub struct HostReads<T> {
    tags: [T; RING_ENTRIES],
    posted: u32,
    /// Transfers whose end was handled.
    ended: u32,
}

impl<T: ReadTag> HostReads<T> {
    /// An empty queue. `unused` fills the places of the tags and is never returned.
    pub const fn new(unused: T) -> HostReads<T> {
        HostReads { tags: [unused; RING_ENTRIES], posted: 0, ended: 0 }
    }

    /// Whether the ring has room for `count` more transfers.
    #[inline(always)]
    pub fn has_room(&self, count: u32) -> bool {
        self.posted.wrapping_sub(self.ended) + count <= RING_ENTRIES as u32
    }

    /// Whether no transfer is in the queue: none is in flight, and the end of each was handled.
    #[inline(always)]
    pub fn is_idle(&self) -> bool {
        self.posted == self.ended
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

    /// Whether all transfers before number `mark` have ended and their ends were handled.
    #[inline(always)]
    pub fn has_ended(&self, mark: u32) -> bool {
        self.ended.wrapping_sub(mark) <= u32::MAX / 2
    }

    /// Posts a transfer. `flags` are the descriptor's (`nic_layout::ring`). The caller has made
    /// sure that there is room ([`Self::has_room`]).
    #[inline(always)]
    pub fn post(&mut self, dev: &mut impl Device, transfer: Transfer, flags: u32, tag: T) {
        let index = self.posted;
        dev.post_dma_read(index, transfer.bus_address, transfer.sram_address, transfer.bytes | flags);
        self.posted = index.wrapping_add(1);
        self.tags[index as usize % RING_ENTRIES] = tag;
    }

    /// Gives the transfer that was posted last another tag.
    #[inline(always)]
    pub fn tag_last(&mut self, tag: T) {
        self.tags[self.posted.wrapping_sub(1) as usize % RING_ENTRIES] = tag;
    }

    /// Releases the frame that was placed last in the transmit ring.
    ///
    /// A frame must not leave before its data, and the data of earlier frames, have been read. So
    /// while the queue is not empty, an empty transfer is posted, which cannot fail: the engine
    /// releases the frame when it comes to that transfer. The caller has made sure that there is
    /// room for it.
    #[inline(always)]
    pub fn release(&mut self, dev: &mut impl Device) {
        if self.is_idle() {
            rarely();
            dev.release_transmit();
            return;
        }
        self.release_behind(dev, DMA_FLAG_EVENT);
    }

    /// The same, while the queue is not empty. `flags`: [`DMA_FLAG_EVENT`], or 0 if nothing
    /// waits for the release.
    #[inline(always)]
    pub fn release_behind(&mut self, dev: &mut impl Device, flags: u32) {
        let nothing = Transfer { bus_address: 0, sram_address: 0, bytes: 0 };
        self.post(dev, nothing, flags | DMA_FLAG_ASSIST, T::RELEASE);
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

    /// Removes all transfers that have ended from the queue, none of which needs more.
    #[inline(always)]
    pub fn retire_all(&mut self, consumer: u16) {
        let in_queue = (self.posted as u16).wrapping_sub(consumer);
        self.ended = self.posted.wrapping_sub(u32::from(in_queue));
    }

    /// Number and tag of the transfer that was removed last. While the engine is halted, this is
    /// the transfer that failed.
    #[inline(always)]
    pub fn last_ended(&self) -> (u32, T) {
        let number = self.ended.wrapping_sub(1);
        (number, self.tags[number as usize % RING_ENTRIES])
    }
}
