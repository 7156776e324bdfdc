//! Transposition of a square matrix, which the six-step FFT does three times.

use serde::{Deserialize, Serialize};

use crate::cluster::{Memory, Phase, Transfer, Watcher, PAGE_BYTES, RANKS};

/// Rows lie one behind the other. Each process owns the same number of neighbouring rows. From the
/// rows of every other process it reads the columns that become its own rows. All processes write
/// their rows between two transpositions, so every page is fetched again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Transpose {
    /// The number of rows, and of columns: a multiple of the number of processes.
    pub side: u32,
    /// The bytes of an element.
    pub element_bytes: u32,
    /// The number of matrices. A transposition goes from one to the next, in a circle.
    pub matrices: u32,
    /// The number of transpositions.
    pub transpositions: u32,
}

impl Transpose {
    /// The size at which the geometries of the thesis differ (docs/reproduce.md).
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
                // Each process begins with its next neighbour, so that not all read from the same
                // process.
                for owner in (1..RANKS).map(|distance| (rank + distance) % RANKS) {
                    let mut last = None;
                    for row in owner * share..(owner + 1) * share {
                        for page in page_of(row, rank * share)..=page_of(row, (rank + 1) * share - 1) {
                            // Several short rows lie in one page, which is fetched once.
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
