//! The sections of the boot request and the boot reply that only EMP has.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use crate::boot::{Kind, Section};

/// How messages are cut into frames and sent again. Sizes and timers of the reliable link have no
/// part in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct MessagesRequest {
    /// Bytes of a frame behind Ethernet's header at most: 1500, or up to 9000 with jumbo frames
    /// (E-17).
    pub mtu_bytes: u32,
    /// Frames in a collection (E-32).
    pub collection_frames: u32,
    /// Core clocks until a collection that was not acknowledged is sent again for the first time.
    pub resend_cycles: u32,
    /// Core clocks that the longest frame takes on the wire, with flow control (E-40); 0: without.
    pub frame_cycles: u32,
    /// Both marks of flow control, powers of two. A sender is slow to a node that has fewer free
    /// receive buffers than the first, and slower below the second.
    pub slow_below: u32,
    /// As `slow_below`.
    pub slower_below: u32,
}

impl Section for MessagesRequest {
    const KIND: Kind = Kind::MESSAGES;
}

/// Where the host posts. SRAM offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct MessagesReply {
    /// The first bank of descriptors, a multiple of the window's size.
    pub descriptors: u32,
}

impl Section for MessagesReply {
    const KIND: Kind = Kind::MESSAGES;
}
