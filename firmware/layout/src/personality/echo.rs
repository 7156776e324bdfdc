//! The personality whose NIC sends every data frame back to its sender.

use crate::counter::{Set, LINK, POSTS, TRANSFERS};
use crate::post::CARRIED_BYTES_MAX;

/// [`crate::boot::ReplyState::personality`].
pub const PERSONALITY: u32 = 3;
/// What the firmware counts.
pub const COUNTERS: &[&Set] = &[&LINK, &POSTS, &TRANSFERS];
/// The operation of every post, in place of `OP_WRITE`. The data stand behind the length.
pub const OP_ECHO: u8 = 7;
/// The NIC replaces the operation by this number when the frame has come back. It has replaced the
/// data by those of the frame before.
pub const OP_ECHOED: u8 = 8;
/// Data bytes of a post: what its descriptor has room for.
pub const DATA_BYTES_MAX: u32 = CARRIED_BYTES_MAX;
/// The mailbox to the host with the number of frames that have come back.
pub const MAILBOX_ECHOED: usize = 3;
/// What `word::BUFFER` of a frame says: the frame goes back.
pub const BACK: u32 = 1;
