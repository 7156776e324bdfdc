use nic_device::{rarely, Device};
use nic_layout::ring::{DMA_FLAG_ASSIST, DMA_FLAG_EVENT};

use crate::{Transfer, RING_ENTRIES};

/// What a host read is for.
pub trait ReadTag: Copy {
    /// The tag of the empty transfer that releases a frame ([`HostReads::release`]).
    const RELEASE: Self;
}

/// Transfers from the host. `T` says what each is for.
#[derive(Clone, Copy, Debug)]
pub struct HostReads<T> {
    tags: [T; RING_ENTRIES],
    posted: u32,
    ended: u32,
}

impl<T: ReadTag> HostReads<T> {
    /// No transfer. `unused` stands in the places of tags, and is never seen.
    pub const fn new(unused: T) -> HostReads<T> {
        HostReads { tags: [unused; RING_ENTRIES], posted: 0, ended: 0 }
    }

    /// Whether the ring takes `count` more transfers.
    #[inline(always)]
    pub fn has_room(&self, count: u32) -> bool {
        self.posted.wrapping_sub(self.ended) + count <= RING_ENTRIES as u32
    }

    /// Whether no transfer is under way, or has ended and was not seen to.
    #[inline(always)]
    pub fn is_idle(&self) -> bool {
        self.posted == self.ended
    }

    /// The number of the transfer that is posted next. Numbers count without end.
    #[inline(always)]
    pub fn next_number(&self) -> u32 {
        self.posted
    }

    /// Whether the transfers before number `mark` have ended and were seen to.
    #[inline(always)]
    pub fn has_ended(&self, mark: u32) -> bool {
        self.ended.wrapping_sub(mark) <= u32::MAX / 2
    }

    /// Posts a transfer. `flags` are those of the descriptor (`nic_layout::ring`). The caller has asked for room.
    #[inline(always)]
    pub fn post(&mut self, dev: &mut impl Device, transfer: Transfer, flags: u32, tag: T) {
        let index = self.posted;
        dev.post_dma_read(index, transfer.bus_address, transfer.sram_address, transfer.bytes | flags);
        self.posted = index.wrapping_add(1);
        self.tags[index as usize % RING_ENTRIES] = tag;
    }

    /// Releases the frame that was placed last in the transmit ring. A frame must not overtake data that are on their way, its own or
    /// those of earlier frames: while there are such, an empty transfer, which cannot fail, releases the frame in its turn. The caller
    /// has asked for room.
    #[inline(always)]
    pub fn release(&mut self, dev: &mut impl Device) {
        if self.is_idle() {
            rarely();
            dev.release_transmit();
            return;
        }
        let nothing = Transfer { bus_address: 0, sram_address: 0, bytes: 0 };
        self.post(dev, nothing, DMA_FLAG_EVENT | DMA_FLAG_ASSIST, T::RELEASE);
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

    /// Number and tag of the transfer that was seen to last. While the engine is halted, that transfer failed.
    #[inline(always)]
    pub fn last_ended(&self) -> (u32, T) {
        let number = self.ended.wrapping_sub(1);
        (number, self.tags[number as usize % RING_ENTRIES])
    }
}
