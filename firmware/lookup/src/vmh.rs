use nic_layout::plant::{is_planted, Plant};
use nic_layout::vmh::{
    key, key_line_page, key_pid, replacement_reset, VmhGeometry, KEY_EMPTY, KEY_RESERVED, KEY_STATE_MASK, KEY_VALID,
    RECEIVE_LOCK_SHIFT, SEND_LOCK_SHIFT,
};

use crate::Recency;
use nic_device::{rarely, Place, Words};

const SECOND_MISS: bool = is_planted(Plant::SecondMiss);
const LOCKED_VICTIM: bool = is_planted(Plant::LockedVictim);
const STALE_LINE: bool = is_planted(Plant::StaleLine);
const STALE_FETCH: bool = is_planted(Plant::StaleFetch);

/// The path that looks up, and so the one whose lock count a hit takes (M-35). The numbers are
/// those of `MissEntry::path`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Path {
    /// Posts and replies: data that leave this node.
    Send = 0,
    /// Frames from other nodes.
    Receive = 1,
}

impl Path {
    #[inline(always)]
    const fn one_lock(self) -> u32 {
        match self {
            Path::Send => 1 << SEND_LOCK_SHIFT,
            Path::Receive => 1 << RECEIVE_LOCK_SHIFT,
        }
    }

    #[inline(always)]
    const fn lock_mask(self) -> u32 {
        0xFFFF * self.one_lock()
    }
}

/// What a lookup has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lookup {
    /// The line is valid and now locked once more for the path. `entry` is its word for the page,
    /// whatever it holds.
    Hit {
        /// Number of the line, which is locked.
        line: u32,
        /// The word for the page.
        entry: u32,
    },
    /// The line is reserved: the driver knows.
    Pending,
    /// No line of the set is for the page.
    Absent,
}

/// The outcome of making room for a line or an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reserve {
    /// This line is reserved; what it held is forgotten.
    Line(u32),
    /// Every way is locked or reserved.
    NoWay,
}

/// What became of translations that the NIC has read from the host's table (M-58).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fetched {
    /// The line is valid.
    Filled,
    /// The page that missed has none: the line is still reserved, for the driver to fill.
    Unfilled,
    /// The line was taken away meanwhile, and what came means nothing.
    Lost,
}

/// What the ways of a set hold, other than the one used last.
enum OtherWays {
    Valid(u32),
    Reserved,
    Nothing,
}

/// The VMH cache of one geometry, somewhere in a memory.
///
/// A lookup that hits locks its line in the same call (lock-use-unlock, M-36). Nothing here waits.
#[derive(Clone, Copy, Debug)]
pub struct Vmh<const ENTRIES: u32, const LINE_ENTRIES: u32, const WAYS: u32> {
    /// Where the replacement words begin: from there, a load's 12-bit offset reaches the other
    /// arrays of the recommended geometry.
    middle: Place,
}

impl<const ENTRIES: u32, const LINE_ENTRIES: u32, const WAYS: u32> Vmh<ENTRIES, LINE_ENTRIES, WAYS> {
    /// The geometry of the cache, checked when the image is built.
    pub const GEOMETRY: VmhGeometry = match (VmhGeometry { entries: ENTRIES, line_entries: LINE_ENTRIES, ways: WAYS }).check() {
        Ok(geometry) => geometry,
        Err(_) => panic!("the VMH cache cannot have this geometry: powers of two, lines of 8 to 128 entries, 2 to 8 ways, at least one set"),
    };

    /// Until there is memory for it.
    pub const NOWHERE: Self = Vmh { middle: Place(0) };

    /// `base` is a multiple of 4, and `GEOMETRY.bytes()` bytes follow it.
    pub fn new(memory: &impl Words, base: u32) -> Self {
        Vmh { middle: memory.place(base + Self::MIDDLE) }
    }

    /// Empties the cache, whatever it held.
    pub fn reset(&self, memory: &mut impl Words) {
        for line in 0..Self::GEOMETRY.lines() {
            memory.put(self.word(line), Self::KEYS, KEY_EMPTY);
            memory.put(self.word(line), Self::STATES, 0);
        }
        for set in 0..Self::GEOMETRY.sets() {
            memory.put(self.word(set), Self::REPLACEMENTS, replacement_reset(WAYS));
        }
    }

