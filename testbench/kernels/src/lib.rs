//! The core with its caches and memories, measured with the kernels of `nic-kernels` (docs/benchmarks.md).
//!
//! - [`images`] builds the images, [`machine`] runs one on the RTL, clock by clock;
//! - [`retired`] is what RVFI says of an instruction, [`stalls`] where clocks go that retire none;
//! - [`dispatch`] measures how soon an event is served, and the semaphore;
//! - [`pair`] is two cores on one SRAM, and how soon an event of one reaches the other;
//! - [`runs`] measures all kernels of an image, [`model`] says what they must compute.

pub mod dispatch;
pub mod images;
pub mod machine;
pub mod model;
pub mod pair;
pub mod retired;
pub mod runs;
pub mod stalls;

mod generated {
    #![allow(clippy::all, missing_docs)]

    verilated::include_model!("BenchKernels");
    verilated::include_model!("BenchPair");
}

/// What ends a measurement.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Model(#[from] verilated::Error),
    #[error("{0}")]
    Image(String),
    #[error("{image}: {what} after {clocks} clocks, pc {pc:#010x}")]
    Program { image: String, what: String, clocks: u64, pc: u32 },
}
