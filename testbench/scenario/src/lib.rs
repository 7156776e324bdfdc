//! What a user asks for: a scenario, the firmware images for it, and the layout of the NIC's memory
//! that follows from it.

pub mod error;
mod faults;
pub mod image;
pub mod keys;
pub mod memory_map;
pub mod personality;
pub mod platform;
pub mod scenario;
pub mod wording;
pub mod workload_kind;
