//! Frames between NICs. Byte offsets count from the destination address; the FCS is the MAC's.

/// IEEE 802 local experimental EtherType 1, big endian on the wire like every EtherType.
pub const ETHERTYPE: u16 = 0x88B5;

/// Offsets of the fields. All but the Ethernet header are little endian and aligned to their size, when the frame is at a multiple of 8.
pub mod offset {
    pub const DESTINATION: usize = 0;
    pub const SOURCE: usize = 6;
    pub const ETHERTYPE: usize = 12;
    pub const KIND: usize = 14;
    pub const FLAGS: usize = 15;
    pub const SOURCE_NODE: usize = 16;
    pub const DATA_BYTES: usize = 18;
    /// Sequence number of a data frame; of an acknowledgement: unused.
    pub const SEQUENCE: usize = 20;
    /// The next sequence number that the sender of this frame expects: all before it are acknowledged.
    pub const ACKNOWLEDGE: usize = 24;
    pub const BUFFER: usize = 28;
    /// Where the data go, from the start of the buffer.
    pub const BUFFER_OFFSET: usize = 32;
    pub const KEY: usize = 36;
    pub const MESSAGE: usize = 44;
    pub const DATA: usize = 48;
}

pub const HEADER_BYTES: usize = offset::DATA;

/// `KIND`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum FrameKind {
    Write = 1,
    Acknowledge = 2,
}

/// `FLAGS`: the last frame of a message.
pub const FLAG_LAST: u8 = 1;

/// The locally administered address of a node: 02-4E-53-00 and the node number, big endian.
pub const fn mac_address(node: u16) -> [u8; 6] {
    [0x02, 0x4E, 0x53, 0x00, (node >> 8) as u8, node as u8]
}
