//! The state of the post at the head of a slot, and the words of descriptors.

use nic_layout::frame::link::{FrameKind, FLAG_LAST};
use nic_layout::frame::rdma::{word, FLAG_NOTIFY};
use nic_layout::post::{OP_READ, OP_WRITE, POST_FLAG_INLINE, POST_FLAG_NOTIFY};

/// The post at the head of a queue while its frames are issued. A post that carries its data, and a
/// read, are not kept (inline.rs, request.rs).
#[derive(Clone, Copy, Debug)]
pub struct Head {
    pub(crate) form: Form,
    pub(crate) node: usize,
    /// Bytes that are still to be sent.
    pub(crate) remaining_bytes: u32,
    pub(crate) local_address: u32,
    pub(crate) buffer_offset: u32,
    pub(crate) buffer: u32,
    /// The lower half of the key. The upper half of a key of 128 bits is in SRAM
    /// (`nic_plan::upper_key`).
    pub(crate) key: [u32; 2],
    pub(crate) message: u32,
    /// The type word of the last frame, unless the form is [`Form::Host`].
    pub(crate) last_type: u32,
}

/// The way in which a post with data in host memory is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Form {
    /// One frame after the other, as long as frames may be.
    Host,
    /// In pieces (pieces.rs).
    Long,
    /// As [`Form::Host`], with a notification.
    Notify,
}

impl Head {
    /// No post. All zero.
    pub(crate) const EMPTY: Head = Head {
        form: Form::Host,
        node: 0,
        remaining_bytes: 0,
        local_address: 0,
        buffer_offset: 0,
        buffer: 0,
        key: [0; 2],
        message: 0,
        last_type: 0,
    };
}

const INLINE: u32 = (POST_FLAG_INLINE as u32) << 8;
/// A write that carries its data.
pub(crate) const INLINE_WRITE: u32 = OP_WRITE as u32 | INLINE;
/// A write that carries its data and notifies.
pub(crate) const INLINE_AND_NOTIFY: u32 = INLINE_WRITE | NOTIFY;
/// The flag of a notification in the first word of a descriptor. Shifted left by [`NOTIFY_SHIFT`]
/// it is the flag in the type word of a frame.
pub(crate) const NOTIFY: u32 = (POST_FLAG_NOTIFY as u32) << 8;
pub(crate) const NOTIFY_SHIFT: u32 = 16;
const _: () = assert!(NOTIFY << NOTIFY_SHIFT == (FLAG_NOTIFY as u32) << 24);

/// A read.
pub(crate) const READ: u32 = OP_READ as u32;

/// The last frame of a write that does not notify.
pub(crate) const LAST_TYPE: u32 = word::kind(FrameKind::WRITE, FLAG_LAST);
