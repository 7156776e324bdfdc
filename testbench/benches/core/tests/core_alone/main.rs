//! Tests of the core alone.
//!
//! One binary: what its tests share is compiled once.

mod anywhere;
mod checks_fire;
mod counters;
mod cycles;
mod dispatch;
mod instructions;
mod kernels;
mod random_programs;
mod sleep;
mod traps;
