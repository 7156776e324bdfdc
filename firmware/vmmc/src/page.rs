//! Translated pages.

use nic_dma::Transfer;

/// Why there is no translation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
pub(crate) struct LockedPage {
    pub line: u32,
    pub bus_address: u32,
}

impl LockedPage {
    /// The transfer of `bytes` bytes from offset `in_page` of the page, with the page's line.
    #[inline(always)]
    pub(crate) fn piece(self, in_page: u32, sram_address: u32, bytes: u32) -> Piece {
        Piece { transfer: Transfer { bus_address: self.bus_address + in_page, sram_address, bytes }, line: self.line }
    }
}
