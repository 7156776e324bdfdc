//! Tags of host reads.

/// What a host read is for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tag(pub u32);

impl Tag {
    pub const UNUSED: Tag = Tag(0);
    /// Data of a frame.
    pub const DATA: u32 = 1;
    /// Nothing: the sender wants to know that the transfers before it have ended.
    pub const DRAIN: u32 = 2;
    /// A list page of a send.
    pub const LIST: u32 = 3;
    /// A list page of a receive.
    pub const RECEIVE_LIST: u32 = 4;

    /// Data of a frame of a record, and the frame's place in the transmit ring.
    #[inline(always)]
    pub const fn data(record: u32, number: u16) -> Tag {
        Tag(Tag::DATA << 24 | record << 16 | number as u32)
    }

    /// `what`: a record or a list buffer.
    pub const fn of(kind: u32, what: u32) -> Tag {
        Tag(kind << 24 | what << 16)
    }

    pub const fn kind(self) -> u32 {
        self.0 >> 24
    }

    pub const fn what(self) -> u32 {
        (self.0 >> 16) & 0xFF
    }
}

impl nic_dma::ReadTag for Tag {
    const RELEASE: Tag = Tag(0);
}
