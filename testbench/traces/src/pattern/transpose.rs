//! Transposition of a square matrix, as the six-step FFT does it three times.

use serde::{Deserialize, Serialize};

use crate::cluster::{Memory, Phase, Transfer, Watcher, PAGE_BYTES, RANKS};

/// Rows lie one behind the other, each process owns as many neighbouring ones, and reads of every other process's rows the columns that are its own
/// rows afterwards. All write their rows between two transpositions, so that every page is fetched again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Transpose {
    /// Rows and columns: a multiple of the number of processes.
    pub side: u32,
    pub element_bytes: u32,
    /// Transpositions go from one to the next in turn.
    pub matrices: u32,
    pub transpositions: u32,
}

impl Transpose {
    pub const DEFAULT: Transpose = Transpose { side: 2048, element_bytes: 16, matrices: 1, transpositions: 3 };

    fn matrix_bytes(&self) -> u64 {
        u64::from(self.side) * u64::from(self.side) * u64::from(self.element_bytes)
    }

    pub(super) fn pages(&self) -> u32 {
        self.matrices * self.matrix_bytes().div_ceil(PAGE_BYTES) as u32
    }

    pub(super) fn run(&self, watcher: &mut Watcher) {
        let mut memory = Memory::new();
        let matrices: Vec<u32> = (0..self.matrices).map(|_| memory.take(self.matrix_bytes())).collect();
        let share = self.side / RANKS;
        let page_of = |row: u32, column: u32| {
            let element = u64::from(row) * u64::from(self.side) + u64::from(column);
            (element * u64::from(self.element_bytes) / PAGE_BYTES) as u32
        };
        for turn in 0..self.transpositions {
            let first = matrices[(turn % self.matrices) as usize];
            let mut phase = Phase::new();
            for rank in 0..RANKS {
                // Each begins with its neighbour, so that not all read from the same process.
                for owner in (1..RANKS).map(|distance| (rank + distance) % RANKS) {
                    let mut last = None;
                    for row in owner * share..(owner + 1) * share {
                        for page in page_of(row, rank * share)..=page_of(row, (rank + 1) * share - 1) {
                            // Short rows share pages.
                            if last.replace(page) != Some(page) {
                                phase.push(rank, Transfer::Fetch, first + page, owner);
                            }
                        }
                    }
                }
            }
            watcher.run(phase);
        }
    }
}
