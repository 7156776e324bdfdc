//! The boot block: SRAM bytes 0 to 0x3FF, where driver and firmware tell each other parameters.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

pub const BOOT_BLOCK_ADDRESS: u32 = 0;
pub const FIRMWARE_ADDRESS: u32 = 0x400;

/// `BootRequest::magic`: "NSBT".
pub const BOOT_MAGIC: u32 = 0x4E53_4254;
/// Changes with every change of a structure in this crate.
pub const LAYOUT_VERSION: u32 = 6;

/// Written by the driver before it lets the core run. At [`BOOT_BLOCK_ADDRESS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct BootRequest {
    pub magic: u32,
    pub layout_version: u32,
    /// This node's number, and how many nodes there are (2 to [`MAX_NODES`]).
    pub node: u32,
    pub node_count: u32,
    pub core_hz: u32,
    pub sram_bytes: u32,
    /// Data bytes that one frame may carry behind the header of an image with keys of 64 bits; with 128 bits it carries 8 less.
    pub frame_data_bytes_max: u32,
    /// Frame buffers in SRAM, and the size of each (a multiple of 8, at least header and data).
    pub tx_buffer_count: u32,
    pub rx_buffer_count: u32,
    pub buffer_bytes: u32,
    pub retransmit_cycles: u32,
    /// Retransmissions of one frame before the peer is given up.
    pub retransmit_limit: u32,
    /// Acknowledge at the latest after so many accepted frames, or so many core cycles.
    pub ack_frames: u32,
    pub ack_cycles: u32,
    /// Number of page frames of host memory: a page number at or above it is wild.
    pub host_pages: u32,
    /// Incarnation of the cluster, 0 to 255: frames of another one are dropped (INV-31). All nodes of a cluster start with the same number, and
    /// take the next one when they start again.
    pub session: u32,
    /// [`ReceiveMiss`].
    pub receive_miss: u32,
    /// Frames that may be held at a time ([`ReceiveMiss::Hold`]); each keeps a receive buffer.
    pub held_frames_max: u32,
    /// What static tables shall hold, if the SRAM does ([`crate::static_tables::StaticGeometry`]).
    pub vmh_tables_max: u32,
    pub cbh_entries_max: u32,
    pub import_entries_max: u32,
    /// Post queues, 1 to [`crate::PROCESS_SLOTS`]; 0: as many as the personality has by itself.
    pub post_queues: u32,
    /// 1: the NIC reads translations from the host's tables by itself ([`crate::fetch`]); 0: it asks the driver. Caches only.
    pub fetches_translations: u32,
}

/// Where a firmware looks handles up: a word of the boot reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Personality {
    /// In two caches of the driver's tables, which miss to the host (M-15).
    Mini = 1,
    /// In tables that hold everything (M-13).
    Vmmc = 2,
}

impl Personality {
    pub const fn from_word(word: u32) -> Option<Personality> {
        match word {
            1 => Some(Personality::Mini),
            2 => Some(Personality::Vmmc),
            _ => None,
        }
    }
}

/// What becomes of a frame whose destination has no translation on the NIC yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u32)]
pub enum ReceiveMiss {
    /// Dropped; the sender's time-out brings it again (M-20).
    #[default]
    TimeOut = 0,
    /// Dropped; the sender is told of the miss, and again when it has been served.
    Restart = 1,
    /// Held in its receive buffer until the miss has been served.
    Hold = 2,
}

impl ReceiveMiss {
    pub const fn from_word(word: u32) -> Option<ReceiveMiss> {
        match word {
            0 => Some(ReceiveMiss::TimeOut),
            1 => Some(ReceiveMiss::Restart),
            2 => Some(ReceiveMiss::Hold),
            _ => None,
        }
    }
}

pub const MAX_NODES: usize = 16;

