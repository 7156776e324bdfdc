//! Translation of source and destination pages, and the misses.

use nic_layout::counter::{Counter, PATH_STRIDE};
use nic_layout::ring::MAILBOX_MISS;
use nic_layout::tables::MISS_RING_ENTRIES;
use nic_layout::trace::Marker;
use nic_layout::vmh::{key, NO_TRANSLATION};
use nic_layout::vmh::{VmhGeometry, KEY_RESERVED};
use nic_layout::PAGE_SHIFT;
use nic_lookup::{Lookup, Path, Reserve};

use crate::dma::Piece;
use crate::memory_map::MISS_ENTRY_BYTES;
use crate::{Device, Machine};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Translation {
    Page(LockedPage),
    /// Not now. The driver knows, or will be told when the caller tries again.
    Wait(Wait),
    /// Never: the page has no translation.
    Fault,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wait {
    /// The driver reports when it has served misses.
    Fill,
    /// Until a line of the set is neither locked nor reserved.
    Way,
}

/// Bus address of a page, and the line that was locked for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LockedPage {
    pub line: u32,
    pub bus_address: u32,
}

/// The pages of one piece of a frame: one, or two when it crosses a boundary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pages {
    Locked { first: LockedPage, second: Option<LockedPage> },
    Wait(Wait),
    Fault,
}

impl LockedPage {
    /// A piece of the page.
    #[inline(always)]
    pub(crate) fn piece(self, in_page: u32, sram_address: u32, bytes: u32) -> Piece {
        Piece { bus_address: self.bus_address + in_page, sram_address, bytes, line: self.line }
    }
}

impl<const E: u32, const L: u32, const W: u32> Machine<E, L, W> {
    /// Translates and locks the page of `address`, and the next one if the piece goes on there. Locks both or none (M-36); tells the driver of both
    /// when both are missing, so that one retry is enough.
    #[inline(always)]
    pub(crate) fn translate(
        &mut self,
        dev: &mut impl Device,
        path: Path,
        pid: u32,
        address: u32,
        crosses: bool,
    ) -> Pages {
        let page = address >> PAGE_SHIFT;
        let first = self.translate_page(dev, path, pid, page);
        if !crosses {
            return match first {
                Translation::Page(first) => Pages::Locked { first, second: None },
                Translation::Wait(wait) => Pages::Wait(wait),
                Translation::Fault => Pages::Fault,
            };
        }
        self.translate_second(dev, path, pid, page, first)
    }

    #[inline(never)]
    #[cfg_attr(target_arch = "riscv32", link_section = ".fast.text")]
    fn translate_second(
        &mut self,
        dev: &mut impl Device,
        path: Path,
        pid: u32,
        page: u32,
        first: Translation,
    ) -> Pages {
        if first == Translation::Fault {
            return Pages::Fault;
        }
        // An address that goes on beyond the last page was refused before.
        let second = self.translate_page(dev, path, pid, (page + 1) & (u32::MAX >> PAGE_SHIFT));
        match (first, second) {
            (Translation::Page(first), Translation::Page(second)) => Pages::Locked { first, second: Some(second) },
            (first, second) => {
                for translation in [first, second] {
                    if let Translation::Page(page) = translation {
                        self.cache.unlock(dev, path, page.line);
                    }
                }
                match (first, second) {
                    (_, Translation::Fault) => Pages::Fault,
                    (Translation::Wait(Wait::Way), _) | (_, Translation::Wait(Wait::Way)) => Pages::Wait(Wait::Way),
                    _ => Pages::Wait(Wait::Fill),
                }
            }
        }
    }

    #[inline(always)]
    fn translate_page(&mut self, dev: &mut impl Device, path: Path, pid: u32, page: u32) -> Translation {
        dev.trace(Marker::LookupBegin, (path as u32) << 23 | page);
        self.count_outcome(dev, path, Counter::SendLookups);
        match self.cache.lookup(dev, path, pid, page) {
            // Holes (all ones) are beyond host memory too: one comparison finds both.
            Lookup::Hit { line, entry } if entry < self.config.host_pages => {
                self.count_outcome(dev, path, Counter::SendHits);
                dev.trace(Marker::LookupHit, line);
                Translation::Page(LockedPage { line, bus_address: entry << PAGE_SHIFT })
            }
            Lookup::Hit { line, entry } => self.fault(dev, path, page, line, entry),
            Lookup::Pending => self.miss(dev, path, pid, page, true),
            Lookup::Absent => self.miss(dev, path, pid, page, false),
        }
    }

    #[cold]
    #[inline(never)]
    fn fault(&mut self, dev: &mut impl Device, path: Path, page: u32, line: u32, entry: u32) -> Translation {
        self.cache.unlock(dev, path, line);
        self.count_outcome(
            dev,
            path,
            if entry == NO_TRANSLATION { Counter::SendFaults } else { Counter::SendWildPages },
        );
        dev.trace(Marker::LookupFault, page);
        Translation::Fault
    }

    #[cold]
    #[inline(never)]
    fn miss(&mut self, dev: &mut impl Device, path: Path, pid: u32, page: u32, pending: bool) -> Translation {
        dev.trace(Marker::LookupMiss, page);
        if pending {
            self.count_outcome(dev, path, Counter::SendPending);
            return Translation::Wait(Wait::Fill);
        }
        if self.misses_raised.wrapping_sub(self.misses_served) >= MISS_RING_ENTRIES {
            self.count_outcome(dev, path, Counter::SendMissRingFull);
            return Translation::Wait(Wait::Fill);
        }
        let Reserve::Line(line) = self.cache.reserve(dev, pid, page) else {
            self.count_outcome(dev, path, Counter::SendNoWay);
            return Translation::Wait(Wait::Way);
        };
        self.count_outcome(dev, path, Counter::SendMisses);
        let geometry: VmhGeometry = Self::GEOMETRY;
        let at = self.config.map.miss_ring + (self.misses_raised % MISS_RING_ENTRIES) * MISS_ENTRY_BYTES;
        dev.write(at, key(pid, geometry.line_page(page), KEY_RESERVED));
        dev.write(at + 4, line);
        dev.write(at + 8, path as u32);
        dev.write(at + 12, dev.now());
        self.misses_raised = self.misses_raised.wrapping_add(1);
        dev.to_host(MAILBOX_MISS, self.misses_raised);
        dev.trace(Marker::MissRaised, line);
        Translation::Wait(Wait::Fill)
    }

    /// The driver has served all misses before `consumer`.
    pub(crate) fn on_filled(&mut self, dev: &mut impl Device, consumer: u32) {
        dev.trace(Marker::FillSeen, consumer);
        let served = consumer.wrapping_sub(self.misses_served);
        if served > self.misses_raised.wrapping_sub(self.misses_served) {
            self.count(dev, Counter::MailboxesWild);
            return;
        }
        self.misses_served = consumer;
        dev.add(self.config.map.counters + Counter::MissesServed.offset(), served);
        self.wake(self.parked | self.blocked);
    }

    /// Counts an outcome that exists for both paths; named by the send path's counter.
    #[inline(always)]
    fn count_outcome(&self, dev: &mut impl Device, path: Path, of_send_path: Counter) {
        let offset = of_send_path.offset() + path as u32 * PATH_STRIDE * 4;
        dev.add(self.config.map.counters + offset, 1);
    }
}
