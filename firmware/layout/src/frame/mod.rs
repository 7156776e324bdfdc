//! Frames between NICs, layer by layer. Byte offsets count from the destination address; the MAC
//! adds the FCS.
//!
//! [`link`] has the fields that every frame has: addresses, type, protocol, nodes, sequence and
//! acknowledgement. A protocol adds kinds of frames of its own and the fields behind
//! [`link::HEADER_BYTES`]; [`rdma`] are those of remote writes and reads.
//!
//! [`Packet`] reads raw bytes and judges nothing. The firmware itself writes and reads words
//! ([`link::word`], [`rdma::word`]); a test compares the two.

pub mod link;
mod packet;
pub mod rdma;

pub use packet::Packet;

/// Why bytes are no frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameError {
    /// The frame is shorter than its header, or than the data that it announces.
    Truncated,
    /// The EtherType is not [`link::ETHERTYPE`].
    OtherEthertype,
    /// The frame belongs to another protocol.
    OtherProtocol,
    /// The protocol has no such kind.
    UnknownKind,
    /// A flag does not exist, or contradicts the length.
    BadFlags,
}
