//! A monitor and a scripted node. A test makes single steps: accesses of the host and of the NIC to
//! the bus, markers of the firmware, frames of the link.

use std::collections::BTreeMap;

use nic_layout::cbh::{cbh, cbh_id, entry, valid, CbhGeometry, STATE_INVALID};
use nic_layout::frame::link::{FrameKind, FLAG_LAST};
use nic_layout::frame::rdma::word;
use nic_layout::key::KeyWidth;
use nic_layout::post::OP_WRITE;
use nic_layout::registers::mailbox;
use nic_layout::static_tables::{import, StaticGeometry, UNREGISTERED};
use nic_layout::tables::{PERMIT_READ, PERMIT_WRITE};
use nic_layout::trace::{self, Marker};
use nic_layout::vmh::{key, VmhGeometry, KEY_VALID, NO_TRANSLATION};
use nic_monitor::watches::{
    CachePlaces, Caches, Dma, Fetches, Link, Notifications, Posts, StaticPlaces, StaticTables, Watch, Watches,
};
use nic_monitor::{Monitor, Pins, Places, PostPlaces, Transfer};
use sim_pins::{LinkSymbol, Ps};

pub const SRAM: u32 = 0x8000_0000;
pub const REGISTERS: u32 = 0x9000_0000;
pub const VMH_AT: u32 = 0x1_0000;
pub const CBH_AT: u32 = 0x2_0000;
pub const TABLE_AT: u32 = 0x3_0000;
pub const QUEUES_AT: u32 = 0x4_0000;
pub const DIRECTORIES_AT: u32 = 0x5_0000;
pub const VMH: VmhGeometry = VmhGeometry { entries: 64, line_entries: 8, ways: 2 };
pub const CBH: CbhGeometry = CbhGeometry { entries: 8, ways: 2, key: KeyWidth::Bits64 };

pub const PID: u32 = 5;
/// A page of the process, its line, and its physical page.
pub const PAGE: u32 = 0x40;
pub const LINE: u32 = 1;
pub const FRAME: u32 = 0x123;
pub const HOLE: u32 = 0x41;
/// A buffer that begins in that page.
pub const BUFFER: u32 = cbh(PID, 2);
pub const ENTRY: u32 = 5;
/// A buffer of another process, with the same low bits in markers.
pub const LOOKALIKE: u32 = cbh(PID + 16, 2);
pub const KEY: [u32; 2] = [0xAB, 0xCD];
pub const LENGTH: u32 = 4096;

/// The numbers below are of a node with static tables.
pub const TABLES: StaticGeometry =
    StaticGeometry { vmh_tables: 2, cbh_entries: 8, import_entries: 4, key: KeyWidth::Bits64 };
const TABLES_START: u32 = 0x6_0000;
/// The import of the process, which may write: it names a buffer of node 1.
pub const IMPORT: u32 = 2;
pub const PEER_BUFFER: u32 = cbh(9, 3);

/// The bus address of an offset in the static tables.
pub fn tables_at(offset: u32) -> u32 {
    SRAM + TABLES_START + offset
}

pub struct Host(pub BTreeMap<(u32, u32), u32>);

impl Pins for Host {
    fn pinned(&self, pid: u32, page: u32) -> Option<u32> {
        self.0.get(&(pid, page)).copied()
    }
}

pub struct Bench {
    pub monitor: Monitor,
    pub host: Host,
    pub at: Ps,
    /// The entry in which lookups find the buffer.
    entry: u32,
}

/// A frame of node 1 to node 0.
#[derive(Clone, Copy)]
pub struct Frame {
    pub kind: FrameKind,
    pub flags: u8,
    pub sequence: u32,
    pub offset: u32,
    pub bytes: u32,
    pub buffer: u32,
    pub key: [u32; 2],
    pub width: KeyWidth,
}

pub const WRITE: Frame = Frame {
    kind: FrameKind::WRITE,
    flags: FLAG_LAST,
    sequence: 0,
    offset: 0,
    bytes: 64,
    buffer: BUFFER,
    key: KEY,
    width: KeyWidth::Bits64,
};

impl Bench {
    /// A process has posted a write from its page; both caches are empty.
    pub fn new() -> Bench {
        let caches =
            CachePlaces { vmh_cache: VMH_AT, vmh: VMH, cbh_cache: CBH_AT, cbh: CBH, directories: Some(DIRECTORIES_AT) };
        let lookups: Vec<Box<dyn Watch>> =
            vec![Box::new(Fetches::new(&caches)), Box::<Dma>::default(), Box::new(Caches::new(&caches))];
        Bench::of(lookups, 0)
    }

