//! What the driver keeps of a NIC with static tables (`nic_layout::static_tables`): the owner of
//! each table, place and page, and the words to be written.
//!
//! Nothing here reaches the NIC: calls return writes, in the order in which they must be performed,
//! and what was taken away is free again only when the caller says so, after the NIC has ended the
//! DMA that it stands for.

use std::collections::{BTreeMap, VecDeque};

use nic_layout::cbh::{entry, valid, Descriptor, STATE_EMPTY};
use nic_layout::key::Key;
use nic_layout::static_tables::{import, top_shift, StaticGeometry, TABLE_ENTRIES, UNREGISTERED};

use crate::address::{PhysPage, Pid, VirtPage};
use crate::driver::core::error::DriverError;

/// Words for the NIC: byte offset in the tables, and what goes there from there on.
pub type Write = (u32, Vec<u32>);

/// The tables of one NIC.
pub struct StaticTables {
    geometry: StaticGeometry,
    /// Given out in turn: what was freed last is used again last.
    free_tables: VecDeque<u32>,
    free_buffers: VecDeque<u32>,
    processes: BTreeMap<Pid, Process>,
}

struct Process {
    slot: u32,
    /// By the index in the top level: the second-level table, and how many translations it holds.
    tables: BTreeMap<u32, (u32, u32)>,
    /// How often each page is registered.
    uses: BTreeMap<VirtPage, u32>,
    free_imports: VecDeque<u32>,
    imports: Vec<bool>,
}

/// What the NIC must forget.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Removed {
    pub writes: Vec<Write>,
    /// Pages that are registered no more.
    pub pages: Vec<VirtPage>,
    /// For [`StaticTables::free_tables`].
    pub tables: Vec<u32>,
}

const fn top_of(page: VirtPage) -> u32 {
    page.0 / TABLE_ENTRIES
}

impl StaticTables {
    pub fn new(geometry: StaticGeometry) -> StaticTables {
        StaticTables {
            geometry,
            free_tables: (1..=geometry.vmh_tables).collect(),
            free_buffers: (0..geometry.cbh_entries).collect(),
            processes: BTreeMap::new(),
        }
    }

    /// The NIC finds the slot of a process by `pid % PROCESS_SLOTS`.
    pub fn open(&mut self, pid: Pid, slot: usize) {
        let imports = self.geometry.import_entries;
        let process = Process {
            slot: slot as u32,
            tables: BTreeMap::new(),
            uses: BTreeMap::new(),
            free_imports: (0..imports).collect(),
            imports: vec![false; imports as usize],
        };
        self.processes.insert(pid, process);
    }

    fn process(&mut self, pid: Pid) -> Result<&mut Process, DriverError> {
        self.processes.get_mut(&pid).ok_or(DriverError::ProcessEnded(pid.0))
    }

    // ---- Pages ----------------------------------------------------------------------------------

    /// Whether there are second-level tables for these pages.
    pub fn check_room(&mut self, pid: Pid, pages: &[VirtPage]) -> Result<(), DriverError> {
        let process = self.process(pid)?;
        let mut tops: Vec<u32> = pages.iter().map(|page| top_of(*page)).collect();
        tops.dedup();
        let needed = tops.iter().filter(|top| !process.tables.contains_key(top)).count();
        if needed > self.free_tables.len() {
            return Err(DriverError::TableFull {
                what: "second-level tables of translations",
                entries: self.geometry.vmh_tables,
            });
        }
        Ok(())
    }

    /// Registers ascending pages once more, for which there is room. A second-level table is
    /// written whole before its index is.
    pub fn add(&mut self, pid: Pid, pages: &[(VirtPage, PhysPage)]) -> Result<Vec<Write>, DriverError> {
        let geometry = self.geometry;
        let StaticTables { free_tables, processes, .. } = self;
        let process = processes.get_mut(&pid).ok_or(DriverError::ProcessEnded(pid.0))?;
        let mut writes: Vec<Write> = Vec::new();
        for pages in pages.chunk_by(|(a, _), (b, _)| top_of(*a) == top_of(*b)) {
            let top = top_of(pages[0].0);
            let mut fresh = Vec::new();
            for (page, target) in pages {
                let uses = process.uses.entry(*page).or_default();
                *uses += 1;
                if *uses == 1 {
                    fresh.push((page.0 % TABLE_ENTRIES, target.0));
                }
            }
            if let Some((table, count)) = process.tables.get_mut(&top) {
                *count += fresh.len() as u32;
                for run in fresh.chunk_by(|(a, _), (b, _)| a + 1 == *b) {
                    let words = run.iter().map(|(_, number)| *number).collect();
                    writes.push((geometry.table_offset(*table) + run[0].0 * 4, words));
                }
                continue;
            }
            let table = free_tables.pop_front().expect("the caller has asked for room");
            process.tables.insert(top, (table, fresh.len() as u32));
            let mut words = vec![UNREGISTERED; TABLE_ENTRIES as usize];
            fresh.iter().for_each(|(entry, number)| words[*entry as usize] = *number);
            writes.push((geometry.table_offset(table), words));
            writes.push(process.top_word(geometry, top));
        }
        Ok(writes)
    }

