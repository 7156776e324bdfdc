//! What a boot request asks for, checked, and where in the SRAM everything then lies.
//!
//! Each part of the firmware checks its own section of the request, plans its own regions, and
//! writes its own section of the reply: [`link`], [`posts`], [`rings`], [`counters`]. A protocol
//! adds its part behind the trait [`Part`]. [`Plan`] puts them together, and names no personality.
//!
//! The crate does not depend on the protocols, so that `nicscope memory-map` does not either.
#![cfg_attr(not(test), no_std)]

mod caches;
mod config;
pub mod counters;
pub mod link;
mod part;
mod plain;
mod plan;
pub mod posts;
mod rdma;
mod regions;
pub mod rings;
mod static_tables;

pub use caches::{fetches_bytes, vmh_pieces, Caches, Geometry, FETCH_RECORDS, FETCH_RECORD_BYTES};
pub use config::Config;
pub use link::{
    data_bytes_limit, pages_max, Frames, LinkPlaces, LinkSettings, FRAME_DATA_BYTES_LIMIT, FRAME_PAGES_MAX,
};
pub use part::Part;
pub use plain::Plain;
pub use plan::{Places, Plan};
pub use posts::{upper_key, PostPlaces, POST_ERROR_BYTES, PROCESS_ENTRIES, PROCESS_ENTRY_BYTES};
pub use rdma::{
    open_reads_max, Lookup, LookupPlaces, Misses, Rdma, RdmaPlaces, HELD_FRAMES_LIMIT, OPEN_READ_BYTES, READS_MAX,
    READ_BYTES,
};
pub use regions::{Cursor, Piece, Regions, Use};
pub use rings::{RingPlaces, MISS_ENTRY_BYTES, NOTIFY_ENTRY_BYTES};
pub use static_tables::StaticTables;
