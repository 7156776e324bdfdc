use super::link::{offset, word, FrameKind, HEADER_BYTES};
use super::FrameError;

/// A frame as bytes, with the fields of the link.
#[derive(Clone, Copy, Debug)]
pub struct Packet<T>(T);

impl<T: AsRef<[u8]>> Packet<T> {
    /// Any bytes that hold a header of the link. Fewer bytes are [`FrameError::Truncated`].
    pub fn new_checked(bytes: T) -> Result<Packet<T>, FrameError> {
        if bytes.as_ref().len() < HEADER_BYTES {
            return Err(FrameError::Truncated);
        }
        Ok(Packet(bytes))
    }

    /// All bytes of the frame.
    pub(super) fn bytes(&self) -> &[u8] {
        self.0.as_ref()
    }

    fn array<const N: usize>(&self, at: usize) -> [u8; N] {
        let mut field = [0; N];
        field.copy_from_slice(&self.0.as_ref()[at..at + N]);
        field
    }

    /// The word at a byte offset.
    pub(super) fn u32(&self, at: usize) -> u32 {
        u32::from_le_bytes(self.array(at))
    }

    /// MAC address of the receiver.
    pub fn destination(&self) -> [u8; 6] {
        self.array(offset::DESTINATION)
    }

    /// MAC address of the sender.
    pub fn source(&self) -> [u8; 6] {
        self.array(offset::SOURCE)
    }

    /// The EtherType.
    pub fn ethertype(&self) -> u16 {
        u16::from_be_bytes(self.array(offset::ETHERTYPE))
    }

    /// The number of the protocol.
    pub fn protocol(&self) -> u8 {
        word::protocol_number(self.u32(offset::ETHERTYPE))
    }

    /// The kind of the frame, without its protocol.
    pub fn kind(&self) -> FrameKind {
        FrameKind(self.0.as_ref()[offset::KIND] & 0xF)
    }

    /// `FLAG_*`.
    pub fn flags(&self) -> u8 {
        self.0.as_ref()[offset::FLAGS]
    }

    /// The node that sent the frame.
    pub fn source_node(&self) -> u8 {
        self.0.as_ref()[offset::SOURCE_NODE]
    }

    /// The session of the node that sent the frame.
    pub fn session(&self) -> u8 {
        self.0.as_ref()[offset::SESSION]
    }

    /// Bytes of data behind the header.
    pub fn data_bytes(&self) -> u16 {
        u16::from_le_bytes(self.array(offset::DATA_BYTES))
    }

    /// Sequence number.
    pub fn sequence(&self) -> u32 {
        self.u32(offset::SEQUENCE)
    }

    /// Number before which all frames were taken.
    pub fn acknowledge(&self) -> u32 {
        self.u32(offset::ACKNOWLEDGE)
    }
}

impl<T: AsRef<[u8]> + AsMut<[u8]>> Packet<T> {
    /// Overwrites the bytes of a field.
    pub(super) fn put(&mut self, at: usize, field: &[u8]) {
        self.0.as_mut()[at..at + field.len()].copy_from_slice(field);
    }

    /// Changes the length.
    pub fn set_data_bytes(&mut self, data_bytes: u16) {
        self.put(offset::DATA_BYTES, &data_bytes.to_le_bytes());
    }

    /// Changes the acknowledgement.
    pub fn set_acknowledge(&mut self, acknowledge: u32) {
        self.put(offset::ACKNOWLEDGE, &acknowledge.to_le_bytes());
    }

    /// Changes the sequence number.
    pub fn set_sequence(&mut self, sequence: u32) {
        self.put(offset::SEQUENCE, &sequence.to_le_bytes());
    }
}
