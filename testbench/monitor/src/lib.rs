//! The monitor of a node: it sees what the firmware says on its trace port, what moves on the PCI bus and on the link, and what the host unpins; keeps dull
//! models of both caches of the NIC; and says at once when an invariant is broken (docs/properties.md).
//!
//! It only looks. The node's loop feeds it, in the order of time:
//! * [`Monitor::transfers`]: data phases of the bus, from a [`Tap`];
//! * [`Monitor::marker`]: words of the trace port of core A;
//! * [`Monitor::received`], [`Monitor::sent`]: symbols of the link;
//! * [`Monitor::unpinned`]: physical pages that the host has let go;
//! * [`Monitor::finish`] at the end;
//!
//! and asks for [`Monitor::violation`]. Nothing is judged before [`Monitor::place`], which says where the driver found the NIC's tables.

mod dma;
mod ear;
mod fetch;
mod judge;
mod lines;
mod posts;
mod tap;

use std::collections::{BTreeMap, VecDeque};
use std::fmt;

use nic_layout::cbh::{self, CbhGeometry};
use nic_layout::registers::mailbox;
use nic_layout::ring::{MAILBOX_ARGUMENT, MAILBOX_COMMAND, MAILBOX_COMMAND_DONE, MAILBOX_FILLED};
use nic_layout::tables::{ProcessEntry, NEXT_OWNER};
use nic_layout::vmh::{self, key_line_page, key_pid, VmhGeometry, NO_TRANSLATION};
use nic_layout::{PAGE_BYTES, PROCESS_SLOTS};
use sim_pins::{LinkSymbol, Ps};

pub use ear::Header;
pub use tap::{Tap, Transfer};

use dma::Reference;
use ear::Ear;
use fetch::{Fetches, DIRECTORIES_BYTES};
use judge::{Judged, Lookup, Miss};
use lines::{Broken, Lines, State};
use posts::Posts;

/// A line that waits longer for the driver will never get an answer (INV-16).
const ANSWER_MAX: Ps = Ps::from_us(20_000);
/// A lock that is older belongs to no DMA (INV-15).
const LOCK_MAX: Ps = Ps::from_us(20_000);

/// An invariant that was broken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    pub at: Ps,
    /// Its number: docs/properties.md.
    pub invariant: u8,
    /// What was expected and seen.
    pub what: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "INV-{} at {}: {}", self.invariant, self.at, self.what)
    }
}

/// What the host knows of its pages.
pub trait Pins {
    /// The physical page behind a page of a process, if it is pinned.
    fn pinned(&self, pid: u32, page: u32) -> Option<u32>;
}

/// Where the NIC and its tables are, as the driver found them.
#[derive(Clone, Copy, Debug)]
pub struct Places {
    /// On the bus.
    pub registers: u32,
    pub sram: u32,
    pub sram_bytes: u32,
    /// In the SRAM.
    pub vmh_cache: u32,
    pub vmh: VmhGeometry,
    pub cbh_cache: u32,
    pub cbh: CbhGeometry,
    pub process_table: u32,
    pub post_queues: u32,
    pub post_queue_count: u32,
    /// Of a NIC that fetches translations.
    pub directories: Option<u32>,
    pub host_pages: u32,
}

/// What the monitor has seen, to be compared with the counters of the firmware (INV-38).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// Lookups, of the send path and of the receive path, and how they ended.
    pub lookups: [u64; 2],
    pub hits: [u64; 2],
    pub faults: [u64; 2],
    /// Lines reserved; of those, for the NIC to fetch, and such that were filled so.
    pub misses: [u64; 2],
    pub fetches: [u64; 2],
    pub fetches_filled: u64,
    pub buffer_hits: u64,
    pub buffer_misses: u64,
    /// Answers of the driver: lines and entries filled, denied, given back.
    pub fills: u64,
    pub denials: u64,
    pub releases: u64,
    /// Data phases of the NIC as a master.
    pub dma_beats: u64,
    pub frames_received: u64,
    pub frames_sent: u64,
    pub unpinned_pages: u64,
}

const PROCESS_ENTRY_BYTES: u32 = size_of::<ProcessEntry>() as u32;
/// With the entry of who gets the next queue.
const TABLE_BYTES: u32 = (NEXT_OWNER as u32 + 1) * PROCESS_ENTRY_BYTES;
/// Of BAR 0 (docs/interfaces.md).
const DOORBELL_PAGES: u32 = 0x1_0000;

