//! Tags of host writes.

/// What a host write is for: the receive buffer that it frees, if it is the last of a frame, and
/// whether it ends its message.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tag(u32);

impl Tag {
    pub const UNUSED: Tag = Tag(0);
    const ENDS: u32 = 1;
    const BUFFER_MASK: u32 = 0xF_FFF8;

    /// `buffer`: a multiple of 8 below 2^20; 0: none.
    #[inline(always)]
    pub const fn new(record: u32, buffer: u32, ends: bool) -> Tag {
        Tag(record << 20 | buffer & Tag::BUFFER_MASK | ends as u32)
    }

    pub const fn buffer(self) -> u32 {
        self.0 & Tag::BUFFER_MASK
    }

    pub const fn record(self) -> u32 {
        self.0 >> 20
    }

    pub const fn ends(self) -> bool {
        self.0 & Tag::ENDS != 0
    }
}
