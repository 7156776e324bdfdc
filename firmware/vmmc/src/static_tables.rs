use nic_device::{rarely, Place, Words};
use nic_layout::cbh::{cbh_id, entry, entry_bytes, STATE_EMPTY, STATE_INVALID, STATE_MASK, STATE_VALID};
use nic_layout::key::KeyWidth;
use nic_layout::plant::{is_planted, Plant};
use nic_layout::static_tables::{
    import, top_shift, StaticGeometry, TABLE_BYTES, TABLE_ENTRIES, TOP_INDICES, UNREGISTERED,
};
use nic_layout::PROCESS_SLOTS;
use nic_lookup::{Fetched, Find, Lookup, Path, Reserve};
use nic_plan::{LookupPlaces, Rdma, FRAME_PAGES_MAX};

use crate::page::LockedPage;
use crate::Tables;

/// The tables of the personality `vmmc`, the base that the thesis compares with. They hold all
/// registered pages, buffers and imports (M-13).
///
/// The driver fills an entry at a registration or an import. A handle without an entry does not
/// exist: no lookup asks the driver, waits, or evicts an entry. No entry is locked, because the
/// driver waits for DMA in flight before it takes away the page or buffer of an entry.
///
/// The type is built for keys of `K` bits and for frames that touch at most `P` pages.
#[derive(Clone, Copy, Debug)]
pub struct StaticTables<const K: u32 = 64, const P: usize = { FRAME_PAGES_MAX as usize }> {
    /// The place of the top levels.
    tops: Place,
    /// The place of a second-level table with index 0, if there were one.
    tables: Place,
    buffers: Place,
    cbh_entries: u32,
    imports: Place,
    import_entries: u32,
}

impl<const K: u32, const P: usize> StaticTables<K, P> {
    /// The line number of every hit. No line is locked.
    const NO_LINE: u32 = 0;

    const ENTRY_BYTES: u32 = entry_bytes(KeyWidth::built(K));
    const IMPORT_BYTES: u32 = import::bytes(KeyWidth::built(K));

    /// The slot in which the planted defect [`Plant::OtherProcess`] looks.
    fn planted_slot(&self, memory: &mut impl Words, slot: u32, page: u32) -> u32 {
        let next = (slot + 1) % PROCESS_SLOTS as u32;
        let indices = memory.get(self.tops.plus(next * TOP_INDICES + ((page / TABLE_ENTRIES) & !3)), 0);
        match indices >> top_shift(page) & 0xFF {
            0 => slot,
            _ => next,
        }
    }
}

impl<const K: u32, const P: usize> Tables for StaticTables<K, P> {
    const NOWHERE: Self = Self {
        tops: Place(0),
        tables: Place(0),
        buffers: Place(0),
        cbh_entries: 0,
        imports: Place(0),
        import_entries: 0,
    };

    const KEY: KeyWidth = KeyWidth::built(K);

    const HAS_IMPORTS: bool = true;

    type Span = [LockedPage; P];

    type Lookup = nic_plan::StaticTables;

    const BUILT: Rdma<nic_plan::StaticTables> =
        Rdma { lookup: nic_plan::StaticTables::built(Self::KEY), frame_pages_max: P as u32 };

    /// Second-level tables are not cleared: the driver writes a whole table before it is used.
    fn start(memory: &mut impl Words, places: &LookupPlaces, planned: &nic_plan::StaticTables) -> Self {
        let geometry = planned.geometry;
        let StaticGeometry { cbh_entries, import_entries, .. } = geometry;
        let place = |offset| memory.place(places.vmh.wrapping_add(offset));
        let tables = Self {
            tops: place(geometry.top_offset(0, 0)),
            tables: place(geometry.table_offset(0)),
            buffers: place(geometry.buffer_offset(0)),
            cbh_entries,
            imports: place(geometry.import_offset(0, 0)),
            import_entries,
        };
        for at in (0..PROCESS_SLOTS as u32 * TOP_INDICES).step_by(4) {
            memory.put(tables.tops, at, 0);
        }
        for number in 0..cbh_entries {
            memory.put(tables.buffer_place(number), entry::STATE, STATE_EMPTY);
        }
        for number in 0..PROCESS_SLOTS as u32 * import_entries {
            memory.put(tables.imports.plus(number * Self::IMPORT_BYTES), import::WHO, 0);
        }
        tables
    }

