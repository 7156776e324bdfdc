//! Bar 2: memory of the NIC, beside the base system and the thesis.

use nicscope_scenario::error::Result;
use nicscope_scenario::memory_map::{self, Map, Use};

use crate::engine::{Figure, Target};
use crate::table::COMPARED;

pub const NOTE: &str = "sums as in Table 1.1 of the thesis, where post queues are lookup structures; handles are those without them. Totals are with \
     200 KB of buffers. vmmc has import tables for 8 processes, the thesis counts one";

const PLATFORM: &str = "lanai9";
const BUFFERS_KB: f64 = 200.0;

/// What the thesis has, and what we must have.
struct Row {
    name: &'static str,
    kb: fn(&Map) -> f64,
    at_most_kb: f64,
    base_kb: f64,
    mini_kb: f64,
}

const ROWS: [Row; 4] = [
    Row { name: "handles", kb: handles, at_most_kb: f64::NAN, base_kb: 492.0, mini_kb: 100.0 },
    Row { name: "lookup", kb: lookup, at_most_kb: 100.0, base_kb: 524.0, mini_kb: 132.0 },
    Row { name: "program", kb: |map| kb(program(map)), at_most_kb: 64.0, base_kb: 74.0, mini_kb: 87.0 },
    Row { name: "total", kb: total, at_most_kb: 364.0, base_kb: 798.0, mini_kb: 419.0 },
];

pub fn measure() -> Result<Vec<Figure>> {
    let maps = COMPARED.map(|name| map(name, &[]));
    let maps = maps.into_iter().collect::<Result<Vec<Map>>>()?;
    let wide = map(COMPARED[0], &["key_bits=128".to_owned()])?;
    let figures = ROWS.iter().flat_map(|row| maps.iter().map(|map| figure(row, map)));
    Ok(figures.chain(ROWS.iter().map(|row| wide_figure(row, &wide))).collect())
}

/// The map with the recommended cache, unless an override says otherwise.
fn map(personality: &str, overrides: &[String]) -> Result<Map> {
    memory_map::of(&memory_map::scenario(personality, overrides)?, PLATFORM)
}

/// With keys of 128 bits, which the thesis allows and whose bytes it does not count.
fn wide_figure(row: &Row, map: &Map) -> Figure {
    Figure::new(format!("mini.2.{}_{}_128", row.name, map.personality), (row.kb)(map), "KB", Target::None)
}

/// Only `mini` has something to meet: the base is what it is compared with.
fn figure(row: &Row, map: &Map) -> Figure {
    let (target, thesis) = match map.cache {
        Some(_) if row.at_most_kb.is_nan() => (Target::None, row.mini_kb),
        Some(_) => (Target::AtMost(row.at_most_kb), row.mini_kb),
        None => (Target::None, row.base_kb),
    };
    let id = format!("mini.2.{}_{}", row.name, map.personality);
    Figure::new(id, (row.kb)(map), "KB", target).paper(format!("{thesis} KB: Table 1.1"))
}

fn kb(bytes: u32) -> f64 {
    f64::from(bytes) / 1024.0
}

fn handles(map: &Map) -> f64 {
    kb([Use::Vmh, Use::Cbh, Use::Imports].map(|r#use| map.sram.sum(r#use)).iter().sum())
}

fn lookup(map: &Map) -> f64 {
    handles(map) + kb(map.sram.sum(Use::Pch))
}

fn program(map: &Map) -> u32 {
    map.sram.sum(Use::Program) + map.scratchpad.sum(Use::Program)
}

fn total(map: &Map) -> f64 {
    kb(program(map)) + lookup(map) + BUFFERS_KB
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rows_of_the_thesis_add_up() {
        let [handles, lookup, program, total] = &ROWS;
        let sums = |of: fn(&Row) -> f64| (of(handles) + 32.0, of(program) + of(lookup) + BUFFERS_KB);
        assert_eq!(sums(|row| row.base_kb), (lookup.base_kb, total.base_kb));
        assert_eq!(sums(|row| row.mini_kb), (lookup.mini_kb, total.mini_kb));
        assert_eq!(program.at_most_kb + lookup.at_most_kb + BUFFERS_KB, total.at_most_kb);
    }
}
