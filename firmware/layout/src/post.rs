//! What a process posts, and how it learns the end. A post queue is one page of SRAM that only its
//! process can reach.

use crate::key::KeyWidth;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// Entries of one queue: a page full. The doorbell's value is the free-running producer index (mod
/// 2^32).
pub const POST_QUEUE_ENTRIES: u32 = 128;
/// Bytes of an entry of a post queue.
pub const POST_DESCRIPTOR_BYTES: u32 = 32;

/// What a process asks the NIC to do: an entry of its post queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct PostDescriptor {
    /// [`OP_WRITE`] or [`OP_READ`].
    pub op: u8,
    /// [`POST_FLAG_INLINE`], [`POST_FLAG_NOTIFY`]: of a write.
    pub flags: u8,
    /// The node of the buffer. Not of a NIC with import tables: see `buffer`.
    pub destination_node: u16,
    /// Bytes to write or to read.
    pub length_bytes: u32,
    /// Where the data come from or go to; the first of them, if they are inline.
    pub local_address: u32,
    /// The buffer's CBH word; on a NIC with import tables the index of an import, which says node
    /// and key too.
    pub buffer: u32,
    /// Where in the buffer they go to or come from.
    pub buffer_offset: u32,
    /// The buffer's protection key, low word first; of 128 bits the lower half.
    pub key: [u32; 2],
    /// For the trace and the frames; not interpreted.
    pub message: u32,
}

/// Offset of the data in a descriptor that carries them, in bytes: the data replace the words
/// between the length and the message number.
pub const CARRIED_AT: u32 = 8;
/// Data bytes that a descriptor can carry.
pub const CARRIED_BYTES_MAX: u32 = 20;

impl PostDescriptor {
    /// The descriptor with these data, and with their length.
    ///
    /// # Panics
    /// If there are more than [`CARRIED_BYTES_MAX`] bytes.
    pub fn carrying(mut self, data: &[u8]) -> PostDescriptor {
        self.length_bytes = data.len() as u32;
        self.as_mut_bytes()[CARRIED_AT as usize..][..CARRIED_BYTES_MAX as usize][..data.len()].copy_from_slice(data);
        self
    }
}

/// From own memory to the buffer.
pub const OP_WRITE: u8 = 1;
/// From the buffer to own memory (M-5).
pub const OP_READ: u8 = 2;

/// The data stand in the queue (M-7): the first four bytes in place of `local_address`. If there
/// are more, the others fill the next entry from its start, and the post takes two entries; it is
/// known by the index of the second.
pub const POST_FLAG_INLINE: u8 = 1;
/// Data bytes that a post may carry itself.
pub const INLINE_BYTES_MAX: u32 = 32;

/// What stands before the data in the second entry of a post: the upper half of a key of 128 bits.
/// Then every post takes two entries. A post that names an import has no key.
pub const fn upper_key_bytes(key: KeyWidth, has_imports: bool) -> u32 {
    if has_imports {
        0
    } else {
        key.upper_bytes()
    }
}

/// Data bytes that a post may carry itself: behind an upper half of its key fewer.
pub const fn inline_bytes_max(key: KeyWidth, has_imports: bool) -> u32 {
    if upper_key_bytes(key, has_imports) == 0 {
        INLINE_BYTES_MAX
    } else {
        INLINE_BYTES_FIRST + POST_DESCRIPTOR_BYTES - upper_key_bytes(key, has_imports)
    }
}

/// Those of them in the descriptor.
pub const INLINE_BYTES_FIRST: u32 = 4;
/// When the data are in the buffer, its owner is told (M-6).
pub const POST_FLAG_NOTIFY: u8 = 4;

/// What the NIC writes by DMA to the process's status page after one or more posts have ended. The
/// words land in ascending order, so a process that sees a new `ended` also sees the words that
/// belong to it; the others may belong to an `ended` that is still to come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct ProcessStatus {
    /// How many posts ended badly.
    pub refused: u32,
    /// The last bad one: [`PostError`], and its free-running index; [`NO_POST`] before the first.
    pub last_error: u32,
    /// The index of that post, free-running.
    pub last_error_index: u32,
    /// Posts that have ended, well or badly, in post order; free-running.
    pub ended: u32,
}

/// What the driver writes in place of the last error when it has reset the NIC: no further post of
/// the process ends, and whether those under way have had an effect is not known.
pub const NIC_WAS_RESET: u32 = u32::MAX;

/// The index of the post before the first.
pub const NO_POST: u32 = u32::MAX;

/// Why a post has failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum PostError {
    /// There is no such operation, or it has no such flag.
    UnknownOperation = 1,
    /// The node is not there, or the own one.
    NoSuchNode = 2,
    /// Too long; or inline data whose second entry was not rung.
    LengthOutOfRange = 3,
    /// The own memory of the post runs over the end of the address space, or a page of it could not
    /// be translated and pinned.
    BadLocalAddress = 4,
    /// The peer was given up.
    PeerUnreachable = 5,
    /// The doorbell's value is more than one queue length ahead of `ended`, or behind what was rung
    /// before. No post ends by it; `last_error_index` is the wild value.
    BadProducerIndex = 6,
    /// The PCI bus ended the DMA of the source data.
    BusError = 7,
    /// The node of the buffer refused: no such buffer, wrong key, not permitted, out of bounds, or
    /// no page there. It does not say which (INV-24). What it took before is done.
    Refused = 8,
    /// The NIC has import tables, and there is no such import. The next two: the import does not
    /// permit this; the buffer ends before.
    NoSuchImport = 9,
    /// The import does not permit this.
    ImportForbids = 10,
    /// The buffer of the import ends before.
    ImportTooShort = 11,
}

impl PostError {
    /// The reason of a word of the status page.
    pub const fn from_word(word: u32) -> Option<PostError> {
        Some(match word {
            1 => PostError::UnknownOperation,
            2 => PostError::NoSuchNode,
            3 => PostError::LengthOutOfRange,
            4 => PostError::BadLocalAddress,
            5 => PostError::PeerUnreachable,
            6 => PostError::BadProducerIndex,
            7 => PostError::BusError,
            8 => PostError::Refused,
            9 => PostError::NoSuchImport,
            10 => PostError::ImportForbids,
            11 => PostError::ImportTooShort,
            _ => return None,
        })
    }
}

/// The longest message that one descriptor may describe.
pub const MESSAGE_BYTES_MAX: u32 = 1 << 24;
