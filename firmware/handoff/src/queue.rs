use nic_device::{Place, Words};

/// A queue of `1 << LOG2` entries of `N` words, with one writer and one reader.
///
/// In the SRAM two indices come first, the writer's and the reader's. They are counted without end.
/// The entries follow.
#[derive(Clone, Copy, Debug)]
pub struct Queue<const N: usize, const LOG2: u32>;

/// Where the writer's index is, in bytes.
const WRITTEN: u32 = 0;
/// Where the reader's index is, in bytes.
const READ: u32 = 4;
/// Where the entries begin, in bytes.
const ENTRIES: u32 = 8;

impl<const N: usize, const LOG2: u32> Queue<N, LOG2> {
    /// Entries.
    pub const CAPACITY: u32 = 1 << LOG2;
    /// Bytes of SRAM, a multiple of 8.
    pub const BYTES: u32 = (ENTRIES + (4 * N as u32) * Self::CAPACITY).next_multiple_of(8);

    /// Empties the queue, before either side uses it.
    pub fn clear(words: &mut impl Words, at: u32) {
        words.write(at + WRITTEN, 0);
        words.write(at + READ, 0);
    }

    /// Both sides of the empty queue at an SRAM offset.
    pub fn sides(words: &impl Words, at: u32) -> (Writer<N, LOG2>, Reader<N, LOG2>) {
        let place = words.place(at);
        (Writer { place, written: 0, read: 0 }, Reader { place, written: 0, read: 0 })
    }

    #[inline(always)]
    fn entry(place: Place, index: u32) -> Place {
        place.plus(ENTRIES + (index & (Self::CAPACITY - 1)) * (4 * N as u32))
    }
}

/// The side that adds entries.
#[derive(Clone, Copy, Debug)]
pub struct Writer<const N: usize, const LOG2: u32> {
    place: Place,
    written: u32,
    /// The reader's index when it was last read.
    read: u32,
}

impl<const N: usize, const LOG2: u32> Writer<N, LOG2> {
    /// A side of no queue.
    pub const NOWHERE: Self = Writer { place: Place(0), written: 0, read: 0 };

    /// Whether `count` entries have room. Reads the reader's index only if they had none when it
    /// was last read.
    #[inline(always)]
    pub fn has_room(&mut self, words: &impl Words, count: u32) -> bool {
        if Queue::<N, LOG2>::CAPACITY - self.written.wrapping_sub(self.read) >= count {
            return true;
        }
        self.read = words.get(self.place, READ);
        Queue::<N, LOG2>::CAPACITY - self.written.wrapping_sub(self.read) >= count
    }

    /// Adds an entry. The caller has asked for room.
    #[inline(always)]
    pub fn push(&mut self, words: &mut impl Words, entry: [u32; N]) {
        let at = Queue::<N, LOG2>::entry(self.place, self.written);
        let mut distance = 0;
        for word in entry {
            words.put(at, distance, word);
            distance += 4;
        }
        self.written = self.written.wrapping_add(1);
        // Behind the words of the entry: the reader takes what the index covers.
        words.put(self.place, WRITTEN, self.written);
    }
}

/// The side that takes entries.
#[derive(Clone, Copy, Debug)]
pub struct Reader<const N: usize, const LOG2: u32> {
    place: Place,
    /// The writer's index when it was last read.
    written: u32,
    read: u32,
}

impl<const N: usize, const LOG2: u32> Reader<N, LOG2> {
    /// A side of no queue.
    pub const NOWHERE: Self = Reader { place: Place(0), written: 0, read: 0 };

    /// Whether there is no entry.
    #[inline(always)]
    pub fn is_empty(&mut self, words: &impl Words) -> bool {
        if self.read == self.written {
            self.written = words.get(self.place, WRITTEN);
        }
        self.read == self.written
    }

    /// The oldest entry, which stays.
    #[inline(always)]
    pub fn peek(&mut self, words: &impl Words) -> Option<[u32; N]> {
        if self.is_empty(words) {
            return None;
        }
        let at = Queue::<N, LOG2>::entry(self.place, self.read);
        let mut distance = 0;
        Some([(); N].map(|()| {
            let word = words.get(at, distance);
            distance += 4;
            word
        }))
    }

    /// Takes the oldest entry.
    #[inline(always)]
    pub fn pop(&mut self, words: &mut impl Words) -> Option<[u32; N]> {
        let entry = self.peek(words)?;
        self.read = self.read.wrapping_add(1);
        // Behind the loads of the entry: the writer overwrites what the index has left.
        words.put(self.place, READ, self.read);
        Some(entry)
    }
}
