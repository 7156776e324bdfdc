//! Tests of memory, registers and the NIC as a whole.
//!
//! One binary: what its tests share is compiled once.

mod checkers;
mod core_memory;
mod crossings;
mod debug;
mod documented_constants;
mod file_lists;
mod nic;
mod pair;
mod register_map;
mod registers;
mod resets;
mod sleep;
mod sram;
