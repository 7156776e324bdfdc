//! Translations that the NIC reads from the host's table by itself (M-58).
//!
//! 1. A lookup misses, and the process has a table for the page: the line is reserved, as for the driver, and locked; one host read is posted, from the
//!    table to the entries of the line.
//! 2. The transfer ends, in the order of the ring. The lock ends as that of any transfer. If the line is still reserved and the page has a translation, the
//!    line is valid, and whoever waited tries again. If the page has none, or the bus failed, the driver is told of the line, as without tables.
//! 3. If the line was taken away meanwhile, nothing comes of the transfer. Until it ended the lock kept the line from being given to another tag.
//!
//! A page is unpinned in this order: the driver clears the entry, takes the line away (`COMMAND_INVALIDATE`), and awaits the answer, which comes when the
//! transfers from before it have ended. A fetch that began before it fills nothing any more, and one that begins later finds the entry cleared (INV-19).
//!
//! While the driver has been told of a line and has not reported it, the line is not fetched: after an invalidation the driver would take the fetch's
//! reservation for its own.
//!
//! Where the place of the table comes from is checked like all of the host's words; what the entries say is checked when they are used.

use nic_layout::counter::Counter;
use nic_layout::fetch::{directory_offset, table_offset, table_page, table_slot};
use nic_layout::trace::Marker;
use nic_layout::PAGE_SHIFT;
use nic_lookup::{Fetched, Path};
use nic_plan::{FETCH_RECORDS, FETCH_RECORD_BYTES};

use crate::dma::Piece;
use crate::{Machine, Tables};
use nic_device::Device;

/// Of a record: the number of its transfer, the line, process and path, the page.
mod record {
    pub const NUMBER: u32 = 0;
    pub const LINE: u32 = 4;
    pub const OWNER: u32 = 8;
    pub const PAGE: u32 = 12;

    /// In the word of the process.
    pub const PATH_SHIFT: u32 = 16;
    pub const FAILED: u32 = 1 << 17;
    pub const PID_MASK: u32 = 0xFFF;
}

// Behind the records.
const BEGUN: u32 = FETCH_RECORDS * FETCH_RECORD_BYTES;
const ENDED: u32 = BEGUN + 4;
const AWAITED: u32 = ENDED + 4;

impl<T: Tables> Machine<T> {
    /// Asked before anything else of this file: who does not fetch passes by.
    #[inline(always)]
    pub(crate) fn fetches(&self) -> bool {
        self.settings.directories != 0
    }

    fn fetch_word(&self, offset: u32) -> u32 {
        self.settings.fetches + offset
    }

    fn fetch_record(&self, fetch: u32) -> u32 {
        self.fetch_word(fetch % FETCH_RECORDS * FETCH_RECORD_BYTES)
    }

    /// Bus address of the entries of a page's line, if the driver keeps a table there.
    pub(crate) fn entries_on_host(&self, dev: &impl Device, pid: u32, page: u32) -> Option<u32> {
        // A process that is closed has no tables any more.
        let slot = table_slot(pid);
        let (_, line_entries) = T::line_entries(0);
        let first = page & !(line_entries - 1);
        let table = table_page(dev.read(self.settings.directories + directory_offset(slot, first)))?;
        (table < self.settings.host_pages).then_some((table << PAGE_SHIFT) + table_offset(first))
    }

    /// Reads a line that was just reserved from the host. The caller has asked for room.
    #[cold]
    #[inline(never)]
    pub(crate) fn begin_fetch(
        &mut self,
        dev: &mut impl Device,
        path: Path,
        (pid, page): (u32, u32),
        line: u32,
        bus_address: u32,
    ) {
        self.tables.begin_fetch(dev, line);
        dev.trace(Marker::FetchBegun, line);
        let (offset, entries) = T::line_entries(line);
        let sram_address = self.settings.vmh + offset;
        let number = self.post_fetch(dev, Piece { bus_address, sram_address, bytes: entries * 4, line });
        let begun = dev.read(self.fetch_word(BEGUN));
        let at = self.fetch_record(begun);
        dev.write(at + record::NUMBER, number);
        dev.write(at + record::LINE, line);
        dev.write(at + record::OWNER, pid & record::PID_MASK | (path as u32) << record::PATH_SHIFT);
        dev.write(at + record::PAGE, page);
        dev.write(self.fetch_word(BEGUN), begun.wrapping_add(1));
        self.fence.await_fetches(true);
    }

