//! Pinned pages of all processes, between two water marks (facts M-24, M-26), and what pinning
//! costs.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use sim_pins::Ps;

use super::context::Context;
use super::error::DriverError;
use super::pin_table::{PinTable, Pinned};
use crate::address::{PhysPage, Pid, VirtPage};
use crate::processor::Cpu;

/// Pages that exist and are not pinned.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Missing {
    /// The pages, in the order in which they were asked for.
    pub pages: Vec<VirtPage>,
    /// Those of them that the process has never touched: pinning fills them.
    fresh: u64,
}

/// Bounds of the pinned pages of one process (facts M-26): above `high`, replacement unpins down to
/// `low`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WaterMarks {
    /// Pages of one process that may be pinned at the same time.
    pub high: u32,
    /// Number of pages to which replacement goes down.
    pub low: u32,
}

/// The pinned pages of a node's processes.
pub struct Pins {
    context: Rc<Context>,
    tables: RefCell<BTreeMap<Pid, PinTable>>,
    /// Processes that end: no lookup finds their tables, whose pages are pinned still.
    ending: RefCell<BTreeMap<Pid, PinTable>>,
    marks: Cell<WaterMarks>,
}

impl Pins {
    /// No process has a pin; the marks are those of the platform.
    pub fn new(context: Rc<Context>) -> Pins {
        let costs = context.costs();
        let marks = WaterMarks { high: costs.pinned_pages_high, low: costs.pinned_pages_low };
        Pins { context, tables: RefCell::default(), ending: RefCell::default(), marks: Cell::new(marks) }
    }

    /// The marks that hold now.
    pub fn marks(&self) -> WaterMarks {
        self.marks.get()
    }

    // ---- Processes ------------------------------------------------------------------------------

    pub(in crate::driver) fn open(&self, pid: Pid) {
        self.tables.borrow_mut().insert(pid, PinTable::new(pid));
    }

    /// The process ends: from now on it has no translations, and its pages stay pinned until
    /// [`Self::close`].
    pub fn hide(&self, pid: Pid) {
        let table = self.tables.borrow_mut().remove(&pid);
        self.ending.borrow_mut().extend(table.map(|table| (pid, table)));
    }

    /// Unpins everything of a process that ends. Gives the number of pages; the caller charges for
    /// them.
    pub(in crate::driver) fn close(&self, pid: Pid) -> u32 {
        self.hide(pid);
        let table = self.ending.borrow_mut().remove(&pid);
        table.map_or(0, |mut table| table.clear(&mut self.context.memory().borrow_mut()))
    }

    /// Whether the process has a table of pins.
    pub fn has(&self, pid: Pid) -> bool {
        self.tables.borrow().contains_key(&pid)
    }

    /// Pages of a process that are pinned.
    pub fn count(&self, pid: Pid) -> usize {
        self.tables.borrow().get(&pid).map_or(0, PinTable::len)
    }

    /// Pages of all processes that are pinned.
    pub fn total(&self) -> usize {
        let tables = self.tables.borrow().values().map(PinTable::len).sum::<usize>();
        tables + self.ending.borrow().values().map(PinTable::len).sum::<usize>()
    }

    // ---- Lookups --------------------------------------------------------------------------------

    /// The translation of a page that is pinned.
    pub fn get(&self, pid: Pid, page: VirtPage) -> Option<PhysPage> {
        self.tables.borrow().get(&pid).and_then(|table| table.get(page))
    }

    /// The pinned pages of a process, in the order in which they were pinned.
    pub fn pages(&self, pid: Pid) -> Vec<VirtPage> {
        self.tables.borrow().get(&pid).map_or_else(Vec::new, |table| table.pages().collect())
    }

    /// Pages of `wanted` that exist and are not pinned.
    pub fn missing(&self, pid: Pid, wanted: &[VirtPage]) -> Missing {
        let (tables, memory) = (self.tables.borrow(), self.context.memory().borrow());
        let pages = tables.get(&pid).map_or_else(Vec::new, |table| table.missing(&memory, wanted.iter().copied()));
        let fresh = pages.iter().filter(|page| !memory.is_resident(pid, **page)).count();
        Missing { pages, fresh: fresh as u64 }
    }

