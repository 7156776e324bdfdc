//! Lines that the NIC reads from the host's tables by itself (facts M-58): what comes over the bus is what they are filled with.

use std::collections::VecDeque;

use nic_layout::fetch::{directory_offset, table_offset, table_page, table_slot, DIRECTORY_BYTES, DIRECTORY_ENTRIES};
use nic_layout::vmh::{key_line_page, key_pid};
use nic_layout::{PAGE_SHIFT, PROCESS_SLOTS};
use sim_pins::Ps;

use crate::dma::Reference;
use crate::judge::Miss;
use crate::lines::{Broken, State};
use crate::{words, Pins, Seen, Tables, Transfer};

/// The driver's own address space, in which its tables lie: slot by slot, a page for each word of the directory.
const KERNEL: u32 = 0;

/// A transfer of a line, until the firmware says what became of it.
struct Fetch {
    line: u32,
    /// On the bus.
    start: u32,
    /// As they came.
    entries: Vec<u32>,
    wanted: usize,
}

#[derive(Default)]
pub(crate) struct Fetches {
    /// As the driver wrote them; empty where the NIC does not fetch.
    directories: Vec<u32>,
    /// Words of them, with what they were, that the driver has written since the lookup that missed: between it and its marker the firmware may have read either.
    replaced: Vec<(usize, u32)>,
    /// In the order of their transfers.
    under_way: VecDeque<Fetch>,
    /// A line that was not filled, and that the driver will be told of next.
    unfilled: Option<u32>,
}

pub(crate) const DIRECTORIES_BYTES: u32 = PROCESS_SLOTS as u32 * DIRECTORY_BYTES;

impl Fetches {
    pub fn new(has_directories: bool) -> Fetches {
        let words = if has_directories { PROCESS_SLOTS * DIRECTORY_ENTRIES as usize } else { 0 };
        Fetches { directories: vec![0; words], ..Fetches::default() }
    }

    /// The driver writes a word, while a lookup has missed and it is not told yet what becomes of that, or not.
    pub fn write_directory(&mut self, offset: u32, value: u32, has_missed: bool) {
        let index = offset as usize / 4;
        if let Some(word) = self.directories.get_mut(index) {
            let before = std::mem::replace(word, value);
            if has_missed {
                self.replaced.push((index, before));
            }
        }
    }

    pub fn lookup_missed(&mut self) {
        self.replaced.clear();
    }

    /// The page of the table that the firmware has found in that word.
    fn table(&self, offset: u32) -> Option<u32> {
        let index = offset as usize / 4;
        let before = self.replaced.iter().filter(|(replaced, _)| *replaced == index).map(|(_, word)| *word);
        self.directories.get(index).copied().into_iter().chain(before).find_map(table_page)
    }

    /// They count as places of the miss ring, to which they may come.
    pub fn count(&self) -> u32 {
        self.under_way.len() as u32
    }

    pub fn take_unfilled(&mut self) -> Option<u32> {
        self.unfilled.take()
    }
}

impl Tables {
    /// A line is reserved and locked, and its transfer posted: from the table of its process, which is pinned.
    pub(crate) fn fetch_begun(&mut self, at: Ps, line: u32, pins: &impl Pins, seen: &mut Seen) -> Result<(), Broken> {
        let Some(Miss::Line { is_receive, tag, set, page, .. }) = self.miss.take() else {
            return Err((18, format!("line {line} is fetched, and no lookup missed")));
        };
        seen.misses[usize::from(is_receive)] += 1;
        seen.fetches[usize::from(is_receive)] += 1;
        self.vmh.reserve(at, line, set, tag, 0)?;
        let (pid, first) = (key_pid(tag), key_line_page(tag));
        let slot = table_slot(pid);
        let Some(frame) = self.fetches.table(directory_offset(slot, first)) else {
            return Err((21, format!("VMH line {line} is fetched; process {pid} has no table for page {first:#x}")));
        };
        let table = directory_offset(slot, first) / 4;
        if pins.pinned(KERNEL, table) != Some(frame) {
            return Err((
                26,
                format!("VMH line {line} is fetched from {frame:#x}: that table of slot {slot} is not pinned"),
            ));
        }
        let entries = self.places.vmh.line_entries;
        let start = (frame << PAGE_SHIFT) + table_offset(first);
        if let Some(line) = self.vmh.get_mut(line) {
            line.state = State::Fetching { since: at };
            line.locks[0] += 1;
        }
        self.references.push(Reference {
            number: self.next_reference,
            since: at,
            line,
            is_receive: false,
            pid: KERNEL,
            page: table,
            frame,
            start,
            end: start + 4 * entries,
        });
        self.next_reference += 1;
        self.granted = None;
        let wanted = (page - first) as usize;
        self.fetches.under_way.push_back(Fetch { line, start, entries: Vec::with_capacity(entries as usize), wanted });
        Ok(())
    }

