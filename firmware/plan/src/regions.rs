//! Handing out SRAM: where the next region begins, and what it is called.

/// The purpose of a region, in the terms of Table 1.1 of the miNI thesis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// Structures of the firmware itself.
    Program,
    /// Frames to send and received frames.
    Buffers,
    /// Translations.
    Vmh,
    /// Buffer descriptors.
    Cbh,
    /// Imported buffers.
    Imports,
    /// Processes and their post queues.
    Pch,
}

/// A piece of a region, which begins where the piece before it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The name that `nicscope memory-map` prints.
    pub name: &'static str,
    /// What the piece is for.
    pub r#use: Use,
    /// Length of the piece.
    pub bytes: u32,
}

impl Piece {
    /// A piece of `count` entries of `each` bytes. Lengths beyond 32 bits count as the most there
    /// is, which fits no SRAM.
    #[inline(always)]
    pub const fn new(name: &'static str, r#use: Use, count: u32, each: u32) -> Piece {
        Piece { name, r#use, bytes: count.saturating_mul(each) }
    }
}

/// Takes the regions that parts plan. The firmware counts only ([`Cursor`]); `nicscope memory-map`
/// keeps the list.
pub trait Regions {
    /// Takes a region of adjacent pieces that belong to part `owner`, and gives the SRAM offset of
    /// its first byte, a multiple of `align`.
    fn take(&mut self, owner: &'static str, align: u32, pieces: &[Piece]) -> u32;
}

/// Hands out memory from the bottom up. The sum is checked once, at the end.
#[derive(Clone, Copy, Debug)]
pub struct Cursor {
    next: u64,
}

impl Cursor {
    /// `first_free`: SRAM offset of the first byte that may be handed out.
    pub const fn new(first_free: u32) -> Cursor {
        Cursor { next: first_free as u64 }
    }

    /// The first byte that was not handed out, if no byte at or above `sram_bytes` was.
    pub fn end(self, sram_bytes: u32) -> Option<u32> {
        (self.next <= u64::from(sram_bytes)).then_some(self.next as u32)
    }
}

impl Regions for Cursor {
    // Names take no memory of the NIC where the pieces are counted in place.
    #[inline(always)]
    fn take(&mut self, _owner: &'static str, align: u32, pieces: &[Piece]) -> u32 {
        let start = self.next.next_multiple_of(u64::from(align));
        self.next = start + pieces.iter().map(|piece| u64::from(piece.bytes)).sum::<u64>();
        start as u32
    }
}
