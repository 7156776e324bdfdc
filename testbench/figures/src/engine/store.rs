//! Results in files, and whether one of them is still what would be measured.

use std::fs;
use std::path::{Path, PathBuf};

use nicscope_run::files;
use nicscope_scenario::error::Result;
use nicscope_scenario::failed;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::report::Report;

/// The number changes when a field changes its meaning or goes.
pub const SCHEMA: u32 = 3;

/// `ID.json` in the folder of the results.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stored {
    /// [`SCHEMA`] of the build that wrote it.
    pub schema: u32,
    /// Id of the experiment.
    pub id: String,
    /// Title of the experiment.
    pub title: String,
    /// What the paper has.
    pub thesis: String,
    /// Hash of the command with all its models, and of the firmware images that it loaded.
    pub build: String,
    /// Parameters of the experiment.
    pub parameters: Value,
    /// Wall-clock time of measuring, in s.
    pub seconds: f64,
    /// What was found.
    pub report: Report,
}

fn file(folder: &Path, id: &str) -> PathBuf {
    folder.join(format!("{id}.json"))
}

/// The stored result, if this build wrote it with these parameters. `None` also for a file that
/// cannot be read: its experiment is measured again.
pub fn load(folder: &Path, id: &str, build: &str, parameters: &Value) -> Option<Stored> {
    let text = fs::read_to_string(file(folder, id)).ok()?;
    let stored: Stored = serde_json::from_str(&text).ok()?;
    (stored.schema == SCHEMA && stored.id == id && stored.build == build && &stored.parameters == parameters)
        .then_some(stored)
}

/// Writes the result to its file in the folder.
///
/// # Errors
/// The file cannot be written.
pub fn save(folder: &Path, stored: &Stored) -> Result<()> {
    let text = serde_json::to_string_pretty(stored).map_err(|error| failed!("{}: {error}", stored.id))?;
    files::write(&file(folder, &stored.id), &(text + "\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_the_same_build_and_parameters_are_found_again() {
        let folder = tempfile::tempdir().unwrap();
        let stored = Stored {
            schema: SCHEMA,
            id: "a.b".into(),
            title: "t".into(),
            thesis: "x".into(),
            build: "1".into(),
            parameters: json!({"sizes": [4, 64]}),
            seconds: 1.5,
            report: Report::default(),
        };
        save(folder.path(), &stored).unwrap();
        let find = |id: &str, build: &str, parameters: Value| load(folder.path(), id, build, &parameters);
        assert_eq!(find("a.b", "1", json!({"sizes": [4, 64]})), Some(stored));
        assert_eq!(find("a.b", "2", json!({"sizes": [4, 64]})), None);
        assert_eq!(find("a.b", "1", json!({"sizes": [4]})), None);
        assert_eq!(find("a.c", "1", json!({"sizes": [4, 64]})), None);
        fs::write(folder.path().join("a.b.json"), "{ half").unwrap();
        assert_eq!(find("a.b", "1", json!({"sizes": [4, 64]})), None);
    }
}
