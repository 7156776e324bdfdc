//! Bar 3: what lock-step, formal proofs, coverage and mutation found. They take long, so their
//! targets write results, which are read here.

use std::fs;

use nicscope_scenario::error::Result;
use nicscope_scenario::failed;
use nicscope_scenario::image::workspace;
use serde_json::Value;

use crate::engine::{Figure, Target};

pub const NOTE: &str =
    "as `make lockstep`, `make formal`, `make coverage` and `make mutate` last found it; docs/benchmarks.md says in which files";

/// What a target of `make` found: its folder in `out` has the same name.
struct Found {
    name: &'static str,
    file: &'static str,
    numbers: &'static [Number],
}

/// A number of a result, by its place in the JSON text (a pointer of RFC 6901; a list counts by its
/// length), and what it must be.
struct Number {
    name: &'static str,
    place: &'static str,
    unit: &'static str,
    target: Target,
}

const fn number(name: &'static str, place: &'static str, unit: &'static str, target: Target) -> Number {
    Number { name, place, unit, target }
}

const FOUND: [Found; 4] = [
    Found {
        name: "lockstep",
        // It ends at the first mismatch, and has then counted what agreed.
        file: "progress.json",
        numbers: &[number("agree", "/instructions", "instructions", Target::AtLeast(1e8))],
    },
    Found {
        name: "formal",
        file: "results.json",
        numbers: &[
            number("proofs", "/proofs", "proofs", Target::AtLeast(1.0)),
            number("failed", "/failed", "proofs", Target::Exactly(0.0)),
            number("depth", "/depth", "clocks, the least of all", Target::None),
            number("seconds", "/seconds", "s", Target::None),
        ],
    },
    Found {
        name: "coverage",
        file: "results.json",
        numbers: &[
            number("line", "/line/percent", "% after waivers", Target::AtLeast(95.0)),
            number("branch", "/branch/percent", "% after waivers", Target::AtLeast(95.0)),
            number("toggle", "/toggle/percent", "% after waivers", Target::AtLeast(95.0)),
        ],
    },
    Found {
        name: "mutate",
        file: "results.json",
        numbers: &[
            number("planted", "/mutants", "defects", Target::AtLeast(60.0)),
            number("found", "/share_percent", "% of them", Target::AtLeast(95.0)),
        ],
    },
];

pub fn measure() -> Result<Vec<Figure>> {
    let mut figures = Vec::new();
    for found in &FOUND {
        let path = format!("out/{}/{}", found.name, found.file);
        let result = match fs::read_to_string(workspace().join(&path)) {
            Ok(text) => serde_json::from_str(&text).map_err(|error| failed!("{path}: {error}"))?,
            Err(error) => {
                eprintln!("nicscope: {path}: {error}: run `make {}`", found.name);
                Value::Null
            }
        };
        figures.extend(of(found, &result));
    }
    Ok(figures)
}

/// What a result does not say is absent.
fn of(found: &Found, result: &Value) -> Vec<Figure> {
    let figure = |number: &Number| {
        let value = match result.pointer(number.place) {
            Some(Value::Array(list)) => list.len() as f64,
            Some(value) => value.as_f64().unwrap_or(f64::NAN),
            None => f64::NAN,
        };
        Figure::new(format!("core.3.{}.{}", found.name, number.name), value, number.unit, number.target)
    };
    found.numbers.iter().map(figure).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn met(name: &str, result: Value) -> Vec<bool> {
        let found = FOUND.iter().find(|found| found.name == name).unwrap();
        of(found, &result).iter().map(Figure::ok).collect()
    }

    #[test]
    fn numbers_are_taken_from_their_places() {
        assert_eq!(met("lockstep", serde_json::json!({"seed": 1, "instructions": 100_000_000})), [true]);
        assert_eq!(met("lockstep", serde_json::json!({"seed": 1, "instructions": 99_999_999})), [false]);
        let coverage =
            serde_json::json!({"line": {"percent": 99.0}, "branch": {"percent": 94.9}, "toggle": {"percent": 95}});
        assert_eq!(met("coverage", coverage), [true, false, true]);
        let mutants: Vec<u32> = (0..60).collect();
        assert_eq!(met("mutate", serde_json::json!({"mutants": mutants, "share_percent": 96.7})), [true, true]);
    }

    #[test]
    fn what_is_missing_misses() {
        for found in &FOUND {
            let figures = of(found, &Value::Null);
            assert!(figures.iter().all(|figure| !figure.ok() && figure.value_text() == "absent"));
        }
    }
}