/// What this node and another have sent each other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer {
    session: u32,
    /// The number behind the highest that was sent to it.
    sent: u32,
    /// What the last frame that only acknowledges has told it.
    told: u32,
}

/// An entry of the miss ring that the driver has not reported as served.
struct Owed {
    is_buffer: bool,
    line: u32,
    index: u32,
}

/// A command of the driver, as it was written.
#[derive(Clone, Copy)]
struct Command {
    word: u32,
    /// References that were under way when the firmware obeyed it have lower numbers.
    mark: Option<u64>,
}

/// The monitor of one node.
pub struct Monitor {
    node: usize,
    tables: Option<Tables>,
    violation: Option<Violation>,
    seen: Seen,
    received: Ear,
    sent: Ear,
}

/// What is modelled once the places are known.
struct Tables {
    places: Places,
    vmh: Lines,
    /// The entries of all lines, as the host wrote them.
    entries: Vec<u32>,
    cbh: Lines,
    /// The words of all entries, as the host wrote them.
    descriptors: Vec<[u32; 8]>,
    posts: Posts,
    fetches: Fetches,
    /// Who had a physical page when the NIC learnt of it.
    owners: BTreeMap<u32, (u32, u32)>,

    references: Vec<Reference>,
    next_reference: u64,
    /// Where the last data phase of DMA was allowed: direction, first byte, byte behind.
    granted: Option<(bool, u32, u32)>,

    owed: VecDeque<Owed>,
    raised: u32,
    served: u32,
    command: Option<Command>,
    argument: u32,

    lookup: Option<Lookup>,
    miss: Option<Miss>,
    judged: Judged,
    frames: VecDeque<Header>,
    /// Frames that were judged, for those that are held.
    recent: VecDeque<Header>,
    /// Buffers that frames have named, by the low bits that markers tell. Processes may have these in common: then the last one named.
    buffers: BTreeMap<u32, u32>,
    /// Those of reads that wait for their answer, by the place in the queue.
    queued: BTreeMap<u32, u32>,
    /// By node: what it is expected to send next.
    expected: BTreeMap<u32, u32>,
    /// By node: what was sent to it, and is told to it.
    peers: BTreeMap<u32, Peer>,
    parked: [bool; PROCESS_SLOTS],
    /// Slots that were parked when the driver reported fills: they shall try again.
    awaited: [bool; PROCESS_SLOTS],
    /// For each notification that was not raised: the references before it.
    notifications: VecDeque<u64>,
    notified: u32,
}

impl Monitor {
    pub fn new(node: usize) -> Monitor {
        Monitor {
            node,
            tables: None,
            violation: None,
            seen: Seen::default(),
            received: Ear::default(),
            sent: Ear::default(),
        }
    }

    /// The first invariant that was broken.
    #[inline]
    pub fn violation(&self) -> Option<&Violation> {
        self.violation.as_ref()
    }

    pub fn seen(&self) -> Seen {
        self.seen
    }

    #[inline]
    pub fn is_placed(&self) -> bool {
        self.tables.is_some()
    }

    /// The firmware has started, with empty caches.
    pub fn place(&mut self, places: Places) {
        let (lines, entries) = (places.vmh.lines(), places.cbh.entries);
        self.tables = Some(Tables {
            places,
            vmh: Lines::new("VMH", lines, places.vmh.ways),
            entries: vec![NO_TRANSLATION; places.vmh.entries as usize],
            cbh: Lines::new("CBH", entries, places.cbh.ways),
            descriptors: vec![[0; 8]; entries as usize],
            posts: Posts::new(),
            fetches: Fetches::new(places.directories.is_some()),
            owners: BTreeMap::new(),
            references: Vec::new(),
            next_reference: 0,
            granted: None,
            owed: VecDeque::new(),
            raised: 0,
            served: 0,
            command: None,
            argument: 0,
            lookup: None,
            miss: None,
            judged: Judged::default(),
            frames: VecDeque::new(),
            recent: VecDeque::new(),
            buffers: BTreeMap::new(),
            queued: BTreeMap::new(),
            expected: BTreeMap::new(),
            peers: BTreeMap::new(),
            parked: [false; PROCESS_SLOTS],
            awaited: [false; PROCESS_SLOTS],
            notifications: VecDeque::new(),
            notified: 0,
        });
    }

