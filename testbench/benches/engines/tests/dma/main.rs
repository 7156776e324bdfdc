//! Facts about the host DMA engines.
//!
//! * `moves`: descriptors, compared with a few lines of Rust. `ahead`: commands and writes that
//!   begin before they are due. `rings`: indices, registers, refusals.
//! * `halts`: errors and stops. `reset`: the reset of one engine.
//! * `time`: the clocks that docs/dma.md quotes. `assertions`: rules of the models that fire.
//! * `scene`: the common beginning of all tests.

#[path = "../common/mod.rs"]
mod common;

mod ahead;
mod assertions;
mod halts;
mod moves;
mod reset;
mod rings;
mod scene;
mod time;