    /// Ends one registration of ascending pages.
    pub fn remove(&mut self, pid: Pid, pages: &[VirtPage]) -> Result<Removed, DriverError> {
        let geometry = self.geometry;
        let process = self.process(pid)?;
        let mut removed = Removed::default();
        for page in pages {
            let uses = process.uses.get_mut(page).expect("whoever registered the page has not ended before");
            *uses -= 1;
            if *uses == 0 {
                process.uses.remove(page);
                removed.pages.push(*page);
            }
        }
        for pages in removed.pages.chunk_by(|a, b| top_of(*a) == top_of(*b)) {
            let top = top_of(pages[0]);
            let (table, count) = process.tables.get_mut(&top).expect("it held these pages");
            *count -= pages.len() as u32;
            if *count == 0 {
                // What a table says that no index shows is not read.
                removed.tables.push(*table);
                process.tables.remove(&top);
                removed.writes.push(process.top_word(geometry, top));
                continue;
            }
            for run in pages.chunk_by(|a, b| a.0 + 1 == b.0) {
                let at = geometry.table_offset(*table) + run[0].0 % TABLE_ENTRIES * 4;
                removed.writes.push((at, vec![UNREGISTERED; run.len()]));
            }
        }
        Ok(removed)
    }

    /// No lookup and no DMA knows these tables any more.
    pub fn free_tables(&mut self, tables: &[u32]) {
        self.free_tables.extend(tables);
    }

    // ---- Buffers --------------------------------------------------------------------------------

    /// Takes the place of a new buffer, which is its identifier: the wished place, or any free one.
    pub fn take_buffer(&mut self, wish: Option<u32>) -> Result<u32, DriverError> {
        match wish {
            Some(id) => {
                let at = self.free_buffers.iter().position(|free| *free == id);
                self.free_buffers.remove(at.ok_or(DriverError::BufferIdTaken { id })?);
                Ok(id)
            }
            None => {
                let entries = self.geometry.cbh_entries;
                self.free_buffers.pop_front().ok_or(DriverError::TableFull { what: "buffers", entries })
            }
        }
    }

    pub fn free_buffer(&mut self, id: u32) {
        self.free_buffers.push_back(id);
    }

    /// One run of ascending words, the state last; before it the upper half of a key of 128 bits.
    pub fn buffer_words(&self, id: u32, cbh: u32, descriptor: &Descriptor) -> Vec<Write> {
        let Descriptor { start_address, length_bytes, key, permissions } = *descriptor;
        let at = self.geometry.buffer_offset(id);
        let words = vec![cbh, start_address, length_bytes, key[0], key[1], valid(permissions)];
        self.upper_key(at + entry::KEY_2, key).chain([(at, words)]).collect()
    }

    fn upper_key(&self, at: u32, key: Key) -> impl Iterator<Item = Write> {
        self.geometry.key.is_wide().then(|| (at, key[2..].to_vec())).into_iter()
    }

    /// The buffer and its key are there no more: the state first, which comes alone.
    pub fn no_buffer_words(&self, id: u32) -> Vec<Write> {
        let at = self.geometry.buffer_offset(id);
        let words = [(at + entry::STATE, vec![STATE_EMPTY]), (at + entry::KEY_0, vec![0, 0])];
        words.into_iter().chain(self.upper_key(at + entry::KEY_2, Key::default())).collect()
    }

    // ---- Imports --------------------------------------------------------------------------------

    pub fn take_import(&mut self, pid: Pid) -> Result<u32, DriverError> {
        let entries = self.geometry.import_entries;
        let process = self.process(pid)?;
        let index = process.free_imports.pop_front();
        let index = index.ok_or(DriverError::TableFull { what: "imports of this process", entries })?;
        process.imports[index as usize] = true;
        Ok(index)
    }

