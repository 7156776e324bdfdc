//! Pinned pages of all processes, between two water marks (facts M-24, M-26), and what pinning
//! costs.

use std::cell::RefCell;
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
    /// Pinned pages that replacement lets pass only if no other page may go.
    pub high: u32,
    /// Pinned pages that replacement leaves.
    pub low: u32,
}

/// The pinned pages of a node's processes.
pub struct Pins {
    context: Rc<Context>,
    tables: RefCell<BTreeMap<Pid, PinTable>>,
    /// Processes that end: no lookup finds their tables, whose pages are pinned still.
    ending: RefCell<BTreeMap<Pid, PinTable>>,
    /// Marks of processes that have none of their own.
    marks: WaterMarks,
    /// Marks that processes have set while they run.
    own_marks: RefCell<BTreeMap<Pid, WaterMarks>>,
    /// How the first pin that passed a high water mark without need did so (INV-17).
    passed: RefCell<Option<String>>,
}

impl Pins {
    /// No process has a pin; the marks are those of the platform.
    pub fn new(context: Rc<Context>) -> Pins {
        let costs = context.costs();
        let marks = WaterMarks { high: costs.pinned_pages_high, low: costs.pinned_pages_low };
        Pins {
            context,
            tables: RefCell::default(),
            ending: RefCell::default(),
            marks,
            own_marks: RefCell::default(),
            passed: RefCell::default(),
        }
    }

    /// The water marks of a process.
    pub fn marks(&self, pid: Pid) -> WaterMarks {
        self.own_marks.borrow().get(&pid).copied().unwrap_or(self.marks)
    }

    /// Gives a process water marks of its own (facts M-26). They hold from the next pin on.
    ///
    /// # Errors
    /// The high mark is 0 or more than the node may pin, or the low mark is above the high one.
    pub(in crate::driver) fn set_marks(&self, pid: Pid, marks: WaterMarks) -> Result<(), DriverError> {
        let max = self.context.costs().pinned_pages_max;
        let WaterMarks { high, low } = marks;
        if high == 0 || high > max || low > high {
            return Err(DriverError::BadWaterMarks { high, low, max });
        }
        if !self.has(pid) {
            return Err(DriverError::ProcessEnded(pid.0));
        }
        self.own_marks.borrow_mut().insert(pid, marks);
        Ok(())
    }

    /// Judges a pin of `more` pages for which room was made. It passes the high water mark only
    /// if no other page may go (INV-17).
    pub(in crate::driver) fn judge_room(&self, pid: Pid, more: usize, may_go: impl FnOnce() -> usize) {
        let (pinned, high) = (self.count(pid), self.marks(pid).high as usize);
        if pinned + more <= high {
            return;
        }
        let may_go = may_go();
        if may_go > 0 {
            self.passed.borrow_mut().get_or_insert_with(|| {
                format!(
                    "INV-17: {} pages of process {} pinned, the high water mark is {high}, and {may_go} might go",
                    pinned + more,
                    pid.0
                )
            });
        }
    }

    /// The first pin that broke the water marks, in words.
    pub(in crate::driver) fn unbalanced(&self) -> Option<String> {
        self.passed.borrow().clone()
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
        self.own_marks.borrow_mut().remove(&pid);
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
        match tables.get(&pid).filter(|table| self.passes_high(pid, table, more)) {
            Some(table) => table.oldest_lines(self.target(pid, more), line_of, is_kept),
            None => Vec::new(),
        }
    }

    /// How many pages are in whole lines that may go, whatever the water marks say.
    pub fn pages_that_may_go(
        &self,
        pid: Pid,
        line_of: impl Fn(VirtPage) -> VirtPage,
        is_kept: impl Fn(VirtPage) -> bool,
    ) -> usize {
        let tables = self.tables.borrow();
        let lines = tables.get(&pid).map_or_else(Vec::new, |table| table.oldest_lines(0, line_of, is_kept));
        lines.iter().map(|(_, pages)| pages.len()).sum()
    }

    fn passes_high(&self, pid: Pid, table: &PinTable, more: usize) -> bool {
        table.len() + more > self.marks(pid).high as usize
    }

    /// Pages to be left, so that `more` reach the low water mark.
    fn target(&self, pid: Pid, more: usize) -> usize {
        (self.marks(pid).low as usize).saturating_sub(more)
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
        let Some(table) = tables.get_mut(&pid).filter(|table| self.passes_high(pid, table, more)) else {
            return 0;
        };
        table.unpin_down_to(&mut self.context.memory().borrow_mut(), self.target(pid, more), is_kept)
    }

    /// The translations of all of these pages, or an error if one has none.
    pub fn all(&self, pid: Pid, pages: &[VirtPage]) -> Result<Vec<(VirtPage, PhysPage)>, DriverError> {
        let tables = self.tables.borrow();
        let table = tables.get(&pid).ok_or(DriverError::ProcessEnded(pid.0))?;
        let found: Option<Vec<_>> = pages.iter().map(|page| table.get(*page).map(|target| (*page, target))).collect();
        found.ok_or(DriverError::CannotPin { pages: pages.len() })
    }
}
