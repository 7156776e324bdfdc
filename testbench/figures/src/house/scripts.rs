//! Bars 4 and 7: what the scripts of tools/house count.

use std::collections::BTreeMap;
use std::process::{Command, Stdio};

use nicscope_scenario::error::Result;
use nicscope_scenario::failed;
use nicscope_scenario::image::workspace;
use serde::Deserialize;

use crate::engine::{Figure, Target};

pub const NOTE: &str = "counted by the scripts in tools/house, which `make lint` calls too";

/// What a script prints with `--json`; it says more.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct Count {
    findings: u64,
    /// By file or crate.
    by: BTreeMap<String, u64>,
    /// Public items of each crate: documented, and all.
    #[serde(default)]
    items: BTreeMap<String, (u64, u64)>,
    /// By the name of a personality.
    #[serde(default)]
    names: BTreeMap<String, u64>,
}

impl Count {
    /// Places that name a personality.
    pub fn named(&self, personality: &str) -> f64 {
        self.names.get(personality).copied().unwrap_or(0) as f64
    }

    /// Findings whose file or crate is below a folder.
    fn below(&self, folder: &str) -> f64 {
        self.by.iter().filter(|(key, _)| key.starts_with(folder)).map(|(_, count)| *count).sum::<u64>() as f64
    }

    /// Documented items of the crates below a folder, in percent.
    fn documented_percent(&self, folder: &str) -> f64 {
        let crates = self.items.iter().filter(|(key, _)| key.starts_with(folder));
        let (documented, all) = crates.fold((0, 0), |sum, (_, items)| (sum.0 + items.0, sum.1 + items.1));
        100.0 * documented as f64 / all as f64
    }
}

/// Calls a script of tools/house. It ends with a status that is not 0 if a ceiling is exceeded, so
/// that only its output tells whether it ran.
///
/// # Errors
/// There is no `python3`, or the script printed no counts.
pub fn count(script: &str) -> Result<Count> {
    let path = format!("tools/house/{script}.py");
    let output = Command::new("python3")
        .args(["-B", &path, "--json"])
        .current_dir(workspace())
        .stdin(Stdio::null())
        .output()
        .map_err(|error| failed!("python3 {path}: {error}"))?;
    serde_json::from_slice(&output.stdout).map_err(|error| {
        let message = String::from_utf8_lossy(&output.stderr);
        failed!("python3 {path}: {error}\n{}", message.trim_end())
    })
}

/// Bar 4.
pub fn structure() -> Result<Vec<Figure>> {
    Ok(structure_of(&count("personalities")?, &count("cycles")?))
}

fn structure_of(personalities: &Count, cycles: &Count) -> Vec<Figure> {
    let zero = Target::Exactly(0.0);
    let named = personalities.findings as f64;
    let cycles = |folder: &str, target| {
        let id = format!("house.4.cycles_{}", folder.trim_end_matches('/').replace('-', "_"));
        Figure::new(id, cycles.below(folder), "files", target)
    };
    vec![
        Figure::new("house.4.personalities", named, "places outside the tables", zero),
        cycles("firmware/", zero),
        cycles("host-model/", zero),
        cycles("sim/", Target::None),
        cycles("testbench/", Target::None),
    ]
}

/// Bar 7.
pub fn words() -> Result<Vec<Figure>> {
    Ok(words_of(&count("documented")?, &count("sentences")?))
}

/// Percent of public items, by folder.
const DOCUMENTED: [(&str, f64); 4] = [("firmware", 100.0), ("sim", 100.0), ("host-model", 100.0), ("testbench", 90.0)];

fn words_of(documented: &Count, sentences: &Count) -> Vec<Figure> {
    let percent = |(folder, least): (&str, f64)| {
        let id = format!("house.7.documented_{}", folder.replace('-', "_"));
        let value = documented.documented_percent(&format!("{folder}/"));
        Figure::new(id, value, "% of public items", Target::AtLeast(least))
    };
    let found = Figure::new("house.7.sentences", sentences.findings as f64, "findings", Target::Exactly(0.0));
    DOCUMENTED.map(percent).into_iter().chain([found]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by(entries: &[(&str, u64)]) -> Count {
        let by: BTreeMap<String, u64> = entries.iter().map(|(key, count)| (key.to_string(), *count)).collect();
        Count { findings: by.values().sum(), by, ..Count::default() }
    }

    #[test]
    fn a_cycle_counts_in_its_folder_and_only_where_there_is_a_bar() {
        let met = |named: &[_], cycles: &[_]| -> Vec<bool> {
            structure_of(&by(named), &by(cycles)).iter().map(Figure::ok).collect()
        };
        assert_eq!(met(&[], &[("testbench/run", 9)]), [true; 5]);
        assert_eq!(met(&[("Makefile", 1)], &[("firmware/x", 2)]), [false, false, true, true, true]);
        assert_eq!(met(&[], &[("host-model/host", 3)]), [true, true, false, true, true]);
    }

    #[test]
    fn items_without_words_are_percents_of_their_folder() {
        let items = [("firmware/a", (9, 9)), ("firmware/b", (0, 1)), ("sim/c", (2, 2)), ("testbench/d", (90, 100))];
        let items = items.map(|(key, items)| (key.to_owned(), items)).into();
        let documented = Count { items, ..Count::default() };
        let figures = words_of(&documented, &by(&[("README.md", 1)]));
        assert_eq!(figures.iter().map(Figure::ok).collect::<Vec<_>>(), [false, true, false, true, false]);
        assert_eq!(figures[0].value, 90.0);
        assert!(figures[2].value.is_nan(), "no crates, no percents");
    }

    #[test]
    fn the_scripts_of_the_project_are_understood() {
        let documented = count("documented").unwrap();
        assert!(DOCUMENTED.iter().all(|(folder, _)| documented.documented_percent(folder) > 0.0));
        assert!(count("cycles").unwrap().by.keys().all(|key| key.contains('/')));
        assert!(count("no-such-script").is_err());
    }
}
