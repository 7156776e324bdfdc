//! The VMMC personality: remote writes to exported buffers (docs/protocol.md).
//!
//! [`Machine`] is the protocol, one method for each event; [`Device`] is what it asks of the NIC. Nothing here waits, allocates or panics on what a
//! host or a frame says.
#![cfg_attr(not(test), no_std)]

mod command;
mod config;
mod device;
mod dma;
mod frames;
mod link;
mod machine;
mod memory_map;
mod post;
mod queue;
mod receive;
mod send;
mod translate;
mod turn;

pub use config::{Config, FRAME_DATA_BYTES_LIMIT, RX_BUFFERS_MAX, TX_BUFFERS_MAX};
pub use device::Device;
pub use machine::Machine;
pub use memory_map::{MemoryMap, DMA_RING_LOG2, MAC_RING_LOG2};
