//! Virtual addresses: pages are looked up in a cache of the driver's translations, as in `mini`.
//!
//! The cache and the misses lie in the SRAM. A transfer keeps the line of its page locked until it
//! has ended, so that the line is not given to another page meanwhile.

use nic_device::{rarely, Device, Place, Words};
use nic_dma::RING_ENTRIES;
use nic_layout::boot::caches::CachesReply;
use nic_layout::boot::{RingsReply, SectionsWriter, REPLY_WORDS};
use nic_layout::counter::{Counter, PATH_STRIDE};
use nic_layout::ring::{admitted, MAILBOX_FILLED, MAILBOX_MISS};
use nic_layout::tables::MISS_RING_ENTRIES;
use nic_layout::trace::Marker;
use nic_layout::vmh::{key, key_line_page, key_pid, VmhGeometry, KEY_RESERVED, NO_TRANSLATION};
use nic_layout::{PAGE_BYTES, PAGE_SHIFT};
use nic_lookup::{Lookup, Path, Reserve, Vmh};
use nic_plan::{vmh_pieces, Piece, Regions, Use, MISS_ENTRY_BYTES};

use crate::command::{is_admit, is_invalidate};
use crate::pages::{Found, NoPage, Pages};
use crate::places::PagePlaces;

/// Misses of which the driver was told, counted without end.
const RAISED: u32 = 0;
/// Misses that it has answered.
const SERVED: u32 = 4;
/// SRAM offset of the miss ring.
const RING: u32 = 8;
/// The line of each transfer in the rings of the engines, plus one; 0: none. Reads, then writes.
const HELD: u32 = 16;
const HELD_BYTES: u32 = 4 * RING_ENTRIES as u32;

/// Bytes of what the parts share of misses.
pub const MISSES_BYTES: u32 = HELD + 2 * HELD_BYTES;

/// Pages in a cache of `ENTRIES` translations, with `LINE_ENTRIES` in each line and `WAYS` lines in
/// each set.
#[derive(Clone, Copy, Debug)]
pub struct Translated<const ENTRIES: u32, const LINE_ENTRIES: u32, const WAYS: u32> {
    cache: Vmh<ENTRIES, LINE_ENTRIES, WAYS>,
    misses: Place,
    host_pages: u32,
    /// The process whose addresses are posted; 0: none.
    pid: u32,
    is_waiting: bool,
    is_awake: bool,
}

/// Takes the regions of a cache of this geometry, and of what belongs to it.
pub fn lay_out_translations(geometry: VmhGeometry, regions: &mut impl Regions) -> PagePlaces {
    let shared = [Piece::new("misses and held lines", Use::Program, 1, MISSES_BYTES)];
    let ring = [Piece::new("miss ring", Use::Program, MISS_RING_ENTRIES, MISS_ENTRY_BYTES)];
    PagePlaces {
        cache: regions.take("caches", 8, &vmh_pieces(geometry)),
        miss_ring: regions.take("rings", 16, &ring),
        misses: regions.take("parts", 8, &shared),
    }
}

impl<const E: u32, const L: u32, const W: u32> Translated<E, L, W> {
    /// The geometry of the cache.
    pub const GEOMETRY: VmhGeometry = Vmh::<E, L, W>::GEOMETRY;

    /// The word of a transfer's line.
    #[inline(always)]
    fn held(&self, path: Path, transfer: u32) -> Place {
        self.misses.plus(HELD + path as u32 * HELD_BYTES + 4 * (transfer % RING_ENTRIES as u32))
    }

    #[inline(always)]
    fn count(dev: &mut impl Device, path: Path, outcome: Counter) {
        for counter in [Counter::SendLookups, outcome] {
            dev.add(dev.counters(), counter.offset() + path as u32 * PATH_STRIDE * 4, 1);
        }
    }

    #[cold]
    #[inline(never)]
    fn fault(&self, dev: &mut impl Device, path: Path, line: u32, entry: u32) -> NoPage {
        self.cache.unlock(dev, path, line);
        let outcome = if entry == NO_TRANSLATION { Counter::SendFaults } else { Counter::SendWildPages };
        Self::count(dev, path, outcome);
        dev.trace(Marker::LookupFault, line);
        NoPage::Fault
    }

    /// A page is missing. However often it is looked up, the driver is told once.
    #[cold]
    #[inline(never)]
    fn miss(&self, dev: &mut impl Device, path: Path, page: u32, is_pending: bool) -> NoPage {
        dev.trace(Marker::LookupMiss, self.pid);
        if is_pending {
            Self::count(dev, path, Counter::SendPending);
            return NoPage::Fill;
        }
        let raised = dev.get(self.misses, RAISED);
        if raised.wrapping_sub(dev.get(self.misses, SERVED)) >= MISS_RING_ENTRIES {
            Self::count(dev, path, Counter::SendMissRingFull);
            return NoPage::Fill;
        }
        let Reserve::Line(line) = self.cache.reserve(dev, self.pid, page) else {
            Self::count(dev, path, Counter::SendNoWay);
            return NoPage::Way;
        };
        Self::count(dev, path, Counter::SendMisses);
        let ring = dev.get(self.misses, RING);
        let at = dev.place(ring + raised % MISS_RING_ENTRIES * MISS_ENTRY_BYTES);
        let now = dev.now();
        dev.put(at, 0, key(self.pid, Self::GEOMETRY.line_page(page), KEY_RESERVED));
        dev.put(at, 4, line);
        dev.put(at, 8, path as u32);
        dev.put(at, 12, now);
        dev.put(self.misses, RAISED, raised.wrapping_add(1));
        dev.to_host(MAILBOX_MISS, raised.wrapping_add(1));
        dev.trace(Marker::MissRaised, line);
        NoPage::Fill
    }

