//! The two queues of DMA transfers, [`HostReads`] and [`HostWrites`].
//!
//! A DMA engine performs the transfers of its queue in order. Each transfer has a tag, whose type
//! the protocol chooses: the tag says what the transfer is for. A transfer that has ended stays in
//! the queue until the protocol has handled its end ([`HostReads::retire`]), in the same order.
//! The queues know how many entries the rings of the hardware have. The caller asks for room before
//! it posts.
#![cfg_attr(not(test), no_std)]

mod reads;
mod writes;

pub use reads::{HostReads, ReadTag};
pub use writes::HostWrites;

use nic_device::DMA_RING_LOG2;

/// Entries of the ring of each engine.
pub const RING_ENTRIES: usize = 1 << DMA_RING_LOG2;

/// Bytes between one host page and SRAM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// Address on the host's bus.
    pub bus_address: u32,
    /// Offset in SRAM, in bytes.
    pub sram_address: u32,
    /// Length in bytes.
    pub bytes: u32,
}
