//! The VMH cache in SRAM: translations of (process, virtual page) to page numbers (M-29 to M-37).
//!
//! Four arrays: keys, states and entries, each line by line in the order set, way; and one
//! replacement word for each set. The layout is public: the driver fills it by PIO, and hardware
//! may search the same bytes.

/// Size and shape of the cache (M-29). `sets = entries / (line_entries * ways)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VmhGeometry {
    /// Translations in the whole cache.
    pub entries: u32,
    /// Translations in a line, 8 to 128.
    pub line_entries: u32,
    /// 2, 4 or 8.
    pub ways: u32,
}

/// Why there can be no cache of a geometry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GeometryError {
    /// A number is no power of two.
    NotAPowerOfTwo,
    /// A line has fewer than 8 or more than 128 entries.
    LineEntriesOutOfRange,
    /// Too few or too many ways.
    WaysOutOfRange,
    /// The entries do not make up one set.
    FewerThanOneSet,
}

impl VmhGeometry {
    /// The geometry that the thesis recommends (MC-6): 16K entries, lines of 64, 4 ways.
    pub const RECOMMENDED: VmhGeometry = VmhGeometry { entries: 16_384, line_entries: 64, ways: 4 };

    /// The geometry itself, if there can be a cache of it: powers of two, lines of 8 to 128
    /// entries, 2 to 8 ways, at least one set.
    ///
    /// # Errors
    /// What is wrong with it.
    pub const fn check(self) -> Result<VmhGeometry, GeometryError> {
        if !self.entries.is_power_of_two() || !self.line_entries.is_power_of_two() || !self.ways.is_power_of_two() {
            return Err(GeometryError::NotAPowerOfTwo);
        }
        if self.line_entries < 8 || self.line_entries > 128 {
            return Err(GeometryError::LineEntriesOutOfRange);
        }
        if self.ways < 2 || self.ways > 8 {
            return Err(GeometryError::WaysOutOfRange);
        }
        if self.entries < self.line_entries * self.ways {
            return Err(GeometryError::FewerThanOneSet);
        }
        Ok(self)
    }

    /// Number of lines.
    pub const fn lines(self) -> u32 {
        self.entries / self.line_entries
    }

    /// Number of sets.
    pub const fn sets(self) -> u32 {
        self.lines() / self.ways
    }

    /// The set of a virtual page: the low bits of its line number (M-31).
    pub const fn set_of(self, virtual_page: u32) -> u32 {
        (virtual_page / self.line_entries) & (self.sets() - 1)
    }

    /// First page of the line that holds a virtual page.
    pub const fn line_page(self, virtual_page: u32) -> u32 {
        virtual_page & !(self.line_entries - 1)
    }

    // Byte offsets from the start of the cache.

    /// The key word of a line.
    pub const fn key_offset(self, line: u32) -> u32 {
        line * 4
    }

    /// The state word of a line.
    pub const fn state_offset(self, line: u32) -> u32 {
        self.lines() * 4 + line * 4
    }

    /// The replacement word of a set.
    pub const fn replacement_offset(self, set: u32) -> u32 {
        self.lines() * 8 + set * 4
    }

    /// The translation of page `index` of a line.
    pub const fn entry_offset(self, line: u32, index: u32) -> u32 {
        self.lines() * 8 + self.sets() * 4 + (line * self.line_entries + index) * 4
    }

    /// Bytes of the whole cache.
    pub const fn bytes(self) -> u32 {
        self.entry_offset(self.lines(), 0)
    }
}

/// `key & STATE_MASK`: nothing here.
pub const KEY_EMPTY: u32 = 0;
/// The line holds translations.
pub const KEY_VALID: u32 = 1;
/// The line waits for the driver (M-37).
pub const KEY_RESERVED: u32 = 2;
/// Bits of the key word with one of the states above.
pub const KEY_STATE_MASK: u32 = 7;

/// Key of a line: process identifier (its low 12 bits), first page of the line, state. Lines have
/// at least 8 pages, so the three low bits of the page are free.
pub const fn key(pid: u32, line_page: u32, state: u32) -> u32 {
    (pid << 20) | line_page | state
}

/// The process identifier of a key word, its low 12 bits.
pub const fn key_pid(key: u32) -> u32 {
    key >> 20
}

/// The first page of the line of a key word.
pub const fn key_line_page(key: u32) -> u32 {
    key & 0xF_FFF8
}

/// Replacement word of a set: its ways in the order of their last use, four bits each, the latest
/// in the lowest (INV-14). This is its value in an empty cache; ways that do not exist never occur.
pub const fn replacement_reset(ways: u32) -> u32 {
    0x7654_3210 & (u32::MAX >> (32 - 4 * ways))
}

/// State word of a line: DMA references in flight (INV-15; M-35 keeps one bit for each path).
pub const SEND_LOCK_SHIFT: u32 = 0;
/// The same for the receive path.
pub const RECEIVE_LOCK_SHIFT: u32 = 16;

/// An entry of a valid line that holds no translation: a hole in the address space, or a page that
/// cannot be pinned (M-34).
pub const NO_TRANSLATION: u32 = u32::MAX;
