use nic_device::Place;

/// Whether the receive buffer of a frame is still needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Buffer {
    /// The engine gives the buffer back to the MAC.
    Free,
    /// A DMA reads the buffer, and its end gives the buffer back; or the protocol keeps the frame.
    Busy,
}

/// A frame of the protocol's kind, in its turn: shape, source, session and number are checked.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// Where the header begins.
    pub at: Place,
    /// The SRAM address of the same.
    pub buffer: u32,
    /// The peer that sent it.
    pub node: usize,
    /// `nic_layout::frame::FLAG_*`.
    pub flags: u8,
    /// Bytes behind the header.
    pub data_bytes: u32,
    /// The frame's number.
    pub sequence: u32,
}

/// A frame of another kind, of which nothing was checked.
#[derive(Clone, Copy, Debug)]
pub struct Arrived {
    /// Where the header begins.
    pub at: Place,
    /// The SRAM address of the same.
    pub buffer: u32,
    /// The type word, without the mark of the protocol.
    pub type_word: u32,
    /// Bytes that the MAC has written.
    pub length_bytes: u32,
}
