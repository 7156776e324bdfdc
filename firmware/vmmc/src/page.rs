//! Translated pages.

use nic_dma::Transfer;
use nic_layout::{PAGE_BYTES, PAGE_SHIFT};

/// Why there is no translation.
///
/// Ordered by weight: if several pages of a frame have reasons, the greatest decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Untranslated {
    /// The line is missing. The driver reports when it has served misses.
    Fill,
    /// The line is missing, and every line of the set is locked or reserved.
    Way,
    /// The page has no translation.
    Fault,
}

/// Bytes of a frame within one host page, and the line that translates it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece {
    pub transfer: Transfer,
    pub line: u32,
}

/// Bus address of a page, and the line that was locked for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LockedPage {
    pub(crate) line: u32,
    pub(crate) bus_address: u32,
}

impl LockedPage {
    /// The transfer of `bytes` bytes from offset `in_page` of the page, with the page's line.
    #[inline(always)]
    pub(crate) fn piece(self, in_page: u32, sram_address: u32, bytes: u32) -> Piece {
        Piece { transfer: Transfer { bus_address: self.bus_address + in_page, sram_address, bytes }, line: self.line }
    }
}

/// Room for the pages that one frame touches, in the order of their addresses.
pub trait Span: Copy {
    /// No page yet.
    const EMPTY: Self;
    /// Largest number of pages, two at least: a short frame may cross into the next page.
    const PAGES_MAX: u32;

    /// A page of the frame, by its number from the first on.
    fn page(&self, nth: usize) -> LockedPage;
    /// Sets a page of the frame.
    fn set_page(&mut self, nth: usize, page: LockedPage);
}

impl<const N: usize> Span for [LockedPage; N] {
    const EMPTY: Self = [LockedPage { line: 0, bus_address: 0 }; N];
    const PAGES_MAX: u32 = {
        assert!(N >= 2, "two bytes may lie on two pages");
        N as u32
    };

    #[inline(always)]
    fn page(&self, nth: usize) -> LockedPage {
        self[nth.min(N - 1)]
    }

    #[inline(always)]
    fn set_page(&mut self, nth: usize, page: LockedPage) {
        self[nth.min(N - 1)] = page;
    }
}

/// Bytes of a process that one frame carries and that cross into another page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Crossing {
    /// The page of the first byte.
    pub page: u32,
    /// Offset of the first byte in that page.
    pub in_page: u32,
    /// Number of bytes, more than that page holds.
    pub bytes: u32,
}

impl Crossing {
    /// Number of pages that the bytes touch. A constant if a frame touches two pages at most.
    #[inline(always)]
    pub(crate) fn pages<S: Span>(self) -> u32 {
        ((self.in_page + self.bytes + PAGE_BYTES - 1) >> PAGE_SHIFT).clamp(2, S::PAGES_MAX)
    }

    /// The bytes divided among their pages. `data_at`: SRAM address of the first byte.
    #[inline(always)]
    pub(crate) fn pieces<S: Span>(self, span: &S, data_at: u32) -> Pieces<'_, S> {
        Pieces { span, nth: 0, in_page: self.in_page, data_at, left_bytes: self.bytes }
    }
}

/// The pieces of a crossing frame, from the first page on.
#[derive(Debug)]
pub(crate) struct Pieces<'a, S> {
    span: &'a S,
    nth: usize,
    in_page: u32,
    data_at: u32,
    left_bytes: u32,
}

impl<S: Span> Pieces<'_, S> {
    /// The next piece, which is not the last: it ends with its page.
    #[inline(always)]
    pub(crate) fn next_full(&mut self) -> Piece {
        let bytes = PAGE_BYTES - self.in_page;
        let piece = self.span.page(self.nth).piece(self.in_page, self.data_at, bytes);
        self.nth += 1;
        self.in_page = 0;
        self.data_at += bytes;
        self.left_bytes -= bytes;
        piece
    }

    /// The last piece.
    #[inline(always)]
    pub(crate) fn last(self) -> Piece {
        self.span.page(self.nth).piece(0, self.data_at, self.left_bytes)
    }
}
