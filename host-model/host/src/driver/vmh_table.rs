//! The host's side of address translation: one table for each process, in which only pinned pages have entries (facts
//! M-24), and the driver's knowledge of what the NIC's cache may hold.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use nic_layout::vmh::VmhGeometry;

use crate::address::{PhysPage, Pid, VirtPage};
use crate::memory::{Memory, MemoryError, PageMap};

/// Every entry is one pin.
pub struct VmhTable {
    pid: Pid,
    pages: PageMap,
    /// In the order in which they were pinned.
    order: VecDeque<VirtPage>,
}

/// What pinning brought.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Pinned {
    pub pages: u32,
    /// Pages that exist but could not be pinned.
    pub failed: u32,
}

impl VmhTable {
    pub fn new(pid: Pid) -> VmhTable {
        VmhTable { pid, pages: PageMap::default(), order: VecDeque::new() }
    }

    pub fn get(&self, page: VirtPage) -> Option<PhysPage> {
        self.pages.get(page)
    }

    pub fn len(&self) -> usize {
        self.pages.len()
    }

    pub fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }

    /// Pages of `wanted` that exist and are not pinned.
    pub fn missing(&self, memory: &Memory, wanted: impl Iterator<Item = VirtPage>) -> Vec<VirtPage> {
        wanted.filter(|page| self.get(*page).is_none() && memory.is_mapped(self.pid, *page)).collect()
    }

    /// Pins pages that are not yet in the table. Those that cannot be pinned stay away (facts M-34).
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

    /// Unpins pages, oldest first, that need not be kept, until `target` are left (facts M-26, M-27). Gives how many were unpinned. What the
    /// NIC may hold is kept.
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

    pub fn pages(&self) -> impl Iterator<Item = VirtPage> + '_ {
        self.order.iter().copied()
    }

    /// Whole lines that may go so that `target` pages are left: first pages, with their pages in the table. In the order in which their first page was
    /// pinned; none of which a page is kept.
    pub fn oldest_lines(
        &self,
        target: usize,
        geometry: VmhGeometry,
        is_kept: impl Fn(VirtPage) -> bool,
    ) -> Vec<(VirtPage, Vec<VirtPage>)> {
        let mut lines: Vec<(VirtPage, Vec<VirtPage>)> = Vec::new();
        let mut place = BTreeMap::new();
        for page in &self.order {
            let first = VirtPage(geometry.line_page(page.0));
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

/// Which line of the NIC's cache was filled last with what. The NIC forgets lines silently (facts M-16), so a line may hold
/// less than this says, never more: every fill goes through the driver.
pub struct Shadow {
    geometry: VmhGeometry,
    /// By line: process, and first page.
    lines: Vec<Option<(Pid, VirtPage)>>,
    held: BTreeSet<(Pid, VirtPage)>,
}

impl Shadow {
    pub fn new(geometry: VmhGeometry) -> Shadow {
        Shadow { geometry, lines: vec![None; geometry.lines() as usize], held: BTreeSet::new() }
    }

    pub fn filled(&mut self, line: u32, pid: Pid, first: VirtPage) {
        self.forget_line(line);
        self.lines[line as usize] = Some((pid, first));
        self.held.insert((pid, first));
    }

    /// The NIC has given the line up.
    pub fn forget_line(&mut self, line: u32) {
        if let Some(old) = self.lines[line as usize].take() {
            if !self.lines.contains(&Some(old)) {
                self.held.remove(&old);
            }
        }
    }

    pub fn forget(&mut self, pid: Pid, first: VirtPage) {
        for line in &mut self.lines {
            if *line == Some((pid, first)) {
                *line = None;
            }
        }
        self.held.remove(&(pid, first));
    }

    pub fn may_hold(&self, pid: Pid, page: VirtPage) -> bool {
        self.held.contains(&(pid, VirtPage(self.geometry.line_page(page.0))))
    }

    /// First pages of the lines that may hold pages of a process.
    pub fn lines_of(&self, pid: Pid) -> Vec<VirtPage> {
        let range = (pid, VirtPage(0))..=(pid, VirtPage(u32::MAX));
        self.held.range(range).map(|(_, first)| *first).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PID: Pid = Pid(1);

    fn bench() -> (Memory, VmhTable, Shadow, u32) {
        let mut memory = Memory::new(256, 64, 1);
        memory.create_space(PID);
        let first = memory.reserve(PID, 64 * 4096).expect("room").page().0;
        let geometry = VmhGeometry { entries: 64, line_entries: 8, ways: 2 };
        (memory, VmhTable::new(PID), Shadow::new(geometry), first)
    }

    #[test]
    fn replacement_unpins_the_oldest_pages_that_the_nic_cannot_hold() {
        let (mut memory, mut table, mut shadow, first) = bench();
        let pages: Vec<VirtPage> = (first..first + 32).map(VirtPage).collect();
        assert_eq!(table.pin(&mut memory, &pages), Pinned { pages: 32, failed: 0 });
        shadow.filled(3, PID, VirtPage(first));
        assert_eq!(table.unpin_down_to(&mut memory, 20, |page| shadow.may_hold(PID, page)), 12);
        assert!((0..8).all(|n| table.get(VirtPage(first + n)).is_some()), "the NIC may hold them");
        assert!((8..20).all(|n| table.get(VirtPage(first + n)).is_none()), "the oldest others");
        let counts = memory.counts();
        assert_eq!((counts.pins - counts.unpins, counts.pinned_now), (20, 20));
    }

    #[test]
    fn lines_go_whole_the_oldest_first_and_none_that_is_needed() {
        let (mut memory, mut table, _, first) = bench();
        let geometry = VmhGeometry { entries: 64, line_entries: 8, ways: 2 };
        let pages = |lines: std::ops::Range<u32>| -> Vec<VirtPage> {
            (first + lines.start * 8..first + lines.end * 8).map(VirtPage).collect()
        };
        // The first line comes back to the end of the order with a page.
        table.pin(&mut memory, &pages(1..4));
        table.pin(&mut memory, &pages(0..1));
        let needed = VirtPage(first + 8);
        let goes = |target| -> Vec<u32> {
            let lines = table.oldest_lines(target, geometry, |page| page == needed);
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
        let (mut memory, mut table, _, first) = bench();
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
        let mut table = VmhTable::new(PID);
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
            let mut table = VmhTable::new(PID);
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

    #[test]
    fn a_line_that_is_filled_anew_no_longer_holds_what_it_held() {
        let (_, _, mut shadow, first) = bench();
        shadow.filled(3, PID, VirtPage(first));
        shadow.filled(3, PID, VirtPage(first + 8));
        assert!(!shadow.may_hold(PID, VirtPage(first + 1)) && shadow.may_hold(PID, VirtPage(first + 9)));
        assert_eq!(shadow.lines_of(PID), [VirtPage(first + 8)]);
        assert!(shadow.lines_of(Pid(2)).is_empty());
        shadow.forget(PID, VirtPage(first + 8));
        assert!(shadow.lines_of(PID).is_empty());
    }
}
