//! A NIC for tests of the host: configuration space, registers, SRAM and a scripted firmware, behind [`Bus`].
//!
//! There are no pins: each request takes a few edges and ends. Every write is logged in bus order, so that tests can
//! tell which words the host wrote, and in which order.

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;
use std::rc::Rc;

use nic_layout::boot::{
    BootReply, BootRequest, CrashRecord, Personality, BOOT_BLOCK_ADDRESS, BOOT_MAGIC, BOOT_READY, BOOT_REFUSED,
    BOOT_REPLY_ADDRESS, CAUSE_CRASH, CRASH_RECORD_ADDRESS,
};
use nic_layout::cbh::{entry, CbhGeometry, STATE_RESERVED};
use nic_layout::fetch::DIRECTORY_BYTES;
use nic_layout::keeper::{self, KeeperReply, KeeperRequest};
use nic_layout::key::KeyWidth;
use nic_layout::post::{PostDescriptor, ProcessStatus, POST_DESCRIPTOR_BYTES, POST_QUEUE_ENTRIES};
use nic_layout::registers::{ident, interrupt, mailbox, Register};
use nic_layout::ring::{
    COMMAND_ASSIGN, COMMAND_CLOSE, COMMAND_MASK, MAILBOX_COMMAND, MAILBOX_COMMAND_DONE, MAILBOX_MISS, MAILBOX_NOTIFY,
};
use nic_layout::static_tables::StaticGeometry;
use nic_layout::tables::{
    Counter, MissEntry, NotifyEntry, ProcessEntry, ENTRY_ASSIGNED, ENTRY_OPEN, MISS_RING_ENTRIES, NEXT_OWNER,
    NOTIFY_RING_ENTRIES,
};
use nic_layout::vmh::VmhGeometry;
use nic_layout::{PAGE_BYTES, PROCESS_SLOTS};
use sim_pins::{PciControl, PciDrive, PciLines, PciPin, Ps};
use zerocopy::{FromBytes, Immutable, IntoBytes};

use crate::address::BusAddr;
use crate::bus::{Bus, BusFault, Completion, Request, RequestId};
use crate::memory::Memory;

const BAR_0_BYTES: u32 = 128 * 1024;
/// The slot it is in.
pub const MOCK_DEVICE: u8 = 4;
const DOORBELL_SPACE: u32 = 0x1_0000;

/// What the scripted firmware does when the core is released.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BootScript {
    Ready,
    Refuse(u32),
    /// Never answers.
    Silent,
    Crash(CrashRecord),
}

/// What the scripted firmware does when it shall give a post queue to another process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AssignScript {
    /// As the firmware does.
    IfDrained,
    /// Says that posts are under way.
    Never,
    /// Answers, and leaves this state in the entry.
    State(u32),
}

/// Where a write went.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    Config(u8),
    Register(u32),
    Sram(u32),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Written {
    pub at: Ps,
    pub place: Place,
    pub value: u32,
    /// Number of the transaction: words of one burst share it.
    pub burst: u64,
}

/// The NIC, for the test to look into.
pub struct MockNic {
    pub boot: BootScript,
    /// Of core B.
    pub boot_b: BootScript,
    pub geometry: VmhGeometry,
    pub cbh_geometry: CbhGeometry,
    /// The scripted firmware has static tables, and the caches are not there.
    pub static_tables: Option<StaticGeometry>,
    pub post_queue_count: usize,
    /// What becomes of [`COMMAND_ASSIGN`].
    pub assigns: AssignScript,
    /// Overrides the reply, after the script has made it.
    pub spoil_reply: Option<fn(&mut BootReply)>,
    /// Completes each post at its doorbell by a DMA write to the status page.
    pub completes_posts: bool,
    /// Answers commands; `None` leaves them without an answer.
    pub command_answer: Option<fn(u32) -> u32>,
    pub writes: Vec<Written>,
    pub posts: Vec<(usize, PostDescriptor)>,
    pub doorbells: Vec<(usize, u32)>,
    config: BTreeMap<u8, u32>,
    registers: BTreeMap<u32, u32>,
    sram: Vec<u8>,
    consumed: [u32; PROCESS_SLOTS],
    misses: u32,
    notifications: u32,
    memory: Rc<RefCell<Memory>>,
}

