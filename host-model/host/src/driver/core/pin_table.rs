//! The pinned pages of one process: the host's side of address translation, in which only pinned
//! pages have entries (facts M-24).

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::address::{PhysPage, Pid, VirtPage};
use crate::memory::{Memory, MemoryError, PageMap};

/// Every entry is one pin.
pub struct PinTable {
    pid: Pid,
    pages: PageMap,
    /// In the order in which they were pinned.
    order: VecDeque<VirtPage>,
}

/// What pinning brought.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Pinned {
    /// Pages that are pinned now and were not before.
    pub pages: u32,
    /// Pages that exist but could not be pinned.
    pub failed: u32,
}

impl PinTable {
    /// A table without pages, for one process.
    pub fn new(pid: Pid) -> PinTable {
        PinTable { pid, pages: PageMap::default(), order: VecDeque::new() }
    }

    /// The physical page under which `page` is pinned; `None` if it is not pinned.
    pub fn get(&self, page: VirtPage) -> Option<PhysPage> {
        self.pages.get(page)
    }

    /// Pages that are pinned.
    pub fn len(&self) -> usize {
        self.pages.len()
    }

    /// Whether no page is pinned.
    pub fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }

    /// Pages of `wanted` that exist and are not pinned.
    pub fn missing(&self, memory: &Memory, wanted: impl Iterator<Item = VirtPage>) -> Vec<VirtPage> {
        wanted.filter(|page| self.get(*page).is_none() && memory.is_mapped(self.pid, *page)).collect()
    }

    /// Pins pages that are not yet in the table. Those that cannot be pinned stay away (facts
    /// M-34).
    pub fn pin(&mut self, memory: &mut Memory, pages: &[VirtPage]) -> Pinned {
        let mut result = Pinned::default();
        for page in pages {
            match memory.try_pin(self.pid, *page) {
                Ok(target) => {
                    self.pages.insert(*page, target);
                    self.order.push_back(*page);
                    result.pages += 1;
                }
                Err(MemoryError::NotMapped { .. } | MemoryError::NoSuchProcess(_)) => {}
                Err(_) => result.failed += 1,
            }
        }
        result
    }

    /// Unpins pages, oldest first, that need not be kept, until `target` are left (facts M-26,
    /// M-27). Gives how many were unpinned. What the NIC may hold is kept.
    pub fn unpin_down_to(&mut self, memory: &mut Memory, target: usize, is_kept: impl Fn(VirtPage) -> bool) -> u32 {
        let mut unpinned = 0;
        let mut kept = VecDeque::with_capacity(self.order.len());
        while let Some(page) = self.order.pop_front() {
            if self.pages.len() <= target || is_kept(page) {
                kept.push_back(page);
                continue;
            }
            let target = self.pages.remove(page).expect("in the order, so in the table");
            memory.unpin(target);
            unpinned += 1;
        }
        self.order = kept;
        unpinned
    }

    /// The pinned pages, in the order of replacement: the oldest first.
    pub fn pages(&self) -> impl Iterator<Item = VirtPage> + '_ {
        self.order.iter().copied()
    }

    /// Whole lines that may go so that `target` pages are left: first pages, with their pages in
    /// the table, in the order in which their first page was pinned. A line with a kept page stays.
    /// `line_of` gives the first page of the line that holds a page.
    pub fn oldest_lines(
        &self,
        target: usize,
        line_of: impl Fn(VirtPage) -> VirtPage,
        is_kept: impl Fn(VirtPage) -> bool,
    ) -> Vec<(VirtPage, Vec<VirtPage>)> {
        let mut lines: Vec<(VirtPage, Vec<VirtPage>)> = Vec::new();
        let mut place = BTreeMap::new();
        for page in &self.order {
            let first = line_of(*page);
            let at = *place.entry(first).or_insert(lines.len());
            if at == lines.len() {
                lines.push((first, Vec::new()));
            }
            lines[at].1.push(*page);
        }
        let mut left = self.len();
        lines.retain(|(_, pages)| {
            let goes = left > target && !pages.iter().any(|page| is_kept(*page));
            left -= if goes { pages.len() } else { 0 };
            goes
        });
        lines
    }

    /// Unpins these pages, which are in the table.
    pub fn unpin(&mut self, memory: &mut Memory, pages: &[VirtPage]) {
        let gone: BTreeSet<VirtPage> = pages.iter().copied().collect();
        for page in &gone {
            let target = self.pages.remove(*page).expect("the caller knows that it is pinned");
            memory.unpin(target);
        }
        self.order.retain(|page| !gone.contains(page));
    }

    /// Unpins everything. Gives the number of pages.
    pub fn clear(&mut self, memory: &mut Memory) -> u32 {
        let mut unpinned = 0;
        for page in self.order.drain(..) {
            let target = self.pages.remove(page).expect("in the order, so in the table");
            memory.unpin(target);
            unpinned += 1;
        }
        unpinned
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PID: Pid = Pid(1);

    fn bench() -> (Memory, PinTable, u32) {
        let mut memory = Memory::new(256, 64, 1);
        memory.create_space(PID);
        let first = memory.reserve(PID, 64 * 4096).expect("room").page().0;
        (memory, PinTable::new(PID), first)
    }

    fn line_of(page: VirtPage) -> VirtPage {
        VirtPage(page.0 & !7)
    }

    #[test]
    fn replacement_unpins_the_oldest_pages_that_the_nic_cannot_hold() {
        let (mut memory, mut table, first) = bench();
        let pages: Vec<VirtPage> = (first..first + 32).map(VirtPage).collect();
        assert_eq!(table.pin(&mut memory, &pages), Pinned { pages: 32, failed: 0 });
        let is_held = |page: VirtPage| page.0 < first + 8;
        assert_eq!(table.unpin_down_to(&mut memory, 20, is_held), 12);
        assert!((0..8).all(|n| table.get(VirtPage(first + n)).is_some()), "the NIC may hold them");
        assert!((8..20).all(|n| table.get(VirtPage(first + n)).is_none()), "the oldest others");
        let counts = memory.counts();
        assert_eq!((counts.pins - counts.unpins, counts.pinned_now), (20, 20));
    }

    #[test]
    fn lines_go_whole_the_oldest_first_and_none_that_is_needed() {
        let (mut memory, mut table, first) = bench();
        let pages = |lines: std::ops::Range<u32>| -> Vec<VirtPage> {
            (first + lines.start * 8..first + lines.end * 8).map(VirtPage).collect()
        };
        // The first line comes back to the end of the order with a page.
        table.pin(&mut memory, &pages(1..4));
        table.pin(&mut memory, &pages(0..1));
        let needed = VirtPage(first + 8);
        let goes = |target| -> Vec<u32> {
            let lines = table.oldest_lines(target, line_of, |page| page == needed);
            assert!(lines.iter().all(|(line, pages)| pages.len() == 8 && pages[0] == *line));
            lines.iter().map(|(line, _)| (line.0 - first) / 8).collect()
        };
        assert_eq!(goes(32), [0; 0]);
        assert_eq!(goes(31), [2]);
        assert_eq!(goes(20), [2, 3]);
        assert_eq!(goes(0), [2, 3, 0]);
    }

    #[test]
    fn pages_may_be_unpinned_by_name() {
        let (mut memory, mut table, first) = bench();
        let pages: Vec<VirtPage> = (first..first + 8).map(VirtPage).collect();
        table.pin(&mut memory, &pages);
        table.unpin(&mut memory, &pages[2..5]);
        assert_eq!((table.len(), memory.counts().pinned_now), (5, 5));
        assert!(table.get(pages[2]).is_none() && table.get(pages[5]).is_some());
        assert_eq!(table.clear(&mut memory), 5);
    }

    #[test]
    fn a_page_that_cannot_be_pinned_has_no_entry() {
        let mut memory = Memory::new(256, 4, 1);
        memory.create_space(PID);
        let first = memory.reserve(PID, 8 * 4096).expect("room").page().0;
        let mut table = PinTable::new(PID);
        let pages: Vec<VirtPage> = (first..first + 6).map(VirtPage).collect();
        assert_eq!(table.pin(&mut memory, &pages), Pinned { pages: 4, failed: 2 });
        assert_eq!(table.get(VirtPage(first + 5)), None);
        assert_eq!(table.clear(&mut memory), 4);
        assert_eq!(memory.counts().pinned_now, 0);
    }

    #[test]
    fn some_pins_are_refused_while_the_host_refuses_some() {
        let mut memory = Memory::new(1024, 1024, 1);
        memory.create_space(PID);
        let first = memory.reserve(PID, 500 * 4096).expect("room").page().0;
        let pages: Vec<VirtPage> = (first..first + 500).map(VirtPage).collect();
        let mut pinned = |per_mille| {
            memory.refuse_pins(per_mille, 1);
            let mut table = PinTable::new(PID);
            let pinned = table.pin(&mut memory, &pages);
            assert_eq!((pinned.pages + pinned.failed, table.clear(&mut memory)), (500, pinned.pages));
            pinned.failed
        };
        assert_eq!([0, 1000].map(&mut pinned), [0, 500]);
        assert!((25..100).contains(&pinned(100)));
        // What the driver itself needs is pinned all the same.
        memory.refuse_pins(1000, 1);
        assert!(memory.pin(PID, pages[0]).is_ok());
    }
}
