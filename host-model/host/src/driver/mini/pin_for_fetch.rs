//! Pinning for a NIC that fetches translations by itself (facts M-58): before they are used, by
//! whole lines, at the request of the library or when a buffer is registered. The NIC tells nothing
//! of what it holds, so a page is unpinned only after its line was taken away.

use std::cell::RefCell;
use std::rc::Rc;

use async_trait::async_trait;
use nic_layout::fetch::table_slot;

use super::fetch_tables::{DirectoryWord, FetchTables};
use super::nic_caches::NicCaches;
use crate::address::{Pid, SramAddr, VirtPage};
use crate::driver::core::error::DriverError;
use crate::driver::core::registration::{pin_missing, Registration, Use};
use crate::driver::core::service::Core;
use crate::events::Subject;
use crate::processor::Cpu;

pub struct PinForFetch {
    core: Core,
    nic: Rc<NicCaches>,
    /// Where the NIC finds the tables.
    directories: SramAddr,
    tables: RefCell<FetchTables>,
}

impl PinForFetch {
    pub fn new(core: &Core, nic: Rc<NicCaches>, directories: SramAddr) -> PinForFetch {
        PinForFetch { core: core.clone(), nic, directories, tables: RefCell::default() }
    }

    /// Pins those of `pages` that exist and are not pinned, after making room below the high water
    /// mark, and enters them. Gives whether there were any. `subject`: the miss of their line,
    /// which the NIC has reserved for it.
    async fn pin(
        &self,
        cpu: &Cpu,
        pid: Pid,
        pages: &[VirtPage],
        subject: Option<Subject>,
    ) -> Result<bool, DriverError> {
        let pinned = pin_missing(&self.core, self, cpu, pid, pages, subject).await?;
        if !pinned.is_empty() {
            self.enter(cpu, pid, &pinned, subject.is_none()).await?;
        }
        Ok(!pinned.is_empty())
    }

    /// Pins the lines that hold these pages: at once, or one after the other where all of them
    /// would pass the high water mark. The caller holds the lock.
    async fn pin_lines_of(&self, cpu: &Cpu, pid: Pid, pages: &[VirtPage]) -> Result<bool, DriverError> {
        let geometry = self.nic.layout.geometry;
        let mut firsts: Vec<u32> = pages.iter().map(|page| geometry.line_page(page.0)).collect();
        firsts.dedup();
        let together = self.core.pins.marks(pid).high as usize / geometry.line_entries as usize;
        let mut any = false;
        for firsts in firsts.chunks(if firsts.len() <= together { together.max(1) } else { 1 }) {
            let whole: Vec<VirtPage> =
                firsts.iter().flat_map(|first| *first..first + geometry.line_entries).map(VirtPage).collect();
            any |= self.pin(cpu, pid, &whole, None).await?;
        }
        Ok(any)
    }

    /// Enters pages that were just pinned into the tables. Lines that had entries before are taken
    /// from the NIC when `take_away`: it may hold them without the new ones.
    async fn enter(&self, cpu: &Cpu, pid: Pid, pages: &[VirtPage], take_away: bool) -> Result<(), DriverError> {
        let Core { context, pins, .. } = &self.core;
        if !pins.has(pid) {
            return Ok(());
        }
        let geometry = self.nic.layout.geometry;
        let (mut words, mut grown): (Vec<DirectoryWord>, Vec<u32>) = Default::default();
        {
            let (mut tables, mut memory) = (self.tables.borrow_mut(), context.memory().borrow_mut());
            for page in pages {
                let Some(target) = pins.get(pid, *page) else { continue };
                words.extend(tables.enter(&mut memory, table_slot(pid.0), *page, target).ok().flatten());
                let first = geometry.line_page(page.0);
                let mut had =
                    (first..first + geometry.line_entries).map(VirtPage).filter(|other| !pages.contains(other));
                if had.any(|other| pins.get(pid, other).is_some()) && grown.last() != Some(&first) {
                    grown.push(first);
                }
            }
        }
        self.write_directories(cpu, &words).await?;
        for first in grown.into_iter().filter(|_| take_away) {
            self.nic.take_line_away(cpu, pid, VirtPage(first)).await?;
        }
        Ok(())
    }