impl MockNic {
    fn new(sram_bytes: u32, memory: Rc<RefCell<Memory>>) -> MockNic {
        let mut registers = BTreeMap::new();
        registers.insert(ident::ID.offset().0, ident::ID_RESET);
        registers.insert(ident::VERSION.offset().0, ident::VERSION_RESET.0);
        registers.insert(ident::SRAM_BYTES.offset().0, sram_bytes);
        let config = BTreeMap::from([(0x00, 0x4943_4E53), (0x04, 0x0200_0000), (0x3C, 0x0000_0100)]);
        MockNic {
            boot: BootScript::Ready,
            boot_b: BootScript::Ready,
            geometry: VmhGeometry { entries: 256, line_entries: 8, ways: 2 },
            cbh_geometry: CbhGeometry { entries: 16, ways: 2, key: KeyWidth::Bits64 },
            static_tables: None,
            post_queue_count: PROCESS_SLOTS,
            assigns: AssignScript::IfDrained,
            spoil_reply: None,
            completes_posts: true,
            command_answer: Some(|command| command),
            writes: Vec::new(),
            posts: Vec::new(),
            doorbells: Vec::new(),
            config,
            registers,
            sram: vec![0xA5; sram_bytes as usize],
            consumed: [0; PROCESS_SLOTS],
            misses: 0,
            notifications: 0,
            memory,
        }
    }

    pub fn config(&self, register: u8) -> u32 {
        self.config.get(&register).copied().unwrap_or(0)
    }

    pub fn set_config(&mut self, register: u8, value: u32) {
        self.config.insert(register, value);
    }

    pub fn register<T, A>(&self, register: Register<T, A>) -> u32 {
        self.registers.get(&register.offset().0).copied().unwrap_or(0)
    }

    pub fn set_register<T, A>(&mut self, register: Register<T, A>, value: u32) {
        self.registers.insert(register.offset().0, value);
    }

    pub fn sram_word(&self, address: u32) -> u32 {
        let bytes = &self.sram[address as usize..][..4];
        u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
    }

    pub fn set_sram_word(&mut self, address: u32, value: u32) {
        self.sram[address as usize..][..4].copy_from_slice(&value.to_le_bytes());
    }

    /// A structure in SRAM.
    pub fn sram_read<T: FromBytes>(&self, address: u32) -> T {
        let bytes = &self.sram[address as usize..][..size_of::<T>()];
        T::read_from_bytes(bytes).expect("as long as the type")
    }

    pub fn sram_write<T: IntoBytes + Immutable>(&mut self, address: u32, value: &T) {
        let bytes = value.as_bytes();
        self.sram[address as usize..][..bytes.len()].copy_from_slice(bytes);
    }

    /// Where the scripted firmware puts its tables.
    pub fn layout(&self) -> BootReply {
        let post_queues = 0x1_0000;
        let process_table = post_queues + self.post_queue_count as u32 * PAGE_BYTES;
        let miss_ring = process_table + ((NEXT_OWNER + 1) * size_of::<ProcessEntry>()) as u32;
        let notify_ring = miss_ring + MISS_RING_ENTRIES * size_of::<MissEntry>() as u32;
        let counters = notify_ring + NOTIFY_RING_ENTRIES * size_of::<NotifyEntry>() as u32;
        let vmh_cache = (counters + Counter::COUNT as u32 * 4).next_multiple_of(64);
        let cbh_cache = vmh_cache + self.geometry.bytes();
        let static_tables = cbh_cache + self.cbh_geometry.bytes();
        let geometry = self.static_tables.unwrap_or_default();
        let directories = static_tables + self.static_tables.map_or(0, StaticGeometry::bytes);
        let end = directories + PROCESS_SLOTS as u32 * DIRECTORY_BYTES;
        BootReply {
            state: BOOT_READY,
            error: 0,
            post_queues,
            post_queue_count: self.post_queue_count as u32,
            process_table,
            miss_ring,
            notify_ring,
            personality: self.static_tables.map_or(Personality::Mini, |_| Personality::Vmmc) as u32,
            vmh_cache,
            vmh_entries: self.geometry.entries,
            vmh_line_entries: self.geometry.line_entries,
            vmh_ways: self.geometry.ways,
            cbh_cache,
            cbh_entries: self.cbh_geometry.entries,
            cbh_ways: self.cbh_geometry.ways,
            static_tables,
            static_vmh_tables: geometry.vmh_tables,
            static_cbh_entries: geometry.cbh_entries,
            static_import_entries: geometry.import_entries,
            directories,
            counters,
            tx_buffers: end,
            rx_buffers: end,
            free: end,
            key_bits: self.static_tables.map_or(self.cbh_geometry.key, |geometry| geometry.key).bits(),
        }
    }

