//! `nicscope memory-map`: the bytes of NIC memory by use, as tables for people or as JSON.

use comfy_table::presets::UTF8_HORIZONTAL_ONLY;
use comfy_table::{Cell, CellAlignment, Table, TableComponent};
use nic_image::Stack;
use nicscope_scenario::error::Result;
use nicscope_scenario::failed;
use nicscope_scenario::memory_map::{self, Holds, Map, Memory, Use};
use nicscope_scenario::personality;
use nicscope_scenario::scenario::Cache;

use crate::cli::MemoryMapArgs;
use crate::output;

/// Prints the memory map of a personality.
///
/// # Errors
/// There is no such personality or platform, or its memory does not fit.
pub fn run(arguments: &MemoryMapArgs) -> Result<()> {
    let personality = &arguments.personality;
    let map = memory_map::of(&memory_map::scenario(personality, &arguments.set)?, &arguments.platform)?;
    let text = match arguments.json {
        true => serde_json::to_string(&map).map_err(|error| failed!("memory map: {error}"))? + "\n",
        false => text(&map),
    };
    output::print(&text)
}

fn text(map: &Map) -> String {
    format!(
        "{} on {}: {} bytes of SRAM{}\n{}\n\nscratchpad: {} bytes\n{}\n\n{}\n{}{}\
         {}code that is copied to the scratchpad counts once\n{}\n",
        map.personality,
        map.platform,
        map.sram.bytes,
        lookup(map),
        memory(&map.sram),
        map.scratchpad.bytes,
        memory(&map.scratchpad),
        stack(&map.stack),
        core_b(map),
        limits(map),
        if map.has_published() { "beside Table 1.1 of the miNI thesis; " } else { "" },
        comparison(map),
    )
}

/// The memory of core B that is its own; nothing on a NIC with one core.
fn core_b(map: &Map) -> String {
    map.core_b.as_ref().map_or_else(String::new, |core_b| {
        format!(
            "core B runs {}; scratchpad: {} bytes\n{}\n\n{}\n",
            core_b.image,
            core_b.scratchpad.bytes,
            memory(&core_b.scratchpad),
            stack(&core_b.stack)
        )
    })
}

/// The memories of the NIC of a paper; nothing if there is none.
fn limits(map: &Map) -> String {
    let Some(first) = map.limits.first() else { return String::new() };
    let mut table = table(&["", "bytes used", "of the thesis's", "%"]);
    for limit in &map.limits {
        let share = f64::from(limit.used_bytes) * 100.0 / f64::from(limit.published_bytes);
        let [used, published] = [limit.used_bytes, limit.published_bytes].map(|bytes| bytes.to_string());
        table.add_row(row([limit.memory.into(), used, published, format!("{share:.1}")]));
    }
    format!("limits of the NIC of the thesis ({})\n{table}\n\n", first.source)
}

fn lookup(map: &Map) -> String {
    let holds = match (map.cache, map.holds) {
        (Some(Cache { entries, line_entries, ways }), _) => {
            format!("VMH cache of {entries} entries, lines of {line_entries}, {ways} ways")
        }
        (None, Some(Holds { translations, buffers, imports_of_each_process })) => {
            format!(
                "tables for {translations} pages, {buffers} buffers, {imports_of_each_process} imports of each process"
            )
        }
        // Without tables there are no keys.
        (None, None) => return String::new(),
    };
    format!(", {holds}, keys of {} bits", map.key_bits)
}

/// The deepest path, a line for each function.
fn stack(stack: &Stack) -> String {
    let path: String = stack.path.iter().map(|step| format!("  {:>5} {}\n", step.frame_bytes, step.function)).collect();
    format!("stack: deepest path {} bytes of {}\n{path}", stack.deepest_bytes, stack.room_bytes)
}

fn table(header: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_preset(UTF8_HORIZONTAL_ONLY);
    // Many rows: no lines between them.
    table.remove_style(TableComponent::HorizontalLines);
    table.remove_style(TableComponent::MiddleIntersections);
    table.set_header(header.iter().enumerate().map(|(column, name)| cell(column, name.to_string())));
    table
}

/// Words to the left, numbers to the right.
fn cell(column: usize, text: String) -> Cell {
    let alignment = if column == 0 { CellAlignment::Left } else { CellAlignment::Right };
    Cell::new(text).set_alignment(alignment)
}

fn row(cells: impl IntoIterator<Item = String>) -> Vec<Cell> {
    cells.into_iter().enumerate().map(|(column, text)| cell(column, text)).collect()
}

fn memory(memory: &Memory) -> Table {
    let mut table = table(&["", "from", "bytes", "%"]);
    let share = |bytes: u32| format!("{:.1}", f64::from(bytes) * 100.0 / f64::from(memory.bytes));
    for region in memory.regions.iter().filter(|region| region.r#use != Use::Alignment) {
        table.add_row(row([
            region.name.into(),
            format!("{:#x}", region.start),
            region.bytes.to_string(),
            share(region.bytes),
        ]));
    }
    let alignment = memory.sum(Use::Alignment);
    if alignment > 0 {
        table.add_row(row(["alignment".into(), String::new(), alignment.to_string(), share(alignment)]));
    }
    let sum: u32 = memory.regions.iter().map(|region| region.bytes).sum();
    table.add_row(row(["sum".into(), String::new(), sum.to_string(), share(sum)]));
    table
}

fn comparison(map: &Map) -> Table {
    let others = personality::named(&map.personality).map_or(&[][..], |personality| personality.memory_of_others);
    let headings: Vec<&str> =
        ["", "bytes", "KB"].into_iter().chain(others.iter().map(|column| column.heading)).collect();
    let mut table = table(&headings);
    for line in &map.comparison {
        let own = [line.region.into(), line.bytes.to_string(), format!("{:.1}", f64::from(line.bytes) / 1024.0)];
        let published = others.iter().map(|column| line.published[column.key].to_string());
        table.add_row(row(own.into_iter().chain(published)));
    }
    table
}
