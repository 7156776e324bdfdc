//! Translation of source and destination pages, and the misses.

use nic_layout::counter::{Counter, PATH_STRIDE};
use nic_layout::plant::{is_planted, Plant};
use nic_layout::ring::MAILBOX_MISS;
use nic_layout::tables::{MISS_BUFFER, MISS_RING_ENTRIES};
use nic_layout::trace::Marker;
use nic_layout::vmh::NO_TRANSLATION;
use nic_layout::PAGE_SHIFT;
use nic_lookup::{Lookup, Path, Reserve};

use crate::dma::Piece;
use crate::{Machine, Tables};
use nic_device::Device;
use nic_plan::MISS_ENTRY_BYTES;

/// Why there is no translation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Untranslated {
    /// Not now: the driver reports when it has served misses.
    Fill,
    /// Not now: every line of the set is locked or reserved.
    Way,
    /// Never: the page has no translation.
    Fault,
}

/// Bus address of a page, and the line that was locked for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LockedPage {
    pub line: u32,
    pub bus_address: u32,
}

impl LockedPage {
    /// A piece of the page.
    #[inline(always)]
    pub(crate) fn piece(self, in_page: u32, sram_address: u32, bytes: u32) -> Piece {
        Piece { bus_address: self.bus_address + in_page, sram_address, bytes, line: self.line }
    }
}

