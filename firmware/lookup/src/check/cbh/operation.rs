//! The operations.

use nic_layout::cbh::{cbh, CbhGeometry, BUFFER_ID_MAX};

/// One step. `nth` counts the reserved entries, oldest first, modulo how many there are; with none
/// the step does nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CbhOp {
    /// Look a buffer up; reserve when absent.
    Use {
        cbh: u32,
    },
    /// Fill the nth reserved entry; `seed` chooses the descriptor.
    Fill {
        nth: u32,
        seed: u32,
    },
    /// Say that there is no such buffer.
    Deny {
        nth: u32,
    },
    /// Give the nth reserved entry back.
    Release {
        nth: u32,
    },
    Forget {
        cbh: u32,
    },
}

impl CbhOp {
    /// Makes an operation of any number. Processes and buffers are few, so that tags collide;
    /// identifiers lie at both ends of their range.
    pub fn draw(random: u64, geometry: CbhGeometry) -> CbhOp {
        let bits = |low: u32, count: u32| (random >> low) as u32 & ((1 << count) - 1);
        let pid = [1, 0xFFF][bits(8, 1) as usize];
        // Half as many tags again as one set holds, of two neighbouring sets.
        let set = bits(10, 1) & (geometry.sets() - 1);
        let turn = bits(11, 16) % (geometry.ways + geometry.ways / 2 + 1);
        let near = turn * geometry.sets() + set;
        let id = if bits(27, 1) == 0 { near } else { BUFFER_ID_MAX - near };
        let nth = bits(40, 8);
        match bits(0, 4) {
            0..=7 => CbhOp::Use { cbh: cbh(pid, id) },
            8..=10 => CbhOp::Fill { nth, seed: bits(48, 8) },
            11 | 12 => CbhOp::Deny { nth },
            13 => CbhOp::Release { nth },
            _ => CbhOp::Forget { cbh: cbh(pid, id) },
        }
    }
}
