//! Relaxation on grids, each process with its neighbours (SPLASH-2's Ocean with contiguous partitions).

use serde::{Deserialize, Serialize};

use crate::cluster::{Memory, Phase, Transfer, Watcher, PAGE_BYTES, RANKS};

/// Processes form a grid of 2 by 4; of each array, the part of one process lies in one piece, with a border of one element, row by row. A sweep of an array reads the
/// neighbours' border rows (few pages) and border columns (an element of each row: all pages). A time step sweeps every array once and the last one, which the solver
/// works on, `relaxations` times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ocean {
    /// Rows and columns of an array, the outer border included.
    pub side: u32,
    pub element_bytes: u32,
    pub arrays: u32,
    pub relaxations: u32,
    pub time_steps: u32,
}

const GRID_ROWS: u32 = 2;
const GRID_COLUMNS: u32 = RANKS / GRID_ROWS;

impl Ocean {
    pub const DEFAULT: Ocean = Ocean { side: 514, element_bytes: 8, arrays: 25, relaxations: 20, time_steps: 8 };

    /// Rows and columns of a process's part, its border included.
    const fn part(&self) -> (u32, u32) {
        ((self.side - 2) / GRID_ROWS + 2, (self.side - 2) / GRID_COLUMNS + 2)
    }

    fn part_bytes(&self) -> u64 {
        let (rows, columns) = self.part();
        u64::from(rows) * u64::from(columns) * u64::from(self.element_bytes)
    }

    fn array_bytes(&self) -> u64 {
        self.part_bytes() * u64::from(RANKS)
    }

    pub(super) fn pages(&self) -> u32 {
        self.arrays * self.array_bytes().div_ceil(PAGE_BYTES) as u32
    }

    pub(super) fn run(&self, watcher: &mut Watcher) {
        let mut memory = Memory::new();
        let arrays: Vec<u32> = (0..self.arrays).map(|_| memory.take(self.array_bytes())).collect();
        let Some(&solved) = arrays.last() else { return };
        for _ in 0..self.time_steps {
            for &array in &arrays {
                watcher.run(self.sweep(array));
            }
            for _ in 0..self.relaxations {
                watcher.run(self.sweep(solved));
            }
        }
    }

    fn sweep(&self, array: u32) -> Phase {
        let (rows, columns) = self.part();
        let mut phase = Phase::new();
        for rank in 0..RANKS {
            let (row, column) = (rank / GRID_COLUMNS, rank % GRID_COLUMNS);
            if row > 0 {
                self.read(&mut phase, array, rank, rank - GRID_COLUMNS, &mut (0..columns).map(|j| (rows - 2, j)));
            }
            if row + 1 < GRID_ROWS {
                self.read(&mut phase, array, rank, rank + GRID_COLUMNS, &mut (0..columns).map(|j| (1, j)));
            }
            if column > 0 {
                self.read(&mut phase, array, rank, rank - 1, &mut (0..rows).map(|i| (i, columns - 2)));
            }
            if column + 1 < GRID_COLUMNS {
                self.read(&mut phase, array, rank, rank + 1, &mut (0..rows).map(|i| (i, 1)));
            }
        }
        phase
    }

    /// The pages of some elements of a neighbour's part, each once.
    fn read(
        &self,
        phase: &mut Phase,
        array: u32,
        rank: u32,
        neighbour: u32,
        elements: &mut dyn Iterator<Item = (u32, u32)>,
    ) {
        let start = self.part_bytes() * u64::from(neighbour);
        let mut last = None;
        for (row, column) in elements {
            let element = u64::from(row) * u64::from(self.part().1) + u64::from(column);
            let page = ((start + element * u64::from(self.element_bytes)) / PAGE_BYTES) as u32;
            if last.replace(page) != Some(page) {
                phase.push(rank, Transfer::Fetch, array + page, neighbour);
            }
        }
    }
}