    /// Whole lines that may go to make room for `more` pages: see [`PinTable::oldest_lines`]. None
    /// below the high water mark.
    pub fn lines_to_replace(
        &self,
        pid: Pid,
        more: usize,
        line_of: impl Fn(VirtPage) -> VirtPage,
        is_kept: impl Fn(VirtPage) -> bool,
    ) -> Vec<(VirtPage, Vec<VirtPage>)> {
        let tables = self.tables.borrow();
        match tables.get(&pid).filter(|table| self.passes_high(table, more)) {
            Some(table) => table.oldest_lines(self.target(more), line_of, is_kept),
            None => Vec::new(),
        }
    }

    fn passes_high(&self, table: &PinTable, more: usize) -> bool {
        table.len() + more > self.marks.get().high as usize
    }

    /// Pages to be left, so that `more` reach the low water mark.
    fn target(&self, more: usize) -> usize {
        (self.marks.get().low as usize).saturating_sub(more)
    }

    // ---- Pinning --------------------------------------------------------------------------------

    /// Charges for a call that pins `missing`. Filling fresh pages is part of a load's model.
    pub async fn charge_pin(&self, cpu: &Cpu, missing: &Missing) {
        let fill = self.context.options().load.map_or(Ps::ZERO, |load| Ps(load.page_fill.0 * missing.fresh));
        cpu.charge("pin", self.call(missing.pages.len()) + fill).await;
    }

    /// Charges for a call that pins so many pages that are in memory.
    pub async fn charge_pin_of(&self, cpu: &Cpu, pages: usize) {
        cpu.charge("pin", self.call(pages)).await;
    }

    fn call(&self, pages: usize) -> Ps {
        let costs = self.context.costs();
        Ps::from_ns(costs.pin_call_ns + pages as u64 * costs.pin_page_ns)
    }

    /// Charges for a call that unpins so many pages.
    pub async fn charge_unpin(&self, cpu: &Cpu, pages: u32) {
        let costs = self.context.costs();
        let span = costs.unpin_call_ns + u64::from(pages) * costs.unpin_page_ns;
        cpu.charge("unpin", Ps::from_ns(span)).await;
    }

    /// Pins those of `pages` that are not pinned, in no time. A process that has ended has none.
    pub fn pin(&self, pid: Pid, pages: &[VirtPage]) -> Pinned {
        let (mut tables, mut memory) = (self.tables.borrow_mut(), self.context.memory().borrow_mut());
        let Some(table) = tables.get_mut(&pid) else { return Pinned::default() };
        // Another task of the driver may have pinned some meanwhile.
        let missing = table.missing(&memory, pages.iter().copied());
        table.pin(&mut memory, &missing)
    }

    /// Unpins these pages, which are pinned, in no time. Gives how many: none of a process that has
    /// ended.
    pub fn unpin(&self, pid: Pid, pages: &[VirtPage]) -> u32 {
        match self.tables.borrow_mut().get_mut(&pid) {
            Some(table) => {
                table.unpin(&mut self.context.memory().borrow_mut(), pages);
                pages.len() as u32
            }
            None => 0,
        }
    }

    /// Unpins pages that need not be kept, oldest first, down to the low water mark when `more`
    /// pages would pass the high one. Gives how many pages went, in no time.
    pub fn replace(&self, pid: Pid, more: usize, is_kept: impl Fn(VirtPage) -> bool) -> u32 {
        let mut tables = self.tables.borrow_mut();
        let Some(table) = tables.get_mut(&pid).filter(|table| self.passes_high(table, more)) else {
            return 0;
        };
        table.unpin_down_to(&mut self.context.memory().borrow_mut(), self.target(more), is_kept)
    }

    /// The translations of all of these pages, or an error if one has none.
    pub fn all(&self, pid: Pid, pages: &[VirtPage]) -> Result<Vec<(VirtPage, PhysPage)>, DriverError> {
        let tables = self.tables.borrow();
        let table = tables.get(&pid).ok_or(DriverError::ProcessEnded(pid.0))?;
        let found: Option<Vec<_>> = pages.iter().map(|page| table.get(*page).map(|target| (*page, target))).collect();
        found.ok_or(DriverError::CannotPin { pages: pages.len() })
    }
}
