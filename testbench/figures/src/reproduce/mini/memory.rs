//! Table 1.1: memory of the NIC by use.

use nic_layout::PROCESS_SLOTS;
use nicscope_scenario::error::Result;
use nicscope_scenario::memory_map::{self, Map, Use};
use serde_json::{json, Value};

use super::setting::{CACHE, COMPARED, PLATFORM};
use crate::engine::digits::digits;
use crate::engine::report::{Cell, Finding, Report, Table};
use crate::engine::{Experiment, Measure};

pub const TABLE_1_1: Experiment = Experiment {
    id: "mini.table-1.1",
    title: "memory of the NIC by use, from the linked firmware and its tables (MN-1)",
    thesis: "Table 1.1: 798 KB for VMMC, 419 KB for miNI",
    parameters,
    images: || COMPARED.map(|name| (name, nic_layout::vmh::VmhGeometry::RECOMMENDED)).into(),
    note: None,
    measure: Measure::Report(|_| {
        let maps = COMPARED.map(|name| memory_map::of(&memory_map::scenario(name, &[])?, PLATFORM));
        Ok(report(&maps.into_iter().collect::<Result<Vec<_>>>()?))
    }),
};

/// Keys of the thesis's systems in a comparison.
const BASE: &str = "thesis_base_kbytes";
const MINI: &str = "thesis_mini_kbytes";

fn parameters() -> Value {
    json!({"platform": PLATFORM, "cache": CACHE, "personalities": COMPARED})
}

fn report(maps: &[Map]) -> Report {
    let of_thesis = ["region", "VMMC, thesis KB", "miNI, thesis KB"].map(String::from);
    let ours = maps.iter().map(|map| format!("{}, ours KB", map.personality));
    let mut table = Table::new(format!("NIC memory on {PLATFORM}"), of_thesis.into_iter().chain(ours));
    for (index, row) in maps.first().map_or(&[][..], |map| &map.comparison).iter().enumerate() {
        let thesis: [Cell; 3] = [row.region.into(), row.published[BASE].into(), row.published[MINI].into()];
        let ours = maps.iter().map(|map| Cell::from(f64::from(map.comparison[index].bytes) / 1024.0));
        table.row(thesis.into_iter().chain(ours));
    }
    let rows = 0..maps.first().map_or(0, |map| map.comparison.len());
    let findings = rows.flat_map(|index| maps.iter().map(move |map| finding(&Side::of(map, index)))).collect();
    Report { tables: vec![table, base(maps)], findings, ..Report::default() }
}

/// A row of the table for one personality.
struct Side {
    personality: String,
    region: &'static str,
    kb: f64,
    /// The thesis's, of the system that the personality stands for.
    thesis_kb: f64,
}

impl Side {
    /// A personality with static tables stands for the thesis's base.
    fn of(map: &Map, index: usize) -> Side {
        let row = &map.comparison[index];
        let thesis = row.published[if map.holds.is_some() { BASE } else { MINI }];
        let kb = f64::from(row.bytes) / 1024.0;
        Side { personality: map.personality.clone(), region: row.region, kb, thesis_kb: f64::from(thesis) }
    }
}

/// Whether a row takes no more memory than the thesis's.
fn finding(side: &Side) -> Finding {
    let Side { personality, region, kb, thesis_kb } = side;
    let region = region.trim_start_matches("- ");
    Finding::new(
        "MN-1",
        format!("{region} of {personality}: at most the {thesis_kb} KB of the thesis"),
        kb <= thesis_kb,
        format!("{} KB", digits(*kb)),
    )
}

/// What fits into the static tables, and the sum as the thesis has it, with the imports of one
/// process.
fn base(maps: &[Map]) -> Table {
    let columns = [
        "personality",
        "pages that can be registered",
        "buffers",
        "imports of each process",
        "total KB with the imports of one process",
    ];
    let mut table = Table::new("What static tables hold", columns);
    for (map, holds) in maps.iter().filter_map(|map| Some((map, map.holds?))) {
        let imports = map.sram.sum(Use::Imports);
        let of_one = imports / PROCESS_SLOTS as u32;
        let total = map.total_bytes() - imports + of_one;
        table.row([
            map.personality.as_str().into(),
            holds.translations.into(),
            holds.buffers.into(),
            holds.imports_of_each_process.into(),
            (f64::from(total) / 1024.0).into(),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_memory_than_the_thesis_does_not_hold() {
        let side = |kb| Side { personality: "a".into(), region: "- lookup", kb, thesis_kb: 132.0 };
        let good = finding(&side(132.0));
        assert!(good.holds);
        assert_eq!(good.statement, "lookup of a: at most the 132 KB of the thesis");
        assert!(!finding(&side(132.5)).holds);
    }
}
