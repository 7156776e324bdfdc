use nic_device::{Place, Words};

use crate::layout::{Layout, ENTRIES, POPPED, PUSHED};
use crate::Writer;

/// The half of a [`Queue`](crate::Queue) that pops. It belongs to one part.
#[derive(Clone, Debug)]
pub struct Reader<const N: usize, const LOG2: u32> {
    place: Place,
    /// The number in SRAM.
    popped: u32,
    /// The number that was last read from SRAM. The writer may have pushed more since.
    pushed: u32,
}

impl<const N: usize, const LOG2: u32> Reader<N, LOG2> {
    /// Fills the place of a reader that is not made yet.
    pub const NOWHERE: Self = Reader { place: Place(0), popped: 0, pushed: 0 };

    pub(crate) fn new(place: Place, words: &impl Words) -> Self {
        Reader { place, popped: words.get(place, POPPED), pushed: words.get(place, PUSHED) }
    }

    /// Whether there is no entry, for a core that has both halves. No SRAM is read.
    #[inline(always)]
    pub fn is_level(&self, writer: &Writer<N, LOG2>) -> bool {
        self.popped == writer.pushed
    }

    /// Whether the reader knows of an entry. No SRAM is read.
    ///
    /// A reader that knows of none looks into SRAM at the next [`Self::peek`]. If it knows of none
    /// after that, it has seen all entries of which its core was told before.
    #[inline(always)]
    pub fn knows_entry(&self) -> bool {
        self.popped != self.pushed
    }

    /// Whether there is no entry. SRAM is read only if the reader knows of none.
    #[inline(always)]
    pub fn is_empty(&mut self, words: &impl Words) -> bool {
        if self.popped == self.pushed {
            self.pushed = words.get(self.place, PUSHED);
        }
        self.popped == self.pushed
    }

    /// The oldest entry, which stays in the queue.
    #[inline(always)]
    pub fn peek(&mut self, words: &impl Words) -> Option<[u32; N]> {
        if self.is_empty(words) {
            return None;
        }
        let slot = Layout::<N, LOG2>::slot(self.place, self.popped);
        Some(core::array::from_fn(|number| words.get(slot, ENTRIES + 4 * number as u32)))
    }

    /// Takes the oldest entry out.
    #[inline(always)]
    pub fn pop(&mut self, words: &mut impl Words) -> Option<[u32; N]> {
        let entry = self.peek(words)?;
        self.skip(words);
        Some(entry)
    }

    /// Takes the entry out that [`Self::peek`] has returned. Does nothing if it has returned none.
    #[inline(always)]
    pub fn skip(&mut self, words: &mut impl Words) {
        if self.popped != self.pushed {
            self.popped = self.popped.wrapping_add(1);
            // The entry has been read, so its place may go back to the writer.
            words.put(self.place, POPPED, self.popped);
        }
    }

    /// Whether the writer may have found room for less than `entries` before the last pop. Then its
    /// core must be [told](crate::tell), if the writer waits until it has so much room.
    ///
    /// Ask after each pop. The number of entries pushed is read after the number popped is stored.
    /// So either this sees the entries that filled the queue, or the writer sees the room.
    #[inline(always)]
    pub fn made_room(&mut self, words: &impl Words, entries: u32) -> bool {
        self.pushed = words.get(self.place, PUSHED);
        Layout::<N, LOG2>::room(self.pushed, self.popped) <= entries
    }
}
