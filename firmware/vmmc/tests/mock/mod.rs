//! A NIC and its host in memory, and a wire that loses, doubles and reorders. Everything that may happen in any order happens in the order that a
//! seeded generator chooses.
#![allow(dead_code, reason = "each test binary uses its part")]

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use nic_layout::boot::{BootRequest, ReceiveMiss, BOOT_MAGIC, LAYOUT_VERSION};
use nic_layout::cbh::{CbhGeometry, Descriptor};
use nic_layout::counter::{conservation, Counter};
use nic_layout::fetch::{directory_offset, directory_word, table_offset, table_page, table_slot};
use nic_layout::key::KeyWidth;
use nic_layout::post::{upper_key_bytes, PostDescriptor, ProcessStatus, INLINE_BYTES_FIRST, POST_FLAG_INLINE};
use nic_layout::ring::{
    Event, DMA_AHEAD_SHIFT, DMA_FLAG_ASSIST, DMA_FLAG_EVENT, MAILBOX_FILLED, MAILBOX_MISS, MAILBOX_NOTIFIED,
    MAILBOX_NOTIFY,
};
use nic_layout::static_tables::StaticGeometry;
use nic_layout::tables::{NotifyEntry, ProcessEntry, MISS_BUFFER, MISS_RING_ENTRIES, NOTIFY_RING_ENTRIES};
use nic_layout::trace::Marker;
use nic_layout::vmh::{key_line_page, key_pid, VmhGeometry, NO_TRANSLATION};
use nic_lookup::{cbh_deny_word, cbh_fill_words, fill_words, Cbh, Find, Reserve, Words};
use nic_vmmc::{Config, Device, Machine, MemoryMap, Mini, Tables, DMA_RING_LOG2, MAC_RING_LOG2};
use rand_chacha::rand_core::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use zerocopy::{FromBytes, IntoBytes};

pub const ENTRIES: u32 = 64;
pub const LINE: u32 = 8;
pub const WAYS: u32 = 2;
pub const GEOMETRY: VmhGeometry = VmhGeometry { entries: ENTRIES, line_entries: LINE, ways: WAYS };
/// So few that buffers push each other out.
pub const CBH_ENTRIES: u32 = 4;
pub const CBH_WAYS: u32 = 2;
pub const CBH_GEOMETRY: CbhGeometry = CbhGeometry { entries: CBH_ENTRIES, ways: CBH_WAYS, key: KeyWidth::Bits64 };
/// Of static tables.
pub const STATIC: StaticGeometry =
    StaticGeometry { vmh_tables: 8, cbh_entries: 16, import_entries: 8, key: KeyWidth::Bits64 };
/// Of every key of 128 bits, unless a test says otherwise.
pub const UPPER_KEY: [u32; 2] = [0x1357_9BDF, 0x2468_ACE0];
pub const SRAM_BYTES: u32 = 256 * 1024;
pub const PAGE: usize = 4096;

pub struct Random(ChaCha8Rng);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(ChaCha8Rng::seed_from_u64(seed))
    }

    pub fn below(&mut self, bound: u32) -> u32 {
        self.0.next_u32() % bound
    }

    pub fn chance(&mut self, per_mille: u32) -> bool {
        self.below(1000) < per_mille
    }

    pub fn word(&mut self) -> u32 {
        self.0.next_u32()
    }
}

/// The device: SRAM, rings, registers.
pub struct Hardware {
    pub sram: Vec<u32>,
    pub now: u32,
    pub pending: u32,
    /// Events that would end a wait.
    pub wakes: u32,
    pub doorbells: u32,
    pub doorbell_values: [u32; 16],
    pub mailboxes: u32,
    pub to_nic: [u32; 8],
    pub to_host: [u32; 8],
    /// Interrupt causes.
    pub causes: u32,
    pub timers: [Option<u32>; 2],
    pub reads: VecDeque<(u32, u32, u32)>,
    pub read_consumer: u16,
    pub read_halted: bool,
    /// What a command reads ahead of its descriptor: from where, and how many bytes no descriptor has taken yet.
    pub read_ahead: (u32, u32),
    pub writes: VecDeque<(u32, u32, u32)>,
    pub write_consumer: u16,
    pub write_halted: bool,
    /// Placed and not yet sent; of those, released.
    pub transmit: VecDeque<(u32, u32)>,
    pub released: u32,
    pub transmit_consumer: u16,
    pub receive_free: VecDeque<u32>,
    pub received: BTreeMap<u16, (u32, u32)>,
    pub receive_consumer: u16,
    /// The frame that is to be looked at next.
    expected: u16,
    pub trace: Vec<(Marker, u32)>,
}

