use nic_device::{Place, Words};

/// Distance of the number of entries pushed, modulo 2^32. Only the writer stores it.
pub(crate) const PUSHED: u32 = 0;
/// Distance of the number of entries popped, modulo 2^32. Only the reader stores it.
pub(crate) const POPPED: u32 = 4;
/// Distance of the entries.
pub(crate) const ENTRIES: u32 = 8;

/// A queue in SRAM: 2^`LOG2` entries of `N` words, one to four. It has one [`Writer`] and one
/// [`Reader`], which may be on different cores.
///
/// This value is only the place of the queue, so each core may have a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Queue<const N: usize, const LOG2: u32> {
    pub(crate) place: Place,
}

impl<const N: usize, const LOG2: u32> Queue<N, LOG2> {
    /// The most entries that the queue holds.
    pub const CAPACITY: u32 = {
        assert!(1 <= N && N <= 4, "an entry has one to four words");
        assert!(LOG2 < 16, "the queue does not fit into SRAM");
        1 << LOG2
    };

    /// The bytes of SRAM that the queue takes.
    pub const fn bytes() -> u32 {
        ENTRIES + Self::CAPACITY * Self::ENTRY_BYTES
    }

    const ENTRY_BYTES: u32 = 4 * N as u32;

    /// The queue at an offset of SRAM, a multiple of 4.
    #[inline(always)]
    pub fn at(words: &impl Words, offset_bytes: u32) -> Self {
        const { assert!(Self::CAPACITY > 0) };
        Queue { place: words.place(offset_bytes) }
    }

    /// Makes the queue empty. Call once, on one core, before a writer or a reader is made.
    pub fn clear(self, words: &mut impl Words) {
        words.put(self.place, PUSHED, 0);
        words.put(self.place, POPPED, 0);
    }

    /// Whether the queue is empty, for a core that has neither half.
    ///
    /// The answer may be out of date. An answer of `true` is never wrong for the entries of which
    /// the core was told before it asked.
    #[inline(always)]
    pub fn is_empty(self, words: &impl Words) -> bool {
        // The reader's number first: an entry that is pushed between the loads is seen.
        let popped = words.get(self.place, POPPED);
        words.get(self.place, PUSHED) == popped
    }

    /// Whether so many entries can be pushed, for a core that has neither half.
    ///
    /// The answer may be out of date. An answer of `false` is never wrong for the entries of whose
    /// pop the core was told before it asked.
    #[inline(always)]
    pub fn has_room(self, words: &impl Words, entries: u32) -> bool {
        // The writer's number first: an entry that is popped between the loads makes room.
        let pushed = words.get(self.place, PUSHED);
        room(Self::CAPACITY, pushed, words.get(self.place, POPPED)) >= entries
    }

    /// The place of an entry, less [`ENTRIES`]: that is added in each load and store.
    #[inline(always)]
    pub(crate) fn slot(place: Place, index: u32) -> Place {
        place.plus((index & (Self::CAPACITY - 1)) * Self::ENTRY_BYTES)
    }
}

/// Entries that a queue of `capacity` has room for.
#[inline(always)]
pub(crate) const fn room(capacity: u32, pushed: u32, popped: u32) -> u32 {
    capacity.wrapping_sub(pushed.wrapping_sub(popped))
}
