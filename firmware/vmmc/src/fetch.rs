//! Translations that the NIC reads from the host's table by itself (M-58).
//!
//! 1. A lookup misses, and the process has a table for the page. The firmware reserves the line, as
//!    for the driver, and locks it. It posts one host read from the table to the entries of the
//!    line.
//! 2. The transfer ends, in the order of the ring, and the line is unlocked. If the line is still
//!    reserved and the page has a translation, the line becomes valid, and the posts and frames
//!    that wait for it try again. If the page has no translation, or the bus failed, the firmware
//!    tells the driver of the line, as without tables.
//! 3. If the line was taken away meanwhile, the transfer changes nothing. The lock has kept the
//!    line from being given to another tag until the transfer ended.
//!
//! The driver unpins a page in this order. It clears the entry, takes the line away
//! (`COMMAND_INVALIDATE`), and awaits the answer, which comes when all earlier transfers have
//! ended. A fetch that began before the command fills no line any more. A fetch that begins later
//! finds the entry cleared (INV-19).
//!
//! A line is not fetched between the report of its miss to the driver and the driver's answer:
//! after an invalidation the driver would take the fetch's reservation for its own.
//!
//! The word that names the table is checked like every word of the host. The entries are checked
//! when they are used.

use nic_layout::fetch::{directory_offset, table_offset, table_page, table_slot};
use nic_layout::trace::Marker;
use nic_layout::PAGE_SHIFT;
use nic_lookup::Path;
use nic_plan::{LookupPlaces, FETCH_RECORDS, FETCH_RECORD_BYTES};

use crate::wire::{Layers, Line};
use crate::Tables;
use nic_device::Device;
use nic_dma::Transfer;

/// Byte offsets of the words of a record: the number of the transfer, the line, process and path,
/// the page.
mod record {
    pub const NUMBER: u32 = 0;
    pub const LINE: u32 = 4;
    pub const OWNER: u32 = 8;
    pub const PAGE: u32 = 12;

    // Fields of the word `OWNER`.
    pub const PATH_SHIFT: u32 = 16;
    pub const FAILED: u32 = 1 << 17;
    pub const PID_MASK: u32 = 0xFFF;
}

// Words behind the records: numbers of fetches, free-running.
const BEGUN: u32 = FETCH_RECORDS * FETCH_RECORD_BYTES;
const ENDED: u32 = BEGUN + 4;
const AWAITED: u32 = ENDED + 4;

/// SRAM offsets of the directories and of the records of fetches.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fetches {
    /// 0 if the NIC does not fetch.
    directories: u32,
    records: u32,
    /// The structure that holds the entries of lines.
    vmh: u32,
}

/// A fetch whose transfer has ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EndedFetch {
    pub line: u32,
    pub pid: u32,
    pub page: u32,
    /// 0 or 1, as [`Path`] is numbered.
    pub path: u32,
    /// The bus has delivered the entries.
    pub came: bool,
}

impl Fetches {
    pub(crate) const NONE: Fetches = Fetches { directories: 0, records: 0, vmh: 0 };

    pub(crate) fn new(map: &LookupPlaces) -> Fetches {
        Fetches { directories: map.directories, records: map.fetches, vmh: map.vmh }
    }

    /// Whether the NIC fetches translations. If not, no other method of this type is called.
    #[inline(always)]
    pub(crate) fn are_used(&self) -> bool {
        self.directories != 0
    }

    fn word(&self, offset: u32) -> u32 {
        self.records + offset
    }

    fn record(&self, fetch: u32) -> u32 {
        self.word(fetch % FETCH_RECORDS * FETCH_RECORD_BYTES)
    }

