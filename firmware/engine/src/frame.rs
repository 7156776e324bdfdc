use nic_device::Place;

/// Whether the receive buffer of a frame is still needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Buffer {
    /// The engine gives the buffer back to the MAC.
    Free,
    /// A DMA reads the buffer, and its end gives the buffer back; or the protocol keeps the frame.
    Busy,
}

/// A data frame of the protocol that arrives in order. Shape, source, session and number were
/// checked.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// The place of the header.
    pub at: Place,
    /// SRAM offset of the receive buffer, which begins with the header.
    pub buffer: u32,
    /// The peer that sent the frame.
    pub node: usize,
    /// `nic_layout::frame::link::FLAG_*`.
    pub flags: u8,
    /// Bytes behind the header.
    pub data_bytes: u32,
    /// The frame's number.
    pub sequence: u32,
}

/// A frame of another kind. Nothing of it was checked.
#[derive(Clone, Copy, Debug)]
pub struct Arrived {
    /// The place of the header.
    pub at: Place,
    /// SRAM offset of the receive buffer, which begins with the header.
    pub buffer: u32,
    /// The type word, without the mark of the protocol.
    pub type_word: u32,
    /// Bytes that the MAC has written.
    pub length_bytes: u32,
}
