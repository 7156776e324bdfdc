//! Where the state of EMP lies in the SRAM, and the settings of a boot request.

use nic_layout::personality::emp::frame::Cut;

/// The settings of the NIC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The number of this node.
    pub node: u32,
    /// Nodes of the cluster.
    pub node_count: u32,
    /// Session of this node.
    pub session: u32,
    /// How messages are cut into frames.
    pub cut: Cut,
    /// Frames in a collection.
    pub collection_frames: u32,
    /// Core clocks until a collection that was not acknowledged is sent again for the first time.
    pub resend_cycles: u32,
    /// Time-outs without a sign of life before a message fails.
    pub resend_limit: u32,
    /// Bytes of a frame buffer.
    pub buffer_bytes: u32,
    /// Buffers for frames that are sent.
    pub transmit_buffers: u32,
    /// Buffers for frames that arrive.
    pub receive_buffers: u32,
}

/// SRAM offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Places {
    /// The descriptors.
    pub descriptors: u32,
    /// Records of sends.
    pub sends: u32,
    /// Records of receives.
    pub receives: u32,
    /// Buffers for frames that are sent.
    pub transmit_buffers: u32,
    /// Buffers for answers.
    pub answer_buffers: u32,
    /// List pages of sends.
    pub send_lists: u32,
    /// List pages of receives.
    pub receive_lists: u32,
}

/// The record of a send, which the sender fills before it asks for the first frame. The transmitter
/// only reads it, except the cursor, which is its own. Offsets in bytes.
pub mod send_record {
    /// Node, and from bit 16 on the number of the message.
    pub const NODE_NUMBER: u32 = 0;
    /// Length of the message in bytes.
    pub const LENGTH: u32 = 4;
    /// Frames in a collection.
    pub const COLLECTION: u32 = 8;
    /// SRAM offset of the first descriptor.
    pub const DESCRIPTOR: u32 = 12;
    /// The cursor of the transmitter.
    pub const CURSOR: u32 = 16;
    /// From here on the record belongs to the sender.
    pub const OWN: u32 = CURSOR + 4 * nic_scatter::Cursor::WORDS;
    /// Bytes of a record.
    pub const BYTES: u32 = 192;
}
