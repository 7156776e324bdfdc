use nic_device::{rarely, Place, Words};

use crate::layout::{Layout, ENTRIES, POPPED, PUSHED};

/// The half of a [`Queue`](crate::Queue) that pushes. It belongs to one part.
#[derive(Clone, Debug)]
pub struct Writer<const N: usize, const LOG2: u32> {
    place: Place,
    /// The number in SRAM.
    pub(crate) pushed: u32,
    /// The number that was last read from SRAM. The reader may have popped more since.
    popped: u32,
}

impl<const N: usize, const LOG2: u32> Writer<N, LOG2> {
    /// Fills the place of a writer that is not made yet.
    pub const NOWHERE: Self = Writer { place: Place(0), pushed: 0, popped: 0 };

    pub(crate) fn new(place: Place, words: &impl Words) -> Self {
        Writer { place, pushed: words.get(place, PUSHED), popped: words.get(place, POPPED) }
    }

    /// Entries that can be pushed: at least so many, and 0 only if the queue is full. SRAM is read
    /// only if the writer knows of no room.
    #[inline(always)]
    pub fn room(&mut self, words: &impl Words) -> u32 {
        if self.known_room() == 0 {
            rarely();
            self.popped = words.get(self.place, POPPED);
        }
        self.known_room()
    }

    /// Whether so many entries can be pushed. SRAM is read only if the writer knows of less room.
    #[inline(always)]
    pub fn has_room(&mut self, words: &impl Words, entries: u32) -> bool {
        if self.known_room() < entries {
            rarely();
            self.popped = words.get(self.place, POPPED);
        }
        self.known_room() >= entries
    }

    /// Appends an entry. The caller has seen that there is room, and [tells](crate::tell) the core
    /// of the reader afterwards.
    #[inline(always)]
    pub fn push(&mut self, words: &mut impl Words, entry: [u32; N]) {
        // A core would overwrite an entry that was not read. On a host every build looks.
        #[cfg(not(target_arch = "riscv32"))]
        assert!(self.known_room() > 0, "an entry is pushed without room");
        let slot = Layout::<N, LOG2>::slot(self.place, self.pushed);
        for (number, word) in (0..).zip(entry) {
            words.put(slot, ENTRIES + 4 * number, word);
        }
        self.pushed = self.pushed.wrapping_add(1);
        // Last, so that a reader that sees the number sees the entry.
        words.put(self.place, PUSHED, self.pushed);
    }

    /// The same for a caller that knows that there is room from elsewhere, so that the writer may
    /// not have looked for long.
    pub fn push_rarely(&mut self, words: &mut impl Words, entry: [u32; N]) {
        self.popped = words.get(self.place, POPPED);
        self.push(words, entry);
    }

    #[inline(always)]
    fn known_room(&self) -> u32 {
        Layout::<N, LOG2>::room(self.pushed, self.popped)
    }
}
