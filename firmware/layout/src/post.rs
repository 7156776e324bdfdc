//! What a process posts, and how it learns the end. A post queue is one page of SRAM that only its process can reach.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// Descriptors in one queue: a page full. The doorbell's value is the free-running producer index (mod 2^32).
pub const POST_QUEUE_ENTRIES: u32 = 128;
pub const POST_DESCRIPTOR_BYTES: u32 = 32;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct PostDescriptor {
    /// [`OP_WRITE`].
    pub op: u8,
    pub flags: u8,
    pub destination_node: u16,
    pub length_bytes: u32,
    pub source_address: u32,
    pub buffer: u32,
    pub buffer_offset: u32,
    /// The buffer's protection key, low word first.
    pub key: [u32; 2],
    /// For the trace and the frames; not interpreted.
    pub message: u32,
}

pub const OP_WRITE: u8 = 1;

/// What the NIC writes by DMA to the process's status page after one or more posts have ended. The words land in ascending order, so whoever
/// sees a new `ended` also sees the words that belong to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct ProcessStatus {
    /// How many posts ended badly.
    pub refused: u32,
    /// The last bad one: [`PostError`], and its free-running index.
    pub last_error: u32,
    pub last_error_index: u32,
    /// Posts that have ended, well or badly, in post order; free-running.
    pub ended: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum PostError {
    UnknownOperation = 1,
    NoSuchNode = 2,
    LengthOutOfRange = 3,
    /// The source runs over the end of the address space, or a page of it could not be translated and pinned.
    BadSourceAddress = 4,
    PeerUnreachable = 5,
    /// The doorbell's value is more than one queue length ahead of `ended`, or behind what was rung before. No post ends by it;
    /// `last_error_index` is the wild value.
    BadProducerIndex = 6,
    /// The PCI bus ended the DMA of the source data.
    BusError = 7,
}

/// The longest message that one descriptor may describe.
pub const MESSAGE_BYTES_MAX: u32 = 1 << 24;