    /// The offset of a word of the VMH cache in SRAM.
    pub fn vmh_word(&self, offset: u32) -> u32 {
        self.sram_word(self.layout().vmh_cache + offset)
    }

    /// The words of an entry of the CBH cache.
    pub fn cbh_entry(&self, number: u32) -> [u32; 6] {
        self.sram_read(self.layout().cbh_cache + self.cbh_geometry.entry_offset(number))
    }

    /// As the firmware does before it reports the miss.
    pub fn reserve_buffer(&mut self, number: u32, cbh: u32) {
        let at = self.layout().cbh_cache + self.cbh_geometry.entry_offset(number);
        self.set_sram_word(at + entry::CBH, cbh);
        self.set_sram_word(at + entry::STATE, STATE_RESERVED);
    }

    // ---- What the firmware does ----------------------------------------------------------------------------------

    fn release_core_b(&mut self) {
        let request: KeeperRequest = self.sram_read(keeper::AREA_ADDRESS + keeper::REQUEST);
        let mut reply = KeeperReply { state: BOOT_READY, ..KeeperReply::default() };
        match self.boot_b {
            BootScript::Silent => return,
            BootScript::Crash(record) => return self.crash_b(record),
            BootScript::Refuse(error) => reply = KeeperReply { state: BOOT_REFUSED, error, ..reply },
            BootScript::Ready if request.magic != keeper::KEEPER_MAGIC => reply.state = BOOT_REFUSED,
            BootScript::Ready => {}
        }
        self.sram_write(keeper::AREA_ADDRESS + keeper::REPLY, &reply);
    }

    /// Core B meets its own error.
    pub fn crash_b(&mut self, record: CrashRecord) {
        self.sram_write(keeper::AREA_ADDRESS + keeper::CRASH, &record);
        self.raise(CAUSE_CRASH);
    }

    fn release_core(&mut self) {
        let request: BootRequest = self.sram_read(BOOT_BLOCK_ADDRESS);
        let mut reply = self.layout();
        match self.boot {
            BootScript::Silent => return,
            BootScript::Crash(record) => {
                self.sram_write(CRASH_RECORD_ADDRESS, &record);
                self.raise(CAUSE_CRASH);
                return;
            }
            BootScript::Refuse(error) => {
                reply.state = BOOT_REFUSED;
                reply.error = error;
            }
            BootScript::Ready if request.magic != BOOT_MAGIC => {
                reply.state = BOOT_REFUSED;
                reply.error = 1;
            }
            BootScript::Ready => {}
        }
        if let Some(spoil) = self.spoil_reply {
            spoil(&mut reply);
        }
        // Firmware clears its tables before it says that they are there.
        let tables = self.layout();
        self.sram[tables.post_queues as usize..tables.free as usize].fill(0);
        self.sram_write(BOOT_REPLY_ADDRESS, &reply);
    }

    /// Crashes now.
    pub fn crash(&mut self, record: CrashRecord) {
        self.sram_write(CRASH_RECORD_ADDRESS, &record);
        self.raise(CAUSE_CRASH);
    }