    /// Fetches that have not ended.
    #[cold]
    #[inline(never)]
    pub(crate) fn fetches_open(&self, dev: &impl Device) -> u32 {
        dev.read(self.fetch_word(BEGUN)).wrapping_sub(dev.read(self.fetch_word(ENDED)))
    }

    /// The bus did not deliver what transfer `number` asked for: it has ended, and its fetch has not.
    pub(crate) fn fetch_failed(&mut self, dev: &mut impl Device, number: u32) {
        let ended = dev.read(self.fetch_word(ENDED));
        for open in 0..self.fetches_open(dev) {
            let at = self.fetch_record(ended.wrapping_add(open));
            if dev.read(at + record::NUMBER) == number {
                let owner = dev.read(at + record::OWNER);
                dev.write(at + record::OWNER, owner | record::FAILED);
            }
        }
    }

    /// Some transfers have ended: fills the lines of those that were fetches, and wakes who waited.
    pub(crate) fn end_fetches(&mut self, dev: &mut impl Device) {
        let mut ended = 0;
        // At most as many as there are records (INV-37).
        while self.fetches_open(dev) != 0 {
            let fetch = dev.read(self.fetch_word(ENDED));
            let at = self.fetch_record(fetch);
            // Not behind the transfers that are done.
            if !self.reads.has_ended(dev.read(at + record::NUMBER).wrapping_add(1)) {
                break;
            }
            dev.write(self.fetch_word(ENDED), fetch.wrapping_add(1));
            self.end_fetch(dev, at);
            ended += 1;
        }
        self.fence.await_fetches(self.fetches_open(dev) != 0);
        if ended != 0 {
            self.wake(self.parked | self.blocked);
            if self.receive_misses.are_open() {
                self.end_receive_misses(dev);
            }
        }
    }

    fn end_fetch(&mut self, dev: &mut impl Device, at: u32) {
        let line = dev.read(at + record::LINE);
        let owner = dev.read(at + record::OWNER);
        let page = dev.read(at + record::PAGE);
        let pid = owner & record::PID_MASK;
        let came = owner & record::FAILED == 0;
        match self.tables.end_fetch(dev, line, (pid, page), came, self.settings.host_pages) {
            Fetched::Filled => {
                dev.count(Counter::FetchesFilled);
                dev.trace(Marker::FetchFilled, line);
            }
            Fetched::Lost => {
                dev.count(Counter::FetchesLost);
                dev.trace(Marker::FetchLost, line);
            }
            Fetched::Unfilled => {
                dev.count(Counter::FetchesUnfilled);
                dev.trace(Marker::FetchUnfilled, line);
                // There is room: fetches that are open count in `has_miss_room`.
                self.raise_miss(dev, T::miss_key(pid, page), line, owner >> record::PATH_SHIFT & 1);
            }
        }
    }

    /// A frame of a peer waits for what is fetched now.
    #[cold]
    #[inline(never)]
    pub(crate) fn await_fetches(&mut self, dev: &mut impl Device, node: usize) {
        let begun = dev.read(self.fetch_word(BEGUN));
        dev.write(self.fetch_word(AWAITED + 4 * node as u32), begun);
    }

    /// What a frame of a peer waited for has ended.
    #[cold]
    #[inline(never)]
    pub(crate) fn fetches_have_ended(&self, dev: &impl Device, node: usize) -> bool {
        let awaited = dev.read(self.fetch_word(AWAITED + 4 * node as u32));
        dev.read(self.fetch_word(ENDED)).wrapping_sub(awaited) <= u32::MAX / 2
    }
}
