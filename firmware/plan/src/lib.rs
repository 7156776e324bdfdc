//! What a boot request asks for, checked, and where in the SRAM everything then lies.
//!
//! Apart from the protocol, so that whoever only asks for the places (`nicscope memory-map`) does not depend on it.
#![cfg_attr(not(test), no_std)]

mod config;
mod memory_map;

pub use config::{Config, FRAME_DATA_BYTES_LIMIT, HELD_FRAMES_LIMIT};
pub use memory_map::{
    Geometry, MemoryMap, Shape, FETCHES_BYTES, FETCH_RECORDS, FETCH_RECORD_BYTES, MISS_ENTRY_BYTES, NOTIFY_ENTRY_BYTES,
    OPEN_READ_BYTES, POST_ERROR_BYTES, POST_QUEUES_SHARED, PROCESS_ENTRIES, PROCESS_ENTRY_BYTES, READS_MAX, READ_BYTES,
};