    /// Reports misses: entries into the ring, then the index, then the interrupt.
    pub fn report_misses(&mut self, entries: &[MissEntry]) {
        let ring = self.layout().miss_ring;
        for entry in entries {
            let slot = self.misses % MISS_RING_ENTRIES;
            self.sram_write(ring + slot * size_of::<MissEntry>() as u32, entry);
            self.misses = self.misses.wrapping_add(1);
        }
        self.announce(self.misses);
    }

    /// Reports notifications, as misses are reported.
    pub fn report_notifications(&mut self, entries: &[NotifyEntry]) {
        let ring = self.layout().notify_ring;
        for entry in entries {
            let place = self.notifications % NOTIFY_RING_ENTRIES;
            self.sram_write(ring + place * size_of::<NotifyEntry>() as u32, entry);
            self.notifications = self.notifications.wrapping_add(1);
        }
        self.announce_notifications(self.notifications);
    }

    /// Writes the producer index of notifications, whatever is in their ring.
    pub fn announce_notifications(&mut self, producer: u32) {
        self.set_register(mailbox::TO_HOST.at(MAILBOX_NOTIFY), producer);
        self.raise(MAILBOX_NOTIFY as u32);
    }

    /// Writes the producer index, whatever is in the ring.
    pub fn announce(&mut self, producer: u32) {
        self.set_register(mailbox::TO_HOST.at(MAILBOX_MISS), producer);
        self.raise(MAILBOX_MISS as u32);
    }

    /// Sets an interrupt cause.
    pub fn raise(&mut self, cause: u32) {
        let causes = self.register(interrupt::CAUSE) | 1 << cause;
        self.set_register(interrupt::CAUSE, causes);
    }

    /// Writes a status page by DMA, words in ascending order.
    pub fn write_status(&mut self, at: Ps, slot: usize, status: ProcessStatus) {
        self.write_status_words(at, slot, status, 0..4);
    }

    /// The same, of some of the words: a device's write goes to memory a data phase at a time.
    pub fn write_status_words(&mut self, at: Ps, slot: usize, status: ProcessStatus, words: Range<usize>) {
        let entry: ProcessEntry = self.sram_read(self.process_entry(slot));
        let mut memory = self.memory.borrow_mut();
        for (index, word) in status.as_bytes().chunks(4).enumerate().filter(|(index, _)| words.contains(index)) {
            memory.dma_write(at, BusAddr(entry.status_address + 4 * index as u32), word);
        }
    }

    /// So many posts of a slot have ended, whatever was rung.
    pub fn skip_posts(&mut self, slot: usize, ended: u32) {
        self.consumed[slot] = ended;
    }

    fn process_entry(&self, slot: usize) -> u32 {
        self.layout().process_table + (slot * size_of::<ProcessEntry>()) as u32
    }

    /// Of the commands, those about post queues.
    fn obey(&mut self, command: u32) {
        let slot = (command >> 4 & 0xF) as usize;
        let next = self.process_entry(NEXT_OWNER);
        match (command & COMMAND_MASK, self.assigns) {
            (COMMAND_CLOSE, _) if slot < PROCESS_SLOTS => self.consumed[slot] = 0,
            (COMMAND_ASSIGN, AssignScript::State(state)) => self.set_sram_word(next, state),
            (COMMAND_ASSIGN, AssignScript::IfDrained) if slot < PROCESS_SLOTS => {
                let rung = self.doorbells.iter().rev().find(|(page, _)| *page == slot).map(|(_, value)| *value);
                let mut entry: ProcessEntry = self.sram_read(self.process_entry(slot));
                if entry.state == ENTRY_OPEN
                    && !self.completes_posts
                    && rung.is_some_and(|rung| rung != self.consumed[slot])
                {
                    return;
                }
                entry.status.ended = self.consumed[slot];
                let next_entry: ProcessEntry = self.sram_read(next);
                self.consumed[slot] = next_entry.status.ended;
                self.sram_write(self.process_entry(slot), &next_entry);
                self.sram_write(next, &ProcessEntry { state: ENTRY_ASSIGNED, status: entry.status, ..next_entry });
            }
            _ => {}
        }
    }

