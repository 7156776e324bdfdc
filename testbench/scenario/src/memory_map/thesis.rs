//! Table 1.1 of the miNI thesis (MN-1), and the same sums of this NIC.

use serde::Serialize;

use super::{Memory, Use};

/// One row of the table, with the bytes of this NIC beside it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// What the row counts. A name that begins with a dash is a part of the lookup tables.
    pub region: &'static str,
    /// Bytes of this NIC.
    pub bytes: u32,
    /// KB of the thesis's base system, VMMC with static tables.
    pub thesis_base_kbytes: u32,
    /// KB of the thesis's miNI.
    pub thesis_mini_kbytes: u32,
}

/// The rows of the table for a NIC with these memories.
///
/// Code that is copied to the scratchpad counts once: the LANai of the thesis has no scratchpad.
pub fn compare(sram: &Memory, scratchpad: &Memory) -> Vec<Comparison> {
    let row = |region, bytes, thesis_base_kbytes, thesis_mini_kbytes| Comparison {
        region,
        bytes,
        thesis_base_kbytes,
        thesis_mini_kbytes,
    };
    let program = sram.sum(Use::Program) + scratchpad.sum(Use::Program);
    let buffers = sram.sum(Use::Buffers);
    let (vmh, cbh, pch) = (sram.sum(Use::Vmh), sram.sum(Use::Cbh), sram.sum(Use::Pch));
    let imports = sram.sum(Use::Imports);
    vec![
        row("code and static data", program, 74, 87),
        row("send and receive buffers", buffers, 200, 200),
        row("lookup tables", vmh + cbh + imports + pch, 524, 132),
        row("- translations (VMH)", vmh, 265, 75),
        row("- buffer handles (CBH)", cbh, 163, 25),
        row("- imported handles", imports, 64, 0),
        row("- processes and post queues (PCH)", pch, 32, 32),
        row("total", program + buffers + vmh + cbh + imports + pch, 798, 419),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rows_of_the_thesis_and_ours_add_up() {
        let sram = Memory::cover(
            60,
            [
                ("a", Use::Program, 0, 10),
                ("b", Use::Buffers, 10, 20),
                ("c", Use::Vmh, 30, 5),
                ("d", Use::Cbh, 35, 6),
                ("e", Use::Pch, 41, 4),
                ("f", Use::Imports, 45, 3),
                ("free", Use::Free, 48, 12),
            ],
        );
        let scratchpad = Memory::cover(9, [("copy", Use::Copy, 0, 4), ("static data", Use::Program, 4, 5)]);
        let rows = compare(&sram, &scratchpad);
        let values: [fn(&Comparison) -> u32; 3] =
            [|row| row.bytes, |row| row.thesis_base_kbytes, |row| row.thesis_mini_kbytes];
        for value in values {
            assert_eq!(value(&rows[2]), rows[3..7].iter().map(value).sum::<u32>());
            assert_eq!(value(&rows[7]), rows[..3].iter().map(value).sum::<u32>());
        }
        assert_eq!(rows[7].bytes, 53);
    }
}
