//! The sections that every firmware has.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use super::{Kind, Section};

/// Makes the types sections of a kind.
macro_rules! sections {
    ($($type:ident: $kind:ident,)*) => {
        $(impl Section for $type { const KIND: Kind = Kind::$kind; })*
    };
}

sections! {
    NicRequest: NIC,
    NicReply: NIC,
    LinkRequest: LINK,
    LinkReply: LINK,
    PostsRequest: POSTS,
    PostsReply: POSTS,
    RingsReply: RINGS,
    CountersReply: COUNTERS,
}

/// The board and its host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct NicRequest {
    /// Frequency of the core clock.
    pub core_hz: u32,
    /// Bytes of SRAM that the firmware may use, from the first.
    pub sram_bytes: u32,
    /// Number of page frames of host memory: a page number at or above it is wild.
    pub host_pages: u32,
}

/// What the firmware leaves of the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct NicReply {
    /// First byte of SRAM that nothing uses.
    pub free: u32,
}

/// The node among its peers, its frame buffers, and the timers of the reliable link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct LinkRequest {
    /// This node's number.
    pub node: u32,
    /// Nodes of the cluster, 2 to [`crate::nodes::IMAGE_NODES`] of the image.
    pub node_count: u32,
    /// Session of this node, 0 to 255: the number of its incarnation. A node takes the next number
    /// each time it starts again, so that frames of or for an earlier incarnation are dropped
    /// (INV-31). Peers are taken to have this number too, until the driver tells of another
    /// ([`crate::ring::COMMAND_RESTART_PEER`]).
    pub session: u32,
    /// Data bytes that one frame may carry behind the header of an image with keys of 64 bits; with
    /// 128 bits it carries 8 less.
    pub frame_data_bytes_max: u32,
    /// Transmit buffers in SRAM.
    pub tx_buffer_count: u32,
    /// Receive buffers in SRAM.
    pub rx_buffer_count: u32,
    /// Size of each buffer: a multiple of 8, at least header and data.
    pub buffer_bytes: u32,
    /// Core clocks until a frame that was not acknowledged is sent again for the first time.
    pub retransmit_cycles: u32,
    /// Retransmissions of one frame before the peer is given up.
    pub retransmit_limit: u32,
    /// Accepted frames after which an acknowledgement is sent at the latest.
    pub ack_frames: u32,
    /// Core clocks after which an acknowledgement is sent at the latest.
    pub ack_cycles: u32,
}

/// Where the link keeps its frames. SRAM offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct LinkReply {
    /// First transmit buffer.
    pub tx_buffers: u32,
    /// First receive buffer.
    pub rx_buffers: u32,
}

/// What the driver asks of the post queues.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct PostsRequest {
    /// Number of queues, 1 to [`crate::PROCESS_SLOTS`]; 0: as many as the firmware has by itself.
    pub post_queues: u32,
}

/// Where processes post. SRAM offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct PostsReply {
    /// First post queue, on a page boundary; each has a page.
    pub post_queues: u32,
    /// Number of post queues.
    pub post_queue_count: u32,
    /// First entry of the process table ([`crate::tables::ProcessEntry`]).
    pub process_table: u32,
    /// The width of keys ([`crate::key::KeyWidth`]): of posts, frames, buffers and imports.
    pub key_bits: u32,
}

/// The rings by which the firmware tells the driver. SRAM offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct RingsReply {
    /// First [`crate::tables::MissEntry`].
    pub miss_ring: u32,
    /// First [`crate::tables::NotifyEntry`].
    pub notify_ring: u32,
}

/// Where the firmware counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct CountersReply {
    /// SRAM offset of the first of the counters, in the order of [`crate::counter::Counter`].
    pub counters: u32,
}
