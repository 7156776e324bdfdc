//! Texts for the errors of a scenario or a `--set`: the key, the value, and what would have been
//! right, in one line.

use figment::error::{Actual, Kind};

/// The text of an error of figment: one clause for each wrong key, joined by semicolons.
pub fn of(error: figment::Error) -> String {
    error.into_iter().map(|one| clause(&one)).collect::<Vec<_>>().join("; ")
}

fn clause(error: &figment::Error) -> String {
    let key = error.path.join(".");
    match &error.kind {
        Kind::UnknownField(_, known) => {
            let known: Vec<&str> = known.iter().copied().filter(|known| *known != "name").collect();
            format!("{key}: no such key, must be one of {}", known.join(", "))
        }
        Kind::UnknownVariant(found, known) => format!("{key} = {found:?}: must be one of {}", known.join(", ")),
        Kind::InvalidType(found, expected) | Kind::InvalidValue(found, expected) => {
            format!("{key} = {}: must be {}", value(found), right(expected))
        }
        Kind::MissingField(missing) if key.is_empty() => format!("the key {missing} is missing"),
        Kind::MissingField(missing) => format!("the key {key}.{missing} is missing"),
        other if key.is_empty() => other.to_string(),
        other => format!("{key}: {other}"),
    }
}

fn value(found: &Actual) -> String {
    match found {
        Actual::Bool(value) => value.to_string(),
        Actual::Unsigned(number) => number.to_string(),
        Actual::Signed(number) => number.to_string(),
        Actual::Float(number) => number.to_string(),
        Actual::Str(text) => format!("{text:?}"),
        Actual::Seq => "[...]".into(),
        Actual::Map => "a table".into(),
        other => other.to_string(),
    }
}

/// The name of an expected Rust type in the words of a scenario.
fn right(expected: &str) -> String {
    match expected {
        "u32" => format!("a whole number from 0 to {}", u32::MAX),
        "u64" | "usize" => "a whole number, 0 or more".into(),
        "f64" => "a number".into(),
        "a sequence" => "a list".into(),
        table if table.starts_with("struct ") => "a table, whose keys are set as in workload.iterations=100".into(),
        other => other.into(),
    }
}

#[cfg(test)]
mod tests {
    use crate::scenario;

    #[test]
    fn wrong_values_are_told_in_the_words_of_a_scenario() {
        for (entry, told) in [
            ("workload.iterations=abc", "workload.iterations = \"abc\": must be a whole number from 0 to 4294967295"),
            ("workload.iterations=1.5", "workload.iterations = 1.5: must be a whole number from 0 to 4294967295"),
            ("workload.iterations=-5", "workload.iterations = -5: must be a whole number"),
            ("workload.iterations=[1]", "workload.iterations = [...]: must be a whole number"),
            ("workload.iterations=99999999999", "workload.iterations = 99999999999: must be a whole number"),
            ("workload.sizes_bytes=many", "workload.sizes_bytes.0 = \"many\": must be a whole number"),
            ("nodes=two", "nodes = \"two\": must be a whole number, 0 or more"),
            ("misses.ratios=few", "misses.ratios.0 = \"few\": must be a number"),
            ("workload=3", "workload = 3: must be a table"),
            ("workload.kind=flood", "workload.kind = \"flood\": must be one of ping-pong, stream, both-ways, random"),
            ("speed=1", "speed: no such key, must be one of description, platforms"),
            ("name=mine", "name: no such key"),
        ] {
            let error = scenario::load("ping-pong", &[entry.into()]).expect_err(entry).to_string();
            assert!(error.contains(told), "{entry}: {error}");
            assert_eq!(error.lines().count(), 1, "{error}");
        }
    }
}
