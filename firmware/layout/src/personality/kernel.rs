//! The personality whose NIC moves frames between the link and buffers of the kernel, and no more:
//! the baseline of the libraries (docs/libraries.md).

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use crate::boot::{Kind, Section};
use crate::counter::{Set, FRAMES};

/// [`crate::boot::ReplyState::personality`].
pub const PERSONALITY: u32 = 16;
/// What the firmware counts.
pub const COUNTERS: &[&Set] = &[&FRAMES];
/// The number of the protocol in frames.
pub const PROTOCOL: u8 = 9;

/// Entries of the ring of frames to send, and of the ring of buffers for frames that arrive.
pub const RING_ENTRIES: u32 = 64;
/// Bytes of a frame to send in its ring: the bus address of the frame, and its length.
pub const SEND_ENTRY_BYTES: u32 = 8;
/// Bytes of a buffer in its ring: the bus address of the buffer.
pub const RECEIVE_ENTRY_BYTES: u32 = 4;

/// The mailbox that takes the producer index of the frames to send, a free-running number.
pub const MAILBOX_SEND: usize = 4;
/// The mailbox that takes the producer index of the buffers.
pub const MAILBOX_RECEIVE: usize = 5;
/// The mailbox to the host, and cause of its interrupt: how many frames have arrived in buffers, in
/// bits 15:0, and how many frames to send the NIC has read, in bits 31:16. Both are free-running.
pub const MAILBOX_FRAMES: usize = 3;
/// The NIC tells the host of frames that it has read at the latest after so many, a power of two.
pub const SENT_TOLD: u32 = 16;

/// Bytes in front of a frame in a buffer of the host: the length of the frame, and zero.
pub const PREFIX_BYTES: u32 = 8;
/// Bytes of the headers: Ethernet 14, and as many as IP and TCP have without options.
pub const HEADER_BYTES: u32 = 54;
/// Data bytes of a frame.
pub const DATA_BYTES_MAX: u32 = 1460;
/// Bytes of a frame without FCS.
pub const FRAME_BYTES_MAX: u32 = HEADER_BYTES + DATA_BYTES_MAX;

/// Where the rings are. SRAM offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct FramesReply {
    /// The ring of frames to send.
    pub sends: u32,
    /// The ring of buffers for frames that arrive.
    pub receives: u32,
}

impl Section for FramesReply {
    const KIND: Kind = Kind::FRAMES;
}
