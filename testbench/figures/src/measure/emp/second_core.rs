//! Figures of two cores by scheme: parts of bars 1 and 2, and bar 4.

use nicscope_account::results::{Row, Run};
use nicscope_scenario::error::Result;
use nicscope_scenario::failed;
use nicscope_scenario::scenario::Scheme;

use super::super::messages::setting::{self, Asked};
use crate::engine::{Figure, Target};
use crate::reproduce::all_cores;

pub const NOTE: &str =
    "tigon2, both ways, two messages of 10 bytes posted on each side (E-56): messages of both nodes \
                        together. One core: the image `emp`";

/// Schemes in which both cores have work.
const SCHEMES: [Scheme; 5] = [Scheme::So, Scheme::Ro, Scheme::Dsr, Scheme::Sr, Scheme::Dynamic];
const SHORT_BYTES: u32 = 10;
const LONG_BYTES: u32 = 16_384;

/// The first row of a run for each scheme, the run of one core first.
fn rows(what: &str, asked: impl Fn() -> Asked) -> Result<Vec<(Scheme, Row)>> {
    let schemes: Vec<Scheme> = std::iter::once(Scheme::Base).chain(SCHEMES).collect();
    let all: Vec<Asked> = schemes.iter().map(|scheme| asked().scheme(*scheme)).collect();
    let runs = setting::runs(what, all_cores(), &all)?;
    let row = |run: &Run| run.rows.first().cloned().ok_or_else(|| failed!("{what} has no row"));
    schemes.into_iter().zip(&runs).map(|(scheme, run)| Ok((scheme, row(run)?))).collect()
}

/// A figure for each scheme of two cores.
fn by_scheme(id: &str, unit: &'static str, rows: &[(Scheme, f64)]) -> Vec<Figure> {
    let figure =
        |(scheme, value): &(Scheme, f64)| Figure::new(format!("{id}_{}", scheme.name()), *value, unit, Target::None);
    rows.iter().filter(|(scheme, _)| *scheme != Scheme::Base).map(figure).collect()
}

fn values(rows: Vec<(Scheme, Row)>, value: fn(&Row) -> f64) -> Vec<(Scheme, f64)> {
    rows.into_iter().map(|(scheme, row)| (scheme, value(&row))).collect()
}

/// The values of schemes of two cores.
fn pairs(rows: &[(Scheme, f64)]) -> impl Iterator<Item = f64> + '_ {
    rows.iter().filter(|(scheme, _)| *scheme != Scheme::Base).map(|(_, value)| *value)
}

/// The scheme `dynamic` beside the best fixed scheme, where one core is a scheme too. `values`: of
/// all schemes, more is better.
fn beside_best(id: &str, values: &[(Scheme, f64)]) -> Figure {
    let is_dynamic = |scheme: &Scheme| *scheme == Scheme::Dynamic;
    let dynamic = values.iter().find(|(scheme, _)| is_dynamic(scheme)).map_or(f64::NAN, |(_, value)| *value);
    let best = values.iter().filter(|(scheme, _)| !is_dynamic(scheme)).map(|(_, value)| *value).fold(0.0, f64::max);
    Figure::new(id, dynamic / best, "of the best fixed scheme", Target::AtLeast(0.95))
}

/// Messages a second of each scheme, two posted at a time.
fn rates(scenario: &'static str, size_bytes: u32, count: u32) -> Result<Vec<(Scheme, f64)>> {
    let asked = || Asked::new(scenario).messages(&[size_bytes], count).key("workload.outstanding", 2);
    Ok(values(rows("emp.4", asked)?, |row| row.bandwidth_bits_per_s / f64::from(8 * row.size_bytes)))
}

/// Latency of each scheme, and the best.
pub fn latency() -> Result<Vec<Figure>> {
    let rows = rows("emp.1", || Asked::new("ping-pong").messages(&[SHORT_BYTES], 60))?;
    let values = values(rows, |row| row.latency_ps.mean / 1e6);
    let best = pairs(&values).fold(f64::INFINITY, f64::min);
    let mut figures =
        vec![Figure::new("emp.1.latency_two_cores", best, "us", Target::AtMost(9.0)).paper("22.62 us (thesis, RO)")];
    figures.extend(by_scheme("emp.1.latency", "us", &values));
    Ok(figures)
}

/// Bandwidth of each scheme for long messages, and the best both ways.
pub fn bandwidth() -> Result<Vec<Figure>> {
    let mut figures = Vec::new();
    for (name, scenario, target) in
        [("one_way", "stream", Target::None), ("both_ways", "both-ways", Target::AtLeast(1850.0))]
    {
        let rows = rows("emp.2", || Asked::new(scenario).messages(&[LONG_BYTES], 100).key("workload.outstanding", 2))?;
        let values = values(rows, |row| row.bandwidth_bits_per_s / 1e6);
        let best = pairs(&values).fold(0.0, f64::max);
        figures.push(Figure::new(format!("emp.2.{name}_two_cores"), best, "Mb/s", target));
        figures.extend(by_scheme(&format!("emp.2.{name}"), "Mb/s", &values));
    }
    Ok(figures)
}

/// Bar 4: what the second core is worth.
pub fn messages() -> Result<Vec<Figure>> {
    let values = rates("both-ways", SHORT_BYTES, 200)?;
    let one = values[0].1;
    let best = pairs(&values).fold(0.0, f64::max);
    let other = "1.65 times with the largest frames, 2.57 with the smallest (other firmware on this chip)";
    let mut figures = vec![
        Figure::new("emp.4.messages_one_core", one, "messages/s", Target::None),
        Figure::new("emp.4.second_core", best / one, "times one core", Target::AtLeast(1.6)).paper(other),
    ];
    figures.extend(by_scheme("emp.4.messages", "messages/s", &values));
    figures.push(beside_best("emp.4.dynamic_both_ways_small", &values));
    for (id, scenario, size_bytes, count) in [
        ("emp.4.dynamic_one_way_small", "stream", SHORT_BYTES, 200),
        ("emp.4.dynamic_one_way_large", "stream", LONG_BYTES, 100),
        ("emp.4.dynamic_both_ways_large", "both-ways", LONG_BYTES, 100),
    ] {
        figures.push(beside_best(id, &rates(scenario, size_bytes, count)?));
    }
    Ok(figures)
}