impl Words for Hardware {
    fn read(&self, offset: u32) -> u32 {
        assert_eq!(offset % 4, 0);
        self.sram[offset as usize / 4]
    }

    fn write(&mut self, offset: u32, value: u32) {
        assert_eq!(offset % 4, 0);
        self.sram[offset as usize / 4] = value;
    }
}

impl Device for Hardware {
    fn now(&self) -> u32 {
        self.now
    }

    fn trace(&mut self, marker: Marker, argument: u32) {
        self.trace.push((marker, argument));
    }

    fn pending(&self) -> u32 {
        self.pending
    }

    fn raise(&mut self, event: Event) {
        self.pending |= event.bit();
    }

    fn clear(&mut self, event: Event) {
        self.pending &= !event.bit();
    }

    fn wake_on(&mut self, events: u32) {
        self.wakes = events;
    }

    fn set_timer(&mut self, timer: usize, due: u32) {
        self.timers[timer] = Some(due);
    }

    fn take_doorbell(&mut self) -> Option<usize> {
        let page = (self.doorbells != 0).then(|| self.doorbells.trailing_zeros() as usize)?;
        self.doorbells &= !(1 << page);
        if self.doorbells != 0 {
            self.raise(Event::Doorbell);
        }
        Some(page)
    }

    fn is_rung(&self, slot: usize) -> bool {
        self.doorbells >> slot & 1 != 0
    }

    fn doorbell(&self, slot: usize) -> u32 {
        self.doorbell_values[slot]
    }

    fn take_mailboxes(&mut self) -> u32 {
        std::mem::take(&mut self.mailboxes)
    }

    fn mailbox(&self, index: usize) -> u32 {
        self.to_nic[index]
    }

    fn to_host(&mut self, index: usize, value: u32) {
        self.to_host[index] = value;
        self.causes |= 1 << index;
    }

    fn post_dma_read(&mut self, index: u32, bus: u32, sram: u32, control: u32) {
        assert_eq!(index as u16, self.read_consumer.wrapping_add(self.reads.len() as u16));
        self.reads.push_back((bus, sram, control));
        assert!(self.reads.len() <= 1 << DMA_RING_LOG2, "host-read ring overflows");
        // The engine may do at once what is posted.
        let releases = self.reads.iter().filter(|(_, _, control)| control & DMA_FLAG_ASSIST != 0).count();
        assert!(self.released as usize + releases <= self.transmit.len(), "a frame is released before it is placed");
    }

    fn dma_read_consumer(&self) -> u16 {
        self.read_consumer
    }

    fn dma_read_halted(&self) -> bool {
        self.read_halted
    }

    fn resume_dma_read(&mut self) {
        self.read_halted = false;
    }

    fn post_dma_write(&mut self, index: u32, bus: u32, sram: u32, control: u32) {
        assert_eq!(index as u16, self.write_consumer.wrapping_add(self.writes.len() as u16));
        self.writes.push_back((bus, sram, control));
        assert!(self.writes.len() <= 1 << DMA_RING_LOG2, "host-write ring overflows");
    }

    fn dma_write_consumer(&self) -> u16 {
        self.write_consumer
    }

    fn dma_write_halted(&self) -> bool {
        self.write_halted
    }

    fn resume_dma_write(&mut self) {
        self.write_halted = false;
    }

    fn place_transmit(&mut self, index: u32, sram: u32, length: u32) {
        assert_eq!(index as u16, self.transmit_consumer.wrapping_add(self.transmit.len() as u16));
        self.transmit.push_back((sram, length));
        assert!(self.transmit.len() <= 1 << MAC_RING_LOG2, "transmit ring overflows");
    }

    fn release_transmit(&mut self) {
        self.released += 1;
        assert!(self.released as usize <= self.transmit.len(), "more frames released than placed");
    }

    fn shorten_transmit(&mut self, index: u16, length: u32) {
        let ahead = index.wrapping_sub(self.transmit_consumer);
        assert!(u32::from(ahead) >= self.released, "the frame was released already");
        self.transmit[usize::from(ahead)].1 = length;
    }

