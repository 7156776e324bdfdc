//! The lookup tables of the personality `vmmc` in SRAM (M-13): everything that is registered has
//! its entry, and what has none does not exist.
//!
//! One piece of memory, from its start:
//! 1. for each process slot 1024 indices of one byte, four to a word, the first in its low byte:
//!    the top level of its translations. Index 0 is none.
//! 2. second-level tables of 1024 page numbers, counted from 1. The driver hands them out; one is
//!    written whole before its index is.
//! 3. descriptors of buffers, as [`crate::cbh::entry`], each in the place that its identifier says.
//! 4. for each process slot its imports ([`import`]).
//!
//! The driver writes all of it by PIO. The slot of a process is its identifier modulo
//! [`PROCESS_SLOTS`].

use crate::cbh::entry_bytes;
use crate::key::KeyWidth;
use crate::vmh::NO_TRANSLATION;
use crate::{PAGE_BYTES, PROCESS_SLOTS};

/// Indices of a top level, and translations of a second-level table.
pub const TOP_INDICES: u32 = 1024;
/// Translations of a second-level table.
pub const TABLE_ENTRIES: u32 = 1024;
/// Bytes of a second-level table.
pub const TABLE_BYTES: u32 = TABLE_ENTRIES * 4;

/// An index has one byte, and 0 is none.
pub const VMH_TABLES_MAX: u32 = 255;
/// An import names a buffer by 13 bits.
pub const CBH_ENTRIES_MAX: u32 = 1 << 13;
/// The thesis has as many for each process (M-13).
pub const IMPORT_ENTRIES_MAX: u32 = 4096;

/// How much the tables hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StaticGeometry {
    /// Second-level tables, of all processes.
    pub vmh_tables: u32,
    /// Buffers, of all processes.
    pub cbh_entries: u32,
    /// Imports of each process.
    pub import_entries: u32,
    /// Width of the keys in buffers and imports.
    pub key: KeyWidth,
}

/// Tables that hold nothing, or more than an index can name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StaticGeometryError;

impl StaticGeometry {
    /// The bytes of the thesis (MN-1), where the SRAM has them: 264 KB of translations, 163 KB of
    /// buffers, 64 KB of imports for each process.
    pub const OF_THE_THESIS: StaticGeometry = StaticGeometry {
        vmh_tables: 64,
        cbh_entries: 163 * 1024 / entry_bytes(KeyWidth::Bits64),
        import_entries: IMPORT_ENTRIES_MAX,
        key: KeyWidth::Bits64,
    };

    /// The geometry itself, if every entry has an index that can name it.
    ///
    /// # Errors
    /// [`StaticGeometryError`].
    pub const fn check(self) -> Result<StaticGeometry, StaticGeometryError> {
        let StaticGeometry { vmh_tables, cbh_entries, import_entries, .. } = self;
        if vmh_tables == 0
            || vmh_tables > VMH_TABLES_MAX
            || cbh_entries == 0
            || cbh_entries > CBH_ENTRIES_MAX
            || import_entries == 0
            || import_entries > IMPORT_ENTRIES_MAX
        {
            return Err(StaticGeometryError);
        }
        Ok(self)
    }

    // Byte offsets from the start.

    /// The word of a top level with the index of a page.
    pub const fn top_offset(self, slot: u32, page: u32) -> u32 {
        slot * TOP_INDICES + ((page / TABLE_ENTRIES) & !3)
    }

    /// A second-level table, by its index; where one of index 0 would be may lie before the start.
    pub const fn table_offset(self, index: u32) -> u32 {
        (PROCESS_SLOTS as u32 * TOP_INDICES).wrapping_add(index.wrapping_sub(1).wrapping_mul(TABLE_BYTES))
    }

    /// The descriptor of a buffer.
    pub const fn buffer_offset(self, entry: u32) -> u32 {
        self.table_offset(self.vmh_tables + 1) + entry * entry_bytes(self.key)
    }

    /// An import of a process slot.
    pub const fn import_offset(self, slot: u32, index: u32) -> u32 {
        self.buffer_offset(self.cbh_entries) + (slot * self.import_entries + index) * import::bytes(self.key)
    }

    /// Bytes of all tables.
    pub const fn bytes(self) -> u32 {
        self.import_offset(PROCESS_SLOTS as u32, 0)
    }

    /// Translations that all tables hold together.
    pub const fn translations(self) -> u32 {
        self.vmh_tables * TABLE_ENTRIES
    }
}

const _: () = assert!(TABLE_BYTES == PAGE_BYTES && TOP_INDICES * TABLE_ENTRIES == 1 << 20);

/// How far the index of a page is from the low end of its word.
pub const fn top_shift(page: u32) -> u32 {
    page / TABLE_ENTRIES % 4 * 8
}

/// What a second-level table says of a page that is not registered.
pub const UNREGISTERED: u32 = NO_TRANSLATION;

