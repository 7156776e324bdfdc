//! What the NIC's caches may hold, as the driver knows it (facts M-28): the NIC forgets silently,
//! and every fill goes through the driver.

use std::collections::BTreeSet;

use nic_layout::cbh::{cbh_pid, CbhGeometry};
use nic_layout::vmh::VmhGeometry;

use crate::address::{Pid, VirtPage};

/// Which line of the NIC's cache was filled last with what. The NIC forgets lines silently (facts
/// M-16), so a line may hold less than this says, never more: every fill goes through the driver.
pub struct LineShadow {
    geometry: VmhGeometry,
    /// By line: process, and first page.
    lines: Vec<Option<(Pid, VirtPage)>>,
    held: BTreeSet<(Pid, VirtPage)>,
}

impl LineShadow {
    pub fn new(geometry: VmhGeometry) -> LineShadow {
        LineShadow { geometry, lines: vec![None; geometry.lines() as usize], held: BTreeSet::new() }
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

/// The buffer about which each entry of the NIC's cache was last answered. The NIC forgets entries
/// silently (facts M-16), so it may know less than this says, never more: every answer goes through
/// the driver.
pub struct BufferShadow(Vec<Option<u32>>);

impl BufferShadow {
    pub fn new(geometry: CbhGeometry) -> BufferShadow {
        BufferShadow(vec![None; geometry.entries as usize])
    }

    pub fn answered(&mut self, entry: u32, cbh: u32) {
        self.0[entry as usize] = Some(cbh);
    }

    pub fn forget(&mut self, cbh: u32) {
        self.0.iter_mut().filter(|known| **known == Some(cbh)).for_each(|known| *known = None);
    }

    pub fn may_know(&self, cbh: u32) -> bool {
        self.0.contains(&Some(cbh))
    }

    /// The CBH words of a process, each once.
    pub fn of(&self, pid: Pid) -> Vec<u32> {
        let mut found: Vec<u32> = self.0.iter().flatten().copied().filter(|cbh| cbh_pid(*cbh) == pid.0).collect();
        found.sort_unstable();
        found.dedup();
        found
    }
}

#[cfg(test)]
mod tests {
    use nic_layout::cbh::cbh;

    use super::*;

    const PID: Pid = Pid(1);

    #[test]
    fn a_line_that_is_filled_anew_no_longer_holds_what_it_held() {
        let mut shadow = LineShadow::new(VmhGeometry { entries: 64, line_entries: 8, ways: 2 });
        let first = 0x1_0000;
        shadow.filled(3, PID, VirtPage(first));
        shadow.filled(3, PID, VirtPage(first + 8));
        assert!(!shadow.may_hold(PID, VirtPage(first + 1)) && shadow.may_hold(PID, VirtPage(first + 9)));
        assert_eq!(shadow.lines_of(PID), [VirtPage(first + 8)]);
        assert!(shadow.lines_of(Pid(2)).is_empty());
        shadow.forget(PID, VirtPage(first + 8));
        assert!(shadow.lines_of(PID).is_empty());
    }

    #[test]
    fn what_an_entry_was_answered_before_is_known_no_more() {
        let mut shadow = BufferShadow::new(CbhGeometry { entries: 4, ways: 2, ..CbhGeometry::RECOMMENDED });
        shadow.answered(0, cbh(1, 2));
        shadow.answered(1, cbh(1, 4));
        shadow.answered(0, cbh(2, 2));
        assert!(!shadow.may_know(cbh(1, 2)) && shadow.may_know(cbh(2, 2)));
        assert_eq!(shadow.of(Pid(1)), [cbh(1, 4)]);
        shadow.forget(cbh(1, 4));
        assert!(shadow.of(Pid(1)).is_empty());
    }
}
