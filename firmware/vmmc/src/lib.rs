//! VMMC: remote writes to exported buffers, and reads of them (docs/protocol.md).
//!
//! [`Machine`] is the protocol, one method for each event; [`nic_device::Device`] is what it asks of the NIC, and [`Tables`] where it looks handles up: the two
//! personalities are [`Mini`] and [`StaticTables`]. Nothing here waits, allocates or panics on what a
//! host or a frame says.
#![cfg_attr(not(test), no_std)]

mod buffer;
mod command;
mod dma;
mod ends;
mod fetch;
mod inline;
mod keeper;
mod machine;
mod mini;
mod notify;
mod open_reads;
mod owner;
mod pieces;
mod post;
mod queue_owner;
mod receive;
mod receive_miss;
mod reply;
mod request;
mod send;
mod static_tables;
mod tables;
mod translate;
mod turn;

pub use keeper::Keeper;
pub use machine::Machine;
pub use mini::Mini;
pub use nic_plan::{Geometry, FRAME_DATA_BYTES_LIMIT};

/// A checked boot request of a machine with tables `T`.
pub type Config<T> = nic_plan::Config<nic_plan::Rdma<<T as Tables>::Lookup>>;
/// The same, and where everything is in SRAM.
pub type Plan<T> = nic_plan::Plan<nic_plan::Rdma<<T as Tables>::Lookup>>;
pub use static_tables::StaticTables;
pub use tables::Tables;
