//! The programs: the pages that move between processes, and their order.

mod lu;
mod ocean;
mod radix;
mod transpose;

pub use lu::Lu;
pub use ocean::Ocean;
pub use radix::Radix;
pub use transpose::Transpose;

use serde::{Deserialize, Serialize};

use crate::cluster::Watcher;
use crate::Access;

/// A program and its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "pattern", rename_all = "kebab-case")]
pub enum Pattern {
    /// The transpositions of a six-step FFT.
    Transpose(Transpose),
    /// LU factorisation in blocks.
    Lu(Lu),
    /// The permutations of a radix sort.
    Radix(Radix),
    /// Relaxation on grids.
    Ocean(Ocean),
}

impl Pattern {
    /// The four programs, with sizes at which the geometries of the thesis differ
    /// (docs/reproduce.md).
    pub const ALL: [Pattern; 4] = [
        Pattern::Transpose(Transpose::DEFAULT),
        Pattern::Lu(Lu::DEFAULT),
        Pattern::Radix(Radix::DEFAULT),
        Pattern::Ocean(Ocean::DEFAULT),
    ];

    /// The name of the program in the thesis.
    pub const fn name(&self) -> &'static str {
        match self {
            Pattern::Transpose(_) => "FFT",
            Pattern::Lu(_) => "LU",
            Pattern::Radix(_) => "Radix",
            Pattern::Ocean(_) => "Ocean",
        }
    }

    /// The lookups of one NIC, in order. The same seed gives the same lookups.
    pub fn trace(&self, seed: u64) -> Vec<Access> {
        let mut watcher = Watcher::new(seed);
        match self {
            Pattern::Transpose(transpose) => transpose.run(&mut watcher),
            Pattern::Lu(lu) => lu.run(&mut watcher),
            Pattern::Radix(radix) => radix.run(&mut watcher),
            Pattern::Ocean(ocean) => ocean.run(&mut watcher),
        }
        watcher.accesses
    }

    /// The number of pages of the shared arrays, from [`crate::FIRST_PAGE`] on.
    pub fn pages(&self) -> u32 {
        match self {
            Pattern::Transpose(transpose) => transpose.pages(),
            Pattern::Lu(lu) => lu.pages(),
            Pattern::Radix(radix) => radix.pages(),
            Pattern::Ocean(ocean) => ocean.pages(),
        }
    }
}
