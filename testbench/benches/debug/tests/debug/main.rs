//! Tests of the debug module with two cores.
//!
//! One binary: what its tests share is compiled once.

mod commands;
mod harts;
mod memory;
mod random_halts;
mod registers;
mod steps;
mod triggers;
