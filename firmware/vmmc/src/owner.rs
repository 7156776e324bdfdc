//! Owners of frames that belong to no post. Their generations are above those of slots.

use nic_posts::Owner;

/// The generation of a reply to a read of another node. Its owner has a `ReadId` in place of a
/// post. A `ReadId` of 0 is [`Owner::NOTHING`].
pub(crate) const REPLY: u8 = Owner::NOTHING.generation;
/// The generation of the request of a read of an own process (open_reads.rs).
pub(crate) const REQUEST: u8 = REPLY - 1;
