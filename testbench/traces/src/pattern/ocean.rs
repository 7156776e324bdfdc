//! Relaxation on grids: each process exchanges borders with its neighbours (Ocean of SPLASH-2 with
//! contiguous partitions).

use serde::{Deserialize, Serialize};

use crate::cluster::{Memory, Phase, Transfer, Watcher, PAGE_BYTES, RANKS};

/// Processes form a grid of 2 by 4. The part of a process of each array lies in one piece, row by
/// row, with a border of one element. A sweep of an array reads the border rows of the neighbours
/// (few pages) and their border columns (one element of each row: all pages). A time step sweeps
/// every array once. Then it sweeps the last array, on which the solver works, `relaxations` times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ocean {
    /// The number of rows, and of columns, of an array, with the outer border.
    pub side: u32,
    /// The bytes of an element.
    pub element_bytes: u32,
    /// The number of arrays.
    pub arrays: u32,
    /// The sweeps of the last array in a time step, beyond the first.
    pub relaxations: u32,
    /// The number of time steps.
    pub time_steps: u32,
}

const GRID_ROWS: u32 = 2;
const GRID_COLUMNS: u32 = RANKS / GRID_ROWS;

impl Ocean {
    /// The size at which the geometries of the thesis differ (docs/reproduce.md).
    pub const DEFAULT: Ocean = Ocean { side: 514, element_bytes: 8, arrays: 25, relaxations: 20, time_steps: 8 };

    /// The numbers of rows and columns of a process's part, with its border.
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

    /// The pages that hold some elements of a neighbour's part, each page once.
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