    /// [`Pages::find`] as a function of its own: it is needed at many places.
    #[inline(never)]
    #[cfg_attr(target_arch = "riscv32", link_section = ".fast.text")]
    fn look_up(&self, dev: &mut impl Device, path: Path, address: u32) -> Result<Found<u32>, NoPage> {
        let page = address >> PAGE_SHIFT;
        match path {
            Path::Send => dev.trace(Marker::LookupBegin, page),
            Path::Receive => dev.trace(Marker::ReceiveLookupBegin, page),
        }
        match self.cache.lookup(dev, path, self.pid, page) {
            // The entry of a page without translation is all ones, so one comparison finds both.
            Lookup::Hit { line, entry } if entry < self.host_pages => {
                dev.trace(Marker::LookupHit, line);
                Self::count(dev, path, Counter::SendHits);
                Ok(Found { address: (entry << PAGE_SHIFT) + address % PAGE_BYTES, line })
            }
            Lookup::Hit { line, entry } => Err(self.fault(dev, path, line, entry)),
            Lookup::Pending => Err(self.miss(dev, path, page, true)),
            Lookup::Absent => Err(self.miss(dev, path, page, false)),
        }
    }
}

impl<const E: u32, const L: u32, const W: u32> Pages for Translated<E, L, W> {
    const NOWHERE: Self =
        Translated { cache: Vmh::NOWHERE, misses: Place(0), host_pages: 0, pid: 0, is_waiting: false, is_awake: false };
    const MAY_MISS: bool = true;
    const MAILBOXES: u32 = 1 << MAILBOX_FILLED;
    type Line = u32;
    const SECTIONS: usize = 2;

    fn lay_out(regions: &mut impl Regions) -> PagePlaces {
        lay_out_translations(Self::GEOMETRY, regions)
    }

    fn reply(places: &PagePlaces, reply: &mut SectionsWriter<REPLY_WORDS>) {
        // There are no notifications, and no cache of buffers.
        reply.push(&RingsReply { miss_ring: places.miss_ring, notify_ring: 0 });
        let VmhGeometry { entries, line_entries, ways } = Self::GEOMETRY;
        reply.push(&CachesReply {
            vmh_cache: places.cache,
            vmh_entries: entries,
            vmh_line_entries: line_entries,
            vmh_ways: ways,
            cbh_cache: 0,
            cbh_entries: 0,
            cbh_ways: 0,
            directories: 0,
        });
    }

    fn start(words: &mut impl Words, places: &PagePlaces, host_pages: u32) -> Self {
        let (cache, misses) = (Vmh::new(words, places.cache), words.place(places.misses));
        Translated { cache, misses, host_pages, ..Self::NOWHERE }
    }

    fn reset(&self, words: &mut impl Words, places: &PagePlaces) {
        self.cache.reset(words);
        for word in (0..MISSES_BYTES).step_by(4) {
            words.put(self.misses, word, 0);
        }
        words.put(self.misses, RING, places.miss_ring);
    }

    #[inline(always)]
    fn find(&mut self, dev: &mut impl Device, path: Path, address: u32) -> Result<Found<u32>, NoPage> {
        self.look_up(dev, path, address)
    }

    #[inline(always)]
    fn hold(&self, dev: &mut impl Device, path: Path, transfer: u32, line: u32) {
        dev.put(self.held(path, transfer), 0, line + 1);
    }

    #[inline(always)]
    fn ended(&self, dev: &mut impl Device, path: Path, transfer: u32) {
        let at = self.held(path, transfer);
        let held = dev.get(at, 0);
        if held == 0 {
            rarely();
            return;
        }
        dev.put(at, 0, 0);
        let line = held - 1;
        self.cache.unlock(dev, path, line);
        match path {
            Path::Send => dev.trace(Marker::DmaReadDone, line),
            Path::Receive => dev.trace(Marker::DmaWriteDone, line),
        }
    }

    fn unlock(&self, dev: &mut impl Device, path: Path, line: u32) {
        self.cache.unlock(dev, path, line);
        dev.trace(Marker::Unlocked, (path as u32) << 23 | line);
    }

    fn is_waiting(&self) -> bool {
        self.is_waiting
    }

    fn wait(&mut self) {
        self.is_waiting = true;
    }

    fn wake(&mut self) {
        (self.is_waiting, self.is_awake) = (false, true);
    }

    fn take_wake(&mut self) -> bool {
        core::mem::take(&mut self.is_awake)
    }

    fn on_filled(&self, dev: &mut impl Device, consumer: u32) {
        dev.trace(Marker::FillSeen, consumer);
        let (raised, served) = (dev.get(self.misses, RAISED), dev.get(self.misses, SERVED));
        let more = consumer.wrapping_sub(served);
        if more > raised.wrapping_sub(served) {
            return dev.count(Counter::MailboxesWild);
        }
        dev.put(self.misses, SERVED, consumer);
        dev.add(dev.counters(), Counter::MissesServed.offset(), more);
    }

    fn obey(&mut self, dev: &mut impl Device, word: u32) {
        if is_admit(word) {
            self.pid = admitted(word);
        } else if is_invalidate(word) {
            self.cache.invalidate(dev, key_pid(word), key_line_page(word));
        }
    }
}
