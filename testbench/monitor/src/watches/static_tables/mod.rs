//! The tables of personality `vmmc`: the firmware uses what the host has written, and no longer
//! uses what the host took away (INV-17, 19 to 22).
//!
//! Translations, buffers and imports are modelled as the words that the host writes. A word takes
//! some time from the bus into the SRAM, so former values are kept for that time
//! ([`memory::Memory`]). A lookup of the send path does not tell its process. So each process with
//! a post that names the page is accepted, with the page in its own table.

mod imports;
mod memory;
mod translations;

use nic_layout::cbh::{cbh_id, cbh_pid, entry, entry_bytes};
use nic_layout::frame::link::FrameKind;
use nic_layout::static_tables::StaticGeometry;
use nic_layout::tables::ProcessEntry;
use nic_layout::trace::Marker;
use nic_layout::{PAGE_SHIFT, PROCESS_SLOTS};

use super::frame_target::{allowed, bytes_of_buffer, bytes_of_frame, is_valid, stranger, Descriptor, Target};
use super::posts::within;
use super::Watch;
use crate::broken::{broken, Broken};
use crate::context::{joined, Context, PageGrant, Side};
use crate::header::Header;
use crate::places::Pins;
use imports::Imports;
use memory::Memory;
use translations::Translations;

/// The line number of every hit: static tables have no lines.
const NO_LINE: u32 = 0;

/// A process, and the ranges of bytes of a page that it may use.
type BytesOfProcess = (u32, Vec<std::ops::Range<u32>>);

#[derive(Clone, Copy)]
struct Lookup {
    is_receive: bool,
    page: u32,
}

/// Where the static tables are.
#[derive(Clone, Copy, Debug)]
pub struct StaticPlaces {
    /// Their first byte: an offset in the SRAM.
    pub at: u32,
    /// How many tables, buffers and imports there are.
    pub geometry: StaticGeometry,
}

/// Translations, buffers and imports in static tables.
pub struct StaticTables {
    /// The byte offset of the tables in the SRAM.
    start: u32,
    geometry: StaticGeometry,
    memory: Memory,
    translations: Translations,
    imports: Imports,
    lookup: Option<Lookup>,
    /// The descriptor that was found for the frame at hand, in each state that the firmware may
    /// have read.
    found: Vec<Descriptor>,
}

impl Watch for StaticTables {
    fn host_writes(&mut self, context: &mut Context, pins: &dyn Pins, address: u32, value: u32) -> Result<(), Broken> {
        let Some(at) = context.places.in_sram(address) else { return Ok(()) };
        let Some(offset) = within(at, self.start, self.geometry.bytes()) else {
            const ENTRY_BYTES: u32 = size_of::<ProcessEntry>() as u32;
            const PID: u32 = 4;
            let Some(posts) = context.places.posts else { return Ok(()) };
            let table = within(at, posts.process_table, PROCESS_SLOTS as u32 * ENTRY_BYTES);
            return match table.filter(|offset| offset % ENTRY_BYTES == PID) {
                Some(offset) => self.check_empty(offset / ENTRY_BYTES, value),
                None => Ok(()),
            };
        };
        let before = self.memory.write(context.at, offset, value);
        let geometry = self.geometry;
        if offset < geometry.buffer_offset(0) {
            self.translations.write(context, pins, &self.memory, offset, before)
        } else if offset < geometry.import_offset(0, 0) {
            let offset = offset - geometry.buffer_offset(0);
            let bytes = entry_bytes(geometry.key);
            match offset % bytes == entry::STATE {
                true => self.check_buffer(context, offset / bytes),
                false => Ok(()),
            }
        } else {
            self.imports.write(&self.memory, offset);
            Ok(())
        }
    }

    fn marker(&mut self, context: &mut Context, pins: &dyn Pins, marker: Marker, argument: u32) -> Result<(), Broken> {
        match marker {
            Marker::LookupBegin => self.begin(context, false, argument),
            Marker::ReceiveLookupBegin => self.begin(context, true, argument),
            Marker::LookupHit => self.hit(context, argument, pins),
            Marker::LookupFault => self.fault(context),
            Marker::LookupMiss | Marker::MissRaised => {
                broken(18, format!("{} {argument:#x}: nothing is ever fetched into static tables", marker.name()))
            }
            Marker::BufferHit => self.buffer_hit(context, argument),
            Marker::BufferMiss => self.buffer_absent(context, argument),
            Marker::PostRead => self.imports.post_read(context, &self.memory, argument),
            Marker::ReceiveBegin | Marker::FrameRetaken => {
                self.found.clear();
                Ok(())
            }
            Marker::Accepted => self.accepted(context),
            _ => Ok(()),
        }
    }

    fn sent(&mut self, _context: &mut Context, header: &Header) -> Result<(), Broken> {
        self.imports.sent(header)
    }

    fn unpinned(&mut self, _context: &mut Context, frame: u32) -> Result<(), Broken> {
        self.translations.unpinned(&self.memory, frame)
    }
}