    /// Always hits. The entry of a page that is not registered is [`UNREGISTERED`].
    #[inline(always)]
    fn lookup(&self, memory: &mut impl Words, _path: Path, pid: u32, page: u32) -> Lookup {
        let slot = pid % PROCESS_SLOTS as u32;
        let slot = if is_planted(Plant::OtherProcess) { self.planted_slot(memory, slot, page) } else { slot };
        let indices = memory.get(self.tops.plus(slot * TOP_INDICES + ((page / TABLE_ENTRIES) & !3)), 0);
        let index = indices >> top_shift(page) & 0xFF;
        if index == 0 {
            rarely();
            return Lookup::Hit { line: Self::NO_LINE, entry: UNREGISTERED };
        }
        let entry = memory.get(self.tables.plus(index * TABLE_BYTES + page % TABLE_ENTRIES * 4), 0);
        Lookup::Hit { line: Self::NO_LINE, entry }
    }

    #[inline(always)]
    fn unlock(&self, _memory: &mut impl Words, _path: Path, _line: u32) -> bool {
        true
    }

    /// Never called, since every lookup hits.
    fn reserve(&self, _memory: &mut impl Words, _pid: u32, _page: u32) -> Reserve {
        Reserve::NoWay
    }

    fn line_entries(_line: u32) -> (u32, u32) {
        (0, 1)
    }

    /// Never called, since no line is ever reserved.
    fn begin_fetch(&self, _memory: &mut impl Words, _line: u32) {}

    fn end_fetch(
        &self,
        _memory: &mut impl Words,
        _line: u32,
        _tag: (u32, u32),
        _came: bool,
        _host_pages: u32,
    ) -> Fetched {
        Fetched::Lost
    }

    fn miss_key(_pid: u32, _page: u32) -> u32 {
        0
    }

    /// Does nothing. The driver writes the tables itself and needs the command only to wait for
    /// DMA.
    fn invalidate(&self, _memory: &mut impl Words, _pid: u32, _page: u32) -> bool {
        false
    }

    #[inline(always)]
    fn find_buffer(&self, memory: &mut impl Words, cbh: u32) -> Find {
        let number = cbh_id(cbh);
        if number >= self.cbh_entries {
            rarely();
            return Find::Not { state: STATE_INVALID };
        }
        let at = self.buffer_place(number);
        let found = memory.get(at, entry::CBH);
        // The state is read before the other words. If the driver replaces the entry meanwhile,
        // those words belong to the new buffer.
        let state = memory.get(at, entry::STATE);
        if found != cbh || (state & STATE_MASK != STATE_VALID && !is_planted(Plant::StaleBuffer)) {
            rarely();
            return Find::Not { state: STATE_INVALID };
        }
        Find::Valid { entry: number, state }
    }

    #[inline(always)]
    fn buffer_place(&self, number: u32) -> Place {
        self.buffers.plus(number * Self::ENTRY_BYTES)
    }

    /// Never called, since no lookup of a buffer misses.
    fn reserve_buffer(&self, _memory: &mut impl Words, _cbh: u32) -> Reserve {
        Reserve::NoWay
    }

    fn forget_buffer(&self, _memory: &mut impl Words, _cbh: u32) -> bool {
        false
    }

