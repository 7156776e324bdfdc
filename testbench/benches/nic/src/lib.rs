//! Models of the memory, the registers, and the whole NIC, for tests.

pub mod assembler;
pub mod clocked;
pub mod models;
pub mod nic;
pub mod registers;
