//! Agents for tests: a NIC that is all target and master and no NIC, and a dull memory.

mod memory;
mod nic;

pub use memory::MockMemory;
pub use nic::{DmaCompletion, HostWrite, MockNic, MockNicSettings};