    /// The NIC reads words of the host: those of tables, in the order of the fetches.
    pub(crate) fn read_of_table(&mut self, transfer: &Transfer) {
        let size = self.places.vmh.line_entries as usize;
        for (address, value) in words(transfer) {
            let is_next = |fetch: &&mut Fetch| {
                fetch.entries.len() < size && fetch.start + 4 * fetch.entries.len() as u32 == address
            };
            if let Some(fetch) = self.fetches.under_way.iter_mut().find(is_next) {
                fetch.entries.push(value);
            }
        }
    }

    fn fetch_ended(&mut self, line: u32) -> Result<Fetch, Broken> {
        // Whoever waited tries again.
        self.awaited = self.parked;
        match self.fetches.under_way.pop_front().filter(|fetch| fetch.line == line) {
            Some(fetch) => Ok(fetch),
            None => Err((16, format!("the fetch of VMH line {line} ends, and is not the next to end"))),
        }
    }

    fn is_fetching(&self, line: u32) -> bool {
        self.vmh.get(line).is_some_and(|line| matches!(line.state, State::Fetching { .. }))
    }

    /// The line is valid: it was not taken away (INV-19), and holds what came, which are pinned pages of its process (INV-17, INV-20).
    pub(crate) fn fetch_filled(&mut self, line: u32, pins: &impl Pins, seen: &mut Seen) -> Result<(), Broken> {
        seen.fetches_filled += 1;
        let fetch = self.fetch_ended(line)?;
        if !self.is_fetching(line) {
            return Err((19, format!("what was fetched makes VMH line {line} valid, which was taken away")));
        }
        let size = self.places.vmh.line_entries as usize;
        if fetch.entries.len() != size || fetch.entries[fetch.wanted] >= self.places.host_pages {
            let came = fetch.entries.len();
            return Err((20, format!("VMH line {line} is filled with {came} of {size} entries, or without its page")));
        }
        let first = line as usize * size;
        self.entries[first..first + size].copy_from_slice(&fetch.entries);
        let Some(filled) = self.vmh.get_mut(line) else { return Ok(()) };
        // The firmware's own word: it settles at once.
        filled.state = State::Valid { since: Ps::ZERO };
        let tag = filled.tag;
        self.check_fill(line, tag, pins)
    }

    /// The line was taken away meanwhile.
    pub(crate) fn fetch_lost(&mut self, line: u32) -> Result<(), Broken> {
        self.fetch_ended(line)?;
        match self.is_fetching(line) {
            true => Err((16, format!("the fetch of VMH line {line} comes to nothing, and the line waits for it"))),
            false => Ok(()),
        }
    }

    /// The driver is told next.
    pub(crate) fn fetch_unfilled(&mut self, line: u32) -> Result<(), Broken> {
        self.fetch_ended(line)?;
        if !self.is_fetching(line) {
            return Err((19, format!("the driver shall fill VMH line {line}, which was taken away")));
        }
        self.fetches.unfilled = Some(line);
        Ok(())
    }
}
