//! Bar 6: random operations on clusters of two to eight nodes. They take hours, so `nicscope soak
//! --record` writes what it has done to a file of the project, which is read here.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use nicscope_run::files;
use nicscope_scenario::error::Result;
use nicscope_scenario::failed;
use nicscope_scenario::image::workspace;
use nicscope_soak::campaign::Progress;
use serde::{Deserialize, Serialize};

use crate::engine::{Figure, Target};
use crate::reproduce::COMPARED;

pub const NOTE: &str = "as recorded in testbench/figures/records/soak.json by \
     `nicscope soak --personality NAME --record testbench/figures/records/soak.json`";

/// The record of the project.
const RECORD: &str = "testbench/figures/records/soak.json";

const OPERATIONS_MIN: f64 = 200_000.0;
/// Clusters of 2 to this many nodes.
const NODES_MAX: f64 = 8.0;

/// The latest campaign of each personality.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SoakRecords {
    /// By the name of the personality.
    pub campaigns: BTreeMap<String, SoakRecord>,
}

/// A campaign of random operations.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SoakRecord {
    /// The commit that was built, with `+` if files differed from it.
    pub commit: String,
    /// The seed of everything random.
    pub seed: u64,
    /// Clusters that were played.
    pub cases: u64,
    /// Operations in all, before a failure if there was one.
    pub operations: u64,
    /// Operations by kind.
    pub kinds: BTreeMap<String, u64>,
    /// Faults, misses, outcomes of posts, sizes of clusters.
    pub counts: BTreeMap<String, u64>,
    /// What broke, in words; `None` if nothing did.
    pub failure: Option<String>,
}

impl SoakRecords {
    /// Reads the records; none if there is no such file.
    ///
    /// # Errors
    /// The file is no record.
    pub fn read(path: &Path) -> Result<SoakRecords> {
        match fs::read_to_string(path) {
            Ok(text) => serde_json::from_str(&text).map_err(|error| failed!("{}: {error}", path.display())),
            Err(_) => Ok(SoakRecords::default()),
        }
    }

    /// The record of the project.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub(crate) fn of_project() -> Result<SoakRecords> {
        SoakRecords::read(&workspace().join(RECORD))
    }

    /// Puts a campaign in the place of an earlier one of the same personality.
    pub fn add(&mut self, commit: &str, progress: &Progress) {
        let record = SoakRecord {
            commit: commit.into(),
            seed: progress.seed,
            cases: progress.cases,
            operations: progress.operations,
            kinds: progress.kinds.clone(),
            counts: progress.counts.clone(),
            failure: progress.failure.clone(),
        };
        self.campaigns.insert(progress.personality.clone(), record);
    }

    /// Writes the records.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, path: &Path) -> Result<()> {
        let text = serde_json::to_string_pretty(self).map_err(|error| failed!("{}: {error}", path.display()))?;
        files::write(path, &(text + "\n"))
    }
}

impl SoakRecord {
    /// How often an operation was played.
    pub(crate) fn played(&self, operation: &str) -> u64 {
        self.kinds.get(operation).copied().unwrap_or(0)
    }

    /// Nodes of the largest cluster. The count of its clusters is called `clusters of N nodes`; a
    /// record without such counts is of two nodes.
    pub(crate) fn most_nodes(&self) -> u64 {
        let nodes = |name: &str| name.strip_prefix("clusters of ")?.strip_suffix(" nodes")?.parse().ok();
        self.counts.iter().filter(|(_, count)| **count > 0).filter_map(|(name, _)| nodes(name)).max().unwrap_or(2)
    }
}

/// Names of operations, as the soak records them.
const RESETS: &str = "resets of NICs";
const RESTARTS: &str = "restarts of peers";

pub fn measure() -> Result<Vec<Figure>> {
    Ok(of(&SoakRecords::of_project()?))
}

fn of(records: &SoakRecords) -> Vec<Figure> {
    COMPARED.iter().flat_map(|personality| of_campaign(personality, records.campaigns.get(*personality))).collect()
}

fn of_campaign(personality: &str, record: Option<&SoakRecord>) -> Vec<Figure> {
    let figure = |name: &str, count: &dyn Fn(&SoakRecord) -> u64, unit: &'static str, target| {
        let value = record.map_or(f64::NAN, |record| count(record) as f64);
        let figure = Figure::new(format!("house.6.{name}_{personality}"), value, unit, target);
        match record {
            Some(record) => figure.source(format!("seed {}, commit {}", record.seed, record.commit)),
            None => figure,
        }
    };
    let some = Target::AtLeast(1.0);
    vec![
        figure("operations", &|it| it.operations, "operations", Target::AtLeast(OPERATIONS_MIN)),
        figure("broken", &|it| u64::from(it.failure.is_some()), "", Target::Exactly(0.0)),
        figure("nodes", &SoakRecord::most_nodes, "nodes at most", Target::AtLeast(NODES_MAX)),
        figure("resets", &|it| it.played(RESETS), RESETS, some),
        figure("restarts", &|it| it.played(RESTARTS), RESTARTS, some),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> SoakRecord {
        // Frames that ask a sender to begin again are counted too, and are no restarts of a peer.
        let counts =
            [("clusters of 2 nodes", 5), ("clusters of 8 nodes", 1), ("clusters of 9 nodes", 0), ("restarts", 30_909)];
        SoakRecord {
            operations: 200_000,
            kinds: [(RESETS.to_owned(), 3), (RESTARTS.to_owned(), 2)].into(),
            counts: counts.map(|(name, count)| (name.to_owned(), count)).into(),
            ..SoakRecord::default()
        }
    }

    fn met(record: Option<&SoakRecord>) -> Vec<bool> {
        of_campaign("p", record).iter().map(Figure::ok).collect()
    }

    #[test]
    fn each_part_of_the_bar_can_be_missed() {
        assert_eq!(met(Some(&record())), [true; 5]);
        assert_eq!(met(None), [false; 5]);
        let few = SoakRecord { operations: 199_999, counts: BTreeMap::new(), ..record() };
        assert_eq!(met(Some(&few)), [false, true, false, true, true]);
        let broken = SoakRecord { failure: Some("INV-1".into()), kinds: BTreeMap::new(), ..record() };
        assert_eq!(met(Some(&broken)), [true, false, true, false, false]);
    }

    #[test]
    fn a_campaign_takes_the_place_of_the_one_before() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("soak.json");
        let mut records = SoakRecords::read(&path).unwrap();
        for operations in [5, 9] {
            let progress = Progress { operations, seed: 3, ..Progress::default() };
            records.add("abc", &progress);
        }
        records.write(&path).unwrap();
        let read = SoakRecords::read(&path).unwrap();
        assert_eq!((read.campaigns.len(), read.campaigns.values().next().unwrap().operations), (1, 9));
        assert_eq!(of(&read).len(), 5 * COMPARED.len());
    }
}