impl StaticTables {
    /// The firmware has emptied the tables.
    pub fn new(places: &StaticPlaces) -> StaticTables {
        let geometry = places.geometry;
        StaticTables {
            start: places.at,
            geometry,
            memory: Memory::new(geometry.bytes()),
            translations: Translations::new(geometry),
            imports: Imports::new(geometry),
            lookup: None,
            found: Vec::new(),
        }
    }

    /// A slot gets a process: nothing of its former process may be left (INV-36).
    fn check_empty(&self, slot: u32, pid: u32) -> Result<(), Broken> {
        if let Some(what) = self.translations.left_in(&self.memory, slot) {
            return broken(36, format!("process {pid} gets slot {slot}, which still has {what}"));
        }
        match self.imports.left_in(&self.memory, slot) {
            Some(index) => broken(36, format!("process {pid} gets slot {slot}, which still has import {index}")),
            None => Ok(()),
        }
    }

    // ---- Buffers --------------------------------------------------------------------------------

    fn descriptor_offset(&self, number: u32) -> u32 {
        self.geometry.buffer_offset(number)
    }

    fn descriptor_bytes(&self) -> u32 {
        entry_bytes(self.geometry.key)
    }

    /// The descriptor that the driver wrote last.
    fn descriptor(&self, number: u32) -> Descriptor {
        self.memory.record(self.descriptor_offset(number), self.descriptor_bytes())
    }

    /// The states of the descriptor that the firmware may read now.
    fn descriptors(&self, context: &Context, number: u32) -> Vec<Descriptor> {
        self.memory.records(context.at, self.descriptor_offset(number), self.descriptor_bytes())
    }

    /// The driver has written the state of a buffer: if the buffer is valid, it is in its own place
    /// and all of its pages are translated (INV-17).
    fn check_buffer(&self, context: &Context, number: u32) -> Result<(), Broken> {
        let descriptor = self.descriptor(number);
        if !is_valid(&descriptor) {
            return Ok(());
        }
        let [word, start, length, ..] = descriptor;
        if cbh_id(word) != number {
            return broken(20, format!("the descriptor of buffer {word:#x} is written to entry {number}"));
        }
        let pid = cbh_pid(word);
        let last = u64::from(start) + u64::from(length.max(1)) - 1;
        for page in start >> PAGE_SHIFT..=(last >> PAGE_SHIFT) as u32 {
            if self.translations.now(&self.memory, pid, page).is_none_or(|frame| frame >= context.places.host_pages) {
                return broken(17, format!("buffer {word:#x} is valid, and its page {page:#x} has no translation"));
            }
        }
        Ok(())
    }

    fn buffer_hit(&mut self, context: &mut Context, number: u32) -> Result<(), Broken> {
        context.seen.buffer_hits += 1;
        if number >= self.geometry.cbh_entries {
            return broken(20, format!("buffer entry {number} is hit, and does not exist"));
        }
        let mut found = self.descriptors(context, number);
        let latest = found.first().copied().unwrap_or_default();
        found.retain(is_valid);
        if found.is_empty() {
            let word = latest[entry::CBH as usize / 4];
            return match word {
                0 => broken(20, format!("buffer entry {number} is hit, and was never filled")),
                _ => broken(19, format!("buffer entry {number} is hit; buffer {word:#x} was withdrawn")),
            };
        }
        if let Some(frame) = context.frames.judged() {
            found.retain(|descriptor| descriptor[entry::CBH as usize / 4] == frame.buffer);
            if found.is_empty() {
                return broken(20, format!("a frame for buffer {:#x} hits entry {number} of another", frame.buffer));
            }
        }
        self.found = found;
        Ok(())
    }

    /// The firmware has found no such buffer: at least one readable state of its entry must lack it
    /// (INV-20).
    fn buffer_absent(&mut self, context: &Context, low_bits: u32) -> Result<(), Broken> {
        self.found.clear();
        let Some(word) = context.frames.named(low_bits) else {
            return broken(20, format!("a buffer with low bits {low_bits:#x} is looked up that no frame named"));
        };
        let number = cbh_id(word);
        if number >= self.geometry.cbh_entries {
            return Ok(());
        }
        let is_it = |descriptor: &Descriptor| is_valid(descriptor) && descriptor[entry::CBH as usize / 4] == word;
        match self.descriptors(context, number).iter().all(is_it) {
            true => broken(20, format!("buffer {word:#x} is in entry {number}, and was not found")),
            false => Ok(()),
        }
    }

    /// The bytes that the judged frame asks for. An error if no readable descriptor allows them
    /// (INV-21, INV-22).
    fn allowed(&self, frame: &Header) -> Result<Target, Broken> {
        let targets = self.found.iter().map(|descriptor| allowed(frame, descriptor, self.geometry.key));
        // The latest descriptor comes first. If no descriptor allows the frame, the error is that
        // of the latest.
        let first = targets.reduce(|first, next| if first.is_ok() { first } else { next.or(first) });
        first.unwrap_or_else(|| {
            broken(21, format!("frame {} goes on, and its buffer was not looked up", frame.sequence))
        })
    }

