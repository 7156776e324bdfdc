//! Tables in SRAM that the driver fills by PIO.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

pub use crate::counter::Counter;
use crate::post::ProcessStatus;

/// One per process slot: the process that has its post queue. The driver writes `state` last when
/// it opens the slot, and first when it closes it. Behind them is one more, [`NEXT_OWNER`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct ProcessEntry {
    /// [`ENTRY_OPEN`] while the slot is open.
    pub state: u32,
    /// Process identifier, 1 to [`PID_MAX`], the process part of every lookup.
    pub pid: u32,
    /// Bus address of the status page, a multiple of 16.
    pub status_address: u32,
    /// Not used.
    pub reserved: u32,
    /// The NIC's copy of what it last wrote to the status page. In [`NEXT_OWNER`] it is
    /// what that process's page says; its indices go on from there.
    pub status: ProcessStatus,
}

/// The entry that [`crate::ring::COMMAND_ASSIGN`] is about.
pub const NEXT_OWNER: usize = crate::PROCESS_SLOTS;
/// [`ProcessEntry::state`]: the slot is open.
pub const ENTRY_OPEN: u32 = 1;
/// State of [`NEXT_OWNER`]: the queue has gone to the process.
pub const ENTRY_ASSIGNED: u32 = 2;

/// The largest process identifier.
pub const PID_MAX: u32 = 0xFFF;

/// What remote nodes may do with a registered buffer: [`crate::cbh::Descriptor::permissions`].
pub const PERMIT_WRITE: u32 = 1;
/// Remote nodes may read the buffer.
pub const PERMIT_READ: u32 = 2;

/// What the NIC tells the driver about a miss (M-17, M-18). In the miss ring; the producer index
/// goes to mailbox [`crate::ring::MAILBOX_MISS`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct MissEntry {
    /// Key of the reserved line: see [`crate::vmh::key`]; of a buffer its CBH word: see
    /// [`crate::cbh::cbh`].
    pub key: u32,
    /// Line, or entry of the CBH cache, that is reserved for it: set times ways plus way.
    pub line: u32,
    /// [`MISS_SEND`], [`MISS_RECEIVE`] or [`MISS_BUFFER`].
    pub kind: u32,
    /// Core cycles, low half, when the line was reserved.
    pub cycles: u32,
}

/// A translation, for the send path and for the receive path.
pub const MISS_SEND: u32 = 0;
/// A translation, for the receive path.
pub const MISS_RECEIVE: u32 = 1;
/// The descriptor of a buffer.
pub const MISS_BUFFER: u32 = 2;

/// Entries of the miss ring.
pub const MISS_RING_ENTRIES: u32 = 64;

/// What the NIC tells the driver about a write with the notify flag, when its data are in host
/// memory (M-6). In the notification ring; the producer index goes to mailbox
/// [`crate::ring::MAILBOX_NOTIFY`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct NotifyEntry {
    /// CBH word of the buffer.
    pub buffer: u32,
    /// Low word of the buffer's key, whatever its width: of a buffer that was registered later it
    /// is another one. It tells notifications apart, and opens nothing.
    pub key: u32,
    /// Where the message ends in the buffer.
    pub end_offset: u32,
    /// The number of the message, from its post.
    pub message: u32,
    /// The node that wrote.
    pub source_node: u32,
    /// For the NIC alone: the host writes that must have ended before.
    pub fence: u32,
    /// Not used.
    pub reserved: [u32; 2],
}

/// Entries of the notification ring.
pub const NOTIFY_RING_ENTRIES: u32 = 32;