    fn doorbell(&mut self, at: Ps, slot: usize, value: u32) {
        self.doorbells.push((slot, value));
        if !self.completes_posts || slot >= PROCESS_SLOTS {
            return;
        }
        while self.consumed[slot] != value {
            let index = self.consumed[slot] % POST_QUEUE_ENTRIES;
            let queue = self.layout().post_queues + slot as u32 * PAGE_BYTES;
            self.posts.push((slot, self.sram_read(queue + index * POST_DESCRIPTOR_BYTES)));
            self.consumed[slot] = self.consumed[slot].wrapping_add(1);
        }
        let status = ProcessStatus { ended: value, ..ProcessStatus::default() };
        self.write_status(at, slot, status);
    }

    // ---- Accesses of the host ------------------------------------------------------------------------------------

    fn write_config(&mut self, register: u8, value: u32) {
        let sram_bytes = self.sram.len() as u32;
        let value = match register {
            0x10 => value & !(BAR_0_BYTES - 1),
            0x14 => (value & !(sram_bytes - 1)) | 0x8,
            0x18..=0x24 | 0x30 => 0,
            0x04 => (self.config(4) & 0xFFFF_0000) | (value & 0xFFFF),
            _ => value,
        };
        self.config.insert(register, value);
    }

    fn write_register(&mut self, at: Ps, offset: u32, value: u32) {
        if offset >= DOORBELL_SPACE {
            self.doorbell(at, ((offset - DOORBELL_SPACE) / PAGE_BYTES) as usize, value);
        } else if offset == interrupt::CAUSE.offset().0 {
            let causes = self.register(interrupt::CAUSE) & !value;
            self.set_register(interrupt::CAUSE, causes);
        } else {
            self.registers.insert(offset, value);
            if offset == ident::CORE_CONTROL.offset().0 && value & 1 != 0 {
                self.release_core();
            }
            if offset == ident::CORE_CONTROL.offset().0 && value & 2 != 0 {
                self.release_core_b();
            }
            if offset == mailbox::TO_NIC.at(MAILBOX_COMMAND).offset().0 {
                self.obey(value);
                if let Some(answer) = self.command_answer {
                    self.set_register(mailbox::TO_HOST.at(MAILBOX_COMMAND_DONE), answer(value));
                    self.raise(MAILBOX_COMMAND_DONE as u32);
                }
            }
        }
    }

    fn read_register(&self, offset: u32) -> u32 {
        if offset == interrupt::STATUS.offset().0 {
            return self.register(interrupt::CAUSE) & self.register(interrupt::ENABLE);
        }
        if offset >= DOORBELL_SPACE {
            return 0;
        }
        self.registers.get(&offset).copied().unwrap_or(0)
    }

    fn locate(&self, address: BusAddr) -> Option<Place> {
        if self.config(4) & 2 == 0 {
            return None;
        }
        let (bar_0, bar_1) = (self.config(0x10) & !0xF, self.config(0x14) & !0xF);
        let in_0 = address.0.wrapping_sub(bar_0);
        let in_1 = address.0.wrapping_sub(bar_1);
        if in_0 < BAR_0_BYTES {
            Some(Place::Register(in_0))
        } else if in_1 < self.sram.len() as u32 {
            Some(Place::Sram(in_1))
        } else {
            None
        }
    }

    fn carry_out(&mut self, at: Ps, burst: u64, request: &Request) -> Result<u32, BusFault> {
        match request {
            Request::ConfigRead { device, .. } | Request::ConfigWrite { device, .. } if *device != MOCK_DEVICE => {
                Err(BusFault::MasterAbort)
            }
            Request::ConfigRead { register, .. } => Ok(self.config(*register)),
            Request::ConfigWrite { register, value, .. } => {
                self.writes.push(Written { at, place: Place::Config(*register), value: *value, burst });
                self.write_config(*register, *value);
                Ok(0)
            }
            Request::Read { address } => match self.locate(*address).ok_or(BusFault::MasterAbort)? {
                Place::Sram(offset) => Ok(self.sram_word(offset)),
                Place::Register(offset) => Ok(self.read_register(offset)),
                Place::Config(_) => Err(BusFault::MasterAbort),
            },
            Request::Write { address, words } => {
                for (index, word) in words.iter().enumerate() {
                    let place = self.locate(*address + 4 * index as u32).ok_or(BusFault::MasterAbort)?;
                    self.writes.push(Written { at, place, value: *word, burst });
                    match place {
                        Place::Sram(offset) => self.set_sram_word(offset, *word),
                        Place::Register(offset) => self.write_register(at, offset, *word),
                        Place::Config(_) => {}
                    }
                }
                Ok(0)
            }
        }
    }