/// Words of an import: a buffer of another node that a process may use (M-4). `WHO` is written
/// last: it makes the record valid.
pub mod import {
    use crate::cbh::{cbh_id, cbh_pid, PID_SHIFT};
    use crate::key::KeyWidth;

    /// Length of the buffer in bytes.
    pub const LENGTH: u32 = 0;
    /// The lowest word of the key.
    pub const KEY_0: u32 = 4;
    /// The second word of the key.
    pub const KEY_1: u32 = 8;
    /// Process of the buffer in bits 31:20, node in 19:16, [`VALID`], permissions from
    /// [`PERMISSIONS_SHIFT`] on, buffer in 12:0.
    pub const WHO: u32 = 12;
    /// The third word of a key of 128 bits.
    pub const KEY_2: u32 = 16;
    /// The highest word of a key of 128 bits.
    pub const KEY_3: u32 = 20;

    /// Bytes of an import.
    pub const fn bytes(key: KeyWidth) -> u32 {
        16 + key.upper_bytes()
    }

    /// Bit of [`WHO`]: there is an import.
    pub const VALID: u32 = 1 << 15;
    /// From this bit on [`WHO`] holds the permissions, 2 bits.
    pub const PERMISSIONS_SHIFT: u32 = 13;
    const NODE_SHIFT: u32 = 16;
    /// Nodes that an import can name: the word has four bits for them. They bound the cluster of an
    /// image with static tables.
    pub const NODES: usize = 16;
    const NODE_MASK: u32 = NODES as u32 - 1;
    const BUFFER_MASK: u32 = super::CBH_ENTRIES_MAX - 1;

    /// `None` if the word has no room for them.
    pub const fn who(node: u32, cbh: u32, permissions: u32) -> Option<u32> {
        if node > NODE_MASK || cbh_id(cbh) > BUFFER_MASK || permissions > 3 {
            return None;
        }
        Some(cbh_pid(cbh) << PID_SHIFT | node << NODE_SHIFT | VALID | permissions << PERMISSIONS_SHIFT | cbh_id(cbh))
    }

    /// The node of the buffer.
    #[inline(always)]
    pub const fn node(who: u32) -> u32 {
        who >> NODE_SHIFT & NODE_MASK
    }

    /// The CBH word of the buffer.
    #[inline(always)]
    pub const fn cbh(who: u32) -> u32 {
        who & (u32::MAX << PID_SHIFT | BUFFER_MASK)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cbh::cbh;

    #[test]
    fn the_tables_of_the_thesis_take_its_bytes() {
        let geometry = StaticGeometry::OF_THE_THESIS.check().unwrap();
        assert_eq!(geometry.buffer_offset(0), 264 * 1024);
        assert!((162 * 1024..=163 * 1024).contains(&(geometry.import_offset(0, 0) - geometry.buffer_offset(0))));
        assert_eq!(geometry.import_offset(1, 0) - geometry.import_offset(0, 0), 64 * 1024);
    }

    #[test]
    fn a_geometry_beyond_what_an_index_can_name_is_refused() {
        let good = StaticGeometry { vmh_tables: 255, cbh_entries: 8192, import_entries: 4096, key: KeyWidth::Bits64 };
        assert_eq!(good.check(), Ok(good));
        for bad in [
            StaticGeometry { vmh_tables: 256, ..good },
            StaticGeometry { vmh_tables: 0, ..good },
            StaticGeometry { cbh_entries: 8193, ..good },
            StaticGeometry { cbh_entries: 0, ..good },
            StaticGeometry { import_entries: 4097, ..good },
            StaticGeometry { import_entries: 0, ..good },
        ] {
            assert_eq!(bad.check(), Err(StaticGeometryError), "{bad:?}");
        }
    }

    #[test]
    fn every_import_survives_its_word() {
        for (node, pid, id, permissions) in [(0, 1, 0, 0), (15, 0xFFF, 8191, 3), (7, 0x801, 4097, 2)] {
            let who = import::who(node, cbh(pid, id), permissions).unwrap();
            assert_eq!((import::node(who), import::cbh(who)), (node, cbh(pid, id)));
            assert_eq!(who >> import::PERMISSIONS_SHIFT & 3, permissions);
            assert_ne!(who & import::VALID, 0);
        }
        assert_eq!(import::who(16, cbh(1, 0), 0), None);
        assert_eq!(import::who(0, cbh(1, 8192), 0), None);
        assert_eq!(import::who(0, cbh(1, 0), 4), None);
    }

    #[test]
    fn four_indices_share_a_word() {
        let geometry = StaticGeometry { vmh_tables: 1, cbh_entries: 1, import_entries: 1, key: KeyWidth::Bits64 };
        assert_eq!((geometry.top_offset(0, 0), top_shift(0)), (0, 0));
        assert_eq!((geometry.top_offset(0, 3 * 1024), top_shift(3 * 1024 + 1023)), (0, 24));
        assert_eq!((geometry.top_offset(7, 0xF_FFFF), top_shift(0xF_FFFF)), (8 * 1024 - 4, 24));
    }
}
