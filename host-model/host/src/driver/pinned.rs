//! Pinning for a NIC that fetches translations by itself (facts M-58): before they are used, by whole lines, at the request of the library or when a
//! buffer is registered. The NIC tells nobody what it holds, so a page is unpinned only after its line was taken away.

use nic_layout::fetch::table_slot;
use sim_pins::Ps;

use super::error::DriverError;
use super::fetch_tables::DirectoryWord;
use super::{Driver, MissService};
use crate::address::{pages_of, Pid, UserVirt, VirtPage};
use crate::executor::LockGuard;
use crate::processor::Cpu;

impl Driver {
    pub(super) fn nic_fetches(&self) -> bool {
        self.0.options.miss_service == MissService::Nic && !self.has_static_tables()
    }

    /// What the library's bitmap says: whether the NIC will find these pages. The driver keeps it, in memory that the process can read.
    pub fn bitmap_has(&self, pid: Pid, start: UserVirt, length_bytes: u32) -> bool {
        self.count(|counts| counts.bitmap_checks += 1);
        let state = self.0.state.borrow();
        let table = state.tables.get(&pid);
        table.is_some_and(|table| pages_of(start, length_bytes).all(|page| table.get(page).is_some()))
    }

    /// A system call of the library: pins what its bitmap does not have. Pages that do not exist stay away, and the NIC refuses their use.
    pub async fn pin_memory(&self, cpu: &Cpu, pid: Pid, start: UserVirt, length_bytes: u32) -> Result<(), DriverError> {
        self.check_alive()?;
        cpu.charge("system call", Ps::from_ns(self.0.platform.host.syscall_ns)).await;
        self.count(|counts| counts.pin_calls += 1);
        let lines = self.0.lines.acquire().await;
        let pages: Vec<VirtPage> = pages_of(start, length_bytes).collect();
        self.pin_lines_of(&lines, cpu, pid, &pages).await
    }

    /// Pins the lines that hold these pages: at once, or one after the other where all of them would pass the high water mark.
    pub(super) async fn pin_lines_of(
        &self,
        _lines: &LockGuard,
        cpu: &Cpu,
        pid: Pid,
        pages: &[VirtPage],
    ) -> Result<(), DriverError> {
        let geometry = self.layout()?.caches()?.geometry;
        let mut firsts: Vec<u32> = pages.iter().map(|page| geometry.line_page(page.0)).collect();
        firsts.dedup();
        let together = self.0.platform.host.pinned_pages_high as usize / geometry.line_entries as usize;
        for firsts in firsts.chunks(if firsts.len() <= together { together.max(1) } else { 1 }) {
            let whole: Vec<VirtPage> =
                firsts.iter().flat_map(|first| *first..first + geometry.line_entries).map(VirtPage).collect();
            self.pin_for(cpu, pid, &whole, None).await?;
        }
        Ok(())
    }

    /// Enters pages that were just pinned into the tables. Lines that had entries before are taken from the NIC when `take_away`: it may hold them without
    /// the new ones.
    pub(super) async fn enter_pinned(
        &self,
        cpu: &Cpu,
        pid: Pid,
        pages: &[VirtPage],
        take_away: bool,
    ) -> Result<(), DriverError> {
        let geometry = self.layout()?.caches()?.geometry;
        let (words, grown) = {
            let mut state = self.0.state.borrow_mut();
            let state = &mut *state;
            let Some(table) = state.tables.get(&pid) else { return Ok(()) };
            let mut memory = self.0.memory.borrow_mut();
            let (mut words, mut grown): (Vec<DirectoryWord>, Vec<u32>) = Default::default();
            for page in pages {
                let Some(target) = table.get(*page) else { continue };
                words.extend(state.fetch_tables.enter(&mut memory, table_slot(pid.0), *page, target).ok().flatten());
                let first = geometry.line_page(page.0);
                let had = (first..first + geometry.line_entries).map(VirtPage);
                let had = had.filter(|other| !pages.contains(other)).any(|other| table.get(other).is_some());
                if had && grown.last() != Some(&first) {
                    grown.push(first);
                }
            }
            (words, grown)
        };
        self.write_directories(cpu, &words).await?;
        for first in grown.into_iter().filter(|_| take_away) {
            self.take_line_away(cpu, pid, VirtPage(first)).await?;
        }
        Ok(())
    }

