//! Translation of source and destination pages, and the misses.

use nic_device::{Device, Place};
use nic_layout::counter::Counter;
use nic_layout::trace::Marker;
use nic_layout::vmh::NO_TRANSLATION;
use nic_layout::PAGE_SHIFT;
use nic_lookup::{Lookup, Path, Reserve};

use crate::buffer::{check_target, NoTarget, Target};
use crate::counts::{count_hits, count_lookup, count_on};
use crate::misses::Misses;
use crate::page::{Crossing, LockedPage, Span, Untranslated};
use crate::wire::Layers;
use crate::Tables;

/// The tables of the personality, and the handling of their misses.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Lookups<T> {
    tables: T,
    host_pages: u32,
    misses: Misses,
}

impl<T: Tables> Lookups<T> {
    pub(crate) const NOWHERE: Self = Lookups { tables: T::NOWHERE, host_pages: 0, misses: Misses::NONE };

    pub(crate) fn new(tables: T, misses: Misses, host_pages: u32) -> Self {
        Lookups { tables, host_pages, misses }
    }

    #[inline(always)]
    pub(crate) fn tables(&self) -> &T {
        &self.tables
    }

    pub(crate) fn misses(&self) -> &Misses {
        &self.misses
    }

    pub(crate) fn misses_mut(&mut self) -> &mut Misses {
        &mut self.misses
    }

    /// [`Misses::end_fetches`], after some transfers have ended.
    pub(crate) fn end_fetches(&mut self, layers: &mut Layers<T>, dev: &mut impl Device) -> bool {
        self.misses.end_fetches(&self.tables, layers, dev, self.host_pages)
    }

    /// Looks up the buffer that a frame names and checks the access ([`check_target`]).
    #[inline(always)]
    pub(crate) fn check_target(
        &mut self,
        dev: &mut impl Device,
        at: Place,
        data_bytes: u32,
        permission: u32,
    ) -> Result<Target, NoTarget> {
        check_target(&self.tables, &mut self.misses, dev, at, data_bytes, permission)
    }

    /// [`Self::check_target`] as a function of its own.
    #[cold]
    #[inline(never)]
    pub(crate) fn check_target_rarely(
        &mut self,
        dev: &mut impl Device,
        at: Place,
        data_bytes: u32,
        permission: u32,
    ) -> Result<Target, NoTarget> {
        self.check_target(dev, at, data_bytes, permission)
    }

    /// Translates and locks a page.
    #[inline(always)]
    pub(crate) fn translate(
        &mut self,
        layers: &mut Layers<T>,
        dev: &mut impl Device,
        path: Path,
        pid: u32,
        page: u32,
    ) -> Result<LockedPage, Untranslated> {
        match path {
            Path::Send => dev.trace(Marker::LookupBegin, page),
            Path::Receive => dev.trace(Marker::ReceiveLookupBegin, page),
        }
        match self.tables.lookup(dev, path, pid, page) {
            // The entry of a page without translation is all ones, so it is beyond host memory too.
            // One comparison finds both.
            Lookup::Hit { line, entry } if entry < self.host_pages => {
                dev.trace(Marker::LookupHit, line);
                Ok(LockedPage { line, bus_address: entry << PAGE_SHIFT })
            }
            Lookup::Hit { line, entry } => Err(self.fault(dev, path, line, entry)),
            Lookup::Pending => Err(self.miss(layers, dev, path, pid, page, true)),
            Lookup::Absent => Err(self.miss(layers, dev, path, pid, page, false)),
        }
    }

    /// Translates and locks the pages of a frame that crosses into another page. Afterwards all are
    /// locked or none (M-36). If several are missing, the driver is told of all, so that one retry
    /// is enough. Counts the hits, except one if all are locked: the caller counts it.
    #[inline(never)]
    pub(crate) fn translate_span(
        &mut self,
        layers: &mut Layers<T>,
        dev: &mut impl Device,
        path: Path,
        pid: u32,
        crossing: Crossing,
    ) -> Result<T::Span, Untranslated> {
        let mut span = T::Span::EMPTY;
        let (mut locked, mut reason) = (0, None);
        for nth in 0..crossing.pages::<T::Span>() {
            // A range beyond the last page of the address space was refused before.
            let page = (crossing.page + nth) & (u32::MAX >> PAGE_SHIFT);
            match self.translate_one(layers, dev, path, pid, page) {
                Ok(page) => {
                    span.set_page(locked, page);
                    locked += 1;
                }
                Err(missing) => {
                    reason = reason.max(Some(missing));
                    if missing == Untranslated::Fault {
                        break;
                    }
                }
            }
        }
        count_hits(dev, path, locked as u32 - u32::from(reason.is_none()));
        let Some(reason) = reason else { return Ok(span) };
        for nth in 0..locked {
            self.unlock_unused(dev, path, span.page(nth).line);
        }
        Err(reason)
    }

