//! The tables of translations that the NIC reads by DMA (facts M-58; layout: `nic_layout::fetch`).
//!
//! They lie in pages of the driver, which are pinned as long as the NIC may read them. An entry is
//! what the process's `PinTable` says of the page, but for the time between the decision to unpin
//! it and the unpinning.

use std::collections::BTreeMap;

use nic_layout::fetch::{directory_offset, directory_word, table_offset, DIRECTORY_ENTRIES, TABLE_ENTRIES};
use nic_layout::vmh::NO_TRANSLATION;
use nic_layout::PAGE_BYTES;

use crate::address::{PhysPage, Pid, VirtPage};
use crate::memory::{Memory, MemoryError};

/// The driver's own address space: no process has this number.
pub const KERNEL: Pid = Pid(0);

/// Where the driver sees the table of a slot that has the entry of a page.
pub const fn table_of(slot: usize, page: VirtPage) -> VirtPage {
    VirtPage(slot as u32 * DIRECTORY_ENTRIES + page.0 / TABLE_ENTRIES)
}

/// A word of the directories, for the NIC: offset, value.
pub type DirectoryWord = (u32, u32);

#[derive(Default)]
pub struct FetchTables {
    /// By slot and number: tables that exist.
    tables: BTreeMap<VirtPage, PhysPage>,
}

impl FetchTables {
    /// Pages that are pinned for tables.
    pub fn pins(&self) -> usize {
        self.tables.len()
    }

    /// Enters a translation. Gives the word that the NIC must be told, when the table is new.
    /// Without memory for a table there is no entry: the NIC asks the driver.
    pub fn enter(
        &mut self,
        memory: &mut Memory,
        slot: usize,
        page: VirtPage,
        target: PhysPage,
    ) -> Result<Option<DirectoryWord>, MemoryError> {
        let at = table_of(slot, page);
        let is_new = !self.tables.contains_key(&at);
        if is_new {
            // It outlives a reset of the NIC, which makes the tables anew.
            if !memory.has_space(KERNEL) {
                memory.create_space(KERNEL);
            }
            if !memory.is_mapped(KERNEL, at) {
                memory.add_page(KERNEL, at)?;
            }
            let table = memory.pin(KERNEL, at)?;
            memory.write(KERNEL, at.start(), &[0xFF; PAGE_BYTES as usize])?;
            self.tables.insert(at, table);
        }
        memory.write(KERNEL, at.start() + table_offset(page.0), &target.0.to_le_bytes())?;
        let word = || (directory_offset(slot, page.0), directory_word(self.tables[&at].0));
        Ok(is_new.then(word))
    }

    /// Takes a translation back: a NIC that reads it from now on finds none.
    pub fn clear(&mut self, memory: &mut Memory, slot: usize, page: VirtPage) {
        let at = table_of(slot, page);
        if self.tables.contains_key(&at) {
            let cleared = memory.write(KERNEL, at.start() + table_offset(page.0), &NO_TRANSLATION.to_le_bytes());
            debug_assert!(cleared.is_ok(), "the table is pinned, so it is there");
        }
    }

    /// What the NIC must be told so that it finds no table of a slot any more.
    pub fn no_tables(&self, slot: usize) -> Vec<DirectoryWord> {
        let number = |at: &VirtPage| at.0 - table_of(slot, VirtPage(0)).0;
        self.of(slot).map(|(at, _)| (directory_offset(slot, number(at) * TABLE_ENTRIES), 0)).collect()
    }

    /// Unpins the tables of a slot, when the NIC reads them no more.
    pub fn close(&mut self, memory: &mut Memory, slot: usize) {
        let gone: Vec<VirtPage> = self.of(slot).map(|(at, _)| *at).collect();
        for at in gone {
            if let Some(table) = self.tables.remove(&at) {
                memory.unpin(table);
            }
        }
    }

    fn of(&self, slot: usize) -> impl Iterator<Item = (&VirtPage, &PhysPage)> {
        self.tables.range(table_of(slot, VirtPage(0))..table_of(slot + 1, VirtPage(0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::BusAddr;
    use sim_pins::Ps;

    #[test]
    fn an_entry_lies_where_the_nic_reads_it_and_goes_with_its_slot() {
        let mut memory = Memory::new(256, 64, 1);
        let mut tables = FetchTables::default();
        let (near, far) = (VirtPage(0x403), VirtPage(0xF_FFFF));
        let (offset, word) = tables.enter(&mut memory, 2, near, PhysPage(7)).expect("room").expect("the first there");
        assert_eq!(offset, 2 * 4096 + 4);
        assert_eq!(tables.enter(&mut memory, 2, VirtPage(0x404), PhysPage(8)).expect("room"), None, "the same table");
        assert!(tables.enter(&mut memory, 3, far, PhysPage(9)).expect("room").is_some());
        let read = |memory: &mut Memory, page: u32| {
            let mut bytes = [0; 4];
            memory.dma_read(Ps::ZERO, BusAddr((word & !0xFFF) + page % 1024 * 4), &mut bytes);
            u32::from_le_bytes(bytes)
        };
        assert_eq!([0x402, 0x403, 0x404].map(|page| read(&mut memory, page)), [NO_TRANSLATION, 7, 8]);
        tables.clear(&mut memory, 2, near);
        assert_eq!(read(&mut memory, 0x403), NO_TRANSLATION);
        assert_eq!(memory.violations(), [], "tables are pinned");
        assert_eq!(tables.no_tables(2), [(2 * 4096 + 4, 0)]);
        tables.close(&mut memory, 2);
        assert_eq!((tables.pins(), memory.counts().pinned_now), (1, 1));
        tables.close(&mut memory, 3);
        assert!(tables.pins() == 0 && memory.counts().pinned_now == 0);
        // The slot's next process finds nothing of the one before.
        tables.enter(&mut memory, 2, VirtPage(0x400), PhysPage(3)).expect("room").expect("a new table");
        assert_eq!(read(&mut memory, 0x404), NO_TRANSLATION);
    }
}