    #[inline(always)]
    fn import(&self, slot: usize, index: u32) -> Option<Place> {
        if index >= self.import_entries {
            return None;
        }
        let number = slot as u32 * self.import_entries + index;
        Some(self.imports.plus(number * Self::IMPORT_BYTES))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use nic_layout::cbh::{cbh, valid};
    use proptest::prelude::*;

    use super::*;

    const GEOMETRY: StaticGeometry =
        StaticGeometry { vmh_tables: 3, cbh_entries: 5, import_entries: 4, key: KeyWidth::Bits64 };
    const BASE: u32 = 64;

    /// Tables that were started in memory of arbitrary content.
    fn started() -> (Vec<u32>, StaticTables) {
        let mut memory = vec![0x5A5A_5A5A; (BASE + GEOMETRY.bytes()) as usize / 4 + 8];
        let places = LookupPlaces { vmh: BASE, ..LookupPlaces::default() };
        let tables = StaticTables::start(&mut memory, &places, &nic_plan::StaticTables { geometry: GEOMETRY });
        (memory, tables)
    }

    fn translation(memory: &mut Vec<u32>, tables: &StaticTables, pid: u32, page: u32) -> u32 {
        match tables.lookup(memory, Path::Send, pid, page) {
            Lookup::Hit { entry, .. } => entry,
            other => panic!("{other:?}: nothing is ever absent or pending"),
        }
    }

    #[derive(Clone, Copy, Debug)]
    enum Step {
        /// The process of `page` gets second-level table `index`, whose entries are the numbers
        /// from `first` on.
        Show {
            index: u32,
            pid: u32,
            page: u32,
            first: u32,
        },
        Hide {
            pid: u32,
            page: u32,
        },
        Register {
            number: u32,
            pid: u32,
            key: u32,
        },
        Withdraw {
            number: u32,
        },
        Import {
            slot: u32,
            index: u32,
            node: u32,
        },
        Release {
            slot: u32,
            index: u32,
        },
    }

    fn step() -> impl Strategy<Value = Step> {
        // Pages of few top-level words, so that steps share the words.
        let page = || prop_oneof![0u32..8, 1016u32..1024].prop_map(|top| top * TABLE_ENTRIES + top % 7);
        prop_oneof![
            (1u32..=3, 8u32..16, page(), 0u32..1000).prop_map(|(index, pid, page, first)| Step::Show {
                index,
                pid,
                page,
                first
            }),
            (8u32..16, page()).prop_map(|(pid, page)| Step::Hide { pid, page }),
            (0u32..5, 1u32..4, any::<u32>()).prop_map(|(number, pid, key)| Step::Register { number, pid, key }),
            (0u32..5).prop_map(|number| Step::Withdraw { number }),
            (0u32..8, 0u32..4, 0u32..16).prop_map(|(slot, index, node)| Step::Import { slot, index, node }),
            (0u32..8, 0u32..4).prop_map(|(slot, index)| Step::Release { slot, index }),
        ]
    }

    /// A simple model of the tables: the same writes, kept in maps.
    #[derive(Default)]
    struct Model {
        /// The table index at each slot and top-level index.
        tops: BTreeMap<(u32, u32), u32>,
        /// The first number of each table.
        tables: BTreeMap<u32, u32>,
        buffers: BTreeMap<u32, (u32, u32)>,
        imports: BTreeMap<(u32, u32), u32>,
    }

    impl Model {
        fn translation(&self, pid: u32, page: u32) -> u32 {
            let table = self.tops.get(&(pid % 8, page / TABLE_ENTRIES));
            table.map_or(UNREGISTERED, |table| self.tables[table] + page % TABLE_ENTRIES)
        }
    }

    proptest! {
        #[test]
        fn lookups_agree_with_a_dull_model(steps in prop::collection::vec(step(), 1..60)) {
            let (mut memory, tables) = started();
            let mut model = Model::default();
            let set_top = |memory: &mut Vec<u32>, pid: u32, page: u32, index: u32| {
                let at = BASE + GEOMETRY.top_offset(pid % 8, page);
                let others = memory.read(at) & !(0xFF << top_shift(page));
                memory.write(at, others | index << top_shift(page));
            };
            for step in steps {
                match step {
                    Step::Show { index, pid, page, first } => {
                        for entry in 0..TABLE_ENTRIES {
                            memory.write(BASE + GEOMETRY.table_offset(index) + entry * 4, first + entry);
                        }
                        set_top(&mut memory, pid, page, index);
                        model.tables.insert(index, first);
                        model.tops.insert((pid % 8, page / TABLE_ENTRIES), index);
                    }
                    Step::Hide { pid, page } => {
                        set_top(&mut memory, pid, page, 0);
                        model.tops.remove(&(pid % 8, page / TABLE_ENTRIES));
                    }
                    Step::Register { number, pid, key } => {
                        let at = BASE + GEOMETRY.buffer_offset(number);
                        let words = [cbh(pid, number), 0, 0, key, key, valid(1)];
                        words.iter().zip((at..).step_by(4)).for_each(|(word, at)| memory.write(at, *word));
                        model.buffers.insert(number, (pid, key));
                    }
                    Step::Withdraw { number } => {
                        memory.write(BASE + GEOMETRY.buffer_offset(number) + entry::STATE, STATE_EMPTY);
                        model.buffers.remove(&number);
                    }
                    Step::Import { slot, index, node } => {
                        let who = import::who(node, cbh(slot, index), 1).unwrap();
                        memory.write(BASE + GEOMETRY.import_offset(slot, index) + import::WHO, who);
                        model.imports.insert((slot, index), node);
                    }
                    Step::Release { slot, index } => {
                        memory.write(BASE + GEOMETRY.import_offset(slot, index) + import::WHO, 0);
                        model.imports.remove(&(slot, index));
                    }
                }
                for pid in 8..16 {
                    for page in [0, 5, 1023, 1024, 5 * 1024 + 3, 7 * 1024, 1017 * 1024 + 2, 0xF_FFFF] {
                        prop_assert_eq!(translation(&mut memory, &tables, pid, page), model.translation(pid, page));
                    }
                }
                for (number, pid) in (0..6).flat_map(|number| (1..5).map(move |pid| (number, pid))) {
                    let known = model.buffers.get(&number).filter(|(owner, _)| *owner == pid);
                    match tables.find_buffer(&mut memory, cbh(pid, number)) {
                        Find::Valid { entry, state } => {
                            let key = memory.get(tables.buffer_place(entry), entry::KEY_1);
                            prop_assert_eq!((Some(&(pid, key)), state), (known, valid(1)));
                        }
                        Find::Not { state: STATE_INVALID } => prop_assert_eq!(known, None),
                        other => prop_assert!(false, "{:?}", other),
                    }
                }
                for (slot, index) in (0..8).flat_map(|slot| (0..4).map(move |index| (slot, index))) {
                    let who = memory.get(tables.import(slot as usize, index).unwrap(), import::WHO);
                    let node = (who & import::VALID != 0).then(|| import::node(who));
                    prop_assert_eq!(node, model.imports.get(&(slot, index)).copied());
                }
            }
        }
    }

    #[test]
    fn an_index_beyond_the_tables_finds_nothing() {
        let (mut memory, tables) = started();
        assert!(tables.import(7, 3).is_some());
        assert_eq!([tables.import(0, 4), tables.import(7, u32::MAX)], [None; 2]);
        assert_eq!(tables.find_buffer(&mut memory, cbh(1, 5)), Find::Not { state: STATE_INVALID });
        assert_eq!(tables.find_buffer(&mut memory, cbh(1, 0xF_FFFF)), Find::Not { state: STATE_INVALID });
    }

    #[test]
    fn at_the_start_nothing_is_there_and_nothing_beside_the_tables_has_changed() {
        let (mut memory, tables) = started();
        for pid in 0..8 {
            assert_eq!(translation(&mut memory, &tables, pid, 0), UNREGISTERED);
            assert_eq!(translation(&mut memory, &tables, pid, 0xF_FFFF), UNREGISTERED);
        }
        assert!((0..5)
            .all(|number| tables.find_buffer(&mut memory, cbh(0x5A5, number)) == Find::Not { state: STATE_INVALID }));
        assert!(memory[..BASE as usize / 4].iter().all(|word| *word == 0x5A5A_5A5A));
        assert!(memory[(BASE + GEOMETRY.bytes()) as usize / 4..].iter().all(|word| *word == 0x5A5A_5A5A));
    }
}
