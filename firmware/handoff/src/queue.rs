use nic_device::{Place, Words};

use crate::layout::{Layout, POPPED, PUSHED};
use crate::{Reader, Writer};

/// A queue in SRAM: 2^`LOG2` entries of `N` words, one to four. It has one [`Writer`] and one
/// [`Reader`], which may be on different cores.
///
/// This value is only the place of the queue, so each core may have a copy.
///
/// An entry of another size does not compile:
///
/// ```compile_fail
/// let memory = vec![0u32; 100];
/// nic_handoff::Queue::<5, 1>::at(&memory, 0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Queue<const N: usize, const LOG2: u32> {
    place: Place,
}

impl<const N: usize, const LOG2: u32> Queue<N, LOG2> {
    /// The most entries that the queue holds.
    pub const CAPACITY: u32 = Layout::<N, LOG2>::CAPACITY;

    /// The bytes of SRAM that the queue takes.
    pub const fn bytes() -> u32 {
        Layout::<N, LOG2>::BYTES
    }

    /// The queue at an offset of SRAM, a multiple of 4.
    #[inline(always)]
    pub fn at(words: &impl Words, offset_bytes: u32) -> Self {
        // A wrong number of words or entries does not compile.
        let _ = Self::CAPACITY;
        Queue { place: words.place(offset_bytes) }
    }

    /// Makes the queue empty. Call once, on one core, before a writer or a reader is made.
    pub fn clear(self, words: &mut impl Words) {
        words.put(self.place, PUSHED, 0);
        words.put(self.place, POPPED, 0);
    }

    /// The writer's half. One part has it. It begins with what SRAM says, so the reader may have
    /// popped before.
    pub fn writer(self, words: &impl Words) -> Writer<N, LOG2> {
        Writer::new(self.place, words)
    }

    /// The reader's half. One part has it. It begins with what SRAM says, so the writer may have
    /// pushed before.
    pub fn reader(self, words: &impl Words) -> Reader<N, LOG2> {
        Reader::new(self.place, words)
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
        Layout::<N, LOG2>::room(pushed, words.get(self.place, POPPED)) >= entries
    }
}