    fn transmit_consumer(&self) -> u16 {
        self.transmit_consumer
    }

    fn receive_consumer(&self) -> u16 {
        self.receive_consumer
    }

    fn expect(&mut self, index: u16) {
        self.expected = index;
    }

    fn received(&self, index: u16) -> (u32, u32) {
        assert_eq!(index, self.expected, "a frame that was not the next is looked at");
        self.received[&index]
    }

    fn recycle(&mut self, sram: u32) {
        assert!(!self.receive_free.contains(&sram), "a receive buffer came back twice");
        self.receive_free.push_back(sram);
    }
}

impl Hardware {
    fn new() -> Hardware {
        Hardware {
            sram: vec![0xA5A5_A5A5; SRAM_BYTES as usize / 4],
            // Just before the wrap of the clock.
            now: u32::MAX - 2000,
            pending: 0,
            wakes: u32::MAX,
            doorbells: 0,
            doorbell_values: [0; 16],
            mailboxes: 0,
            to_nic: [0; 8],
            to_host: [0; 8],
            causes: 0,
            timers: [None; 2],
            reads: VecDeque::new(),
            read_consumer: 0,
            read_halted: false,
            read_ahead: (0, 0),
            writes: VecDeque::new(),
            write_consumer: 0,
            write_halted: false,
            transmit: VecDeque::new(),
            released: 0,
            transmit_consumer: 0,
            receive_free: VecDeque::new(),
            received: BTreeMap::new(),
            receive_consumer: 0,
            expected: 0,
            trace: Vec::new(),
        }
    }

    /// A transfer of data begins: where the one before it ended, if its command read ahead.
    pub fn read_on(&mut self, bus: u32, bytes: u32, ahead: u32) {
        let (expected, left) = self.read_ahead;
        self.read_ahead = if left == 0 {
            (bus + bytes, ahead)
        } else {
            let goes_on = bus == expected && bus % 8 == 0 && bytes <= left && ahead == 0;
            assert!(goes_on, "a host read does not go on where the command of the one before it reads ahead");
            (bus + bytes, left - bytes)
        };
    }

    pub fn byte(&self, at: u32) -> u8 {
        self.sram[at as usize / 4].to_le_bytes()[at as usize % 4]
    }

    fn set_byte(&mut self, at: u32, value: u8) {
        let word = &mut self.sram[at as usize / 4];
        let mut bytes = word.to_le_bytes();
        bytes[at as usize % 4] = value;
        *word = u32::from_le_bytes(bytes);
    }

    pub fn put(&mut self, at: u32, bytes: &[u8]) {
        for (index, &byte) in bytes.iter().enumerate() {
            self.set_byte(at + index as u32, byte);
        }
    }

    pub fn get(&self, at: u32, count: usize) -> Vec<u8> {
        (0..count as u32).map(|index| self.byte(at + index)).collect()
    }
}

/// Memory, page tables and driver of a host.
pub struct Host {
    pub memory: Vec<u8>,
    /// (process, virtual page) to page number; what is not here is a hole.
    pub tables: BTreeMap<(u32, u32), u32>,
    /// Pages that a DMA may touch (INV-26): of lines on the NIC, and status pages.
    pub pinned: BTreeSet<u32>,
    pub status_pages: BTreeSet<u32>,
    /// Registered buffers, by their CBH words.
    pub buffers: BTreeMap<u32, Descriptor>,
    /// Every status that the NIC has written, with its page.
    pub statuses: Vec<(u32, ProcessStatus)>,
    /// What the driver put into each line.
    pub shadow: BTreeMap<u32, (u32, u32)>,
    /// Consumer index of the miss ring.
    pub served: u32,
    /// Notifications that the driver has read, in order.
    pub notified: Vec<NotifyEntry>,
    next_page: u32,
}

pub type Caches = Mini<ENTRIES, LINE, WAYS, CBH_ENTRIES, CBH_WAYS>;
pub type WideCaches = Mini<ENTRIES, LINE, WAYS, CBH_ENTRIES, CBH_WAYS, 128>;
pub type Node = NodeOf<Caches>;
pub type World = WorldOf<Caches>;