    /// A process has posted a write from its page, from its slot.
    fn of(lookups: Vec<Box<dyn Watch>>, slot: u32) -> Bench {
        let places = Places {
            registers: REGISTERS,
            sram: SRAM,
            sram_bytes: 0x8_0000,
            posts: Some(PostPlaces { process_table: TABLE_AT, queues: QUEUES_AT, queue_count: 8 }),
            host_pages: 0x1000,
        };
        let mut monitor = Monitor::new(0);
        let mut watches: Vec<Box<dyn Watch>> = vec![Box::<Posts>::default()];
        watches.extend(lookups);
        watches.extend([Box::<Notifications>::default() as Box<dyn Watch>, Box::<Link>::default()]);
        monitor.place(places, Watches::new(watches));
        let mut bench =
            Bench { monitor, host: Host(BTreeMap::from([((PID, PAGE), FRAME)])), at: Ps::from_us(1), entry: ENTRY };
        let (entry, queue) = (SRAM + TABLE_AT + 32 * slot, SRAM + QUEUES_AT + 4096 * slot);
        bench.write(entry + 4, PID).write(entry + 8, 0x77_0000);
        bench.write(queue, u32::from(OP_WRITE)).write(queue + 4, 100).write(queue + 8, PAGE << 12);
        bench
    }

    /// The same with static tables: its page is registered, its buffer exported, and a buffer of
    /// node 1 imported.
    pub fn with_static_tables() -> Bench {
        let at = TABLES_START;
        let slot = PID % 8;
        let tables = StaticTables::new(&StaticPlaces { at, geometry: TABLES });
        let lookups: Vec<Box<dyn Watch>> = vec![Box::<Dma>::default(), Box::new(tables)];
        let mut bench = Bench::of(lookups, slot);
        bench.write(SRAM + QUEUES_AT + 4096 * slot + 12, IMPORT);
        for entry in 0..1024 {
            let value = if entry == PAGE { FRAME } else { UNREGISTERED };
            bench.write(tables_at(TABLES.table_offset(1) + 4 * entry), value);
        }
        bench.write(tables_at(TABLES.top_offset(slot, PAGE)), 1);
        bench.entry = cbh_id(BUFFER);
        let words = [BUFFER, PAGE << 12, LENGTH, KEY[0], KEY[1], valid(PERMIT_WRITE | PERMIT_READ)];
        let who = import::who(1, PEER_BUFFER, PERMIT_WRITE).expect("it has room");
        let record = [LENGTH, KEY[0], KEY[1], who];
        for (word, value) in (0..).zip(words) {
            bench.write(tables_at(TABLES.buffer_offset(bench.entry) + 4 * word), value);
        }
        for (word, value) in (0..).zip(record) {
            bench.write(tables_at(TABLES.import_offset(slot, IMPORT) + 4 * word), value);
        }
        bench
    }

    /// The line of the page is filled.
    pub fn filled() -> Bench {
        let mut bench = Bench::new();
        bench.mark(Marker::LookupBegin, PAGE).mark(Marker::LookupMiss, PID).mark(Marker::MissRaised, LINE);
        bench.fill();
        bench
    }

    /// The entry of the buffer is filled.
    pub fn with_buffer() -> Bench {
        let mut bench = Bench::filled();
        bench.arrive(WRITE).mark(Marker::ReceiveBegin, 0).mark(Marker::ReceiveHeader, 0);
        bench.mark(Marker::BufferMiss, BUFFER & trace::ARGUMENT_MASK).mark(Marker::MissRaised, ENTRY);
        bench.mark(Marker::Dropped, 0).answer_buffer(ENTRY);
        bench
    }

    /// The driver writes the descriptor into the entry.
    pub fn answer_buffer(&mut self, number: u32) -> &mut Bench {
        let permissions = valid(PERMIT_WRITE | PERMIT_READ);
        for (offset, value) in [
            (entry::START, PAGE << 12),
            (entry::LENGTH, LENGTH),
            (entry::KEY_0, KEY[0]),
            (entry::KEY_1, KEY[1]),
            (entry::STATE, permissions),
        ] {
            self.write(SRAM + CBH_AT + CBH.entry_offset(number) + offset, value);
        }
        self
    }

    /// The driver knows no such buffer.
    pub fn deny_buffer(&mut self) -> &mut Bench {
        self.write(SRAM + CBH_AT + CBH.entry_offset(ENTRY) + entry::STATE, STATE_INVALID)
    }

    pub fn fill(&mut self) -> &mut Bench {
        for index in 0..VMH.line_entries {
            let value = if index == 0 { FRAME } else { NO_TRANSLATION };
            self.write(SRAM + VMH_AT + VMH.entry_offset(LINE, index), value);
        }
        self.write(SRAM + VMH_AT + VMH.key_offset(LINE), key(PID, PAGE, KEY_VALID))
    }

    pub fn transfer(&mut self, by_nic: bool, is_write: bool, address: u32, value: u32) -> &mut Bench {
        self.at = Ps(self.at.0 + 30_000);
        let transfer = Transfer { at: self.at, by_nic, is_write, address, data: value.into(), byte_enables: 0xF };
        self.monitor.transfers(&[transfer], &self.host);
        self
    }

