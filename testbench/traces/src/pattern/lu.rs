//! LU factorisation of a matrix in blocks. Each block lies in one piece of memory (LUContiguous of
//! SPLASH-2).

use serde::{Deserialize, Serialize};

use crate::cluster::{Memory, Phase, Transfer, Watcher, PAGE_BYTES, RANKS};

/// Processes form a grid of 2 by 4 and own blocks in turn. The blocks of one process lie behind
/// each other, column by column. In step k, the owners of row k and column k fetch the diagonal
/// block. Then every process fetches the blocks of row k and column k that its own blocks need.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lu {
    /// The number of rows, and of columns, of the matrix: a multiple of `block`.
    pub side: u32,
    /// The number of rows, and of columns, of a block.
    pub block: u32,
    /// The bytes of an element.
    pub element_bytes: u32,
}

const GRID_ROWS: u32 = 2;
const GRID_COLUMNS: u32 = RANKS / GRID_ROWS;

impl Lu {
    /// The size at which the geometries of the thesis differ (docs/reproduce.md).
    pub const DEFAULT: Lu = Lu { side: 4096, block: 16, element_bytes: 8 };

    const fn blocks(&self) -> u32 {
        self.side / self.block
    }

    fn block_bytes(&self) -> u64 {
        u64::from(self.block) * u64::from(self.block) * u64::from(self.element_bytes)
    }

    /// The blocks for which each process has room: as many as the process with the most blocks
    /// owns.
    fn local(&self) -> (u32, u32) {
        (self.blocks().div_ceil(GRID_ROWS), self.blocks().div_ceil(GRID_COLUMNS))
    }

    fn share_bytes(&self) -> u64 {
        let (rows, columns) = self.local();
        self.block_bytes() * u64::from(rows) * u64::from(columns)
    }

    pub(super) fn pages(&self) -> u32 {
        RANKS * self.share_bytes().div_ceil(PAGE_BYTES) as u32
    }

    pub(super) fn run(&self, watcher: &mut Watcher) {
        let mut memory = Memory::new();
        let shares: Vec<u32> = (0..RANKS).map(|_| memory.take(self.share_bytes())).collect();
        let blocks = self.blocks();
        let owner = |row: u32, column: u32| row % GRID_ROWS * GRID_COLUMNS + column % GRID_COLUMNS;
        let pages = |row: u32, column: u32| {
            let index = u64::from(column / GRID_COLUMNS) * u64::from(self.local().0) + u64::from(row / GRID_ROWS);
            let start = index * self.block_bytes();
            let first = shares[owner(row, column) as usize];
            first + (start / PAGE_BYTES) as u32..=first + ((start + self.block_bytes() - 1) / PAGE_BYTES) as u32
        };
        for step in 0..blocks {
            let mut diagonal = Once::default();
            let mut inner = Once::default();
            for other in step + 1..blocks {
                for rank in [owner(step, other), owner(other, step)] {
                    diagonal.fetch(rank, pages(step, step), owner(step, step));
                }
                // The process that owns (row, column) asks for the column with its first block of
                // each row, and for the row with its first block of each column.
                for rank in (0..GRID_COLUMNS).map(|column| owner(other, column)) {
                    inner.fetch(rank, pages(other, step), owner(other, step));
                }
                for rank in (0..GRID_ROWS).map(|row| owner(row, other)) {
                    inner.fetch(rank, pages(step, other), owner(step, other));
                }
            }
            watcher.run(diagonal.phase);
            watcher.run(inner.phase);
        }
    }
}

/// A phase in which each process fetches a page at most once.
struct Once {
    phase: Phase,
    has: Vec<std::collections::BTreeSet<u32>>,
}

impl Default for Once {
    fn default() -> Once {
        Once { phase: Phase::new(), has: vec![Default::default(); RANKS as usize] }
    }
}

impl Once {
    fn fetch(&mut self, rank: u32, pages: std::ops::RangeInclusive<u32>, home: u32) {
        for page in pages {
            if self.has[rank as usize].insert(page) {
                self.phase.push(rank, Transfer::Fetch, page, home);
            }
        }
    }
}