/// With the tables of a personality.
pub struct NodeOf<T> {
    pub machine: Machine<T>,
    pub hardware: Hardware,
    pub host: Host,
    pub map: MemoryMap,
    pub posted: [u32; 8],
    /// Of the key of posts to come, where keys have 128 bits.
    pub upper_key: [u32; 2],
    /// The last turn found nothing to do.
    pub is_idle: bool,
}

pub const HOST_PAGES: u32 = 256;

#[derive(Clone, Copy, Debug)]
pub struct Settings {
    pub nodes: u32,
    pub frame_data_bytes_max: u32,
    pub tx_buffers: u32,
    pub rx_buffers: u32,
    pub retransmit_cycles: u32,
    pub retransmit_limit: u32,
    /// Per mille of frames.
    pub loss: u32,
    pub duplication: u32,
    pub reordering: u32,
    pub garbage: u32,
    /// Per mille of transfers that end in a bus error.
    pub read_errors: u32,
    /// Per mille of steps in which the driver looks at its interrupts.
    pub driver_speed: u32,
    pub receive_miss: ReceiveMiss,
    pub held_frames_max: u32,
    /// The NIC reads translations from tables of the host, where there are some ([`NodeOf::publish`]).
    pub fetches: bool,
}

pub const SETTINGS: Settings = Settings {
    nodes: 2,
    frame_data_bytes_max: 1466,
    tx_buffers: 12,
    rx_buffers: 8,
    retransmit_cycles: 300,
    retransmit_limit: 10_000,
    loss: 0,
    duplication: 0,
    reordering: 0,
    garbage: 0,
    read_errors: 0,
    driver_speed: 200,
    receive_miss: ReceiveMiss::TimeOut,
    held_frames_max: 2,
    fetches: false,
};

impl<T: Tables> NodeOf<T> {
    const CBH_GEOMETRY: CbhGeometry = CbhGeometry { key: T::KEY, ..CBH_GEOMETRY };
    /// Posts have a second entry.
    pub const IS_WIDE: bool = upper_key_bytes(T::KEY, T::HAS_IMPORTS) != 0;

    fn new(node: u32, settings: &Settings) -> NodeOf<T> {
        let request = BootRequest {
            magic: BOOT_MAGIC,
            layout_version: LAYOUT_VERSION,
            node,
            node_count: settings.nodes,
            core_hz: 88_000_000,
            sram_bytes: SRAM_BYTES,
            frame_data_bytes_max: settings.frame_data_bytes_max,
            tx_buffer_count: settings.tx_buffers,
            rx_buffer_count: settings.rx_buffers,
            buffer_bytes: (48 + settings.frame_data_bytes_max).max(60).next_multiple_of(8),
            retransmit_cycles: settings.retransmit_cycles,
            retransmit_limit: settings.retransmit_limit,
            ack_frames: 4,
            ack_cycles: 40,
            host_pages: HOST_PAGES,
            session: 3,
            receive_miss: settings.receive_miss as u32,
            held_frames_max: settings.held_frames_max.min(settings.rx_buffers - 1),
            vmh_tables_max: STATIC.vmh_tables,
            cbh_entries_max: STATIC.cbh_entries,
            import_entries_max: STATIC.import_entries,
            post_queues: 8,
            fetches_translations: u32::from(settings.fetches),
        };
        let mut config = Config::check(&request, T::KEY).unwrap();
        let (map, shape) = MemoryMap::plan(&config, T::wanted(&request).unwrap(), 0x4000, SRAM_BYTES).unwrap();
        config.map = map;
        let mut machine = Machine::new();
        let mut hardware = Hardware::new();
        machine.start(&mut hardware, config, shape);
        let mut random = Random::new(u64::from(node));
        let memory = (0..HOST_PAGES as usize * PAGE).map(|_| random.word() as u8).collect();
        let host = Host {
            memory,
            tables: BTreeMap::new(),
            buffers: BTreeMap::new(),
            pinned: BTreeSet::new(),
            status_pages: BTreeSet::new(),
            statuses: Vec::new(),
            shadow: BTreeMap::new(),
            served: 0,
            notified: Vec::new(),
            next_page: 1,
        };
        NodeOf { machine, hardware, host, map: config.map, posted: [0; 8], upper_key: UPPER_KEY, is_idle: false }
    }

    // ---- The driver and the library ----

    pub fn new_page(&mut self) -> u32 {
        self.host.next_page += 1;
        assert!(self.host.next_page < HOST_PAGES);
        // Scattered, so that neighbours in one space are no neighbours in the other.
        self.host.next_page.reverse_bits() >> 24
    }

