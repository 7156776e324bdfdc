//! Earlier runs side by side: sizes that all of them measured, on the same platforms.

use std::collections::BTreeMap;

use nicscope_scenario::error::Result;
use nicscope_scenario::{failed, request_error};
use serde::Serialize;
use serde_json::Value;

use crate::results::{Results, Row, Run};
use crate::tables;

/// Keys of a scenario that say what a run is, how long it measures, or whether messages miss.
const NOT_COMPARED: [&str; 4] = ["name", "description", "platforms", "misses.ratios"];

/// What `--json` prints.
#[derive(Debug, Serialize)]
pub struct Comparison<'a> {
    /// The runs, in the order in which they were named.
    pub of: Vec<Compared<'a>>,
    /// Keys of the scenarios whose values differ, with the value of each run.
    pub differences: BTreeMap<String, Vec<Value>>,
    /// The platforms that all runs have.
    pub platforms: Vec<Platform<'a>>,
}

/// One of the runs.
#[derive(Debug, Serialize)]
pub struct Compared<'a> {
    /// What its columns are called.
    pub name: String,
    /// The name of its scenario.
    pub scenario: &'a str,
    /// What its messages are.
    pub messages: &'static str,
}

/// The sizes of a platform.
#[derive(Debug, Serialize)]
pub struct Platform<'a> {
    /// Its name.
    pub name: &'a str,
    /// Sizes that all runs measured.
    pub sizes: Vec<Size>,
}

/// The messages of one size.
#[derive(Debug, PartialEq, Serialize)]
pub struct Size {
    /// Data bytes of a message.
    pub size_bytes: u32,
    /// Mean one-way latency of each run in ps; 0 where messages overlap.
    pub latency_ps: Vec<f64>,
    /// Data bits in a second, of each run.
    pub bandwidth_bits_per_s: Vec<f64>,
}

/// Puts runs side by side, those in which nothing misses: what misses is another thing for each
/// personality.
///
/// # Errors
/// Fewer than two runs, other workloads, or nothing that all of them measured.
pub fn compare(all: &[Results]) -> Result<Comparison<'_>> {
    let [first, _, ..] = all else {
        return Err(request_error!("two folders of runs or more were expected"));
    };
    let kind = first.scenario.workload.kind;
    if let Some(other) = all.iter().find(|results| results.scenario.workload.kind != kind) {
        return Err(request_error!(
            "{} is a run of kind {:?}, {} of kind {:?}: unlike things are not put side by side",
            first.scenario.name,
            kind,
            other.scenario.name,
            other.scenario.workload.kind
        ));
    }
    let mut platforms = Vec::new();
    for run in first.runs.iter().filter(|run| run.miss_ratio == 0.0) {
        let same = |results: &'_ Results| results.runs.iter().position(|other| is_same(run, other));
        let Some(places) = all.iter().map(same).collect::<Option<Vec<usize>>>() else { continue };
        let runs: Vec<&Run> = all.iter().zip(places).map(|(results, at)| &results.runs[at]).collect();
        let sizes: Vec<Size> = run.rows.iter().filter_map(|row| size(row.size_bytes, &runs)).collect();
        if !sizes.is_empty() {
            platforms.push(Platform { name: &run.platform, sizes });
        }
    }
    if platforms.is_empty() {
        return Err(request_error!("no platform and size without misses is in all of these runs"));
    }
    let differences = differences(all)?;
    let of = all.iter().enumerate().map(|(at, results)| compared(at, results, &differences)).collect();
    Ok(Comparison { of, differences, platforms })
}

fn is_same(run: &Run, other: &Run) -> bool {
    other.platform == run.platform && other.miss_ratio == 0.0
}

/// The messages of a size, if all runs have them.
fn size(size_bytes: u32, runs: &[&Run]) -> Option<Size> {
    let of = |run: &&Run| run.rows.iter().find(|row| row.size_bytes == size_bytes).cloned();
    let rows: Vec<Row> = runs.iter().map(of).collect::<Option<_>>()?;
    Some(Size {
        size_bytes,
        latency_ps: rows.iter().map(|row| row.latency_ps.mean).collect(),
        bandwidth_bits_per_s: rows.iter().map(|row| row.bandwidth_bits_per_s).collect(),
    })
}

/// A run is called by its personality, or by its place where others have the same one.
fn compared<'a>(at: usize, results: &'a Results, differences: &BTreeMap<String, Vec<Value>>) -> Compared<'a> {
    let personality = results.scenario.personality;
    let is_alone = differences
        .get("personality")
        .is_some_and(|names| names.iter().filter(|name| *name == personality.name).count() == 1);
    let name = if is_alone { personality.name.to_string() } else { format!("run {}", at + 1) };
    Compared { name, scenario: &results.scenario.name, messages: personality.description }
}

