//! What an exporter lets others do with a buffer, and what it tells them (facts M-3, M-46).

use nic_layout::key::{Key, KeyWidth};
use nic_layout::tables::{PERMIT_READ, PERMIT_WRITE};

use crate::address::NodeId;

/// What others may do with a buffer (facts M-3).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    /// Remote writes are allowed.
    pub write: bool,
    /// Remote reads are allowed.
    pub read: bool,
}

impl Access {
    /// Remote writes only.
    pub const WRITE: Access = Access { write: true, read: false };
    /// Remote reads only.
    pub const READ: Access = Access { write: false, read: true };
    /// Remote writes and reads.
    pub const BOTH: Access = Access { write: true, read: true };

    pub(crate) fn permissions(self) -> u32 {
        let permit = |is_set, permission| if is_set { permission } else { 0 };
        permit(self.write, PERMIT_WRITE) | permit(self.read, PERMIT_READ)
    }
}

/// A registered buffer, as its owner tells others. A process that has this may use the buffer
/// (facts M-46).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Export {
    /// The node whose memory the buffer is.
    pub node: NodeId,
    /// The CBH word: process and buffer (`nic_layout::cbh`).
    pub buffer: u32,
    /// The protection key, as many words as `key_width` says (facts M-48).
    pub key: Key,
    /// Width of the key.
    pub key_width: KeyWidth,
    /// Length of the buffer in bytes.
    pub length_bytes: u32,
    /// What holders of the key may do.
    pub access: Access,
}
