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

/// The latest campaign of each personality and seed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SoakRecords {
    /// By the name of the personality, in the order of their seeds.
    pub campaigns: BTreeMap<String, Vec<SoakRecord>>,
}

/// A campaign of random operations.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SoakRecord {
    /// The commit that was built, with `+` if files differed from it.
    pub commit: String,
    /// The seed of everything random.
    pub seed: u64,
    /// What was played.
    #[serde(flatten)]
    pub played: Played,
}

/// What one campaign played, or several of different seeds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Played {
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

    /// Puts a campaign in the place of an earlier one of the same personality and seed.
    pub fn add(&mut self, commit: &str, progress: &Progress) {
        let played = Played {
            cases: progress.cases,
            operations: progress.operations,
            kinds: progress.kinds.clone(),
            counts: progress.counts.clone(),
            failure: progress.failure.clone(),
        };
        let campaigns = self.campaigns.entry(progress.personality.clone()).or_default();
        campaigns.retain(|campaign| campaign.seed != progress.seed);
        campaigns.push(SoakRecord { commit: commit.into(), seed: progress.seed, played });
        campaigns.sort_by_key(|campaign| campaign.seed);
    }

    /// The campaigns of a personality together; none if there is no campaign.
    pub(crate) fn of(&self, personality: &str) -> Option<Soaked> {
        let campaigns = self.campaigns.get(personality).filter(|campaigns| !campaigns.is_empty())?;
        let mut played = Played::default();
        for campaign in campaigns {
            played.add(&campaign.played);
        }
        let sources = campaigns.iter().map(|campaign| format!("seed {}, commit {}", campaign.seed, campaign.commit));
        Some(Soaked { source: sources.collect::<Vec<_>>().join("; "), played })
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

/// The campaigns of one personality together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Soaked {
    /// The seed and the commit of each campaign.
    pub(crate) source: String,
    pub(crate) played: Played,
}

impl Soaked {
    /// A figure of what was played; not a number if there is no campaign.
    pub(crate) fn figure(
        soaked: Option<&Soaked>,
        id: String,
        count: impl Fn(&Played) -> u64,
        unit: &'static str,
        target: Target,
    ) -> Figure {
        match soaked {
            Some(Soaked { source, played }) => {
                Figure::new(id, count(played) as f64, unit, target).source(source.clone())
            }
            None => Figure::new(id, f64::NAN, unit, target),
        }
    }
}

impl Played {
    /// Counts another campaign, of different random numbers.
    fn add(&mut self, other: &Played) {
        self.cases += other.cases;
        self.operations += other.operations;
        let mut sum = |of: fn(&mut Played) -> &mut BTreeMap<String, u64>, more: &BTreeMap<String, u64>| {
            for (name, count) in more {
                *of(self).entry(name.clone()).or_default() += count;
            }
        };
        sum(|it| &mut it.kinds, &other.kinds);
        sum(|it| &mut it.counts, &other.counts);
        self.failure = self.failure.take().or_else(|| other.failure.clone());
    }

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
    COMPARED.iter().flat_map(|personality| of_campaigns(personality, records.of(personality).as_ref())).collect()
}

fn of_campaigns(personality: &str, soaked: Option<&Soaked>) -> Vec<Figure> {
    let figure = |name: &str, count: &dyn Fn(&Played) -> u64, unit: &'static str, target| {
        Soaked::figure(soaked, format!("house.6.{name}_{personality}"), count, unit, target)
    };
    let some = Target::AtLeast(1.0);
    vec![
        figure("operations", &|it| it.operations, "operations", Target::AtLeast(OPERATIONS_MIN)),
        figure("broken", &|it| u64::from(it.failure.is_some()), "", Target::Exactly(0.0)),
        figure("nodes", &Played::most_nodes, "nodes at most", Target::AtLeast(NODES_MAX)),
        figure("resets", &|it| it.played(RESETS), RESETS, some),
        figure("restarts", &|it| it.played(RESTARTS), RESTARTS, some),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn soaked() -> Soaked {
        // Frames that ask a sender to begin again are counted too, and are no restarts of a peer.
        let counts =
            [("clusters of 2 nodes", 5), ("clusters of 8 nodes", 1), ("clusters of 9 nodes", 0), ("restarts", 30_909)];
        let played = Played {
            operations: 200_000,
            kinds: [(RESETS.to_owned(), 3), (RESTARTS.to_owned(), 2)].into(),
            counts: counts.map(|(name, count)| (name.to_owned(), count)).into(),
            ..Played::default()
        };
        Soaked { source: String::new(), played }
    }

    fn met(soaked: Option<&Soaked>) -> Vec<bool> {
        of_campaigns("p", soaked).iter().map(Figure::ok).collect()
    }

    #[test]
    fn each_part_of_the_bar_can_be_missed() {
        let met_by = |played| met(Some(&Soaked { source: String::new(), played }));
        assert_eq!(met(Some(&soaked())), [true; 5]);
        assert_eq!(met(None), [false; 5]);
        let few = Played { operations: 199_999, counts: BTreeMap::new(), ..soaked().played };
        assert_eq!(met_by(few), [false, true, false, true, true]);
        let broken = Played { failure: Some("INV-1".into()), kinds: BTreeMap::new(), ..soaked().played };
        assert_eq!(met_by(broken), [true, false, true, false, false]);
    }

    #[test]
    fn a_campaign_takes_the_place_of_the_one_of_its_seed_and_the_others_add_up() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("soak.json");
        let mut records = SoakRecords::read(&path).unwrap();
        for (seed, commit, operations) in [(3, "abc", 5), (2, "def", 100), (3, "def", 9)] {
            let progress = Progress {
                operations,
                seed,
                personality: "p".into(),
                cases: 1,
                counts: [("loss".to_owned(), operations)].into(),
                failure: (seed == 3).then(|| "INV-1".to_owned()),
                ..Progress::default()
            };
            records.add(commit, &progress);
        }
        records.write(&path).unwrap();
        let read = SoakRecords::read(&path).unwrap();
        assert_eq!(read, records);
        let Soaked { source, played } = read.of("p").unwrap();
        assert_eq!(source, "seed 2, commit def; seed 3, commit def");
        assert_eq!((played.cases, played.operations, played.counts["loss"]), (2, 109, 109));
        assert_eq!(played.failure.as_deref(), Some("INV-1"));
        assert!(read.of("q").is_none());
        assert_eq!(of(&read).len(), 5 * COMPARED.len());
    }
}