    /// The words of an import record: one run of ascending words, of which the last makes the
    /// record valid. With keys of 128 bits the upper half of the key is written before that run.
    pub fn import_words(
        &mut self,
        pid: Pid,
        index: u32,
        length: u32,
        key: Key,
        who: u32,
    ) -> Result<Vec<Write>, DriverError> {
        let geometry = self.geometry;
        let slot = self.process(pid)?.slot;
        let at = geometry.import_offset(slot, index);
        let words = vec![length, key[0], key[1], who];
        Ok(self.upper_key(at + import::KEY_2, key).chain([(at, words)]).collect())
    }

    /// The record is there no more.
    pub fn no_import_words(&mut self, pid: Pid, index: u32) -> Result<Write, DriverError> {
        let geometry = self.geometry;
        let process = self.process(pid)?;
        if !process.imports.get(index as usize).copied().unwrap_or(false) {
            return Err(DriverError::NoSuchImport { index });
        }
        process.imports[index as usize] = false;
        Ok((geometry.import_offset(process.slot, index) + import::WHO, vec![0]))
    }

    pub fn free_import(&mut self, pid: Pid, index: u32) {
        if let Ok(process) = self.process(pid) {
            process.free_imports.push_back(index);
        }
    }

    // ---- The end of a process -------------------------------------------------------------------

    /// Takes everything of a process but its buffers: the NIC has none of its posts any more, and
    /// none of its buffers.
    pub fn close(&mut self, pid: Pid) -> Removed {
        let geometry = self.geometry;
        let Some(mut process) = self.processes.remove(&pid) else {
            return Removed::default();
        };
        let tables = std::mem::take(&mut process.tables);
        let mut writes: Vec<Write> = tables.keys().map(|top| process.top_word(geometry, *top)).collect();
        writes.dedup();
        let imports = (0..).zip(&process.imports).filter(|(_, is_there)| **is_there);
        writes.extend(imports.map(|(index, _)| (geometry.import_offset(process.slot, index) + import::WHO, vec![0])));
        let pages = process.uses.keys().copied().collect();
        Removed { writes, pages, tables: tables.values().map(|(table, _)| *table).collect() }
    }

    /// Free tables, free buffers, and free imports of all open processes together: tests check with
    /// it that everything comes back.
    pub fn free(&self) -> (usize, usize, usize) {
        let imports = self.processes.values().map(|process| process.free_imports.len()).sum();
        (self.free_tables.len(), self.free_buffers.len(), imports)
    }
}

