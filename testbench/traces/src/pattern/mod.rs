//! The programs: which pages move between which processes, in what order.

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
    Transpose(Transpose),
    Lu(Lu),
    Radix(Radix),
    Ocean(Ocean),
}

impl Pattern {
    /// The four, of the sizes at which the geometries of the thesis differ (docs/reproduce.md).
    pub const ALL: [Pattern; 4] = [
        Pattern::Transpose(Transpose::DEFAULT),
        Pattern::Lu(Lu::DEFAULT),
        Pattern::Radix(Radix::DEFAULT),
        Pattern::Ocean(Ocean::DEFAULT),
    ];

    /// The program of the thesis whose pattern it is.
    pub const fn name(&self) -> &'static str {
        match self {
            Pattern::Transpose(_) => "FFT",
            Pattern::Lu(_) => "LU",
            Pattern::Radix(_) => "Radix",
            Pattern::Ocean(_) => "Ocean",
        }
    }

    /// The lookups of one NIC. The same seed gives the same ones.
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

    /// Pages of the shared arrays, from [`crate::FIRST_PAGE`] on.
    pub fn pages(&self) -> u32 {
        match self {
            Pattern::Transpose(transpose) => transpose.pages(),
            Pattern::Lu(lu) => lu.pages(),
            Pattern::Radix(radix) => radix.pages(),
            Pattern::Ocean(ocean) => ocean.pages(),
        }
    }
}