impl<T: Tables> Machine<T> {
    /// Translates and locks a page.
    #[inline(always)]
    pub(crate) fn translate(
        &mut self,
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
            // Holes (all ones) are beyond host memory too: one comparison finds both.
            Lookup::Hit { line, entry } if entry < self.settings.host_pages => {
                dev.trace(Marker::LookupHit, line);
                Ok(LockedPage { line, bus_address: entry << PAGE_SHIFT })
            }
            Lookup::Hit { line, entry } => Err(self.fault(dev, path, line, entry)),
            Lookup::Pending => Err(self.miss(dev, path, pid, page, true)),
            Lookup::Absent => Err(self.miss(dev, path, pid, page, false)),
        }
    }

    /// Translates and locks `page` and the page behind it for a frame that goes on there. Both stay locked or none (M-36); the driver is told of
    /// both when both are missing, so that one retry is enough. Counts the hits, but one when both are locked: that is for the caller.
    #[inline(never)]
    pub(crate) fn translate_two(
        &mut self,
        dev: &mut impl Device,
        path: Path,
        pid: u32,
        page: u32,
    ) -> Result<(LockedPage, LockedPage), Untranslated> {
        let first = self.translate_one(dev, path, pid, page);
        if first == Err(Untranslated::Fault) {
            return Err(Untranslated::Fault);
        }
        // An address that goes on beyond the last page was refused before.
        let second = self.translate_one(dev, path, pid, (page + 1) & (u32::MAX >> PAGE_SHIFT));
        if let Ok(page) = first.or(second) {
            count_hit(dev, path);
            if first.is_err() || second.is_err() {
                self.unlock_unused(dev, path, page.line);
            }
        }
        match (first, second) {
            (Ok(first), Ok(second)) => Ok((first, second)),
            (_, Err(Untranslated::Fault)) => Err(Untranslated::Fault),
            (Err(Untranslated::Way), _) => Err(Untranslated::Way),
            (_, Err(reason)) | (Err(reason), _) => Err(reason),
        }
    }

    /// [`Self::translate`] as a function of its own, for whom a clock or two more do not count.
    #[inline(never)]
    pub(crate) fn translate_one(
        &mut self,
        dev: &mut impl Device,
        path: Path,
        pid: u32,
        page: u32,
    ) -> Result<LockedPage, Untranslated> {
        self.translate(dev, path, pid, page)
    }

    /// Unlocks a line that no DMA uses.
    #[cold]
    #[inline(never)]
    pub(crate) fn unlock_unused(&mut self, dev: &mut impl Device, path: Path, line: u32) {
        self.tables.unlock(dev, path, line);
        dev.trace(Marker::Unlocked, (path as u32) << 23 | line);
    }

    #[cold]
    #[inline(never)]
    fn fault(&mut self, dev: &mut impl Device, path: Path, line: u32, entry: u32) -> Untranslated {
        self.tables.unlock(dev, path, line);
        let outcome = if entry == NO_TRANSLATION { Counter::SendFaults } else { Counter::SendWildPages };
        count_lookup(dev, path, outcome);
        dev.trace(Marker::LookupFault, line);
        Untranslated::Fault
    }

    #[cold]
    #[inline(never)]
    fn miss(&mut self, dev: &mut impl Device, path: Path, pid: u32, page: u32, pending: bool) -> Untranslated {
        dev.trace(Marker::LookupMiss, pid);
        if pending {
            count_lookup(dev, path, Counter::SendPending);
            return Untranslated::Fill;
        }
        if !self.has_miss_room(dev) {
            count_lookup(dev, path, Counter::SendMissRingFull);
            return Untranslated::Fill;
        }
        if self.fetches() {
            if let Some(reason) = self.fetch_line(dev, path, pid, page) {
                return reason;
            }
        }
        let Reserve::Line(line) = self.tables.reserve(dev, pid, page) else {
            count_lookup(dev, path, Counter::SendNoWay);
            return Untranslated::Way;
        };
        count_lookup(dev, path, Counter::SendMisses);
        self.raise_miss(dev, T::miss_key(pid, page), line, path as u32);
        Untranslated::Fill
    }

    /// The same for a line that the host's tables have: the NIC reads it itself. `None`: they do not, or the driver is at work on it.
    #[cold]
    #[inline(never)]
    fn fetch_line(&mut self, dev: &mut impl Device, path: Path, pid: u32, page: u32) -> Option<Untranslated> {
        if self.has_been_raised(dev, T::miss_key(pid, page)) {
            return None;
        }
        let bus_address = self.entries_on_host(dev, pid, page)?;
        if !self.reads.has_room(1) {
            dev.trace(Marker::FetchStalled, pid);
            count_lookup(dev, path, Counter::SendMissRingFull);
            // The end of a transfer makes room.
            return Some(Untranslated::Way);
        }
        let Reserve::Line(line) = self.tables.reserve(dev, pid, page) else {
            count_lookup(dev, path, Counter::SendNoWay);
            return Some(Untranslated::Way);
        };
        count_lookup(dev, path, Counter::SendMisses);
        count_on(dev, path, Counter::SendFetches, 1);
        self.begin_fetch(dev, path, (pid, page), line, bus_address);
        Some(Untranslated::Fill)
    }

    /// Whether the miss ring takes one more: what is being fetched may come to it yet.
    pub(crate) fn has_miss_room(&self, dev: &impl Device) -> bool {
        let mut raised = self.misses_raised.wrapping_sub(self.misses_served);
        if self.fetches() {
            raised = raised.wrapping_add(self.fetches_open(dev));
        }
        raised < MISS_RING_ENTRIES
    }

    /// Whether the driver was told of this key and has not reported it. If its line was taken away, the driver finds that out by the line: it is not to
    /// find it reserved again, for someone else's answer.
    fn has_been_raised(&self, dev: &impl Device, key: u32) -> bool {
        let unserved = 0..self.misses_raised.wrapping_sub(self.misses_served);
        unserved.into_iter().any(|n| {
            let at = self.miss_entry(self.misses_served.wrapping_add(n));
            dev.read(at) == key && dev.read(at + 8) != MISS_BUFFER
        })
    }

    fn miss_entry(&self, index: u32) -> u32 {
        self.settings.miss_ring + (index % MISS_RING_ENTRIES) * MISS_ENTRY_BYTES
    }

    /// Tells the driver of a reserved line or entry: [`nic_layout::tables::MissEntry`]. The caller has asked for room.
    #[cold]
    #[inline(never)]
    pub(crate) fn raise_miss(&mut self, dev: &mut impl Device, key: u32, line: u32, kind: u32) {
        let at = self.miss_entry(self.misses_raised);
        dev.write(at, key);
        dev.write(at + 4, line);
        dev.write(at + 8, kind);
        dev.write(at + 12, dev.now());
        self.misses_raised = self.misses_raised.wrapping_add(1);
        dev.to_host(MAILBOX_MISS, self.misses_raised);
        dev.trace(Marker::MissRaised, line);
    }

    /// The driver has served all misses before `consumer`.
    pub(crate) fn on_filled(&mut self, dev: &mut impl Device, consumer: u32) {
        dev.trace(Marker::FillSeen, consumer);
        let served = consumer.wrapping_sub(self.misses_served);
        if served > self.misses_raised.wrapping_sub(self.misses_served) {
            dev.count(Counter::MailboxesWild);
            return;
        }
        self.misses_served = consumer;
        dev.count_many(Counter::MissesServed, served);
        if !is_planted(Plant::LostWakeUp) {
            self.wake(self.parked | self.blocked);
        }
        if self.receive_misses.are_open() {
            self.end_receive_misses(dev);
        }
    }
}

/// Counts a lookup and its outcome, which is named by the send path's counter.
#[inline(always)]
fn count_lookup(dev: &mut impl Device, path: Path, outcome: Counter) {
    count_lookups(dev, path, outcome, 1);
}

#[inline(always)]
fn count_lookups(dev: &mut impl Device, path: Path, outcome: Counter, lookups: u32) {
    count_on(dev, path, Counter::SendLookups, lookups);
    count_on(dev, path, outcome, lookups);
}

/// Adds to the counter of a path, named by that of the send path.
#[inline(always)]
fn count_on(dev: &mut impl Device, path: Path, of_send: Counter, count: u32) {
    dev.add(dev.counters(), of_send.offset() + path as u32 * PATH_STRIDE * 4, count);
}

/// A lookup that hit. The caller counts it when the DMA is posted: the frame need not wait for the counters.
#[inline(always)]
pub(crate) fn count_hit(dev: &mut impl Device, path: Path) {
    count_hits(dev, path, 1);
}

/// None or one: a sum, since a branch would have the compiler lay out the whole path twice.
#[inline(always)]
pub(crate) fn count_hits(dev: &mut impl Device, path: Path, hits: u32) {
    count_lookups(dev, path, Counter::SendHits, hits);
}