    pub fn map_pages(&mut self, pid: u32, first: u32, count: u32) {
        for page in first..first + count {
            let number = self.new_page();
            self.host.tables.insert((pid, page), number);
        }
    }

    /// Pins pages of a process, and enters them in the tables that the NIC reads.
    pub fn publish(&mut self, pid: u32, first: u32, count: u32) {
        for page in first..first + count {
            let number = self.host.tables[&(pid, page)];
            self.host.pinned.insert(number);
            self.set_entry(pid, page, number);
        }
    }

    /// Writes the entry of a page, in a table that is made if there is none.
    pub fn set_entry(&mut self, pid: u32, page: u32, entry: u32) {
        let word = self.map.directories + directory_offset(table_slot(pid), page);
        let table = table_page(self.hardware.read(word)).unwrap_or_else(|| {
            let table = self.new_page();
            self.host.memory[table as usize * PAGE..][..PAGE].fill(0xFF);
            self.host.pinned.insert(table);
            self.hardware.write(word, directory_word(table));
            table
        });
        let at = table as usize * PAGE + table_offset(page) as usize;
        self.host.memory[at..at + 4].copy_from_slice(&entry.to_le_bytes());
    }

    /// Opens a slot for a process, with a status page.
    pub fn open(&mut self, slot: usize, pid: u32) -> u32 {
        let page = self.new_page();
        self.host.pinned.insert(page);
        self.host.status_pages.insert(page);
        self.host.memory[page as usize * PAGE..][..16].fill(0);
        let entry = ProcessEntry { state: 1, pid, status_address: page << 12, ..ProcessEntry::default() };
        self.hardware.put(self.map.process_table + slot as u32 * 32, entry.as_bytes());
        page
    }

    /// Registers a buffer with the driver: the NIC has to miss on it.
    pub fn export(&mut self, cbh: u32, descriptor: Descriptor) {
        self.host.buffers.insert(cbh, descriptor);
    }

    /// Puts what the driver knows of a buffer on the NIC, as if a miss had been served.
    pub fn load_buffer(&mut self, cbh: u32) {
        match T::KEY {
            KeyWidth::Bits64 => self.load_buffer_of::<64>(cbh),
            KeyWidth::Bits128 => self.load_buffer_of::<128>(cbh),
        }
    }

    fn load_buffer_of<const K: u32>(&mut self, cbh: u32) {
        let cache = Cbh::<CBH_ENTRIES, CBH_WAYS, K>::new(&self.hardware, self.map.cbh);
        assert_eq!(cache.find(&mut self.hardware, cbh), Find::Absent);
        let Reserve::Line(entry) = cache.reserve(&mut self.hardware, cbh) else { panic!("no way") };
        self.answer_buffer(cbh, entry);
    }

    fn answer_buffer(&mut self, cbh: u32, entry: u32) {
        let writes = match self.host.buffers.get(&cbh) {
            Some(descriptor) => cbh_fill_words(Self::CBH_GEOMETRY, entry, descriptor).collect(),
            None => vec![cbh_deny_word(Self::CBH_GEOMETRY, entry)],
        };
        for (offset, value) in writes {
            self.hardware.write(self.map.cbh + offset, value);
        }
    }

    /// Writes a descriptor and rings. The queue must have room.
    pub fn post(&mut self, slot: usize, descriptor: &PostDescriptor) {
        self.post_entries(slot, descriptor, &[]);
    }

    /// The same for a post that carries its data.
    pub fn post_inline(&mut self, slot: usize, descriptor: &PostDescriptor, data: &[u8]) {
        let (first, rest) = data.split_at(data.len().min(INLINE_BYTES_FIRST as usize));
        let mut word = [0; 4];
        word[..first.len()].copy_from_slice(first);
        let flags = descriptor.flags | POST_FLAG_INLINE;
        self.post_entries(
            slot,
            &PostDescriptor { flags, local_address: u32::from_le_bytes(word), ..*descriptor },
            rest,
        );
    }

    fn post_entries(&mut self, slot: usize, descriptor: &PostDescriptor, rest: &[u8]) {
        let mut second = if Self::IS_WIDE { self.upper_key.as_bytes().to_vec() } else { Vec::new() };
        second.extend(rest);
        self.enqueue(slot, descriptor.as_bytes());
        if !second.is_empty() {
            self.enqueue(slot, &second);
        }
        self.ring(slot, self.posted[slot]);
    }

