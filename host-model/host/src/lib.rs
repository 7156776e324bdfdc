//! Memory, processors, driver and user library of a host

pub mod address;
pub mod executor;
pub mod memory;
pub mod platform;
pub mod processor;
