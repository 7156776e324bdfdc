//! Plays cases until one fails, shortens it, keeps it with its waves, and says how to replay it.

use std::fmt;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use nicscope_scenario::error::Result;
use nicscope_scenario::{failed, image, request_error};
use sim_pins::Ps;

use super::case::Case;
use super::draw;
use super::play::{play, Failure, Options, Played};
use super::shorten::shorten;

/// How often a case is played while it is shortened.
const TRIES_MAX: u32 = 600;
/// Waves begin so long before the last comparison that went well, and last at most so long.
const WAVES_BEFORE: Ps = Ps::from_us(20);
const WAVES_MAX: Ps = Ps::from_us(2_000);

/// What to try.
#[derive(Clone, Debug)]
pub struct Search {
    /// Part of the names of files.
    pub name: String,
    pub seed: u64,
    pub cases: u64,
    pub ops: Range<usize>,
    /// Draws the case of a seed and a number, with so many operations.
    pub draw: fn(u64, u64, Range<usize>) -> Case,
    pub options: Options,
    /// Where a failing case is kept.
    pub folder: PathBuf,
}

/// A case that failed, as short as it could be made.
#[derive(Clone, Debug)]
pub struct Found {
    pub seed: u64,
    pub number: u64,
    pub drawn_ops: usize,
    /// How often it was played to shorten it.
    pub tries: u32,
    pub case: Case,
    pub failure: Failure,
    pub file: PathBuf,
    pub waves: Vec<PathBuf>,
}

impl Search {
    /// A search as the environment wants it: `NICSCOPE_SEED` (1), and `NICSCOPE_CASES` (1), so many times `cases`.
    pub fn from_env(name: &str, cases: u64, ops: Range<usize>) -> Result<Search> {
        let number = |variable: &str| match std::env::var(variable) {
            Ok(text) => text.parse().map_err(|_| request_error!("{variable}={text}: a number was expected")),
            Err(_) => Ok(1u64),
        };
        let times = match number("NICSCOPE_CASES")? {
            0 => return Err(request_error!("NICSCOPE_CASES=0: how many times the usual number of cases was expected")),
            times => times,
        };
        let folder = image::workspace().join("out/soak");
        let (cases, seed) = (cases.saturating_mul(times), number("NICSCOPE_SEED")?);
        Ok(Search {
            name: name.to_owned(),
            seed,
            cases,
            ops,
            draw: draw::case_of_nodes,
            options: Options::default(),
            folder,
        })
    }

    /// Plays all cases, and tells each that went well.
    ///
    /// # Errors
    /// Only if files cannot be written. A case that fails is what was looked for.
    pub fn run(&self, mut went_well: impl FnMut(&Case, &Played)) -> Result<Option<Found>> {
        for number in 0..self.cases {
            let case = (self.draw)(self.seed, number, self.ops.clone());
            match play(&case, &self.options) {
                Ok(played) => went_well(&case, &played),
                Err(failure) => return self.found(number, case, failure).map(Some),
            }
        }
        Ok(None)
    }

    /// Shortens a case that failed, and leaves it and its waves in the folder.
    pub fn found(&self, number: u64, case: Case, failure: Failure) -> Result<Found> {
        let drawn_ops = case.ops.len();
        // Another defect may be met on the way; this one is looked for.
        let statement = failure.statement;
        let (mut case, failure, tries) = shorten(case, failure, TRIES_MAX, |case| {
            play(case, &self.options).err().filter(|failure| failure.statement == statement)
        });
        // One line, and no semicolon: that would end the remark.
        let what = failure.what.replace(['\n', ';'], ",");
        case.remarks = vec![format!("Found by {}, seed {}, case {number}: {what}", self.name, self.seed)];
        let file = self.folder.join(format!("{}-{}-{number}.case", self.name, self.seed));
        fs::create_dir_all(&self.folder)
            .and_then(|()| fs::write(&file, case.to_string()))
            .map_err(|error| failed!("{}: {error}", file.display()))?;
        let waves = file.with_extension("waves");
        let waves = record(&case, &self.options, &failure, &waves)?;
        Ok(Found { seed: self.seed, number, drawn_ops, tries, case, failure, file, waves })
    }
}

fn waves_from(failure: &Failure) -> Ps {
    let before = |at: Ps, span: Ps| Ps(at.0.saturating_sub(span.0));
    before(failure.from, WAVES_BEFORE).max(before(failure.at, WAVES_MAX))
}

/// Plays a case that fails once more, with waves from the last comparison that went well to the failure. Gives their files.
pub fn record(case: &Case, options: &Options, failure: &Failure, folder: &Path) -> Result<Vec<PathBuf>> {
    fs::create_dir_all(folder).map_err(|error| failed!("{}: {error}", folder.display()))?;
    let waves = Some((folder.to_path_buf(), waves_from(failure), failure.at));
    // It fails as before: looking takes no time.
    let _ = play(case, &Options { waves, ..options.clone() });
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .map_err(|error| failed!("{}: {error}", folder.display()))?
        .flatten()
        .map(|entry| entry.path())
        .collect();
    files.sort();
    Ok(files)
}

/// A path as one types it in the folder of the workspace.
fn from_workspace(path: &Path) -> String {
    let absolute = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let workspace = image::workspace().canonicalize().unwrap_or_default();
    absolute.strip_prefix(workspace).unwrap_or(&absolute).display().to_string()
}

/// The command that plays a case again, to be typed in the folder of the workspace.
pub fn replay_command(file: &Path) -> String {
    format!("target/release/nicscope soak --replay {}", from_workspace(file))
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Found { seed, number, drawn_ops, tries, case, failure, file, waves } = self;
        writeln!(f, "{}", failure.what)?;
        let count = case.ops.len();
        writeln!(f, "seed {seed}, case {number}; shrunk from {drawn_ops} operations to {count} in {tries} tries:")?;
        writeln!(f, "{}", Case { remarks: Vec::new(), ..case.clone() })?;
        writeln!(f, "replay it with waves, from {} to {}:", waves_from(failure), failure.at)?;
        write!(f, "  {}", replay_command(file))?;
        for file in waves {
            write!(f, "\nwaves: {}", from_workspace(file))?;
        }
        Ok(())
    }
}
