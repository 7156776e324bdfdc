use core::ops::{Deref, DerefMut};

use super::{header_bytes, offset, PROTOCOL_WIDE};
use crate::frame::{self, FrameError};
use crate::key::{Key, KeyWidth};

/// A frame as bytes, with the fields of the link ([`frame::Packet`]) and those of the protocol.
#[derive(Clone, Copy, Debug)]
pub struct Packet<T>(frame::Packet<T>);

impl<T> Deref for Packet<T> {
    type Target = frame::Packet<T>;

    fn deref(&self) -> &frame::Packet<T> {
        &self.0
    }
}

impl<T> DerefMut for Packet<T> {
    fn deref_mut(&mut self) -> &mut frame::Packet<T> {
        &mut self.0
    }
}

impl<T: AsRef<[u8]>> Packet<T> {
    /// Any bytes that hold a header. Fewer bytes are [`FrameError::Truncated`].
    pub fn new_checked(bytes: T) -> Result<Packet<T>, FrameError> {
        let packet = Packet(frame::Packet::new_checked(bytes)?);
        if packet.bytes().len() < packet.header_bytes() {
            return Err(FrameError::Truncated);
        }
        Ok(packet)
    }

    /// The width that the number of the protocol tells. A frame of another protocol is read as if
    /// its key had 64 bits.
    pub fn key_width(&self) -> KeyWidth {
        match self.protocol() {
            PROTOCOL_WIDE => KeyWidth::Bits128,
            _ => KeyWidth::Bits64,
        }
    }

    /// Bytes of the header.
    pub(super) fn header_bytes(&self) -> usize {
        header_bytes(self.key_width())
    }

    /// Whether the frame is one of this protocol, with keys of either width.
    pub fn is_ours(&self) -> bool {
        self.ethertype() == frame::link::ETHERTYPE && self.protocol() == super::protocol(self.key_width())
    }

    /// CBH word of the buffer.
    pub fn buffer(&self) -> u32 {
        self.u32(offset::BUFFER)
    }

    /// Where the data go, from the start of the buffer.
    pub fn buffer_offset(&self) -> u32 {
        self.u32(offset::BUFFER_OFFSET)
    }

    /// The protection key.
    pub fn key(&self) -> Key {
        let low = [self.u32(offset::KEY), self.u32(offset::KEY + 4)];
        match self.key_width() {
            KeyWidth::Bits64 => [low[0], low[1], 0, 0],
            KeyWidth::Bits128 => [low[0], low[1], self.u32(offset::KEY_UPPER), self.u32(offset::KEY_UPPER + 4)],
        }
    }

    /// The number of the message.
    pub fn message(&self) -> u32 {
        self.u32(offset::MESSAGE)
    }

    /// The announced data, as far as they are there.
    pub fn data(&self) -> &[u8] {
        let bytes = self.bytes();
        let start = self.header_bytes();
        let end = (start + usize::from(self.data_bytes())).min(bytes.len());
        &bytes[start..end]
    }
}
