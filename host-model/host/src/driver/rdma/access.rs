//! What an exporter lets others do with a buffer, and what it tells them (facts M-3, M-46).

use nic_layout::key::{Key, KeyWidth};
use nic_layout::tables::{PERMIT_READ, PERMIT_WRITE};

use crate::address::NodeId;

/// What others may do with a buffer (facts M-3).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    pub write: bool,
    pub read: bool,
}

impl Access {
    pub const WRITE: Access = Access { write: true, read: false };
    pub const READ: Access = Access { write: false, read: true };
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
    pub node: NodeId,
    /// The CBH word: process and buffer (`nic_layout::cbh`).
    pub buffer: u32,
    pub key: Key,
    pub key_width: KeyWidth,
    pub length_bytes: u32,
    pub access: Access,
}