    /// Searches the set of the page. A hit makes its way the latest and locks the line for `path`.
    ///
    /// The way used last is tried first: it needs no change of the order, and is right for most
    /// frames of a message.
    #[inline(always)]
    pub fn lookup(&self, memory: &mut impl Words, path: Path, pid: u32, page: u32) -> Lookup {
        let wanted = key(pid, Self::GEOMETRY.line_page(page), KEY_VALID);
        let set = Self::GEOMETRY.set_of(page);
        let recency = Recency(memory.get(self.word(set), Self::REPLACEMENTS));
        let latest = set * WAYS + (recency.latest() & (WAYS - 1));
        let found = memory.get(self.word(latest), Self::KEYS);
        if found == wanted {
            return self.hit(memory, path, latest, page);
        }
        rarely();
        let others = if WAYS <= 4 {
            self.search_others(memory, wanted, set, found, recency)
        } else {
            self.search_many_others(memory, wanted, set, found, recency)
        };
        match others {
            OtherWays::Valid(line) => self.hit(memory, path, line, page),
            OtherWays::Reserved => Lookup::Pending,
            OtherWays::Nothing => Lookup::Absent,
        }
    }

    /// The same, as a function of its own: eight ways, unrolled at each place that looks up, would
    /// fill the scratchpad. The call costs hits of the latest way some eight instructions too, to
    /// keep their registers.
    #[inline(never)]
    #[cfg_attr(target_arch = "riscv32", link_section = ".fast.text")]
    fn search_many_others(
        &self,
        memory: &mut impl Words,
        wanted: u32,
        set: u32,
        latest: u32,
        recency: Recency,
    ) -> OtherWays {
        self.search_others(memory, wanted, set, latest, recency)
    }

    /// The ways of a set but the latest, whose key is `latest`. The way that holds the wanted key
    /// becomes the latest.
    #[inline(always)]
    fn search_others(
        &self,
        memory: &mut impl Words,
        wanted: u32,
        set: u32,
        latest: u32,
        recency: Recency,
    ) -> OtherWays {
        let reserved = wanted ^ (KEY_VALID ^ KEY_RESERVED);
        let mut is_reserved = latest == reserved;
        for position in 1..Self::SEARCHED_WAYS {
            let line = set * WAYS + (recency.at(position) & (WAYS - 1));
            let found = memory.get(self.word(line), Self::KEYS);
            if found == wanted {
                memory.put(self.word(set), Self::REPLACEMENTS, recency.to_front(position).0);
                return OtherWays::Valid(line);
            }
            is_reserved |= found == reserved;
        }
        if is_reserved & !SECOND_MISS {
            OtherWays::Reserved
        } else {
            OtherWays::Nothing
        }
    }

    /// The key was read before the entry: whatever the driver fills meanwhile, the entry belongs to
    /// it.
    #[inline(always)]
    fn hit(&self, memory: &mut impl Words, path: Path, line: u32, page: u32) -> Lookup {
        let locks = memory.get(self.word(line), Self::STATES);
        let index = line * LINE_ENTRIES + (page & (LINE_ENTRIES - 1));
        let entry = memory.get(self.word(index), Self::TRANSLATIONS);
        memory.put(self.word(line), Self::STATES, locks.wrapping_add(path.one_lock()));
        Lookup::Hit { line, entry }
    }

    /// Gives the page's line the least recent way that is neither locked nor reserved. The caller
    /// has just found the line absent.
    pub fn reserve(&self, memory: &mut impl Words, pid: u32, page: u32) -> Reserve {
        let set = Self::GEOMETRY.set_of(page);
        let recency = Recency(memory.get(self.word(set), Self::REPLACEMENTS));
        for position in (0..Self::VICTIM_WAYS).rev() {
            let line = set * WAYS + (recency.at(position) & (WAYS - 1));
            let state = memory.get(self.word(line), Self::KEYS) & KEY_STATE_MASK;
            if state != KEY_RESERVED && (LOCKED_VICTIM || memory.get(self.word(line), Self::STATES) == 0) {
                memory.put(self.word(line), Self::KEYS, key(pid, Self::GEOMETRY.line_page(page), KEY_RESERVED));
                memory.put(self.word(set), Self::REPLACEMENTS, recency.to_front(position).0);
                return Reserve::Line(line);
            }
        }
        Reserve::NoWay
    }

    /// Ends one reference of `path` to a line. False if it had none: then nothing changes.
    #[inline(always)]
    pub fn unlock(&self, memory: &mut impl Words, path: Path, line: u32) -> bool {
        let state = memory.get(self.word(line), Self::STATES);
        if state & path.lock_mask() == 0 {
            return false;
        }
        memory.put(self.word(line), Self::STATES, state - path.one_lock());
        true
    }

