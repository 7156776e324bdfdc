//! A NIC and its host in memory, and a wire that loses, duplicates and reorders. A seeded generator
//! chooses the order of events that may happen in any order.
//!
//! * [`Hardware`]: the devices as the firmware sees them.
//! * `host`: memory, driver, processes.
//! * `node`: a NIC with its host, and one step of each part.
//! * `world`: nodes and wires.
//! * `scene`: the set-up of most tests.
#![allow(dead_code, reason = "each test binary uses its part")]

mod host;
mod node;
pub mod scene;
mod world;

pub use host::Host;
pub use node::NodeOf;
pub use world::WorldOf;

pub use nic_device::mock::Hardware;
use nic_layout::boot::ReceiveMiss;
use nic_layout::cbh::CbhGeometry;
use nic_layout::key::KeyWidth;
use nic_layout::static_tables::StaticGeometry;
use nic_layout::vmh::VmhGeometry;
use nic_vmmc::Mini;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The session of every node.
pub const SESSION: u8 = 3;

pub const ENTRIES: u32 = 64;
pub const LINE: u32 = 8;
pub const WAYS: u32 = 2;
pub const GEOMETRY: VmhGeometry = VmhGeometry { entries: ENTRIES, line_entries: LINE, ways: WAYS };
/// So few entries that buffers evict each other.
pub const CBH_ENTRIES: u32 = 4;
pub const CBH_WAYS: u32 = 2;
pub const CBH_GEOMETRY: CbhGeometry = CbhGeometry { entries: CBH_ENTRIES, ways: CBH_WAYS, key: KeyWidth::Bits64 };
/// The geometry of static tables.
pub const STATIC: StaticGeometry =
    StaticGeometry { vmh_tables: 8, cbh_entries: 16, import_entries: 8, key: KeyWidth::Bits64 };
/// The upper half of every key of 128 bits, unless a test sets another.
pub const UPPER_KEY: [u32; 2] = [0x1357_9BDF, 0x2468_ACE0];
pub const SRAM_BYTES: u32 = 256 * 1024;
pub const PAGE: usize = 4096;
pub const HOST_PAGES: u32 = 256;

pub type Caches = Mini<ENTRIES, LINE, WAYS, CBH_ENTRIES, CBH_WAYS>;
pub type WideCaches = Mini<ENTRIES, LINE, WAYS, CBH_ENTRIES, CBH_WAYS, 128>;
pub type Node = NodeOf<Caches>;
pub type World = WorldOf<Caches>;

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
    /// Whether the NIC reads translations from the tables of its host ([`NodeOf::publish`]).
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