/// Written by the firmware. At [`BOOT_REPLY_ADDRESS`]; `state` is written last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct BootReply {
    /// [`BOOT_READY`], or [`BOOT_REFUSED`] with the reason in `error`.
    pub state: u32,
    pub error: u32,
    pub post_queues: u32,
    /// How many there are.
    pub post_queue_count: u32,
    pub process_table: u32,
    pub miss_ring: u32,
    pub notify_ring: u32,
    /// [`Personality`]: which of the two groups below says what there is. The words of the other are 0, and mean nothing.
    pub personality: u32,
    pub vmh_cache: u32,
    pub vmh_entries: u32,
    pub vmh_line_entries: u32,
    pub vmh_ways: u32,
    pub cbh_cache: u32,
    pub cbh_entries: u32,
    pub cbh_ways: u32,
    /// The tables of [`Personality::Vmmc`] ([`crate::static_tables`]).
    pub static_tables: u32,
    pub static_vmh_tables: u32,
    pub static_cbh_entries: u32,
    pub static_import_entries: u32,
    /// The directories of [`crate::fetch`]; 0 if the NIC does not fetch.
    pub directories: u32,
    /// Counters as [`crate::tables::Counter`] orders them.
    pub counters: u32,
    pub tx_buffers: u32,
    pub rx_buffers: u32,
    /// First byte that nothing uses.
    pub free: u32,
    /// The width of keys ([`crate::key::KeyWidth`]): of posts, frames, buffers and imports.
    pub key_bits: u32,
}

pub const BOOT_REPLY_ADDRESS: u32 = 0x80;
pub const BOOT_READY: u32 = 0x5245_4459;
pub const BOOT_REFUSED: u32 = 0x4645_4852;

/// `BootReply::error`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum BootError {
    BadMagic = 1,
    OtherLayout = 2,
    NodeOutOfRange = 3,
    BufferSize = 4,
    DoesNotFitSram = 5,
    /// More buffers than the firmware has records for, or none.
    BufferCount = 6,
    SessionOutOfRange = 7,
    /// Zero, or so long that it cannot be told from the past.
    IntervalOutOfRange = 8,
    /// No way of serving misses, or more frames to be held than buffers to spare.
    ReceiveMissOutOfRange = 9,
    /// Static tables that hold nothing, or more than an index can name.
    StaticTablesOutOfRange = 10,
    /// More post queues than there are slots; or fewer, of a personality whose processes keep theirs.
    PostQueuesOutOfRange = 11,
    /// Neither to fetch translations nor not to.
    FetchOutOfRange = 12,
}

impl BootError {
    pub const fn from_word(word: u32) -> Option<BootError> {
        Some(match word {
            1 => BootError::BadMagic,
            2 => BootError::OtherLayout,
            3 => BootError::NodeOutOfRange,
            4 => BootError::BufferSize,
            5 => BootError::DoesNotFitSram,
            6 => BootError::BufferCount,
            7 => BootError::SessionOutOfRange,
            8 => BootError::IntervalOutOfRange,
            9 => BootError::ReceiveMissOutOfRange,
            10 => BootError::StaticTablesOutOfRange,
            11 => BootError::PostQueuesOutOfRange,
            12 => BootError::FetchOutOfRange,
            _ => return None,
        })
    }
}

/// Written by firmware that met its own error, before it raises [`CAUSE_CRASH`] and stops. At [`CRASH_RECORD_ADDRESS`]; zero before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct CrashRecord {
    /// [`CRASH_TRAP`] or [`CRASH_PANIC`]; written last.
    pub kind: u32,
    /// `mcause`; of a panic: the source line.
    pub cause: u32,
    /// `mepc`; of a panic: 0.
    pub pc: u32,
    /// `mtval`; of a panic: 0.
    pub value: u32,
}

pub const CRASH_RECORD_ADDRESS: u32 = 0x100;
pub const CRASH_TRAP: u32 = 0x5452_4150;
pub const CRASH_PANIC: u32 = 0x5041_4E49;

/// Interrupt cause (`INTERRUPT.CAUSE` bit) of a crash.
pub const CAUSE_CRASH: u32 = 8;
