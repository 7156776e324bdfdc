//! The fields of remote writes and reads, behind those of the link.
//!
//! [`Repr`] can only hold what is legal. Frames with keys of 128 bits are those of a protocol of
//! their own, so that no NIC takes the header of the other width for its own.

mod packet;
mod repr;
#[cfg(test)]
mod tests;

pub use packet::Packet;
pub use repr::{Body, Read, Reply, Repr, Write};

use super::link::FrameKind;
use crate::key::KeyWidth;

/// The number of the protocol with keys of 64 bits.
pub const PROTOCOL: u8 = 0;
/// The number of the protocol with keys of 128 bits.
pub const PROTOCOL_WIDE: u8 = 1;

/// The number of the protocol with keys of this width.
pub const fn protocol(key: KeyWidth) -> u8 {
    match key {
        KeyWidth::Bits64 => PROTOCOL,
        KeyWidth::Bits128 => PROTOCOL_WIDE,
    }
}

/// Offsets of all fields, those of the link among them.
pub mod offset {
    pub use crate::frame::link::offset::*;

    /// CBH word of the buffer.
    pub const BUFFER: usize = 28;
    /// Where the data go, from the start of the buffer.
    pub const BUFFER_OFFSET: usize = 32;
    /// The lower half of the protection key.
    pub const KEY: usize = 36;
    /// The number of the message, from its post.
    pub const MESSAGE: usize = 44;
    /// With a key of 64 bits the data begin here; with one of 128 its upper half stands before
    /// them.
    pub const DATA: usize = 48;
    /// The upper half of a key of 128 bits.
    pub const KEY_UPPER: usize = DATA;
    /// In the data of a read: the bytes that the read asks for.
    pub const READ_LENGTH: usize = 0;
    /// In the data of a read: a number that the reading node chooses. Each reply carries it.
    pub const READ_ID: usize = 4;
}

/// Bytes of the header of a frame with a key of 64 bits, the link's header included.
pub const HEADER_BYTES: usize = offset::DATA;
const _: () = assert!(offset::BUFFER == super::link::HEADER_BYTES);

/// Bytes of the header of a frame with keys of this width.
pub const fn header_bytes(key: KeyWidth) -> usize {
    HEADER_BYTES + key.upper_bytes() as usize
}

/// The protocol's own kinds. Any two kinds, those of the link included, differ in two bits or more.
impl FrameKind {
    /// Data for a buffer.
    pub const WRITE: FrameKind = FrameKind(1);
    /// The frame asks for data of a buffer. Its own data are [`offset::READ_LENGTH`] and
    /// [`offset::READ_ID`].
    pub const READ: FrameKind = FrameKind(4);
    /// Data that a read has asked for: `BUFFER` says for which read, `BUFFER_OFFSET` where in it.
    pub const REPLY: FrameKind = FrameKind(7);
}

/// `FLAGS`: with the last frame of a write: tell the owner of the buffer when the data are there.
pub const FLAG_NOTIFY: u8 = 4;

/// Data of a [`FrameKind::READ`] in bytes.
pub const READ_REQUEST_BYTES: u32 = 8;

/// The header as the little-endian words that a core stores, the link's words among them.
pub mod word {
    use super::HEADER_BYTES;
    use crate::key::KeyWidth;

    pub use crate::frame::link::word::*;

    /// CBH word of the buffer.
    pub const BUFFER: u32 = 28;
    /// Where the data go, from the start of the buffer.
    pub const BUFFER_OFFSET: u32 = 32;
    /// The lowest word of the key.
    pub const KEY_0: u32 = 36;
    /// The second word of the key.
    pub const KEY_1: u32 = 40;
    /// The number of the message, from its post.
    pub const MESSAGE: u32 = 44;
    /// The third word of a key of 128 bits.
    pub const KEY_2: u32 = 48;
    /// The highest word of a key of 128 bits.
    pub const KEY_3: u32 = 52;

    /// Where the data begin.
    pub const fn data(key: KeyWidth) -> u32 {
        HEADER_BYTES as u32 + key.upper_bytes()
    }

    /// In the data of a read, counted from their start: the bytes that the read asks for.
    pub const READ_LENGTH: u32 = 0;
    /// In the data of a read: the number that the reading node has chosen.
    pub const READ_ID: u32 = 4;

    /// The bits in which the type words of frames with these keys differ from those of protocol 0.
    pub const fn mark(key: KeyWidth) -> u32 {
        protocol(super::protocol(key))
    }
}
