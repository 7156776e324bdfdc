//! The section of the boot reply that only EMP has.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use crate::boot::{Kind, Section};

/// Where the host posts. SRAM offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct MessagesReply {
    /// The first bank of descriptors, a multiple of the window's size.
    pub descriptors: u32,
}

impl Section for MessagesReply {
    const KIND: Kind = Kind::MESSAGES;
}