    fn check(&mut self, at: Ps, result: Result<(), Broken>) {
        if let Err((invariant, what)) = result {
            self.violation.get_or_insert(Violation { at, invariant, what });
        }
    }

    // ---- What is seen --------------------------------------------------------------------------------------------

    /// Data phases of the bus, in order.
    pub fn transfers(&mut self, transfers: &[Transfer], pins: &impl Pins) {
        for transfer in transfers {
            let Some(tables) = &mut self.tables else { return };
            let result = match (transfer.by_nic, transfer.is_write) {
                (true, _) => {
                    self.seen.dma_beats += 1;
                    tables.dma(transfer, pins)
                }
                (false, true) => tables.host_writes(transfer, pins, &mut self.seen),
                (false, false) => tables.host_reads(transfer),
            };
            self.check(transfer.at, result);
        }
    }

    /// A word of the trace port.
    pub fn marker(&mut self, at: Ps, word: u32, pins: &impl Pins) {
        let (Some(tables), Some((marker, argument))) = (&mut self.tables, nic_layout::trace::parse(word)) else {
            return;
        };
        let result = tables.marker(at, marker, argument, pins, &mut self.seen);
        self.check(at, result);
    }

    /// A symbol that the NIC receives.
    #[inline]
    pub fn received(&mut self, at: Ps, symbol: LinkSymbol) {
        if let Some(header) = self.received.hear(symbol) {
            self.seen.frames_received += 1;
            if let Some(tables) = &mut self.tables {
                let result = tables.check_answer(&header);
                tables.frames.push_back(header);
                self.check(at, result);
            }
        }
    }

    /// A symbol that it sends.
    #[inline]
    pub fn sent(&mut self, at: Ps, symbol: LinkSymbol) {
        if let Some(header) = self.sent.hear(symbol) {
            self.seen.frames_sent += 1;
            let result = self.tables.as_mut().map_or(Ok(()), |tables| tables.check_acknowledgement(&header));
            self.check(at, result);
        }
    }

    /// A physical page that is pinned no more.
    pub fn unpinned(&mut self, at: Ps, frame: u32) {
        self.seen.unpinned_pages += 1;
        let Some(tables) = &mut self.tables else { return };
        let result = tables.unpinned(frame);
        self.check(at, result);
    }

    /// The end of the run.
    pub fn finish(&mut self, at: Ps) {
        let Some(tables) = &self.tables else { return };
        let result = tables.check_ages(at);
        self.check(at, result);
    }

    /// For messages.
    pub fn node(&self) -> usize {
        self.node
    }
}

impl Tables {
    // ---- The host ------------------------------------------------------------------------------------------------

    fn host_writes(&mut self, transfer: &Transfer, pins: &impl Pins, seen: &mut Seen) -> Result<(), Broken> {
        for (address, value) in words(transfer) {
            let in_sram = address.wrapping_sub(self.places.sram);
            if in_sram < self.places.sram_bytes {
                self.host_writes_sram(transfer.at, in_sram, value, pins, seen)?;
            } else {
                self.host_writes_register(address.wrapping_sub(self.places.registers), value)?;
            }
        }
        Ok(())
    }

    fn host_writes_sram(
        &mut self,
        at: Ps,
        address: u32,
        value: u32,
        pins: &impl Pins,
        seen: &mut Seen,
    ) -> Result<(), Broken> {
        let Places {
            vmh_cache, vmh, cbh_cache, cbh, process_table, post_queues, post_queue_count, directories, ..
        } = self.places;
        let within = |start: u32, bytes: u32| Some(address.wrapping_sub(start)).filter(|offset| *offset < bytes);
        if let Some(offset) = within(vmh_cache, vmh.bytes()) {
            self.host_writes_vmh(at, offset, value, pins, seen)
        } else if let Some(offset) = within(cbh_cache, cbh.bytes()) {
            self.host_writes_cbh(at, offset, value, seen)
        } else {
            if let Some(offset) = directories.and_then(|start| within(start, DIRECTORIES_BYTES)) {
                self.fetches.write_directory(offset, value, self.miss.is_some());
            } else if let Some(offset) = within(process_table, TABLE_BYTES) {
                self.posts.write_table(offset, PROCESS_ENTRY_BYTES, value);
            } else if let Some(offset) = within(post_queues, post_queue_count * PAGE_BYTES) {
                return self.posts.write_queue((offset / PAGE_BYTES) as usize, offset % PAGE_BYTES, value);
            }
            Ok(())
        }
    }

