//! The CBH cache in SRAM: descriptors of registered buffers (M-41 to M-45).
//!
//! A *CBH word* names a buffer of a process on its node, in frames as here. Two arrays: one
//! replacement word for each set, and behind them the entries, set by set, way by way. The layout
//! is public: the driver fills it by PIO.

use crate::key::{Key, KeyWidth};
pub use crate::vmh::{replacement_reset, GeometryError};

/// Size and shape of the cache (M-41). `sets = entries / ways`; a line is one entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CbhGeometry {
    /// Descriptors in the whole cache.
    pub entries: u32,
    /// 1, 2, 4 or 8.
    pub ways: u32,
    /// Width of the keys in its entries.
    pub key: KeyWidth,
}

impl CbhGeometry {
    /// The thesis has 25 KB of about 26 bytes each (M-41), and leaves the ways open.
    pub const RECOMMENDED: CbhGeometry = CbhGeometry { entries: 1024, ways: 4, key: KeyWidth::Bits64 };

    /// The geometry itself, if there can be a cache of it: powers of two, at most 8 ways, at least
    /// one set.
    ///
    /// # Errors
    /// What is wrong with it.
    pub const fn check(self) -> Result<CbhGeometry, GeometryError> {
        if !self.entries.is_power_of_two() || !self.ways.is_power_of_two() {
            return Err(GeometryError::NotAPowerOfTwo);
        }
        if self.ways > 8 {
            return Err(GeometryError::WaysOutOfRange);
        }
        if self.entries < self.ways {
            return Err(GeometryError::FewerThanOneSet);
        }
        Ok(self)
    }

    /// Number of sets.
    pub const fn sets(self) -> u32 {
        self.entries / self.ways
    }

    /// The set of a buffer: the low bits of its identifier (M-41).
    pub const fn set_of(self, cbh: u32) -> u32 {
        cbh_id(cbh) & (self.sets() - 1)
    }

    // Byte offsets from the start of the cache.

    /// The replacement word of a set.
    pub const fn replacement_offset(self, set: u32) -> u32 {
        set * 4
    }

    /// The first word of an entry.
    pub const fn entry_offset(self, entry: u32) -> u32 {
        self.sets() * 4 + entry * entry_bytes(self.key)
    }

    /// Bytes of the whole cache.
    pub const fn bytes(self) -> u32 {
        self.entry_offset(self.entries)
    }
}

/// From this bit on a CBH word holds the process identifier.
pub const PID_SHIFT: u32 = 20;
/// The largest buffer identifier. Each value up to it is a legal one (M-39).
pub const BUFFER_ID_MAX: u32 = (1 << PID_SHIFT) - 1;

/// The CBH word: process identifier in bits 31:20, buffer identifier below.
pub const fn cbh(pid: u32, id: u32) -> u32 {
    (pid << PID_SHIFT) | id
}

/// The process identifier of a CBH word.
pub const fn cbh_pid(cbh: u32) -> u32 {
    cbh >> PID_SHIFT
}

/// The buffer identifier of a CBH word.
pub const fn cbh_id(cbh: u32) -> u32 {
    cbh & BUFFER_ID_MAX
}

/// Words of an entry. The driver writes the state last, which makes the entry valid when the rest
/// of it is there: the upper half of a key of 128 bits, and then the others in ascending order.
pub mod entry {
    /// The CBH word of the buffer.
    pub const CBH: u32 = 0;
    /// Virtual address of the first byte.
    pub const START: u32 = 4;
    /// Length of the buffer in bytes.
    pub const LENGTH: u32 = 8;
    /// The lowest word of the key.
    pub const KEY_0: u32 = 12;
    /// The second word of the key.
    pub const KEY_1: u32 = 16;
    /// What the entry is, in bits 2:0; of a valid one the permissions, from bit 8 on.
    pub const STATE: u32 = 20;
    /// The third word of a key of 128 bits.
    pub const KEY_2: u32 = 24;
    /// The highest word of a key of 128 bits.
    pub const KEY_3: u32 = 28;
}

/// 24 with a key of 64 bits, 32 with one of 128: the 26 of the thesis have no room for the longer
/// one (M-51).
pub const fn entry_bytes(key: KeyWidth) -> u32 {
    24 + key.upper_bytes()
}

/// `state & STATE_MASK`: nothing here.
pub const STATE_EMPTY: u32 = 0;
/// The entry holds a descriptor.
pub const STATE_VALID: u32 = 1;
/// The entry waits for the driver (M-43).
pub const STATE_RESERVED: u32 = 2;
/// The driver says that there is no such buffer (M-43): a negative entry.
pub const STATE_INVALID: u32 = 3;
/// Bits of the state word with one of the states above.
pub const STATE_MASK: u32 = 7;

/// From this bit on the state word of a valid entry holds the permissions.
pub const PERMISSIONS_SHIFT: u32 = 8;

/// State word of a valid entry.
pub const fn valid(permissions: u32) -> u32 {
    (permissions << PERMISSIONS_SHIFT) | STATE_VALID
}

/// A registered buffer, as the driver knows it and a valid entry holds it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Descriptor {
    /// Virtual address of the first byte.
    pub start_address: u32,
    /// Length of the buffer.
    pub length_bytes: u32,
    /// The protection key.
    pub key: Key,
    /// [`crate::tables::PERMIT_WRITE`].
    pub permissions: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_geometry_needs_powers_of_two_up_to_eight_ways_and_a_set() {
        let check = |entries, ways| CbhGeometry { entries, ways, ..CbhGeometry::RECOMMENDED }.check().err();
        assert_eq!(CbhGeometry::RECOMMENDED.check(), Ok(CbhGeometry::RECOMMENDED));
        assert_eq!([check(1, 1), check(64, 8)], [None; 2]);
        assert_eq!([check(1000, 4), check(64, 3)], [Some(GeometryError::NotAPowerOfTwo); 2]);
        assert_eq!([check(0, 1), check(8, 0)], [Some(GeometryError::NotAPowerOfTwo); 2]);
        assert_eq!(check(64, 16), Some(GeometryError::WaysOutOfRange));
        assert_eq!(check(2, 4), Some(GeometryError::FewerThanOneSet));
    }

    #[test]
    fn buffers_of_all_numbers_and_all_processes_are_told_apart() {
        for (pid, id) in [(0, 0), (1, 0), (0xFFF, BUFFER_ID_MAX), (5, 0x8_0001)] {
            assert_eq!((cbh_pid(cbh(pid, id)), cbh_id(cbh(pid, id))), (pid, id));
            assert_eq!(CbhGeometry::RECOMMENDED.set_of(cbh(pid, id)), id % 256);
        }
    }

    #[test]
    fn the_recommended_cache_takes_25_kb() {
        assert_eq!(CbhGeometry::RECOMMENDED.bytes(), 25 * 1024);
        assert_eq!(CbhGeometry { key: KeyWidth::Bits128, ..CbhGeometry::RECOMMENDED }.bytes(), 33 * 1024);
    }
}