    /// Bus address of the entries of a page's line, if the driver keeps a table there.
    pub(crate) fn entries_on_host<T: Tables>(
        &self,
        dev: &impl Device,
        host_pages: u32,
        pid: u32,
        page: u32,
    ) -> Option<u32> {
        // The driver clears the directory of a closed process, so no table is found for it.
        let slot = table_slot(pid);
        let (_, line_entries) = T::line_entries(0);
        let first = page & !(line_entries - 1);
        let table = table_page(dev.read(self.directories + directory_offset(slot, first)))?;
        (table < host_pages).then_some((table << PAGE_SHIFT) + table_offset(first))
    }

    /// Begins to fetch a line that was just reserved. The caller has made sure that the ring of
    /// host reads has room.
    #[cold]
    #[inline(never)]
    pub(crate) fn begin<T: Tables>(
        &self,
        tables: &T,
        layers: &mut Layers<T>,
        dev: &mut impl Device,
        path: Path,
        (pid, page): (u32, u32),
        (line, bus_address): (u32, u32),
    ) {
        tables.begin_fetch(dev, line);
        dev.trace(Marker::FetchBegun, line);
        let (offset, entries) = T::line_entries(line);
        let transfer = Transfer { bus_address, sram_address: self.vmh + offset, bytes: entries * 4 };
        let number = layers.read_apart(dev, transfer, Line(line as u16));
        let begun = dev.read(self.word(BEGUN));
        let at = self.record(begun);
        dev.write(at + record::NUMBER, number);
        dev.write(at + record::LINE, line);
        dev.write(at + record::OWNER, pid & record::PID_MASK | (path as u32) << record::PATH_SHIFT);
        dev.write(at + record::PAGE, page);
        dev.write(self.word(BEGUN), begun.wrapping_add(1));
        layers.await_transfers(true);
    }

    /// The number of fetches that have not ended.
    #[cold]
    #[inline(never)]
    pub(crate) fn open(&self, dev: &impl Device) -> u32 {
        dev.read(self.word(BEGUN)).wrapping_sub(dev.read(self.word(ENDED)))
    }

    /// Marks the fetch of transfer `number` as failed. The transfer has ended, the fetch has not.
    pub(crate) fn fail(&self, dev: &mut impl Device, number: u32) {
        let ended = dev.read(self.word(ENDED));
        for open in 0..self.open(dev) {
            let at = self.record(ended.wrapping_add(open));
            if dev.read(at + record::NUMBER) == number {
                let owner = dev.read(at + record::OWNER);
                dev.write(at + record::OWNER, owner | record::FAILED);
            }
        }
    }

    /// Takes the oldest fetch, if its transfer has ended.
    pub(crate) fn take_ended<T: Tables>(&self, layers: &Layers<T>, dev: &mut impl Device) -> Option<EndedFetch> {
        if self.open(dev) == 0 {
            return None;
        }
        let fetch = dev.read(self.word(ENDED));
        let at = self.record(fetch);
        // The transfer itself must have ended, so all transfers before the number behind it.
        if !layers.reads.has_ended(dev.read(at + record::NUMBER).wrapping_add(1)) {
            return None;
        }
        dev.write(self.word(ENDED), fetch.wrapping_add(1));
        let owner = dev.read(at + record::OWNER);
        Some(EndedFetch {
            line: dev.read(at + record::LINE),
            pid: owner & record::PID_MASK,
            page: dev.read(at + record::PAGE),
            path: owner >> record::PATH_SHIFT & 1,
            came: owner & record::FAILED == 0,
        })
    }

    /// Lets the frames of a peer wait for all fetches that are open now.
    #[cold]
    #[inline(never)]
    pub(crate) fn await_all(&self, dev: &mut impl Device, node: usize) {
        let begun = dev.read(self.word(BEGUN));
        dev.write(self.word(AWAITED + 4 * node as u32), begun);
    }

    /// Whether all fetches for which a peer's frames wait have ended.
    #[cold]
    #[inline(never)]
    pub(crate) fn have_ended(&self, dev: &impl Device, node: usize) -> bool {
        let awaited = dev.read(self.word(AWAITED + 4 * node as u32));
        dev.read(self.word(ENDED)).wrapping_sub(awaited) <= u32::MAX / 2
    }
}