    fn host_writes_vmh(
        &mut self,
        at: Ps,
        offset: u32,
        value: u32,
        pins: &impl Pins,
        seen: &mut Seen,
    ) -> Result<(), Broken> {
        let geometry = self.places.vmh;
        let first_entry = geometry.entry_offset(0, 0);
        if let Some(entry) = offset.checked_sub(first_entry) {
            let (entry, line) = (entry / 4, entry / 4 / geometry.line_entries);
            self.entries[entry as usize] = value;
            return self.vmh.check_owed(line);
        }
        let line = offset / 4;
        if line >= geometry.lines() {
            return Err((
                15,
                format!("the host writes {value:#x} to the locks or the order of the VMH cache, at {offset:#x}"),
            ));
        }
        match value & vmh::KEY_STATE_MASK {
            vmh::KEY_VALID => {
                let tag = value & !vmh::KEY_STATE_MASK;
                self.check_owed(line, tag)?;
                self.vmh.answer(line, State::Valid { since: at })?;
                seen.fills += 1;
                self.check_fill(line, tag, pins)
            }
            vmh::KEY_EMPTY => {
                seen.releases += 1;
                self.vmh.answer(line, State::Released { since: at })
            }
            _ => Err((16, format!("the host writes the key {value:#x} to VMH line {line}"))),
        }
    }

    /// The driver fills a line for what it was reserved for.
    fn check_owed(&self, line: u32, tag: u32) -> Result<(), Broken> {
        let owed = self.vmh.get(line).map_or(0, |line| line.tag);
        match owed == tag {
            true => Ok(()),
            false => Err((16, format!("VMH line {line} is filled for {tag:#x}, and was reserved for {owed:#x}"))),
        }
    }

    /// Inclusion (INV-17): what is filled are pinned pages of that process.
    fn check_fill(&mut self, line: u32, tag: u32, pins: &impl Pins) -> Result<(), Broken> {
        let (pid, first) = (key_pid(tag), key_line_page(tag));
        let start = line * self.places.vmh.line_entries;
        for n in 0..self.places.vmh.line_entries {
            let frame = self.entries[(start + n) as usize];
            if frame == NO_TRANSLATION {
                continue;
            }
            let expected = pins.pinned(pid, first + n);
            if expected != Some(frame) {
                return Err((17, not_pinned("is filled", line, pid, first + n, frame, expected)));
            }
            self.owners.insert(frame, (pid, first + n));
        }
        Ok(())
    }

    fn host_writes_cbh(&mut self, at: Ps, offset: u32, value: u32, seen: &mut Seen) -> Result<(), Broken> {
        let Some(offset) = offset.checked_sub(self.places.cbh.entry_offset(0)) else {
            return Err((15, format!("the host writes {value:#x} to the order of the CBH cache")));
        };
        let entry_bytes = cbh::entry_bytes(self.places.cbh.key);
        let (entry, word) = (offset / entry_bytes, offset % entry_bytes);
        self.descriptors[entry as usize][word as usize / 4] = value;
        if word != cbh::entry::STATE {
            return Ok(());
        }
        match value & cbh::STATE_MASK {
            cbh::STATE_VALID => {
                seen.fills += 1;
                self.cbh.answer(entry, State::Valid { since: at })
            }
            cbh::STATE_INVALID => {
                seen.denials += 1;
                self.cbh.answer(entry, State::Denied { since: at })
            }
            _ => {
                seen.releases += 1;
                self.cbh.answer(entry, State::Released { since: at })
            }
        }
    }

    fn host_writes_register(&mut self, offset: u32, value: u32) -> Result<(), Broken> {
        let is = |mailbox: usize| offset == mailbox::TO_NIC.at(mailbox).offset().0;
        if is(MAILBOX_FILLED) {
            return self.check_served(value);
        }
        if is(MAILBOX_ARGUMENT) {
            self.argument = value;
        } else if let Some(offset) =
            offset.checked_sub(DOORBELL_PAGES).filter(|offset| offset / PAGE_BYTES < PROCESS_SLOTS as u32)
        {
            self.posts.ring((offset / PAGE_BYTES) as usize, value);
        } else if is(MAILBOX_COMMAND) {
            self.command = Some(Command { word: value, mark: None });
        }
        Ok(())
    }