fn differences(all: &[Results]) -> Result<BTreeMap<String, Vec<Value>>> {
    let mut keys: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for (at, results) in all.iter().enumerate() {
        let scenario =
            serde_json::to_value(&results.scenario).map_err(|error| failed!("the scenario of a run: {error}"))?;
        let mut found = BTreeMap::new();
        flatten("", &scenario, &mut found);
        for (key, value) in found {
            keys.entry(key).or_insert_with(|| vec![Value::Null; all.len()])[at] = value;
        }
    }
    let differ = |values: &[Value]| values.iter().any(|value| *value != values[0]);
    keys.retain(|key, values| differ(values) && !NOT_COMPARED.contains(&key.as_str()));
    Ok(keys)
}

/// The values of a table by key, as `--set` names them.
fn flatten(prefix: &str, value: &Value, into: &mut BTreeMap<String, Value>) {
    match value {
        Value::Object(table) => {
            for (key, value) in table {
                let key = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
                flatten(&key, value, into);
            }
        }
        value => {
            into.insert(prefix.to_string(), value.clone());
        }
    }
}

/// The comparison for people.
pub fn text(comparison: &Comparison) -> String {
    let names: Vec<&str> = comparison.of.iter().map(|run| run.name.as_str()).collect();
    let mut text = String::new();
    for platform in &comparison.platforms {
        text.push_str(&format!("{} on {}\n", names.join(" beside "), platform.name));
        let latencies = names.iter().map(|name| format!("{name}: latency us"));
        let bandwidths = names.iter().map(|name| format!("{name}: Mb/s"));
        let headings: Vec<String> = ["size B".to_string()].into_iter().chain(latencies).chain(bandwidths).collect();
        let rows = platform.sizes.iter().map(|size| {
            let latency = |ps: &f64| if *ps == 0.0 { "-".to_string() } else { tables::us(*ps) };
            let latencies = size.latency_ps.iter().map(latency);
            let bandwidths = size.bandwidth_bits_per_s.iter().map(|bits| format!("{:.1}", bits / 1e6));
            [size.size_bytes.to_string()].into_iter().chain(latencies).chain(bandwidths).collect()
        });
        text.push_str(&tables::of_numbers(&headings, rows));
    }
    for run in &comparison.of {
        text.push_str(&format!("{}: scenario {}, {}\n", run.name, run.scenario, run.messages));
    }
    match comparison.differences.is_empty() {
        true => text.push_str("the scenarios have the same values\n"),
        false => text.push_str("the scenarios differ in:\n"),
    }
    for (key, values) in &comparison.differences {
        let values: Vec<String> = values.iter().map(Value::to_string).collect();
        text.push_str(&format!("  {key}: {}\n", values.join(", ")));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::{Spread, RESULTS_SCHEMA};

    fn row(size_bytes: u32, ps: u64) -> Row {
        Row {
            size_bytes,
            messages: 1,
            latency_ps: Spread { min: ps, mean: ps as f64, max: ps },
            latency_core_cycles: 0.0,
            bandwidth_bits_per_s: 1e6,
            hits: 0,
            misses: 0,
            retransmissions: 0,
            waits: None,
        }
    }

    /// A run of `ping-pong` with these keys and, for each size, a latency.
    fn results(scenario: &str, keys: &[&str], rows: &[(u32, u64)]) -> Results {
        let keys: Vec<String> = keys.iter().map(|key| key.to_string()).collect();
        let run = |miss_ratio| Run {
            rows: rows.iter().map(|(size, ps)| row(*size, *ps + (miss_ratio * 1e6) as u64)).collect(),
            ..Run::empty("tigon2", miss_ratio)
        };
        Results {
            schema: RESULTS_SCHEMA,
            version: String::new(),
            seed: 1,
            scenario: nicscope_scenario::scenario::load(scenario, &keys).expect("a scenario"),
            runs: vec![run(0.0), run(0.25)],
        }
    }

    #[test]
    fn sizes_that_all_runs_have_stand_side_by_side_without_misses() {
        let all = [
            results("ping-pong", &["platforms=tigon2"], &[(4, 70), (16, 80)]),
            results(
                "ping-pong",
                &["platforms=tigon2", "personality=emp", "link.latency_ns=500"],
                &[(16, 90), (64, 95)],
            ),
        ];
        let comparison = compare(&all).unwrap();
        let expected = Size { size_bytes: 16, latency_ps: vec![80.0, 90.0], bandwidth_bits_per_s: vec![1e6; 2] };
        assert_eq!(comparison.platforms[0].sizes, [expected]);
        assert_eq!(comparison.of.iter().map(|run| run.name.as_str()).collect::<Vec<_>>(), ["mini", "emp"]);
        let keys: Vec<&str> = comparison.differences.keys().map(String::as_str).collect();
        assert_eq!(keys, ["link.latency_ns", "personality"]);
    }

    #[test]
    fn unlike_runs_are_refused() {
        let ping_pong = || results("ping-pong", &["platforms=tigon2"], &[(4, 70)]);
        let error = |all: &[Results]| compare(all).unwrap_err().to_string();
        assert!(error(&[ping_pong()]).contains("two folders"));
        assert!(error(&[ping_pong(), results("stream", &[], &[(4, 70)])]).contains("unlike things"));
        assert!(error(&[ping_pong(), results("ping-pong", &[], &[(16, 70)])]).contains("no platform and size"));
    }
}