    fn accepted(&self, context: &Context) -> Result<(), Broken> {
        match context.frames.judged().filter(|frame| frame.is(FrameKind::WRITE) || frame.is(FrameKind::READ)) {
            Some(frame) => self.allowed(&frame).map(|_| ()),
            None => Ok(()),
        }
    }

    // ---- Translations ---------------------------------------------------------------------------

    fn begin(&mut self, context: &mut Context, is_receive: bool, page: u32) -> Result<(), Broken> {
        context.seen.lookups[usize::from(is_receive)] += 1;
        self.lookup = Some(Lookup { is_receive, page });
        match context.frames.judged_on(is_receive) {
            Some(frame) => self.allowed(&frame).map(|_| ()),
            None => Ok(()),
        }
    }

    /// For each process that the lookup may be for, the bytes that it may use: offsets in the page.
    fn wanted(&self, context: &Context, Lookup { is_receive, page }: Lookup) -> Result<Vec<BytesOfProcess>, Broken> {
        if let Some(frame) = context.frames.judged_on(is_receive) {
            let target = self.allowed(&frame)?;
            return Ok(vec![(target.pid, vec![bytes_of_frame(&target, target.pid, page)?])]);
        }
        let side = Side::of(is_receive);
        let mut pids = context.posted.processes(page, side);
        let found = if is_receive { &[][..] } else { &self.found };
        pids.extend(found.iter().map(|descriptor| cbh_pid(descriptor[entry::CBH as usize / 4])));
        pids.sort_unstable();
        pids.dedup();
        let bytes = |pid| {
            let mut bytes = context.posted.bytes(pid, page, side);
            // A read of another node continues: its buffer was found again.
            bytes.extend(found.iter().filter_map(|descriptor| bytes_of_buffer(descriptor, pid, page)));
            joined(bytes)
        };
        let wanted = pids.into_iter().map(|pid| (pid, bytes(pid))).filter(|(_, bytes)| !bytes.is_empty());
        Ok(wanted.collect())
    }

    fn hit(&mut self, context: &mut Context, line: u32, pins: &dyn Pins) -> Result<(), Broken> {
        let Some(lookup) = self.lookup.take() else {
            return broken(20, "a translation is found by no lookup".into());
        };
        let Lookup { is_receive, page } = lookup;
        context.seen.hits[usize::from(is_receive)] += 1;
        if line != NO_LINE {
            return broken(20, format!("page {page:#x} is found in line {line}; static tables have no lines"));
        }
        let wanted = self.wanted(context, lookup)?;
        let Some((first_pid, _)) = wanted.first() else {
            return stranger(0, page, "no post of any process names it, and no read");
        };
        let mut not_pinned = None;
        let mut pages = Vec::new();
        for (pid, bytes) in &wanted {
            let pinned = pins.pinned(*pid, page);
            let frames = self.translations.possible(context, &self.memory, *pid, page);
            for frame in frames.into_iter().flatten() {
                if pinned != Some(frame) {
                    not_pinned.get_or_insert((*pid, frame));
                    continue;
                }
                let base = frame << PAGE_SHIFT;
                let bytes = bytes.iter().map(|bytes| base + bytes.start..base + bytes.end).collect();
                pages.push(PageGrant { pid: *pid, page, frame, bytes });
            }
        }
        if !pages.is_empty() {
            context.grants.add(context.at, NO_LINE, is_receive, pages);
            return Ok(());
        }
        match not_pinned {
            Some((pid, frame)) => broken(
                17,
                format!("page {page:#x} of process {pid} is found at {frame:#x}, which is not pinned for it"),
            ),
            None if wanted.iter().any(|(pid, _)| self.translations.was_there(*pid, page)) => {
                broken(19, format!("page {page:#x} of process {first_pid} is found; its translation was taken away"))
            }
            None => broken(20, format!("page {page:#x} of process {first_pid} is found, and was never registered")),
        }
    }

    /// The firmware has found no translation: for at least one process, a readable state of the
    /// tables must lack it (INV-20).
    fn fault(&mut self, context: &mut Context) -> Result<(), Broken> {
        let Some(lookup) = self.lookup.take() else {
            return broken(20, "a page faults for no lookup".into());
        };
        context.seen.faults[usize::from(lookup.is_receive)] += 1;
        let page = lookup.page;
        let wanted = self.wanted(context, lookup)?;
        let is_there = |(pid, _): &(u32, _)| {
            let possible = self.translations.possible(context, &self.memory, *pid, page);
            possible.iter().all(Option::is_some)
        };
        match wanted.first() {
            Some((pid, _)) if wanted.iter().all(is_there) => {
                broken(20, format!("page {page:#x} of process {pid} has a translation, and was not found"))
            }
            _ => Ok(()),
        }
    }
}