    pub fn enqueue(&mut self, slot: usize, entry: &[u8]) {
        let index = self.posted[slot];
        self.hardware.put(self.map.post_queues + slot as u32 * 4096 + index % 128 * 32, entry);
        self.posted[slot] = index.wrapping_add(1);
    }

    pub fn ring(&mut self, page: usize, value: u32) {
        self.hardware.doorbell_values[page] = value;
        self.hardware.doorbells |= 1 << page;
        self.hardware.raise(Event::Doorbell);
    }

    pub fn write_mailbox(&mut self, index: usize, value: u32) {
        self.hardware.to_nic[index] = value;
        self.hardware.mailboxes |= 1 << index;
        self.hardware.raise(Event::Mailbox);
    }

    pub fn status_address(&self, slot: usize) -> u32 {
        let entry = self.hardware.get(self.map.process_table + slot as u32 * 32, 32);
        ProcessEntry::read_from_bytes(&entry).unwrap().status_address
    }

    pub fn status(&self, slot: usize) -> ProcessStatus {
        ProcessStatus::read_from_bytes(&self.host.memory[self.status_address(slot) as usize..][..16]).unwrap()
    }

    pub fn misses_waiting(&self) -> u32 {
        self.hardware.to_host[MAILBOX_MISS].wrapping_sub(self.host.served)
    }

    /// Serves one miss as the driver does, and reports it.
    pub fn serve_miss(&mut self) {
        if self.misses_waiting() == 0 {
            return;
        }
        let at = self.map.miss_ring + self.host.served % MISS_RING_ENTRIES * 16;
        let (key, line) = (self.hardware.read(at), self.hardware.read(at + 4));
        if self.hardware.read(at + 8) == MISS_BUFFER {
            self.answer_buffer(key, line);
            return self.report_served();
        }
        // Another may have it by now.
        if self.hardware.read(self.map.vmh + GEOMETRY.key_offset(line)) != key {
            return self.report_served();
        }
        // A tag is in one line at most (INV-13): if another one held it, it has lost it.
        self.host.shadow.retain(|_, &mut held| held != (key_pid(key), key_line_page(key)));
        // What the line held before is on the NIC no more.
        let before = self.host.shadow.insert(line, (key_pid(key), key_line_page(key)));
        // But the driver does not see what a NIC fetches: there is more than it knows of.
        if let Some((pid, first)) = before.filter(|_| self.map.directories == 0) {
            for page in first..first + LINE {
                if let Some(number) = self.host.tables.get(&(pid, page)) {
                    self.host.pinned.remove(number);
                }
            }
        }
        let pid = key_pid(key);
        let tables = &self.host.tables;
        let writes: Vec<(u32, u32)> =
            fill_words(GEOMETRY, line, key, |page| tables.get(&(pid, page)).copied().unwrap_or(NO_TRANSLATION))
                .collect();
        for (offset, value) in writes {
            self.hardware.write(self.map.vmh + offset, value);
        }
        for page in key_line_page(key)..key_line_page(key) + LINE {
            if let Some(&number) = self.host.tables.get(&(pid, page)) {
                self.host.pinned.insert(number);
            }
        }
        self.report_served();
    }

    fn report_served(&mut self) {
        self.host.served = self.host.served.wrapping_add(1);
        self.write_mailbox(MAILBOX_FILLED, self.host.served);
    }

    /// Frames that no peer has acknowledged: a reply may be lost after the post that asked for it has ended.
    fn in_flight(&self) -> u32 {
        let ended = self.counter(Counter::FramesAcknowledged).wrapping_add(self.counter(Counter::FramesAbandoned));
        self.counter(Counter::FramesSent).wrapping_sub(ended)
    }

    pub fn notifications_waiting(&self) -> u32 {
        self.hardware.to_host[MAILBOX_NOTIFY].wrapping_sub(self.host.notified.len() as u32)
    }

    /// Reads one notification, if there is one.
    pub fn read_notification(&mut self) {
        if self.notifications_waiting() == 0 {
            return;
        }
        let at = self.map.notify_ring + self.host.notified.len() as u32 % NOTIFY_RING_ENTRIES * 32;
        self.host.notified.push(NotifyEntry::read_from_bytes(&self.hardware.get(at, 32)).unwrap());
        self.write_mailbox(MAILBOX_NOTIFIED, self.host.notified.len() as u32);
    }

