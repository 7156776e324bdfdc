//! Sums of the memory of a NIC, beside what a paper has published of other systems.

use std::collections::BTreeMap;

use serde::Serialize;

use super::regions::{Memory, Use};
use crate::personality::{Column, ROWS};

/// One row: a use of the memory, and the same of other systems beside it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// The use of the memory.
    pub region: &'static str,
    /// Bytes of it in our image and plan.
    pub bytes: u32,
    /// Kilobytes of other systems, by [`Column::key`].
    #[serde(flatten)]
    pub published: BTreeMap<&'static str, u32>,
}

/// Code that is copied to the scratchpad counts once: the NICs of the papers have no scratchpad.
pub fn compare(sram: &Memory, scratchpad: &Memory, columns: &[Column]) -> Vec<Comparison> {
    let program = sram.sum(Use::Program) + scratchpad.sum(Use::Program);
    let buffers = sram.sum(Use::Buffers);
    let (vmh, cbh, pch) = (sram.sum(Use::Vmh), sram.sum(Use::Cbh), sram.sum(Use::Pch));
    let imports = sram.sum(Use::Imports);
    let rows: [(&str, u32); ROWS] = [
        ("code and static data", program),
        ("send and receive buffers", buffers),
        ("lookup tables", vmh + cbh + imports + pch),
        ("- translations (VMH)", vmh),
        ("- buffer handles (CBH)", cbh),
        ("- imported handles", imports),
        ("- processes and post queues (PCH)", pch),
        ("total", program + buffers + vmh + cbh + imports + pch),
    ];
    let published = |row: usize| columns.iter().map(|column| (column.key, column.kbytes[row])).collect();
    rows.into_iter()
        .enumerate()
        .map(|(row, (region, bytes))| Comparison { region, bytes, published: published(row) })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::personality::default;

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
        let rows = compare(&sram, &scratchpad, default().memory_of_others);
        let values: [fn(&Comparison) -> u32; 3] = [
            |row| row.bytes,
            |row| *row.published.values().next().expect("a system of the thesis"),
            |row| *row.published.values().nth(1).expect("another"),
        ];
        for value in values {
            assert_eq!(value(&rows[2]), rows[3..7].iter().map(value).sum::<u32>());
            assert_eq!(value(&rows[7]), rows[..3].iter().map(value).sum::<u32>());
        }
        assert_eq!(rows[7].bytes, 53);
    }
}
