//! Memory, registers, and the NIC as a whole, as models that tests drive.

pub mod clocked;
pub mod models;
pub mod registers;
