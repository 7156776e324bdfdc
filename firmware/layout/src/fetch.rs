//! Tables of translations that the NIC reads by itself (M-58): two levels for each process, in a
//! slot that its number names.
//!
//! The second level lies in host memory, in pinned pages of the driver: [`TABLE_ENTRIES`] words
//! each, page numbers as in a line of the cache, or [`crate::vmh::NO_TRANSLATION`]. The top level,
//! the *directory*, lies in SRAM, so that one transfer suffices: the driver writes it by PIO.

use crate::PAGE_BYTES;

/// Entries of a table: a page of host memory.
pub const TABLE_ENTRIES: u32 = PAGE_BYTES / 4;
/// Tables that a directory may name: enough for the whole address space.
pub const DIRECTORY_ENTRIES: u32 = (1 << 20) / TABLE_ENTRIES;
/// Bytes of the directory of a slot.
pub const DIRECTORY_BYTES: u32 = DIRECTORY_ENTRIES * 4;

/// A bit of a word of a directory: there is a table. The bits of a page number above it are its
/// address on the bus.
pub const DIRECTORY_VALID: u32 = 1;

/// The word that names the table in a page of host memory.
pub const fn directory_word(table_page: u32) -> u32 {
    table_page << crate::PAGE_SHIFT | DIRECTORY_VALID
}

/// The slot of a process's tables, which has nothing to do with its post queue: of the processes
/// that are open at a time, no two have the same.
pub const fn table_slot(pid: u32) -> usize {
    pid as usize % crate::PROCESS_SLOTS
}

/// From the start of the directories: the word of a slot for a virtual page.
pub const fn directory_offset(slot: usize, page: u32) -> u32 {
    slot as u32 * DIRECTORY_BYTES + page / TABLE_ENTRIES % DIRECTORY_ENTRIES * 4
}

/// Page number of the table that a word names.
pub const fn table_page(word: u32) -> Option<u32> {
    if word & DIRECTORY_VALID != 0 {
        Some(word >> crate::PAGE_SHIFT)
    } else {
        None
    }
}

/// From the start of a table: the entry of a virtual page.
pub const fn table_offset(page: u32) -> u32 {
    page % TABLE_ENTRIES * 4
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_is_a_page_and_its_words_name_tables() {
        assert_eq!(DIRECTORY_BYTES, PAGE_BYTES);
        assert_eq!(directory_offset(7, 0xF_FFFF) + 4, 8 * PAGE_BYTES);
        assert_eq!(directory_offset(1, 0x400), PAGE_BYTES + 4);
        assert_eq!(table_page(directory_word(0x1_2345)), Some(0x1_2345));
        assert_eq!(table_page(0), None);
        assert_eq!(table_offset(0x7FF), PAGE_BYTES - 4);
    }
}
