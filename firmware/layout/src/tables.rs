//! Tables in SRAM that the driver fills by PIO.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

pub use crate::counter::Counter;
use crate::post::ProcessStatus;

/// One per process slot. The driver writes `state` last when it opens the slot, and first when it closes it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct ProcessEntry {
    /// 1 while the slot is open.
    pub state: u32,
    /// Process identifier, 1 to [`PID_MAX`], the process part of every lookup.
    pub pid: u32,
    /// Bus address of the status page, a multiple of 16.
    pub status_address: u32,
    pub reserved: u32,
    /// The NIC's copy of what it last wrote to the status page.
    pub status: ProcessStatus,
}

pub const PID_MAX: u32 = 0xFFF;

/// A registered buffer. In this table the buffer identifier is the index. The driver writes `state` last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct BufferEntry {
    /// 1 while the buffer is registered.
    pub state: u32,
    pub pid: u32,
    pub start_address: u32,
    pub length_bytes: u32,
    pub key: [u32; 2],
    /// [`PERMIT_WRITE`].
    pub permissions: u32,
    pub reserved: u32,
}

pub const BUFFER_TABLE_ENTRIES: usize = 256;
pub const PERMIT_WRITE: u32 = 1;

/// What the NIC tells the driver about a miss (M-17, M-18). In the miss ring; the producer index goes to mailbox [`crate::ring::MAILBOX_MISS`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct MissEntry {
    /// Key of the reserved line: see [`crate::vmh::key`].
    pub key: u32,
    /// Line that is reserved for it: set times ways plus way.
    pub line: u32,
    /// 0 send path, 1 receive path.
    pub path: u32,
    /// Core cycles, low half, when the line was reserved.
    pub cycles: u32,
}

pub const MISS_RING_ENTRIES: u32 = 64;
