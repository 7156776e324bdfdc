//! Misses by path and by reason.

use nic_lookup::Path;
use serde::{Deserialize, Serialize};

/// Index 0 is the send path, 1 the receive path, as in `nic_lookup::Path`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    pub lookups: [u64; 2],
    /// The line was never in the cache before, by either path: no cache of such lines would have it.
    pub cold: [u64; 2],
    /// It was, and had to go: capacity or conflict.
    pub non_cold: [u64; 2],
}

impl Counts {
    pub fn of(&self, path: Path) -> [u64; 3] {
        let index = path as usize;
        [self.lookups[index], self.cold[index], self.non_cold[index]]
    }

    pub fn all_lookups(&self) -> u64 {
        self.lookups.iter().sum()
    }

    pub fn all_cold(&self) -> u64 {
        self.cold.iter().sum()
    }

    pub fn all_non_cold(&self) -> u64 {
        self.non_cold.iter().sum()
    }

    pub fn misses(&self) -> u64 {
        self.all_cold() + self.all_non_cold()
    }

    /// Of all lookups, 0 to 1.
    pub fn miss_ratio(&self) -> f64 {
        self.misses() as f64 / self.all_lookups().max(1) as f64
    }
}
