//! What a boot request asks for.

use crate::LinkSettings;

/// A boot request that was checked, with the protocol's part `P`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config<P> {
    /// Bytes of SRAM that the driver lets the firmware use.
    pub sram_bytes: u32,
    /// Page frames of host memory: a page number at or above it is wild.
    pub host_pages: u32,
    /// Settings of the link.
    pub link: LinkSettings,
    /// Post queues that the driver asks for; 0: as many as the firmware has by itself.
    pub post_queues: u32,
    /// The protocol's part.
    pub part: P,
}
