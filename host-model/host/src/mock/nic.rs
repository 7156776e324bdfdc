//! The NIC that a test looks into: its configuration space, registers and SRAM, and what its
//! firmware shall do.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

use nic_layout::boot::{caches, static_tables, BootError, CrashRecord, CAUSE_CRASH, CRASH_RECORD_ADDRESS};
use nic_layout::cbh::{entry, CbhGeometry, STATE_RESERVED};
use nic_layout::fetch::DIRECTORY_BYTES;
use nic_layout::keeper;
use nic_layout::key::KeyWidth;
use nic_layout::post::{PostDescriptor, ProcessStatus};
use nic_layout::registers::{ident, interrupt, mailbox, Register};
use nic_layout::ring::{MAILBOX_MISS, MAILBOX_NOTIFY};
use nic_layout::static_tables::StaticGeometry;
use nic_layout::tables::{
    Counter, MissEntry, NotifyEntry, ProcessEntry, MISS_RING_ENTRIES, NEXT_OWNER, NOTIFY_RING_ENTRIES,
};
use nic_layout::vmh::VmhGeometry;
use nic_layout::{PAGE_BYTES, PROCESS_SLOTS};
use sim_pins::Ps;
use zerocopy::{FromBytes, Immutable, IntoBytes};

use crate::address::BusAddr;
use crate::memory::Memory;

use super::reply::MockReply;

/// The slot it is in.
pub const MOCK_DEVICE: u8 = 4;

/// What the scripted firmware does when the core is released.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BootScript {
    /// Answers that it runs.
    Ready,
    /// Refuses for this reason.
    Refuse(BootError),
    /// Never answers.
    Silent,
    /// Leaves this crash record.
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
    /// Configuration space, byte offset.
    Config(u8),
    /// BAR 0, byte offset.
    Register(u32),
    /// BAR 1, byte offset.
    Sram(u32),
}

/// A dword that the host wrote to the NIC.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Written {
    /// When it arrived.
    pub at: Ps,
    /// Where it went.
    pub place: Place,
    /// The dword.
    pub value: u32,
    /// Number of the transaction: words of one burst share it.
    pub burst: u64,
}

/// The NIC, for the test to look into.
pub struct MockNic {
    /// What the firmware of core A does at its start.
    pub boot: BootScript,
    /// What the firmware of core B does at its start.
    pub boot_b: BootScript,
    /// Geometry of the VMH cache that the boot reply tells.
    pub geometry: VmhGeometry,
    /// Geometry of the CBH cache that the boot reply tells.
    pub cbh_geometry: CbhGeometry,
    /// The scripted firmware has static tables, and the caches are not there.
    pub static_tables: Option<StaticGeometry>,
    /// Post queues that the boot reply tells.
    pub post_queue_count: usize,
    /// What becomes of `COMMAND_ASSIGN`.
    pub assigns: AssignScript,
    /// Overrides the reply, after the script has made it.
    pub spoil_reply: Option<fn(&mut MockReply)>,
    /// Completes each post at its doorbell by a DMA write to the status page.
    pub completes_posts: bool,
    /// Answers commands; `None` leaves them without an answer.
    pub command_answer: Option<fn(u32) -> u32>,
    /// Every dword that the host wrote, in order.
    pub writes: Vec<Written>,
    /// Descriptors of posts, with the number of their queue, in the order of their doorbells.
    pub posts: Vec<(usize, PostDescriptor)>,
    /// Doorbells that were rung: the queue and the dword.
    pub doorbells: Vec<(usize, u32)>,
    pub(super) config: BTreeMap<u8, u32>,
    pub(super) registers: BTreeMap<u32, u32>,
    pub(super) sram: Vec<u8>,
    pub(super) consumed: [u32; PROCESS_SLOTS],
    pub(super) misses: u32,
    pub(super) notifications: u32,
    pub(super) memory: Rc<RefCell<Memory>>,
}

