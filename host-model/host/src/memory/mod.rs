//! Host memory: real pages with real contents, address spaces, pins, and what devices do to them.
//!
//! Contract:
//! * A page of a process gets a physical page at its first touch, in an order that makes neighbours
//!   rare.
//! * A device may touch pinned pages only. Any other access of a device is a [`DmaViolation`]
//!   (INV-26): it reads poison, its write is dropped, and the run fails.
//! * `pins - unpins = pages pinned now`, per page and in total; [`Counts`] tells.

mod error;
mod node_memory;
mod page_map;
mod pages;
mod space;
mod watch;

pub use error::{Counts, DmaDirection, DmaFault, DmaViolation, MemoryError};
pub use node_memory::Memory;
pub use page_map::PageMap;
pub use pages::POISON_BYTE;
pub use watch::Watch;