    /// [`Self::translate`] as a function of its own, for callers that can spare a clock or two.
    #[inline(never)]
    pub(crate) fn translate_one(
        &mut self,
        layers: &mut Layers<T>,
        dev: &mut impl Device,
        path: Path,
        pid: u32,
        page: u32,
    ) -> Result<LockedPage, Untranslated> {
        self.translate(layers, dev, path, pid, page)
    }

    /// Unlocks a line: a transfer that used it has ended.
    #[inline(always)]
    pub(crate) fn unlock(&self, dev: &mut impl Device, path: Path, line: u32) {
        self.tables.unlock(dev, path, line);
    }

    /// Unlocks a line that was locked and that no DMA has used.
    #[cold]
    #[inline(never)]
    pub(crate) fn unlock_unused(&self, dev: &mut impl Device, path: Path, line: u32) {
        self.tables.unlock(dev, path, line);
        dev.trace(Marker::Unlocked, (path as u32) << 23 | line);
    }

    #[cold]
    #[inline(never)]
    fn fault(&self, dev: &mut impl Device, path: Path, line: u32, entry: u32) -> Untranslated {
        self.tables.unlock(dev, path, line);
        let outcome = if entry == NO_TRANSLATION { Counter::SendFaults } else { Counter::SendWildPages };
        count_lookup(dev, path, outcome);
        dev.trace(Marker::LookupFault, line);
        Untranslated::Fault
    }

    #[cold]
    #[inline(never)]
    fn miss(
        &mut self,
        layers: &mut Layers<T>,
        dev: &mut impl Device,
        path: Path,
        pid: u32,
        page: u32,
        pending: bool,
    ) -> Untranslated {
        dev.trace(Marker::LookupMiss, pid);
        if pending {
            count_lookup(dev, path, Counter::SendPending);
            return Untranslated::Fill;
        }
        if !self.misses.has_room(dev) {
            count_lookup(dev, path, Counter::SendMissRingFull);
            return Untranslated::Fill;
        }
        if self.misses.fetches().are_used() {
            if let Some(reason) = self.fetch_line(layers, dev, path, pid, page) {
                return reason;
            }
        }
        let Reserve::Line(line) = self.tables.reserve(dev, pid, page) else {
            count_lookup(dev, path, Counter::SendNoWay);
            return Untranslated::Way;
        };
        count_lookup(dev, path, Counter::SendMisses);
        self.misses.raise(dev, T::miss_key(pid, page), line, path as u32);
        Untranslated::Fill
    }

    /// Fetches a missing line from the host's tables. `None` if the tables do not have it or the
    /// driver is serving its miss: then the caller goes on as without tables.
    #[cold]
    #[inline(never)]
    fn fetch_line(
        &mut self,
        layers: &mut Layers<T>,
        dev: &mut impl Device,
        path: Path,
        pid: u32,
        page: u32,
    ) -> Option<Untranslated> {
        if self.misses.has_been_raised(dev, T::miss_key(pid, page)) {
            return None;
        }
        let fetches = self.misses.fetches();
        let bus_address = fetches.entries_on_host::<T>(dev, self.host_pages, pid, page)?;
        if !layers.reads.has_room(1) {
            dev.trace(Marker::FetchStalled, pid);
            count_lookup(dev, path, Counter::SendMissRingFull);
            // The ring of host reads is full. The end of a transfer makes room.
            return Some(Untranslated::Way);
        }
        let Reserve::Line(line) = self.tables.reserve(dev, pid, page) else {
            count_lookup(dev, path, Counter::SendNoWay);
            return Some(Untranslated::Way);
        };
        count_lookup(dev, path, Counter::SendMisses);
        count_on(dev, path, Counter::SendFetches, 1);
        fetches.begin(&self.tables, layers, dev, path, (pid, page), (line, bus_address));
        Some(Untranslated::Fill)
    }
}
