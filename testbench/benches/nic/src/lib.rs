//! Memory, registers, and the NIC as a whole, as models that tests drive.

pub mod assembler;
pub mod clocked;
pub mod models;
pub mod nic;
pub mod registers;
