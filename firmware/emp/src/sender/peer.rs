//! What is kept of a peer.

/// No record has this number.
pub(super) const NONE: u32 = 0xFF;

/// A peer: the numbers of its messages, and which of them are open.
#[derive(Clone, Copy, Debug)]
pub(super) struct Peer {
    /// The number of the next message.
    pub next: u16,
    /// Every number before this one has ended.
    pub oldest: u16,
    /// The records of the oldest and the youngest open message.
    pub first_open: u8,
    pub last_open: u8,
}

impl Peer {
    pub const NEW: Peer = Peer { next: 0, oldest: 0, first_open: NONE as u8, last_open: NONE as u8 };
}
