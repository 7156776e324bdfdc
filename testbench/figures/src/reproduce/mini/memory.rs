//! Table 1.1: memory of the NIC by use.

use nic_layout::PROCESS_SLOTS;
use nicscope_scenario::error::Result;
use nicscope_scenario::memory_map::{self, Map, Use};
use serde_json::{json, Value};

use super::setting::{CACHE, COMPARED, PLATFORM};
use crate::reproduce::report::{Cell, Report, Table};
use crate::reproduce::Experiment;

pub const TABLE_1_1: Experiment = Experiment {
    id: "mini.table-1.1",
    title: "memory of the NIC by use, from the linked firmware and its tables (MN-1)",
    thesis: "Table 1.1: 798 KB for VMMC, 419 KB for miNI",
    parameters,
    images: || COMPARED.map(|name| (name, nic_layout::vmh::VmhGeometry::RECOMMENDED)).into(),
    measure: |_| {
        let maps = COMPARED.map(|name| memory_map::of(&memory_map::scenario(name, &[])?, PLATFORM));
        Ok(report(&maps.into_iter().collect::<Result<Vec<_>>>()?))
    },
};

fn parameters() -> Value {
    json!({"platform": PLATFORM, "cache": CACHE, "personalities": COMPARED})
}

fn report(maps: &[Map]) -> Report {
    let of_thesis = ["region", "VMMC, thesis KB", "miNI, thesis KB"].map(String::from);
    let ours = maps.iter().map(|map| format!("{}, ours KB", map.personality));
    let mut table = Table::new(format!("NIC memory on {PLATFORM}"), of_thesis.into_iter().chain(ours));
    for (index, row) in maps.first().map_or(&[][..], |map| &map.comparison).iter().enumerate() {
        let thesis: [Cell; 3] = [row.region.into(), row.thesis_base_kbytes.into(), row.thesis_mini_kbytes.into()];
        let ours = maps.iter().map(|map| Cell::from(f64::from(map.comparison[index].bytes) / 1024.0));
        table.row(thesis.into_iter().chain(ours));
    }
    Report { tables: vec![table, base(maps)], ..Report::default() }
}

/// Of personalities with static tables: what fits, and the sum as the thesis has it, with the imports of one process.
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
