//! Lines that the NIC reads from the host's tables itself (facts M-58): the table belongs to the
//! process and is pinned, and transfers end in their order (INV-16, 21, 26). `Caches` judges the
//! lines that are filled so.

use std::collections::VecDeque;

use nic_layout::fetch::{directory_offset, table_offset, table_page, table_slot, DIRECTORY_BYTES, DIRECTORY_ENTRIES};
use nic_layout::trace::Marker;
use nic_layout::vmh::VmhGeometry;
use nic_layout::{PAGE_SHIFT, PROCESS_SLOTS};
use sim_pins::Ps;

use super::posts::within;
use super::CachePlaces;
use super::Watch;
use crate::broken::{broken, Broken};
use crate::context::{Context, Fetched, PageGrant};
use crate::places::Pins;
use crate::tap::{words, Transfer};
use crate::watches::ANSWER_MAX;

/// The process identifier of the driver's own address space. Its tables lie there slot by slot, one
/// page for each word of the directory.
const KERNEL: u32 = 0;

const DIRECTORIES_BYTES: u32 = PROCESS_SLOTS as u32 * DIRECTORY_BYTES;

/// The transfer of a line, until the firmware reports its outcome.
struct Fetch {
    since: Ps,
    line: u32,
    /// The first byte of the line in the table: a bus address.
    start: u32,
    /// The words that have come so far.
    entries: Vec<u32>,
    wanted: usize,
}

/// Lines that the NIC fetches from the tables of its host.
pub struct Fetches {
    geometry: VmhGeometry,
    /// The byte offset of the directories in the SRAM, if the NIC fetches.
    place: Option<u32>,
    /// The words of the directories as the driver wrote them; empty if the NIC does not fetch.
    directories: Vec<u32>,
    /// The page of the last lookup.
    page: u32,
    /// The process and page of a lookup that found nothing, until the next marker tells its
    /// outcome.
    missed: Option<(u32, u32)>,
    /// Words of directories that the driver has written since that lookup, with their former
    /// values. The firmware may have read either value.
    replaced: Vec<(usize, u32)>,
    /// Fetches that have not ended, in the order of their transfers.
    under_way: VecDeque<Fetch>,
}

impl Watch for Fetches {
    fn host_writes(&mut self, context: &mut Context, _pins: &dyn Pins, address: u32, value: u32) -> Result<(), Broken> {
        let at = context.places.in_sram(address);
        let offset = self.place.zip(at).and_then(|(start, at)| within(at, start, DIRECTORIES_BYTES));
        let index = offset.map_or(usize::MAX, |offset| offset as usize / 4);
        if let Some(word) = self.directories.get_mut(index) {
            let before = std::mem::replace(word, value);
            if self.missed.is_some() {
                self.replaced.push((index, before));
            }
        }
        Ok(())
    }

    fn dma(&mut self, _context: &mut Context, _pins: &dyn Pins, transfer: &Transfer) -> Result<(), Broken> {
        if transfer.is_write || self.under_way.is_empty() {
            return Ok(());
        }
        let size = self.geometry.line_entries as usize;
        for (address, value) in words(transfer) {
            let is_next = |fetch: &&mut Fetch| {
                fetch.entries.len() < size && fetch.start + 4 * fetch.entries.len() as u32 == address
            };
            if let Some(fetch) = self.under_way.iter_mut().find(is_next) {
                fetch.entries.push(value);
            }
        }
        Ok(())
    }

    fn marker(&mut self, context: &mut Context, pins: &dyn Pins, marker: Marker, argument: u32) -> Result<(), Broken> {
        let missed = self.missed.take();
        context.fetched = None;
        match marker {
            Marker::LookupBegin | Marker::ReceiveLookupBegin => self.page = argument,
            Marker::LookupMiss => {
                self.missed = Some((argument, self.page));
                self.replaced.clear();
            }
            Marker::FetchBegun => {
                if let Some((pid, page)) = missed {
                    return self.begin(context, pins, argument, pid, page);
                }
            }
            Marker::FetchFilled | Marker::FetchLost | Marker::FetchUnfilled => return self.end(context, argument),
            _ => {}
        }
        Ok(())
    }

    fn finish(&mut self, context: &mut Context) -> Result<(), Broken> {
        match self.under_way.iter().find(|fetch| context.at.0 - fetch.since.0 > ANSWER_MAX.0) {
            Some(Fetch { line, since, .. }) => broken(16, format!("VMH line {line} is fetched since {since}")),
            None => Ok(()),
        }
    }
}

impl Fetches {
    /// A watch without fetches, for a NIC whose caches have these places. If the NIC does not
    /// fetch, the watch does nothing.
    pub fn new(places: &CachePlaces) -> Fetches {
        let words = if places.directories.is_some() { PROCESS_SLOTS * DIRECTORY_ENTRIES as usize } else { 0 };
        Fetches {
            geometry: places.vmh,
            place: places.directories,
            directories: vec![0; words],
            page: 0,
            missed: None,
            replaced: Vec::new(),
            under_way: VecDeque::new(),
        }
    }

    /// The page of the table to which a word of the directories points.
    fn table(&self, offset: u32) -> Option<u32> {
        let index = offset as usize / 4;
        let before = self.replaced.iter().filter(|(replaced, _)| *replaced == index).map(|(_, word)| *word);
        self.directories.get(index).copied().into_iter().chain(before).find_map(table_page)
    }

    /// The transfer of a line is posted: it must read the table of its process, which is pinned.
    fn begin(&mut self, context: &mut Context, pins: &dyn Pins, line: u32, pid: u32, page: u32) -> Result<(), Broken> {
        let first = self.geometry.line_page(page);
        let slot = table_slot(pid);
        let Some(frame) = self.table(directory_offset(slot, first)) else {
            return broken(21, format!("VMH line {line} is fetched; process {pid} has no table for page {first:#x}"));
        };
        let table = directory_offset(slot, first) / 4;
        if pins.pinned(KERNEL, table) != Some(frame) {
            return broken(
                26,
                format!("VMH line {line} is fetched from {frame:#x}: that table of slot {slot} is not pinned"),
            );
        }
        let entries = self.geometry.line_entries;
        let start = (frame << PAGE_SHIFT) + table_offset(first);
        let bytes = start..start + 4 * entries;
        let granted = PageGrant { pid: KERNEL, page: table, frame, bytes: vec![bytes] };
        context.grants.add(context.at, line, false, vec![granted]);
        let wanted = (page - first) as usize;
        self.under_way.push_back(Fetch {
            since: context.at,
            line,
            start,
            entries: Vec::with_capacity(entries as usize),
            wanted,
        });
        Ok(())
    }

    fn end(&mut self, context: &mut Context, line: u32) -> Result<(), Broken> {
        match self.under_way.pop_front().filter(|fetch| fetch.line == line) {
            Some(Fetch { entries, wanted, .. }) => {
                context.fetched = Some(Fetched { entries, wanted });
                Ok(())
            }
            None => broken(16, format!("the fetch of VMH line {line} ends, and is not the next to end")),
        }
    }
}
