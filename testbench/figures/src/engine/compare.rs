//! Figures beside the same figures of an earlier commit.

use std::fs;
use std::path::Path;

use nicscope_run::files;
use nicscope_scenario::error::Result;
use nicscope_scenario::failed;
use serde::{Deserialize, Serialize};

use super::figure::{Figure, Target};

/// Figures as a commit had them: a JSON file of the project.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The commit that was measured.
    pub commit: String,
    /// The command that measured.
    pub command: String,
    /// What was measured. The target of each figure says which direction is worse.
    pub figures: Vec<Figure>,
}

impl Record {
    /// Reads a record.
    ///
    /// # Errors
    /// The file cannot be read, or is no record.
    pub fn read(path: &Path) -> Result<Record> {
        let wrong = |error: &dyn std::fmt::Display| failed!("{}: {error}", path.display());
        let text = fs::read_to_string(path).map_err(|error| wrong(&error))?;
        serde_json::from_str(&text).map_err(|error| wrong(&error))
    }

    /// Writes the record.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, path: &Path) -> Result<()> {
        let text = serde_json::to_string_pretty(self).map_err(|error| failed!("{}: {error}", path.display()))?;
        files::write(path, &(text + "\n"))
    }

    /// The figure of that id.
    pub fn figure(&self, id: &str) -> Option<&Figure> {
        self.figures.iter().find(|figure| figure.id == id)
    }

    /// The recorded figures as they compare with those of now.
    pub fn compare(&self, now: &[Figure]) -> Vec<Compared> {
        let find = |id: &str| now.iter().find(|figure| figure.id == id);
        self.figures.iter().map(|before| Compared::new(before, find(&before.id))).collect()
    }
}

/// A figure of now beside the recorded one.
#[derive(Clone, Debug, PartialEq)]
pub struct Compared {
    /// Id of both.
    pub id: String,
    /// The recorded value.
    pub before: f64,
    /// The value of now; NaN if the figure is gone.
    pub now: f64,
    /// Unit of both.
    pub unit: String,
    /// A larger value is better.
    pub larger_is_better: bool,
}

impl Compared {
    fn new(before: &Figure, now: Option<&Figure>) -> Compared {
        let larger_is_better = match before.target {
            Target::AtLeast(_) => true,
            Target::AtMost(_) => false,
            Target::Exactly(_) | Target::None => before.unit.ends_with("/s"),
        };
        Compared {
            id: before.id.clone(),
            before: before.value,
            now: now.map_or(f64::NAN, |now| now.value),
            unit: before.unit.to_string(),
            larger_is_better,
        }
    }

    /// The value of now over the recorded one. Where the recorded value is not positive: 1 and the
    /// change as a share of its size. 1 if both are 0.
    pub fn ratio(&self) -> f64 {
        if self.now == self.before {
            1.0
        } else {
            1.0 + (self.now - self.before) / self.before.abs()
        }
    }

    /// By how many percent of its recorded value the figure is worse than it was; negative if it is
    /// better.
    pub fn worse_percent(&self) -> f64 {
        let change = 100.0 * (self.ratio() - 1.0);
        if self.larger_is_better {
            -change
        } else {
            change
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(figures: Vec<Figure>) -> Record {
        Record { commit: "abc".into(), command: "c".into(), figures }
    }

    #[test]
    fn worse_is_more_of_a_latency_and_less_of_a_bandwidth() {
        let before = record(vec![
            Figure::new("a", 10.0, "us", Target::AtMost(12.0)),
            Figure::new("b", 100.0, "MB/s", Target::AtLeast(90.0)),
            Figure::new("c", 100.0, "Mb/s", Target::None),
            Figure::new("d", -2.0, "us", Target::None),
            Figure::new("e", 0.0, "us", Target::None),
            Figure::new("f", 1.0, "us", Target::None),
        ]);
        let now = [("a", 11.0), ("b", 95.0), ("c", 110.0), ("d", -1.0), ("e", 0.0)];
        let now: Vec<Figure> = now.map(|(id, value)| Figure::new(id, value, "", Target::None)).into();
        let worse: Vec<f64> = before.compare(&now).iter().map(Compared::worse_percent).collect();
        let expected = [10.0, 5.0, -10.0, 50.0, 0.0];
        assert!(worse.iter().zip(expected).all(|(worse, expected)| (worse - expected).abs() < 1e-9), "{worse:?}");
        assert!(worse[5].is_nan(), "a figure that is gone compares with nothing");
    }

    #[test]
    fn a_record_is_read_as_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("r.json");
        let record = record(vec![Figure::new("a", 10.0, "us", Target::AtMost(12.0)).paper("8 us")]);
        record.write(&path).unwrap();
        assert_eq!(Record::read(&path).unwrap(), record);
        assert!(Record::read(&folder.path().join("none.json")).is_err());
    }
}
