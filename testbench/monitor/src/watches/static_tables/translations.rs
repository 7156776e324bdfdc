//! Top levels and second-level tables: each translation is a pinned page of its process (INV-17).

use std::collections::{BTreeMap, BTreeSet};

use nic_layout::static_tables::{top_shift, StaticGeometry, TABLE_BYTES, TABLE_ENTRIES, TOP_INDICES, UNREGISTERED};
use nic_layout::PROCESS_SLOTS;

use super::memory::Memory;
use crate::broken::{broken, Broken};
use crate::context::Context;
use crate::Pins;

pub(super) struct Translations {
    geometry: StaticGeometry,
    /// By the index of a second-level table: the slot and the entry of its top level that point to
    /// it.
    shown: Vec<Option<(u32, u32)>>,
    /// The process and page of each physical page to which a table points or has pointed.
    owners: BTreeMap<u32, (u32, u32)>,
    /// Pairs of process and page that once had a translation.
    known: BTreeSet<(u32, u32)>,
}

fn slot_of(pid: u32) -> u32 {
    pid % PROCESS_SLOTS as u32
}

impl Translations {
    pub fn new(geometry: StaticGeometry) -> Translations {
        Translations {
            geometry,
            shown: vec![None; geometry.vmh_tables as usize + 1],
            owners: BTreeMap::new(),
            known: BTreeSet::new(),
        }
    }

    /// The driver has written a word of these tables.
    pub fn write(
        &mut self,
        context: &Context,
        pins: &dyn Pins,
        memory: &Memory,
        offset: u32,
        before: u32,
    ) -> Result<(), Broken> {
        if let Some(offset) = offset.checked_sub(self.geometry.table_offset(1)) {
            let (table, entry) = (offset / TABLE_BYTES + 1, offset % TABLE_BYTES / 4);
            return match self.shown[table as usize] {
                Some((slot, top)) => self.show(context, pins, memory, slot, top * TABLE_ENTRIES + entry),
                None => Ok(()),
            };
        }
        let (slot, first) = (offset / TOP_INDICES, offset % TOP_INDICES);
        let now = memory.word(offset);
        let index = |word: u32, top: u32| word >> top_shift(top * TABLE_ENTRIES) & 0xFF;
        let changed = (first..first + 4).filter(|top| index(before, *top) != index(now, *top));
        let changed: Vec<u32> = changed.collect();
        for top in &changed {
            if let Some(shown) = self.shown.get_mut(index(before, *top) as usize) {
                *shown = None;
            }
        }
        for top in changed {
            let table = index(now, top);
            if table == 0 {
                continue;
            }
            match self.shown.get_mut(table as usize) {
                None => return broken(17, format!("slot {slot} shows table {table}, which does not exist")),
                Some(Some((other, _))) => {
                    return broken(17, format!("slot {slot} shows table {table}, which slot {other} has"));
                }
                Some(shown) => *shown = Some((slot, top)),
            }
            for entry in 0..TABLE_ENTRIES {
                self.show(context, pins, memory, slot, top * TABLE_ENTRIES + entry)?;
            }
        }
        Ok(())
    }

    /// The NIC can find a page of the process of a slot from now on.
    fn show(
        &mut self,
        context: &Context,
        pins: &dyn Pins,
        memory: &Memory,
        slot: u32,
        page: u32,
    ) -> Result<(), Broken> {
        let Some(frame) = self.now(memory, slot, page).filter(|frame| *frame != UNREGISTERED) else { return Ok(()) };
        let pid = context.posted.pid(slot as usize);
        if pins.pinned(pid, page) != Some(frame) {
            return broken(
                17,
                format!("page {page:#x} of process {pid} is translated to {frame:#x}, which is not pinned for it"),
            );
        }
        self.owners.insert(frame, (pid, page));
        self.known.insert((pid, page));
        Ok(())
    }

    /// The word of the second-level table for a page. `None` if the top level points to no table.
    pub fn now(&self, memory: &Memory, pid: u32, page: u32) -> Option<u32> {
        let indices = memory.word(self.geometry.top_offset(slot_of(pid), page));
        self.entry_offset(indices, page).map(|offset| memory.word(offset))
    }

    fn entry_offset(&self, indices: u32, page: u32) -> Option<u32> {
        let table = indices >> top_shift(page) & 0xFF;
        let exists = table != 0 && table <= self.geometry.vmh_tables;
        exists.then(|| self.geometry.table_offset(table) + page % TABLE_ENTRIES * 4)
    }

    /// The results that a lookup may have: a physical page, or `None` for no translation.
    pub fn possible(&self, context: &Context, memory: &Memory, pid: u32, page: u32) -> Vec<Option<u32>> {
        let mut possible = Vec::new();
        for indices in memory.values(context.at, self.geometry.top_offset(slot_of(pid), page)) {
            match self.entry_offset(indices, page) {
                Some(offset) => possible.extend(
                    memory
                        .values(context.at, offset)
                        .map(|word| Some(word).filter(|word| *word < context.places.host_pages)),
                ),
                None => possible.push(None),
            }
        }
        possible
    }

    /// Whether the page ever had a translation.
    pub fn was_there(&self, pid: u32, page: u32) -> bool {
        self.known.contains(&(pid, page))
    }

    /// A page is unpinned: no table may point to it (INV-17).
    pub fn unpinned(&mut self, memory: &Memory, frame: u32) -> Result<(), Broken> {
        let Some((pid, page)) = self.owners.remove(&frame) else { return Ok(()) };
        match self.now(memory, pid, page) == Some(frame) {
            true => {
                broken(17, format!("page {page:#x} of process {pid} is unpinned, and its table has it ({frame:#x})"))
            }
            false => Ok(()),
        }
    }

    /// The table to which the top level of a slot still points, if any.
    pub fn left_in(&self, memory: &Memory, slot: u32) -> Option<String> {
        let mut tops = (0..TOP_INDICES).step_by(4);
        let left = tops.find(|top| memory.word(self.geometry.top_offset(slot, top * TABLE_ENTRIES)) != 0)?;
        Some(format!("translations of pages from {:#x} on", left * TABLE_ENTRIES))
    }
}
