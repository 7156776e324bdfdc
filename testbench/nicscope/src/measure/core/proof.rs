//! Bar 3: what lock-step, formal proofs, coverage and mutation found. They take long, so their targets write results, which are read here.

use std::fs;

use serde_json::Value;

use crate::error::Result;
use crate::failed;
use crate::image::workspace;
use crate::measure::{Figure, Target};

pub const NOTE: &str =
    "read from out/NAME/result.json; `make lockstep`, `make formal`, `make coverage` and `make mutate` measure again";

/// A number of a result, and what it must be.
struct Number {
    name: &'static str,
    unit: &'static str,
    target: Target,
}

const fn number(name: &'static str, unit: &'static str, target: Target) -> Number {
    Number { name, unit, target }
}

/// A result: its folder in `out`, which is also the target of `make` that writes it, and its numbers.
const RESULTS: [(&str, &[Number]); 4] = [
    (
        "lockstep",
        &[
            number("instructions", "compared", Target::AtLeast(1e6)),
            number("mismatches", "instructions", Target::Exactly(0.0)),
        ],
    ),
    (
        "formal",
        &[
            number("proofs", "proofs", Target::AtLeast(1.0)),
            number("failed", "proofs", Target::Exactly(0.0)),
            number("depth", "clocks, the least of all", Target::None),
            number("seconds", "s", Target::None),
        ],
    ),
    (
        "coverage",
        &[
            number("line", "% after waivers", Target::AtLeast(95.0)),
            number("branch", "% after waivers", Target::AtLeast(95.0)),
            number("toggle", "% after waivers", Target::AtLeast(95.0)),
        ],
    ),
    (
        "mutate",
        &[
            number("mutants", "planted defects", Target::AtLeast(60.0)),
            number("killed", "% of them", Target::AtLeast(95.0)),
        ],
    ),
];

pub fn measure() -> Result<Vec<Figure>> {
    let mut figures = Vec::new();
    for (name, numbers) in RESULTS {
        let path = format!("out/{name}/result.json");
        let result = match fs::read_to_string(workspace().join(&path)) {
            Ok(text) => serde_json::from_str(&text).map_err(|error| failed!("{path}: {error}"))?,
            Err(error) => {
                eprintln!("nicscope: {path}: {error}: run `make {name}`");
                Value::Null
            }
        };
        figures.extend(of(name, numbers, &result));
    }
    Ok(figures)
}

/// What a result does not say is absent.
fn of(name: &str, numbers: &[Number], result: &Value) -> Vec<Figure> {
    numbers
        .iter()
        .map(|number| {
            let value = result[number.name].as_f64().unwrap_or(f64::NAN);
            Figure::new(format!("core.3.{name}.{}", number.name), value, number.unit, number.target)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_taken_by_name_and_missing_ones_miss() {
        let (name, numbers) = &RESULTS[0];
        let met = of(name, numbers, &serde_json::json!({"instructions": 1_000_000, "mismatches": 0, "seed": 1}));
        assert!(met.iter().all(Figure::ok));
        let mismatch = of(name, numbers, &serde_json::json!({"instructions": 1_000_000, "mismatches": 1}));
        assert!(!mismatch[1].ok());
        let absent = of(name, numbers, &Value::Null);
        assert!(absent.iter().all(|figure| !figure.ok() && figure.value_text() == "absent"));
    }
}