    async fn write_directories(&self, cpu: &Cpu, words: &[DirectoryWord]) -> Result<(), DriverError> {
        let (device, at) = (self.device(cpu)?, self.layout()?.directories.ok_or(DriverError::NoCaches)?);
        for (offset, word) in words {
            device.write_sram(at + *offset, &[*word]).await;
        }
        Ok(())
    }

    /// Makes room for `more` pages below the high water mark, by whole lines, those first whose pages were pinned first. Gives how many pages went.
    ///
    /// What the driver has filled itself stays while the NIC may hold it (facts M-27): somebody waited for it, and two lines that one frame needs must not
    /// take turns in pushing each other out.
    ///
    /// Each goes in this order: its entries, then the line on the NIC, and when that has answered, the pins (INV-17, INV-19).
    pub(super) async fn make_room_by_lines(
        &self,
        cpu: &Cpu,
        pid: Pid,
        more: usize,
        keep: &[VirtPage],
    ) -> Result<u32, DriverError> {
        let geometry = self.layout()?.caches()?.geometry;
        let (high, low) = (self.0.platform.host.pinned_pages_high, self.0.platform.host.pinned_pages_low);
        let victims = {
            let state = self.0.state.borrow();
            let Some(table) = state.tables.get(&pid).filter(|table| table.len() + more > high as usize) else {
                return Ok(0);
            };
            let target = (low as usize).saturating_sub(more);
            let filled = |page| state.shadow.as_ref().is_some_and(|shadow| shadow.may_hold(pid, page));
            table.oldest_lines(target, geometry, |page| keep.contains(&page) || filled(page))
        };
        let mut unpinned = 0;
        for (first, pages) in victims {
            self.clear_entries(pid, &pages);
            self.take_line_away(cpu, pid, first).await?;
            let mut state = self.0.state.borrow_mut();
            if let Some(table) = state.tables.get_mut(&pid) {
                table.unpin(&mut self.0.memory.borrow_mut(), &pages);
                unpinned += pages.len() as u32;
            }
        }
        self.count(|counts| counts.replaced_pages += u64::from(unpinned));
        Ok(unpinned)
    }

    fn clear_entries(&self, pid: Pid, pages: &[VirtPage]) {
        let mut state = self.0.state.borrow_mut();
        let memory = &mut self.0.memory.borrow_mut();
        pages.iter().for_each(|page| state.fetch_tables.clear(memory, table_slot(pid.0), *page));
    }

    /// Takes the tables of a process out of its directory.
    pub(super) async fn hide_tables_of(&self, cpu: &Cpu, pid: Pid) -> Result<(), DriverError> {
        let words = self.0.state.borrow().fetch_tables.no_tables(table_slot(pid.0));
        match words.is_empty() {
            true => Ok(()),
            false => self.write_directories(cpu, &words).await,
        }
    }

    /// Lines of a process that the NIC may have fetched: all with a pinned page.
    pub(super) fn lines_pinned(&self, pid: Pid) -> Vec<VirtPage> {
        let (state, layout) = (self.0.state.borrow(), self.layout().and_then(|layout| layout.caches()));
        let (Some(table), Ok(caches)) = (state.tables.get(&pid), layout) else { return Vec::new() };
        let mut lines: Vec<VirtPage> = table.pages().map(|page| VirtPage(caches.geometry.line_page(page.0))).collect();
        lines.sort_unstable();
        lines.dedup();
        lines
    }
}
