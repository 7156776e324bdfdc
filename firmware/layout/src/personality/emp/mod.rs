//! The personality of EMP: messages that the NIC matches with posted receives (docs/emp.md).

pub mod boot;
pub mod descriptor;
pub mod frame;
pub mod list;
pub mod pair;

use crate::counter::{Set, MESSAGES};

/// What the firmware counts.
pub const COUNTERS: &[&Set] = &[&MESSAGES];

/// [`crate::boot::ReplyState::personality`].
pub const PERSONALITY: u32 = 4;
/// The number of the protocol in frames.
pub const PROTOCOL: u8 = 5;

/// The mailbox that takes the number of a descriptor to send.
pub const MAILBOX_SEND: usize = 4;
/// The mailbox that takes the number of a descriptor to receive.
pub const MAILBOX_RECEIVE: usize = 5;
/// The mailbox that takes the number of a send that the host gives up.
pub const MAILBOX_CANCEL_SEND: usize = 6;
/// The mailbox that takes the number of a receive that the host gives up.
pub const MAILBOX_CANCEL_RECEIVE: usize = 7;
/// Added to a number in that mailbox: a receive that a message has taken goes on.
pub const WITHDRAW: u32 = 1 << 31;

/// Bytes of the longest message.
pub const MESSAGE_BYTES_MAX: u32 = 1 << 24;

/// Frames in a collection by default (E-32).
pub const COLLECTION_FRAMES: u32 = 3;
/// Frames in a collection at most.
pub const COLLECTION_FRAMES_MAX: u32 = 8;
/// Collections of a message in flight at most, from the oldest that is not acknowledged.
pub const WINDOW_COLLECTIONS: u32 = 16;
/// The same before the first acknowledgement.
pub const FIRST_WINDOW_COLLECTIONS: u32 = 4;
/// How often a peer is told at most that a message was given up, until it answers. The pause is at
/// most one and a half times the time of a retransmission.
pub const ABORTS_MAX: u32 = 16;
/// Numbers of messages that one node may have open to another.
pub const OPEN_NUMBERS: u32 = 256;
