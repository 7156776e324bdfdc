//! The core with its caches and memories, measured with the kernels of `nic-kernels`
//! (docs/benchmarks.md).
//!
//! - [`images`] builds the images, [`machine`] runs one on the RTL, clock by clock;
//! - [`retired`] describes one retired instruction, [`stalls`] the causes of clocks in which none
//!   retires;
//! - [`dispatch`] measures the latency of events and of the semaphore;
//! - [`pair`] runs two cores on one SRAM, and measures the latency of an event between them;
//! - [`runs`] measures all kernels of an image, [`model`] computes their expected results.

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

/// An error that ends a measurement.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The Verilator model reported an error, for example a failed assertion.
    #[error(transparent)]
    Model(#[from] verilated::Error),
    /// An image cannot be built or read: the reason.
    #[error("{0}")]
    Image(String),
    /// The program of an image does not behave as expected.
    #[error("{image}: {what} after {clocks} clocks, pc {pc:#010x}")]
    Program {
        /// The name of the image.
        image: String,
        /// The unexpected observation.
        what: String,
        /// The clocks since the core left reset.
        clocks: u64,
        /// The address of the last retired instruction; 0 if it is not known.
        pc: u32,
    },
}
