use nic_layout::post::POST_QUEUE_ENTRIES;
use nic_layout::PROCESS_SLOTS;

const SLOT_SHIFT: u32 = POST_QUEUE_ENTRIES.ilog2();
const SLOT_MASK: usize = PROCESS_SLOTS - 1;
const _: () = assert!(PROCESS_SLOTS.is_power_of_two() && POST_QUEUE_ENTRIES.is_power_of_two());

/// A post that has not ended: bits 9:7 are its slot, bits 6:0 its place in the queue of that slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PostId(pub u16);

impl PostId {
    /// The post with free-running number `index` of a slot.
    #[inline(always)]
    pub fn new(slot: usize, index: u32) -> PostId {
        PostId(((slot & SLOT_MASK) << SLOT_SHIFT) as u16 | (index % POST_QUEUE_ENTRIES) as u16)
    }

    /// The slot, below [`PROCESS_SLOTS`].
    #[inline(always)]
    pub fn slot(self) -> usize {
        (self.0 >> SLOT_SHIFT) as usize & SLOT_MASK
    }

    /// The number of the post's record, below `PROCESS_SLOTS * POST_QUEUE_ENTRIES`.
    #[inline(always)]
    pub(crate) fn record(self) -> usize {
        self.0 as usize & ((PROCESS_SLOTS << SLOT_SHIFT) - 1)
    }
}

/// The highest generation of a slot. Protocols may give higher generations to frames that belong to
/// no post.
pub const GENERATION_MAX: u8 = 0x7F;

/// The owner of a frame in flight: a post, or an object of the protocol, which the protocol names
/// with a generation above [`GENERATION_MAX`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owner {
    /// Slot and queue index of the post.
    pub post: PostId,
    /// Incarnation of that slot. Closing a slot changes it, so that the end of an older frame
    /// changes no post of the slot's next process.
    pub generation: u8,
}

impl Owner {
    /// Fills places that hold no owner.
    pub const NONE: Owner = Owner { post: PostId(0), generation: 0 };

    /// The owner of a frame whose end concerns no post and no object of the protocol.
    pub const NOTHING: Owner = Owner { post: PostId(0), generation: u8::MAX };

    /// Whether the frame belongs to a post, of this incarnation of its slot or of an older one.
    #[inline(always)]
    pub fn is_post(self) -> bool {
        self.generation <= GENERATION_MAX
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_post_id_keeps_slot_and_place() {
        let id = PostId::new(5, 0xFFFF_FFFF);
        assert_eq!((id.slot(), id.record()), (5, 5 * 128 + 127));
    }
}