    /// Locks a line that was just reserved, while its entries are read from the host's table: so it
    /// is not given to another tag before they have come, though it be taken away.
    pub fn begin_fetch(&self, memory: &mut impl Words, line: u32) {
        memory.add(self.word(line), Self::STATES, Path::Send.one_lock());
    }

    /// The entries of a line that was reserved for this page are in place, or the bus did not
    /// deliver them (`came` is false). The lock ends apart from this, as after any transfer. A
    /// page number from `host_pages` on is none.
    pub fn end_fetch(
        &self,
        memory: &mut impl Words,
        line: u32,
        (pid, page): (u32, u32),
        came: bool,
        host_pages: u32,
    ) -> Fetched {
        let first = Self::GEOMETRY.line_page(page);
        // The line has been locked since, so it cannot have been reserved again.
        if memory.get(self.word(line), Self::KEYS) != key(pid, first, KEY_RESERVED) && !STALE_FETCH {
            return Fetched::Lost;
        }
        let index = line * LINE_ENTRIES + (page & (LINE_ENTRIES - 1));
        if !came || memory.get(self.word(index), Self::TRANSLATIONS) >= host_pages {
            return Fetched::Unfilled;
        }
        memory.put(self.word(line), Self::KEYS, key(pid, first, KEY_VALID));
        Fetched::Filled
    }

    /// Forgets the page's line, be it valid or reserved, and makes its way the next victim. False
    /// if it is not there.
    ///
    /// DMA under way keeps its locks: the way is not given to another line before they end
    /// (INV-19).
    pub fn invalidate(&self, memory: &mut impl Words, pid: u32, page: u32) -> bool {
        let wanted = key(pid, Self::GEOMETRY.line_page(page), 0);
        let set = Self::GEOMETRY.set_of(page);
        let recency = Recency(memory.get(self.word(set), Self::REPLACEMENTS));
        for position in 0..WAYS {
            let line = set * WAYS + (recency.at(position) & (WAYS - 1));
            let found = memory.get(self.word(line), Self::KEYS);
            if found & KEY_STATE_MASK != KEY_EMPTY && found & !KEY_STATE_MASK == wanted {
                if !(STALE_LINE && found & KEY_STATE_MASK == KEY_VALID) {
                    memory.put(self.word(line), Self::KEYS, KEY_EMPTY);
                }
                memory.put(self.word(set), Self::REPLACEMENTS, recency.to_back(position, WAYS).0);
                return true;
            }
        }
        false
    }

    /// Locks on a line, send and receive together.
    pub fn is_locked(&self, memory: &impl Words, line: u32) -> bool {
        memory.get(self.word(line), Self::STATES) != 0
    }

    // WAYS, but in a build with a defect.
    const SEARCHED_WAYS: u32 = WAYS - is_planted(Plant::DuplicateTag) as u32;
    const VICTIM_WAYS: u32 = WAYS - is_planted(Plant::VictimOffByOne) as u32;

    // Where the four arrays begin, from the middle.
    const MIDDLE: u32 = Self::GEOMETRY.replacement_offset(0);
    const KEYS: u32 = Self::GEOMETRY.key_offset(0).wrapping_sub(Self::MIDDLE);
    const STATES: u32 = Self::GEOMETRY.state_offset(0).wrapping_sub(Self::MIDDLE);
    const REPLACEMENTS: u32 = 0;
    const TRANSLATIONS: u32 = Self::GEOMETRY.entry_offset(0, 0) - Self::MIDDLE;

    /// Word `index` of an array, which one it is says the distance.
    #[inline(always)]
    const fn word(&self, index: u32) -> Place {
        self.middle.plus(index * 4)
    }
}

/// The writes, in order, by which the driver fills a reserved line: byte offset in the cache, and
/// value. `miss_key` is the one of the `MissEntry`; `page_number` gives the entry of each page of
/// the line. The key, with `VALID`, comes last (M-37).
pub fn fill_words(
    geometry: VmhGeometry,
    line: u32,
    miss_key: u32,
    page_number: impl Fn(u32) -> u32,
) -> impl Iterator<Item = (u32, u32)> {
    let first = key_line_page(miss_key);
    let entries =
        (0..geometry.line_entries).map(move |index| (geometry.entry_offset(line, index), page_number(first + index)));
    entries.chain(core::iter::once((geometry.key_offset(line), key(key_pid(miss_key), first, KEY_VALID))))
}

/// The write by which the driver gives a reserved line back unfilled.
pub fn release_words(geometry: VmhGeometry, line: u32) -> (u32, u32) {
    (geometry.key_offset(line), KEY_EMPTY)
}
