//! To what a frame of ours belongs.

use nic_link::Framing;

use crate::post::PostId;
use crate::{Machine, Tables};

/// To what a frame in flight belongs: a post, a read of another node, or the request of a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Owner {
    /// Slot and queue index of the post; of a reply the [`crate::reply::ReadId`], of a request its number (open_reads.rs).
    pub post: PostId,
    /// Incarnation of that slot: a slot that was closed has nothing to do with older frames. [`NO_POST`] and [`REQUEST`] are those of
    /// frames that belong to no post.
    pub generation: u8,
}

/// Generation of a frame that belongs to no post: no slot is ever of it.
pub(crate) const NO_POST: u8 = u8::MAX;
/// Generation of the request of a read, which belongs to no post either.
pub(crate) const REQUEST: u8 = u8::MAX - 1;

/// The frames of this protocol, with the tables of a personality.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frames<T>(core::marker::PhantomData<T>);

impl<T: Tables> Framing for Frames<T> {
    type Owner = Owner;
    const NO_OWNER: Owner = Owner { post: PostId(0), generation: 0 };
    const HEADER_BYTES: u32 = Machine::<T>::HEADER_BYTES;
    const MARK: u32 = Machine::<T>::MARK;
}
