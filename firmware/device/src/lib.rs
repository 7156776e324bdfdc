//! What firmware asks of a NIC, and the limits that its hardware sets.
//!
//! [`Words`] is the SRAM; [`Device`] adds rings, doorbells, mailboxes, events and timers. Caches,
//! layers and protocols are written over these traits, so that they run on the chip and in tests on
//! the host. Nothing here knows a protocol.
#![cfg_attr(not(any(test, feature = "host")), no_std)]

mod device;
mod limits;
#[cfg(any(test, feature = "host"))]
pub mod mock;
mod rarely;
mod shared;
mod words;

pub use device::Device;
pub use limits::{DMA_RING_LOG2, MAC_RING_LOG2, RX_BUFFERS_MAX, TX_BUFFERS_MAX};
pub use rarely::rarely;
pub use shared::SharedDevice;
pub use words::{Place, Words};