    pub fn counter(&self, counter: Counter) -> u32 {
        self.hardware.read(self.map.counters + counter.offset())
    }

    /// INV-38, now or when nothing is under way.
    pub fn check_sums(&self, is_idle: bool) {
        for equation in conservation() {
            let surplus = equation.surplus(|counter| self.counter(counter));
            let exact = is_idle || equation.under_way.is_none();
            assert!(surplus == 0 || (!exact && surplus > 0), "{}: surplus {surplus}", equation.name);
        }
    }

    /// INV-15 at rest: nothing is locked.
    pub fn locked_lines(&self) -> u32 {
        (0..GEOMETRY.lines())
            .map(|line| u32::from(self.hardware.read(self.map.vmh + GEOMETRY.state_offset(line)) != 0))
            .sum()
    }

    // ---- One step of each part ----

    fn check_page(&self, bus: u32, bytes: u32) {
        let (first, last) = (bus >> 12, (bus + bytes - 1) >> 12);
        assert_eq!(first, last, "one transfer crosses a page");
        assert!(self.host.pinned.contains(&first), "DMA to page {first:#x}, which is not pinned");
    }

    pub fn step_read(&mut self, error: bool) {
        if self.hardware.read_halted {
            return;
        }
        let Some((bus, sram, control)) = self.hardware.reads.pop_front() else {
            return;
        };
        let bytes = control & 0xFFFF;
        self.hardware.read_consumer = self.hardware.read_consumer.wrapping_add(1);
        if bytes != 0 {
            self.hardware.read_on(bus, bytes, control >> DMA_AHEAD_SHIFT);
            self.check_page(bus, bytes + self.hardware.read_ahead.1);
            if error {
                self.hardware.read_ahead = (0, 0);
                self.hardware.read_halted = true;
                self.hardware.raise(Event::DmaError);
                return;
            }
            let data = self.host.memory[bus as usize..(bus + bytes) as usize].to_vec();
            self.hardware.put(sram, &data);
        }
        if control & DMA_FLAG_ASSIST != 0 {
            self.hardware.release_transmit();
        }
        if control & DMA_FLAG_EVENT != 0 {
            self.hardware.raise(Event::DmaRead);
        }
    }

    pub fn step_write(&mut self, error: bool) {
        if self.hardware.write_halted {
            return;
        }
        let Some((bus, sram, control)) = self.hardware.writes.pop_front() else {
            return;
        };
        let bytes = control & 0xFFFF;
        self.check_page(bus, bytes);
        self.hardware.write_consumer = self.hardware.write_consumer.wrapping_add(1);
        if error {
            self.hardware.write_halted = true;
            self.hardware.raise(Event::DmaError);
            return;
        }
        let data = self.hardware.get(sram, bytes as usize);
        self.host.memory[bus as usize..][..bytes as usize].copy_from_slice(&data);
        if self.host.status_pages.contains(&(bus >> 12)) {
            self.host.statuses.push((bus >> 12, ProcessStatus::read_from_bytes(&data).unwrap()));
        }
        if control & DMA_FLAG_EVENT != 0 {
            self.hardware.raise(Event::DmaWrite);
        }
    }

    /// The frame that leaves now, padded.
    pub fn step_transmit(&mut self) -> Option<Vec<u8>> {
        if self.hardware.released == 0 {
            return None;
        }
        self.hardware.released -= 1;
        let (at, length) = self.hardware.transmit.pop_front().unwrap();
        self.hardware.transmit_consumer = self.hardware.transmit_consumer.wrapping_add(1);
        let mut frame = self.hardware.get(at, length as usize);
        frame.resize(frame.len().max(60), 0);
        Some(frame)
    }

    /// A frame arrives; without a buffer the MAC drops it.
    pub fn deliver(&mut self, frame: &[u8]) {
        let Some(buffer) = self.hardware.receive_free.pop_front() else {
            return;
        };
        self.hardware.put(buffer, frame);
        let index = self.hardware.receive_consumer;
        self.hardware.received.insert(index, (buffer, frame.len() as u32));
        self.hardware.receive_consumer = index.wrapping_add(1);
        self.hardware.raise(Event::MacRx);
    }