    /// What the driver calls served was answered, or taken away by an invalidation (INV-16).
    fn check_served(&mut self, consumer: u32) -> Result<(), Broken> {
        while let Some(owed) = self.owed.front() {
            if consumer.wrapping_sub(owed.index) as i32 <= 0 {
                break;
            }
            let lines = if owed.is_buffer { &self.cbh } else { &self.vmh };
            let waits = lines
                .get(owed.line)
                .is_some_and(|line| matches!(line.state, State::Reserved { index, .. } if index == owed.index));
            if waits {
                let (name, line) = (if owed.is_buffer { "CBH" } else { "VMH" }, owed.line);
                let index = owed.index;
                return Err((
                    16,
                    format!("the driver has served miss {index}, and {name} line {line} is still reserved for it"),
                ));
            }
            self.owed.pop_front();
        }
        Ok(())
    }

    /// The driver reads that its command is obeyed: all DMA from before has ended (INV-19, INV-36).
    fn host_reads(&mut self, transfer: &Transfer) -> Result<(), Broken> {
        let answer = self.places.registers + mailbox::TO_HOST.at(MAILBOX_COMMAND_DONE).offset().0;
        for (address, value) in words(transfer) {
            if address != answer {
                continue;
            }
            let Some(Command { word, mark: Some(mark) }) = self.command else { continue };
            if word != value {
                continue;
            }
            self.command = None;
            if let Some(reference) = self.references.iter().find(|reference| reference.number < mark) {
                let number = if self.is_close(word) { 36 } else { 19 };
                return Err((
                    number,
                    format!("command {word:#x} is answered, and {reference} from before it is under way"),
                ));
            }
        }
        Ok(())
    }

    fn is_close(&self, command: u32) -> bool {
        command & nic_layout::ring::COMMAND_MASK == nic_layout::ring::COMMAND_CLOSE
    }

    /// A page that the NIC may use is let go (INV-17).
    fn unpinned(&mut self, frame: u32) -> Result<(), Broken> {
        self.granted = None;
        if let Some(reference) = self.references.iter().find(|reference| reference.frame == frame) {
            return Err((17, format!("page {frame:#x} is unpinned while {reference} is under way")));
        }
        let Some((pid, page)) = self.owners.remove(&frame) else { return Ok(()) };
        let geometry = self.places.vmh;
        let tag = vmh::key(pid, geometry.line_page(page), 0);
        let Some(line) = self.vmh.find(geometry.set_of(page), tag) else { return Ok(()) };
        let holds = self.entry(line, page) == frame && self.vmh.get(line).is_some_and(|line| line.is_valid());
        match holds {
            true => Err((
                17,
                format!("page {page:#x} of process {pid} is unpinned, and VMH line {line} holds it ({frame:#x})"),
            )),
            false => Ok(()),
        }
    }

    fn entry(&self, line: u32, page: u32) -> u32 {
        let in_line = page & (self.places.vmh.line_entries - 1);
        self.entries[(line * self.places.vmh.line_entries + in_line) as usize]
    }

    fn check_ages(&self, at: Ps) -> Result<(), Broken> {
        let caches = [("VMH", &self.vmh), ("CBH", &self.cbh)];
        for (name, lines) in caches {
            for (number, line) in lines.iter() {
                if matches!(line.state, State::Reserved { since, .. } | State::Fetching { since } if at.0 - since.0 > ANSWER_MAX.0)
                {
                    return Err((16, format!("{name} line {number} waits for an answer: {:?}", line.state)));
                }
            }
        }
        match self.references.iter().find(|reference| at.0 - reference.since.0 > LOCK_MAX.0) {
            Some(reference) => Err((15, format!("{reference} has been locked since {}", reference.since))),
            None => Ok(()),
        }
    }
}

/// The words of a data phase that are written or read.
fn words(transfer: &Transfer) -> impl Iterator<Item = (u32, u32)> {
    let Transfer { address, data, byte_enables, .. } = *transfer;
    (0..2)
        .filter(move |half| byte_enables >> (4 * half) & 0xF != 0)
        .map(move |half| (address + 4 * half, (data >> (32 * half)) as u32))
}

fn not_pinned(what: &str, line: u32, pid: u32, page: u32, frame: u32, pinned: Option<u32>) -> String {
    let host = pinned.map_or_else(|| "it is not pinned".into(), |frame| format!("it is pinned at {frame:#x}"));
    format!("VMH line {line} {what}: page {page:#x} of process {pid} is {frame:#x}; {host}")
}