    fn interrupt(&self) -> bool {
        self.read_register(interrupt::STATUS.offset().0) != 0
    }
}

/// A bus with nothing on it but a [`MockNic`].
pub struct MockBus {
    nic: Rc<RefCell<MockNic>>,
    queue: VecDeque<(RequestId, Request)>,
    clocks_left: Option<u32>,
    completions: VecDeque<Completion>,
}

impl MockBus {
    pub fn new(sram_bytes: u32, memory: Rc<RefCell<Memory>>) -> (MockBus, Rc<RefCell<MockNic>>) {
        let nic = Rc::new(RefCell::new(MockNic::new(sram_bytes, memory)));
        let bus = MockBus { nic: nic.clone(), queue: VecDeque::new(), clocks_left: None, completions: VecDeque::new() };
        (bus, nic)
    }
}

/// Clocks from the request to the first data phase.
const ADDRESS_CLOCKS: u32 = 3;

impl Bus for MockBus {
    fn submit(&mut self, id: RequestId, request: Request) {
        self.queue.push_back((id, request));
    }

    fn take_completion(&mut self) -> Option<Completion> {
        self.completions.pop_front()
    }

    fn rising_edge(&mut self, at: Ps, _nic: &PciDrive) -> PciLines {
        if let Some((id, request)) = self.queue.front() {
            let clocks = self.clocks_left.unwrap_or(match request {
                Request::Write { words, .. } => ADDRESS_CLOCKS + words.len() as u32,
                _ => ADDRESS_CLOCKS + 1,
            });
            if clocks == 0 {
                let result = self.nic.borrow_mut().carry_out(at, id.0, request);
                self.completions.push_back(Completion { id: *id, at, result });
                self.queue.pop_front();
                self.clocks_left = None;
            } else {
                self.clocks_left = Some(clocks - 1);
            }
        }
        let mut lines = PciLines::IDLE;
        if self.interrupt() {
            lines.control = PciControl::from_bits(lines.control.bits() & !PciPin::Inta.mask());
        }
        lines
    }

    fn interrupt(&self) -> bool {
        self.nic.borrow().interrupt()
    }

    fn is_idle(&self) -> bool {
        self.queue.is_empty()
    }

    fn take_violations(&mut self) -> Vec<String> {
        Vec::new()
    }
}

/// A small firmware image: `words` at the start of the firmware's SRAM.
pub fn elf_image(words: &[u32]) -> Vec<u8> {
    elf_image_at(nic_layout::boot::FIRMWARE_ADDRESS, words)
}

/// The same at another place of the SRAM.
pub fn elf_image_at(sram_address: u32, words: &[u32]) -> Vec<u8> {
    let address = nic_layout::CORE_SRAM_BASE + sram_address;
    let bytes = words.len() as u32 * 4;
    let mut file = Vec::new();
    file.extend(b"\x7FELF\x01\x01\x01\0\0\0\0\0\0\0\0\0");
    for half in [2_u16, 243] {
        file.extend(half.to_le_bytes());
    }
    for word in [1, address, 52, 0, 0] {
        file.extend(word.to_le_bytes());
    }
    for half in [52_u16, 32, 1, 0, 0, 0] {
        file.extend(half.to_le_bytes());
    }
    for word in [1, 84, address, address, bytes, bytes, 5, 4] {
        file.extend(word.to_le_bytes());
    }
    file.extend(words.iter().flat_map(|word| word.to_le_bytes()));
    file
}