impl Process {
    /// The word of the top level that holds an index, with the three beside it.
    fn top_word(&self, geometry: StaticGeometry, top: u32) -> Write {
        let first = top & !3;
        let word = self
            .tables
            .range(first..first + 4)
            .fold(0, |word, (other, (table, _))| word | table << top_shift(other * TABLE_ENTRIES));
        (geometry.top_offset(self.slot, first * TABLE_ENTRIES), vec![word])
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use nic_layout::cbh::{cbh, STATE_VALID};
    use nic_layout::key::KeyWidth;
    use proptest::prelude::*;

    use super::*;

    const GEOMETRY: StaticGeometry =
        StaticGeometry { vmh_tables: 4, cbh_entries: 3, import_entries: 2, key: KeyWidth::Bits64 };

    /// SRAM as the writes leave it.
    struct Sram(Vec<u32>);

    impl Sram {
        /// As the firmware leaves it at its start.
        fn new() -> Sram {
            let mut words = vec![0x5A5A_5A5A; GEOMETRY.bytes() as usize / 4];
            words[..GEOMETRY.table_offset(1) as usize / 4].fill(0);
            words[GEOMETRY.buffer_offset(0) as usize / 4..].fill(0);
            Sram(words)
        }

        fn write(&mut self, writes: &[Write]) {
            for (at, words) in writes {
                self.0[*at as usize / 4..][..words.len()].copy_from_slice(words);
            }
        }

        /// As the firmware looks up.
        fn translation(&self, slot: u32, page: u32) -> u32 {
            let index = self.0[GEOMETRY.top_offset(slot, page) as usize / 4] >> top_shift(page) & 0xFF;
            match index {
                0 => UNREGISTERED,
                _ => self.0[(GEOMETRY.table_offset(index) + page % TABLE_ENTRIES * 4) as usize / 4],
            }
        }
    }

    /// Regions that share pages, second-level tables and words of the top level.
    fn region(number: u32) -> Vec<VirtPage> {
        let first = [1022, 1020, 1024, 4096, 9000, 0xF_FFFE][number as usize];
        (first..first + [4, 2, 3, 1, 2, 2][number as usize]).map(VirtPage).collect()
    }

    fn target(pid: u32, page: VirtPage) -> PhysPage {
        PhysPage(pid * 100_000 + page.0 % 50_000)
    }

    proptest! {
        /// After each step the NIC translates what is registered and nothing else; a table belongs
        /// to one process; at the end all are back.
        #[test]
        fn the_tables_translate_what_is_registered(steps in prop::collection::vec((0u32..3, 0u32..6, 0u32..8), 1..80)) {
            let (mut tables, mut sram) = (StaticTables::new(GEOMETRY), Sram::new());
            // By process: its regions, as often as they are registered.
            let mut model: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
            for slot in 0..3 {
                tables.open(Pid(8 + slot), slot as usize);
                model.insert(slot, Vec::new());
            }
            let tops_of = |regions: &[u32]| -> BTreeSet<u32> {
                regions.iter().flat_map(|number| region(*number)).map(top_of).collect()
            };
            for (slot, number, action) in steps {
                let pid = Pid(8 + slot);
                let pages = region(number);
                let held = &model[&slot];
                match action {
                    0 => {
                        let removed = tables.close(pid);
                        sram.write(&removed.writes);
                        prop_assert_eq!(removed.tables.len(), tops_of(held).len());
                        tables.free_tables(&removed.tables);
                        tables.open(pid, slot as usize);
                        model.insert(slot, Vec::new());
                    }
                    1..=3 => {
                        if let Some(at) = held.iter().position(|other| *other == number) {
                            let removed = tables.remove(pid, &pages).unwrap();
                            sram.write(&removed.writes);
                            tables.free_tables(&removed.tables);
                            model.get_mut(&slot).unwrap().remove(at);
                            let left: BTreeSet<VirtPage> = model[&slot].iter().flat_map(|number| region(*number)).collect();
                            let gone: Vec<VirtPage> = pages.iter().copied().filter(|page| !left.contains(page)).collect();
                            prop_assert_eq!(removed.pages, gone);
                        }
                    }
                    _ => {
                        let others: usize = model.iter().filter(|(other, _)| **other != slot).map(|(_, held)| tops_of(held).len()).sum();
                        let wanted = tops_of(&[&held[..], &[number]].concat()).len();
                        let fits = others + wanted <= GEOMETRY.vmh_tables as usize;
                        prop_assert_eq!(tables.check_room(pid, &pages).is_ok(), fits);
                        if fits {
                            let targets: Vec<_> = pages.iter().map(|page| (*page, target(pid.0, *page))).collect();
                            sram.write(&tables.add(pid, &targets).unwrap());
                            model.get_mut(&slot).unwrap().push(number);
                        }
                    }
                }
                for slot in 0..3 {
                    let registered: BTreeSet<VirtPage> = model[&slot].iter().flat_map(|number| region(*number)).collect();
                    let around = (0..6).flat_map(region).chain([VirtPage(0), VirtPage(1023), VirtPage(5000), VirtPage(0xF_FFFF)]);
                    for page in around {
                        let expected = if registered.contains(&page) { target(8 + slot, page).0 } else { UNREGISTERED };
                        prop_assert_eq!(sram.translation(slot, page.0), expected, "slot {} page {:?}", slot, page);
                    }
                }
            }
            for slot in 0..3 {
                let removed = tables.close(Pid(8 + slot));
                sram.write(&removed.writes);
                tables.free_tables(&removed.tables);
            }
            prop_assert_eq!(tables.free(), (4, 3, 0));
            prop_assert!(sram.0[..GEOMETRY.table_offset(1) as usize / 4].iter().all(|word| *word == 0));
        }
    }

    #[test]
    fn a_new_table_is_written_whole_before_its_index_shows_it() {
        let mut tables = StaticTables::new(GEOMETRY);
        tables.open(Pid(10), 2);
        let writes = tables.add(Pid(10), &[(VirtPage(2049), PhysPage(7)), (VirtPage(2050), PhysPage(5))]).unwrap();
        let mut table = vec![UNREGISTERED; 1024];
        table[1..3].copy_from_slice(&[7, 5]);
        assert_eq!(writes, [(GEOMETRY.table_offset(1), table), (GEOMETRY.top_offset(2, 0), vec![1 << 16])]);
        // A page of a table that shows already is one word.
        let writes = tables.add(Pid(10), &[(VirtPage(2050), PhysPage(5)), (VirtPage(2052), PhysPage(9))]).unwrap();
        assert_eq!(writes, [(GEOMETRY.table_offset(1) + 4 * 4, vec![9])]);
    }

    #[test]
    fn a_full_table_refuses_and_what_is_freed_is_taken_again_last() {
        let mut tables = StaticTables::new(GEOMETRY);
        tables.open(Pid(8), 0);
        assert_eq!([(); 3].map(|()| tables.take_buffer(None).unwrap()), [0, 1, 2]);
        assert!(matches!(tables.take_buffer(None), Err(DriverError::TableFull { entries: 3, .. })));
        tables.free_buffer(1);
        tables.free_buffer(0);
        assert_eq!(tables.take_buffer(Some(2)), Err(DriverError::BufferIdTaken { id: 2 }));
        assert_eq!(tables.take_buffer(Some(3)), Err(DriverError::BufferIdTaken { id: 3 }));
        assert_eq!((tables.take_buffer(Some(0)), tables.take_buffer(None)), (Ok(0), Ok(1)));

        assert_eq!((tables.take_import(Pid(8)), tables.take_import(Pid(8))), (Ok(0), Ok(1)));
        assert!(matches!(tables.take_import(Pid(8)), Err(DriverError::TableFull { entries: 2, .. })));
        assert!(tables.no_import_words(Pid(8), 1).is_ok());
        assert_eq!(tables.no_import_words(Pid(8), 1), Err(DriverError::NoSuchImport { index: 1 }));
        assert_eq!(tables.no_import_words(Pid(8), 2), Err(DriverError::NoSuchImport { index: 2 }));
        // Not before the caller says so.
        assert!(tables.take_import(Pid(8)).is_err());
        tables.free_import(Pid(8), 1);
        assert_eq!(tables.take_import(Pid(8)), Ok(1));
        assert_eq!(tables.take_import(Pid(9)), Err(DriverError::ProcessEnded(9)));
    }

    #[test]
    fn a_buffer_becomes_valid_by_its_last_word_and_ends_by_its_first() {
        let tables = StaticTables::new(GEOMETRY);
        let descriptor = Descriptor { start_address: 4096, length_bytes: 8, key: [3, 4, 5, 6], permissions: 1 };
        let at = GEOMETRY.buffer_offset(2);
        let words = vec![cbh(8, 2), 4096, 8, 3, 4, valid(1)];
        assert_eq!(tables.buffer_words(2, cbh(8, 2), &descriptor), [(at, words.clone())]);
        let gone = |at| vec![(at + entry::STATE, vec![STATE_EMPTY]), (at + entry::KEY_0, vec![0, 0])];
        assert_eq!(tables.no_buffer_words(2), gone(at));

        // With a longer key its upper half first, and gone as well.
        let geometry = StaticGeometry { key: KeyWidth::Bits128, ..GEOMETRY };
        let (tables, at) = (StaticTables::new(geometry), geometry.buffer_offset(2));
        let upper = at + entry::KEY_2;
        assert_eq!(tables.buffer_words(2, cbh(8, 2), &descriptor), [(upper, vec![5, 6]), (at, words)]);
        assert_eq!(tables.no_buffer_words(2), [gone(at), vec![(upper, vec![0, 0])]].concat());
        assert_ne!(STATE_EMPTY, STATE_VALID);
    }

    #[test]
    fn the_import_table_of_a_process_that_ends_is_emptied() {
        let mut tables = StaticTables::new(GEOMETRY);
        tables.open(Pid(9), 1);
        let index = tables.take_import(Pid(9)).unwrap();
        let who = import::who(3, cbh(2, 1), 1).unwrap();
        let writes = tables.import_words(Pid(9), index, 100, [5, 6, 0, 0], who).unwrap();
        assert_eq!(writes, [(GEOMETRY.import_offset(1, 0), vec![100, 5, 6, who])]);
        assert_eq!(tables.close(Pid(9)).writes, [(GEOMETRY.import_offset(1, 0) + import::WHO, vec![0])]);
        assert_eq!(tables.close(Pid(9)), Removed::default());
    }
}
