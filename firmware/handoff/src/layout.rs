use nic_device::Place;

/// Distance of the number of entries pushed, modulo 2^32. Only the writer stores it.
pub(crate) const PUSHED: u32 = 0;
/// Distance of the number of entries popped, modulo 2^32. Only the reader stores it.
pub(crate) const POPPED: u32 = 4;
/// Distance of the entries.
pub(crate) const ENTRIES: u32 = 8;

/// The layout of a queue of 2^`LOG2` entries of `N` words.
pub(crate) struct Layout<const N: usize, const LOG2: u32>;

impl<const N: usize, const LOG2: u32> Layout<N, LOG2> {
    pub(crate) const CAPACITY: u32 = {
        assert!(1 <= N && N <= 4, "an entry has one to four words");
        assert!(LOG2 < 16, "the queue does not fit into SRAM");
        1 << LOG2
    };

    const ENTRY_BYTES: u32 = 4 * N as u32;

    pub(crate) const BYTES: u32 = ENTRIES + Self::CAPACITY * Self::ENTRY_BYTES;

    /// The place of an entry less [`ENTRIES`], which each load and store of its words adds.
    #[inline(always)]
    pub(crate) fn slot(place: Place, index: u32) -> Place {
        place.plus((index & (Self::CAPACITY - 1)) * Self::ENTRY_BYTES)
    }

    /// Entries that there is room for.
    #[inline(always)]
    pub(crate) const fn room(pushed: u32, popped: u32) -> u32 {
        Self::CAPACITY.wrapping_sub(pushed.wrapping_sub(popped))
    }
}
