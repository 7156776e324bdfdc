//! The VMMC personality: remote writes to exported buffers (docs/protocol.md).
//!
//! [`Machine`] is the protocol, one method for each event; [`Device`] is what it asks of the NIC. Nothing here waits, allocates or panics on what a
//! host or a frame says.
#![cfg_attr(not(test), no_std)]

mod command;
mod device;
mod dma;
mod fair;
mod frames;
mod keeper;
mod link;
mod machine;
mod post;
mod queue;
mod receive;
mod receive_miss;
mod send;
mod translate;
mod turn;

pub use device::Device;
pub use keeper::Keeper;
pub use machine::Machine;
pub use nic_plan::{
    Config, MemoryMap, DMA_RING_LOG2, FRAME_DATA_BYTES_LIMIT, MAC_RING_LOG2, RX_BUFFERS_MAX, TX_BUFFERS_MAX,
};
