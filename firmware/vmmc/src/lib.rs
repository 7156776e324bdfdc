//! VMMC: remote writes to exported buffers, and reads of them (docs/protocol.md).
//!
//! [`Vmmc`] is a protocol of [`nic_engine`], and [`Machine`] the engine with it. [`Tables`] says
//! where the protocol looks handles up: the two personalities are [`Mini`] and [`StaticTables`].
//! Nothing here waits, allocates or panics on what a host or a frame says.
#![cfg_attr(not(test), no_std)]

mod buffer;
mod counts;
mod data;
mod fetch;
mod head;
mod inline;
mod lookups;
mod mini;
mod misses;
mod named;
mod notify;
mod open_reads;
mod owner;
mod page;
mod part;
mod pieces;
mod post;
mod protocol;
mod receive;
mod receive_miss;
mod reply;
mod request;
mod send;
mod static_tables;
mod tables;
mod unsent;
mod wire;

pub use mini::Mini;
pub use nic_plan::{pages_max, Geometry, FRAME_DATA_BYTES_LIMIT};
pub use page::Span;
pub use protocol::{Machine, Vmmc};
pub use static_tables::StaticTables;
pub use tables::Tables;

/// A checked boot request of a machine with tables `T`.
pub type Config<T> = nic_plan::Config<nic_plan::Rdma<<T as Tables>::Lookup>>;
/// The same, and where everything is in SRAM.
pub type Plan<T> = nic_plan::Plan<nic_plan::Rdma<<T as Tables>::Lookup>>;
