//! Misses by path and by reason.

use nic_lookup::Path;
use serde::{Deserialize, Serialize};

/// The counts of a trace. Index 0 is the send path, index 1 the receive path, as in
/// `nic_lookup::Path`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Lookups.
    pub lookups: [u64; 2],
    /// Cold misses: the line was never in the cache before, by either path. No cache of any size
    /// with such lines would have it.
    pub cold: [u64; 2],
    /// Other misses: the line was in the cache before and was replaced, for capacity or conflict.
    pub non_cold: [u64; 2],
}

impl Counts {
    /// Lookups, cold misses and other misses of one path.
    pub fn of(&self, path: Path) -> [u64; 3] {
        let index = path as usize;
        [self.lookups[index], self.cold[index], self.non_cold[index]]
    }

    /// Lookups of both paths.
    pub fn all_lookups(&self) -> u64 {
        self.lookups.iter().sum()
    }

    /// Cold misses of both paths.
    pub fn all_cold(&self) -> u64 {
        self.cold.iter().sum()
    }

    /// Other misses of both paths.
    pub fn all_non_cold(&self) -> u64 {
        self.non_cold.iter().sum()
    }

    /// All misses of both paths.
    pub fn misses(&self) -> u64 {
        self.all_cold() + self.all_non_cold()
    }

    /// Misses as a part of all lookups, 0 to 1. 0 without lookups.
    pub fn miss_ratio(&self) -> f64 {
        self.misses() as f64 / self.all_lookups().max(1) as f64
    }
}
