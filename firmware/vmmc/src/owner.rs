//! Frames that belong to no post: their owners have generations that no slot has.

use nic_posts::Owner;

/// The frame belongs to a read of another node: the place of the post holds a `ReadId`. A `ReadId`
/// of 0 is [`Owner::NOTHING`].
pub(crate) const REPLY: u8 = Owner::NOTHING.generation;
/// The frame is the request of a read of an own process (open_reads.rs).
pub(crate) const REQUEST: u8 = REPLY - 1;