    pub fn write(&mut self, address: u32, value: u32) -> &mut Bench {
        self.transfer(false, true, address, value)
    }

    pub fn mailbox(&mut self, index: usize, value: u32) -> &mut Bench {
        self.write(REGISTERS + mailbox::TO_NIC.at(index).offset().0, value)
    }

    /// The driver commands, and the firmware obeys.
    pub fn command(&mut self, word: u32) -> &mut Bench {
        self.mailbox(1, word).mark(Marker::Command, word & trace::ARGUMENT_MASK)
    }

    /// The driver reads that it was obeyed.
    pub fn answered(&mut self, word: u32) -> &mut Bench {
        self.transfer(false, false, REGISTERS + mailbox::TO_HOST.at(1).offset().0, word)
    }

    pub fn mark(&mut self, marker: Marker, argument: u32) -> &mut Bench {
        self.at = Ps(self.at.0 + 30_000);
        self.monitor.marker(self.at, trace::word(marker, argument), &self.host);
        self
    }

    pub fn hit(&mut self) -> &mut Bench {
        self.mark(Marker::LookupBegin, PAGE).mark(Marker::LookupHit, LINE)
    }

    /// A frame arrives, and the MAC keeps it in the receive ring.
    pub fn arrive(&mut self, frame: Frame) -> &mut Bench {
        self.arrive_from(1, frame, true)
    }

    /// A frame of a node arrives. `is_kept`: the MAC has room for it in the receive ring.
    pub fn arrive_from(&mut self, node: u16, frame: Frame, is_kept: bool) -> &mut Bench {
        for symbol in symbols_of(0, node, frame, 0) {
            self.monitor.received(self.at, symbol);
        }
        self.monitor.judged(is_kept);
        self
    }

    /// A frame up to its buffer, which hits.
    pub fn take(&mut self, frame: Frame) -> &mut Bench {
        self.arrive(frame).mark(Marker::ReceiveBegin, 1).mark(Marker::ReceiveHeader, frame.sequence);
        self.mark(Marker::BufferHit, self.entry)
    }

    /// A frame from begin to end, but for its DMA.
    pub fn accept(&mut self, frame: Frame) -> &mut Bench {
        self.take(frame).mark(Marker::ReceiveLookupBegin, PAGE).mark(Marker::LookupHit, LINE);
        self.mark(Marker::Accepted, frame.sequence)
    }

    pub fn broken(&self) -> Option<u8> {
        self.monitor.violation().map(|violation| violation.invariant.0)
    }
}

pub fn symbols(frame: Frame, acknowledge: u32) -> Vec<LinkSymbol> {
    symbols_of(0, 1, frame, acknowledge)
}

/// The same frame for an incarnation of node 0.
pub fn symbols_for_session(session: u8, frame: Frame, acknowledge: u32) -> Vec<LinkSymbol> {
    symbols_of(word::station(0, session), 1, frame, acknowledge)
}

/// The same frame in the other direction.
pub fn turned_symbols(frame: Frame, acknowledge: u32) -> Vec<LinkSymbol> {
    symbols_of(1, 0, frame, acknowledge)
}

fn symbols_of(to: u16, from: u16, frame: Frame, acknowledge: u32) -> Vec<LinkSymbol> {
    let [a, b, c] = word::addresses(to, from);
    let mut words = vec![
        a,
        b,
        c,
        word::kind(frame.kind, frame.flags) ^ word::mark(frame.width),
        word::node_length(1, 0, frame.bytes as u16),
    ];
    words.extend([
        frame.sequence,
        acknowledge,
        frame.buffer,
        frame.offset,
        frame.key[0],
        frame.key[1],
        0,
        frame.bytes,
        0,
        0,
        0,
    ]);
    on_wire(&words)
}

/// The words of a frame on the wire, from the preamble to the first symbol behind a good FCS.
pub fn on_wire(words: &[u32]) -> Vec<LinkSymbol> {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let mut crc = u32::MAX;
    for byte in &bytes {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = if crc & 1 != 0 { crc >> 1 ^ 0xEDB8_8320 } else { crc >> 1 };
        }
    }
    let all = [&[0x55; 7][..], &[0xD5], &bytes, &(!crc).to_le_bytes()].concat();
    let symbols = all.into_iter().map(|data| LinkSymbol { data, enable: true, error: false });
    symbols.chain([LinkSymbol { data: 0, enable: false, error: false }]).collect()
}

/// The rule that one wrong step breaks.
pub fn after(mut bench: Bench, step: impl FnOnce(&mut Bench)) -> Option<u8> {
    assert_eq!(bench.monitor.violation(), None);
    step(&mut bench);
    bench.broken()
}
