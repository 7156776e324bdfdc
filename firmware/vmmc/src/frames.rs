//! Transmit buffers: each holds one data frame until the peer has acknowledged it.

use nic_device::TX_BUFFERS_MAX;

/// Records for [`TX_BUFFERS_MAX`] buffers, rounded up so that an index needs a mask and no check.
pub(crate) const FRAME_RECORDS: usize = 64;
const _: () = assert!(TX_BUFFERS_MAX as usize <= FRAME_RECORDS);

#[derive(Clone, Copy, Debug)]
pub(crate) struct TxFrame {
    /// Its last place in the transmit ring, counted without end.
    pub transmit_index: u32,
    /// Header and data.
    pub length_bytes: u16,
    /// The post it belongs to: slot and queue index.
    pub post: PostId,
    /// Incarnation of that slot: one that was closed has nothing to do with older frames. [`NO_POST`] if it belongs to none.
    pub generation: u8,
}

/// Generation of a frame that belongs to no post: no slot is ever of it. A reply has the [`crate::reply::ReadId`] in place of the post.
pub(crate) const NO_POST: u8 = u8::MAX;
/// Generation of the request of a read, which belongs to no post either: its number is in the place (open_reads.rs).
pub(crate) const REQUEST: u8 = u8::MAX - 1;
/// Bits that the generation of a slot counts in.
pub(crate) const GENERATION_MASK: u8 = 0x7F;

// Finding one takes a shift.
const _: () = assert!(size_of::<TxFrame>() == 12);

/// A post under way: bits 9:7 slot, bits 6:0 place in its queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PostId(pub u16);

impl PostId {
    #[inline(always)]
    pub(crate) fn new(slot: usize, index: u32) -> PostId {
        PostId(((slot & 7) << 7) as u16 | (index & 127) as u16)
    }

    #[inline(always)]
    pub(crate) fn slot(self) -> usize {
        (self.0 >> 7) as usize & 7
    }

    #[inline(always)]
    pub(crate) fn record(self) -> usize {
        self.0 as usize & 1023
    }
}

impl TxFrame {
    pub(crate) const EMPTY: TxFrame = TxFrame { transmit_index: 0, length_bytes: 0, post: PostId(0), generation: 0 };
}

/// Buffers that nobody waits for, the longest unused first: by the time one is taken again, the MAC has long sent its last copy.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FreeFrames {
    ring: [u8; FRAME_RECORDS],
    taken: u32,
    given: u32,
    /// The address of the next one, once it is known that the transmit ring holds no copy of it; else 0.
    pub(crate) ready: u32,
}

impl FreeFrames {
    pub(crate) const EMPTY: FreeFrames = FreeFrames { ring: [0; FRAME_RECORDS], taken: 0, given: 0, ready: 0 };

    #[inline(always)]
    pub(crate) fn give(&mut self, frame: usize) {
        self.ring[self.given as usize & (FRAME_RECORDS - 1)] = frame as u8;
        self.given = self.given.wrapping_add(1);
    }

    /// The next that [`Self::take`] takes.
    #[inline(always)]
    pub(crate) fn first(&self) -> Option<usize> {
        if self.taken == self.given {
            return None;
        }
        Some(self.next())
    }

    /// The same for who knows that there is one.
    #[inline(always)]
    pub(crate) fn next(&self) -> usize {
        self.ring[self.taken as usize & (FRAME_RECORDS - 1)] as usize & (FRAME_RECORDS - 1)
    }

    #[inline(always)]
    pub(crate) fn take(&mut self) {
        self.taken = self.taken.wrapping_add(1);
        self.ready = 0;
    }

    #[inline(always)]
    pub(crate) fn count(&self) -> u32 {
        self.given.wrapping_sub(self.taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_come_back_in_the_order_given() {
        let mut free = FreeFrames::EMPTY;
        (0..3).for_each(|frame| free.give(frame));
        assert_eq!(free.first(), Some(0));
        free.take();
        free.give(0);
        assert_eq!(free.count(), 3);
        free.take();
        free.take();
        assert_eq!(free.first(), Some(0));
    }

    #[test]
    fn a_post_id_keeps_slot_and_place() {
        let id = PostId::new(5, 0xFFFF_FFFF);
        assert_eq!((id.slot(), id.record()), (5, 5 * 128 + 127));
    }
}