    /// One turn of the event loop.
    pub fn step_firmware(&mut self) {
        for timer in 0..2 {
            let due = self.hardware.timers[timer].is_some_and(|due| (self.hardware.now.wrapping_sub(due) as i32) >= 0);
            if due {
                self.hardware.timers[timer] = None;
                self.hardware.raise([Event::Timer0, Event::Timer1][timer]);
            }
        }
        let pending = self.hardware.pending;
        self.is_idle = !self.machine.turn(&mut self.hardware, pending);
        self.hardware.trace.clear();
    }

    pub fn is_quiet(&self) -> bool {
        self.hardware.pending & self.hardware.wakes == 0
            && self.is_idle
            && self.hardware.reads.is_empty()
            && self.hardware.writes.is_empty()
            && self.hardware.transmit.is_empty()
            && self.misses_waiting() == 0
            && self.notifications_waiting() == 0
            && self.in_flight() == 0
    }
}

/// Nodes and the wires between them.
pub struct WorldOf<T> {
    pub nodes: Vec<NodeOf<T>>,
    pub settings: Settings,
    pub random: Random,
    /// Destination and frame.
    pub wire: VecDeque<(usize, Vec<u8>)>,
    /// Frames to this node vanish.
    pub unreachable: Option<usize>,
}

impl<T: Tables> WorldOf<T> {
    pub fn new(settings: Settings, seed: u64) -> WorldOf<T> {
        WorldOf {
            nodes: (0..settings.nodes).map(|node| NodeOf::new(node, &settings)).collect(),
            settings,
            random: Random::new(seed),
            wire: VecDeque::new(),
            unreachable: None,
        }
    }

    fn send(&mut self, frame: Vec<u8>) {
        let to = usize::from(u16::from_be_bytes([frame[4], frame[5]]));
        assert!(to < self.nodes.len(), "a frame to nobody");
        if self.unreachable == Some(to) || self.random.chance(self.settings.loss) {
            return;
        }
        if self.random.chance(self.settings.duplication) {
            self.wire.push_back((to, frame.clone()));
        }
        if self.random.chance(self.settings.garbage) {
            let mut garbage = frame.clone();
            let at = self.random.below(48) as usize;
            garbage[at] ^= 1 << self.random.below(8);
            // Behind the kind, the FCS alone protects: a wild sequence number would be taken for a good one.
            if at < 15 {
                self.wire.push_back((to, garbage));
            }
        }
        let place = if self.random.chance(self.settings.reordering) {
            self.random.below(self.wire.len() as u32 + 1) as usize
        } else {
            self.wire.len()
        };
        self.wire.insert(place, (to, frame));
    }

    pub fn step(&mut self) {
        for index in 0..self.nodes.len() {
            let choice = self.random.word();
            let node = &mut self.nodes[index];
            node.hardware.now = node.hardware.now.wrapping_add(1);
            if choice & 1 != 0 {
                node.step_firmware();
                node.check_sums(false);
            }
            let error = self.random.chance(self.settings.read_errors);
            let node = &mut self.nodes[index];
            if choice & 2 != 0 {
                node.step_read(error);
            }
            if choice & 4 != 0 {
                node.step_write(false);
            }
            if choice & 8 != 0 {
                if let Some(frame) = node.step_transmit() {
                    self.send(frame);
                }
            }
            if self.random.chance(self.settings.driver_speed) {
                self.nodes[index].serve_miss();
                self.nodes[index].read_notification();
            }
        }
        if self.random.below(2) == 0 {
            if let Some((to, frame)) = self.wire.pop_front() {
                self.nodes[to].deliver(&frame);
            }
        }
    }

    /// Steps until `done`, or fails (INV-33).
    pub fn run(&mut self, steps: u32, done: impl Fn(&WorldOf<T>) -> bool) {
        for _ in 0..steps {
            if done(self) {
                return;
            }
            self.step();
        }
        panic!("not done after {steps} steps");
    }

    /// Until nothing moves for longer than any timer of the receiver.
    pub fn settle(&mut self) {
        let mut quiet = 0;
        for _ in 0..1_000_000 {
            self.step();
            let is_quiet = self.wire.is_empty() && self.nodes.iter().all(NodeOf::is_quiet);
            quiet = if is_quiet { quiet + 1 } else { 0 };
            if quiet > 200 {
                return;
            }
        }
        panic!("it never settles");
    }
}