impl MockNic {
    pub(super) fn new(sram_bytes: u32, memory: Rc<RefCell<Memory>>) -> MockNic {
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

    /// RST#: registers and configuration space lose what was written, the SRAM does not. What the
    /// test has set stays.
    pub(super) fn reset(&mut self) {
        let fresh = MockNic::new(self.sram.len() as u32, self.memory.clone());
        (self.config, self.registers) = (fresh.config, fresh.registers);
        (self.consumed, self.misses, self.notifications) = (fresh.consumed, fresh.misses, fresh.notifications);
    }

    /// A dword of configuration space; `register` is its byte offset.
    pub fn config(&self, register: u8) -> u32 {
        self.config.get(&register).copied().unwrap_or(0)
    }

    /// Sets a dword of configuration space; `register` is its byte offset.
    pub fn set_config(&mut self, register: u8, value: u32) {
        self.config.insert(register, value);
    }

    /// The value of a register; 0 before it was written.
    pub fn register<T, A>(&self, register: Register<T, A>) -> u32 {
        self.registers.get(&register.offset().0).copied().unwrap_or(0)
    }

    /// Sets a register, as the NIC would.
    pub fn set_register<T, A>(&mut self, register: Register<T, A>, value: u32) {
        self.registers.insert(register.offset().0, value);
    }

    /// A dword of SRAM; `address` is a byte offset.
    pub fn sram_word(&self, address: u32) -> u32 {
        let bytes = &self.sram[address as usize..][..4];
        u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
    }

    /// Sets a dword of SRAM; `address` is a byte offset.
    pub fn set_sram_word(&mut self, address: u32, value: u32) {
        self.sram[address as usize..][..4].copy_from_slice(&value.to_le_bytes());
    }

    /// A structure in SRAM.
    pub fn sram_read<T: FromBytes>(&self, address: u32) -> T {
        let bytes = &self.sram[address as usize..][..size_of::<T>()];
        T::read_from_bytes(bytes).expect("as long as the type")
    }

    /// Writes a structure to SRAM; `address` is a byte offset.
    pub fn sram_write<T: IntoBytes + Immutable>(&mut self, address: u32, value: &T) {
        let bytes = value.as_bytes();
        self.sram[address as usize..][..bytes.len()].copy_from_slice(bytes);
    }

    /// Where the scripted firmware puts its tables.
    pub fn layout(&self) -> MockReply {
        let post_queues = 0x1_0000;
        let process_table = post_queues + self.post_queue_count as u32 * PAGE_BYTES;
        let miss_ring = process_table + ((NEXT_OWNER + 1) * size_of::<ProcessEntry>()) as u32;
        let notify_ring = miss_ring + MISS_RING_ENTRIES * size_of::<MissEntry>() as u32;
        let counters = notify_ring + NOTIFY_RING_ENTRIES * size_of::<NotifyEntry>() as u32;
        let vmh_cache = (counters + Counter::LINKED_COUNT as u32 * 4).next_multiple_of(64);
        let cbh_cache = vmh_cache + self.geometry.bytes();
        let static_tables = cbh_cache + self.cbh_geometry.bytes();
        let geometry = self.static_tables.unwrap_or_default();
        let directories = static_tables + self.static_tables.map_or(0, StaticGeometry::bytes);
        let end = directories + PROCESS_SLOTS as u32 * DIRECTORY_BYTES;
        MockReply {
            post_queues,
            post_queue_count: self.post_queue_count as u32,
            process_table,
            miss_ring,
            notify_ring,
            personality: self.static_tables.map_or(caches::PERSONALITY, |_| static_tables::PERSONALITY),
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
            lacks_tables: false,
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

    // ---- What the firmware tells ----------------------------------------------------------------

    /// A core B that keeps totals meets its own error.
    pub fn crash_b(&mut self, record: CrashRecord) {
        self.crash_b_in(keeper::AREA_ADDRESS, record);
    }

    /// A core B with its area at `area` meets its own error.
    pub fn crash_b_in(&mut self, area: u32, record: CrashRecord) {
        self.sram_write(area + keeper::CRASH, &record);
        self.raise(CAUSE_CRASH);
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

    pub(super) fn process_entry(&self, slot: usize) -> u32 {
        self.layout().process_table + (slot * size_of::<ProcessEntry>()) as u32
    }
}