    async fn write_directories(&self, cpu: &Cpu, words: &[DirectoryWord]) -> Result<(), DriverError> {
        let device = self.core.context.device(cpu)?;
        for (offset, word) in words {
            device.write_sram(self.directories + *offset, &[*word]).await;
        }
        Ok(())
    }

    fn clear_entries(&self, pid: Pid, pages: &[VirtPage]) {
        let (mut tables, mut memory) = (self.tables.borrow_mut(), self.core.context.memory().borrow_mut());
        pages.iter().for_each(|page| tables.clear(&mut memory, table_slot(pid.0), *page));
    }
}

#[async_trait(?Send)]
impl Registration for PinForFetch {
    async fn acquire(&self, cpu: &Cpu, pid: Pid, pages: &[VirtPage], reason: Use) -> Result<bool, DriverError> {
        match reason {
            Use::Miss(subject) => self.pin(cpu, pid, pages, Some(subject)).await,
            Use::Export(lock) | Use::Post(lock) => {
                let any = self.pin_lines_of(cpu, pid, pages).await;
                drop(lock);
                any
            }
            Use::Register => Ok(false),
        }
    }

    /// By whole lines, those first whose pages were pinned first.
    ///
    /// What the driver has filled itself stays while the NIC may hold it (facts M-27): a frame
    /// waited for it, and two lines that one frame needs must not take turns in pushing each other
    /// out.
    ///
    /// Each goes in this order: its entries, then the line on the NIC, and when that has answered,
    /// the pins (INV-17, INV-19).
    async fn room(&self, cpu: &Cpu, pid: Pid, pages: &[VirtPage], missing: usize) -> Result<u32, DriverError> {
        let Core { context, pins, .. } = &self.core;
        let victims = {
            let lines = self.nic.lines.borrow();
            let is_kept = |page| pages.contains(&page) || lines.may_hold(pid, page);
            pins.lines_to_replace(pid, missing, |page| self.nic.line_of(page), is_kept)
        };
        let mut unpinned = 0;
        for (first, pages) in victims {
            self.clear_entries(pid, &pages);
            self.nic.take_line_away(cpu, pid, first).await?;
            unpinned += pins.unpin(pid, &pages);
        }
        context.count(|counts| counts.replaced_pages += u64::from(unpinned));
        Ok(unpinned)
    }

    fn pages_that_may_go(&self, pid: Pid, pages: &[VirtPage]) -> usize {
        let lines = self.nic.lines.borrow();
        let is_kept = |page| pages.contains(&page) || lines.may_hold(pid, page);
        self.core.pins.pages_that_may_go(pid, |page| self.nic.line_of(page), is_kept)
    }

    fn is_ready(&self, pid: Pid, pages: &[VirtPage]) -> bool {
        pages.iter().all(|page| self.core.pins.get(pid, *page).is_some())
    }

    /// Takes the tables of a process out of its directory.
    async fn hide(&self, cpu: &Cpu, pid: Pid) -> Result<(), DriverError> {
        let words = self.tables.borrow().no_tables(table_slot(pid.0));
        match words.is_empty() {
            true => Ok(()),
            false => self.write_directories(cpu, &words).await,
        }
    }

    /// All with a pinned page.
    fn lines_taken(&self, pid: Pid) -> Vec<VirtPage> {
        let mut lines: Vec<VirtPage> =
            self.core.pins.pages(pid).into_iter().map(|page| self.nic.line_of(page)).collect();
        lines.sort_unstable();
        lines.dedup();
        lines
    }

    fn close(&self, pid: Pid) {
        self.tables.borrow_mut().close(&mut self.core.context.memory().borrow_mut(), table_slot(pid.0));
    }

    fn own_pins(&self) -> usize {
        self.tables.borrow().pins()
    }
}
