//! Plays cases until one fails, shortens the failing case, writes it with its waves to a folder,
//! and names the command that replays it.

use std::fmt;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use nicscope_scenario::error::Result;
use nicscope_scenario::{failed, image, request_error};
use sim_pins::Ps;

use crate::case::Case;
use crate::language::{Operation, Options};
use crate::play::{play, Failure, Played};
use crate::shorten::shorten;

/// The most times that a case is played while it is shortened.
const TRIES_MAX: u32 = 600;
/// The time from the begin of the waves to the last comparison that went well.
const WAVES_BEFORE: Ps = Ps::from_us(20);
/// The longest time that the waves cover.
const WAVES_MAX: Ps = Ps::from_us(2_000);

/// A search for a failing case.
#[derive(Clone, Debug)]
pub struct Search<O: Operation> {
    /// The first part of the names of files.
    pub name: String,
    /// The seed of all cases.
    pub seed: u64,
    /// The number of cases to play; they have the numbers from 0 on.
    pub cases: u64,
    /// Operations of each case.
    pub ops: Range<usize>,
    /// Draws a case from the seed, its number and the range of its operations.
    pub draw: fn(u64, u64, Range<usize>) -> Case<O>,
    /// How each case is played.
    pub options: Options<O::Plant>,
    /// The folder for a failing case and its waves.
    pub folder: PathBuf,
}

/// A failing case, after it was shortened.
#[derive(Clone, Debug)]
pub struct Found<O: Operation> {
    /// The seed of the case.
    pub seed: u64,
    /// The number of the case.
    pub number: u64,
    /// Operations of the case before it was shortened.
    pub drawn_ops: usize,
    /// The number of times that it was played to shorten it.
    pub tries: u32,
    /// The shortened case, with a remark about its origin.
    pub case: Case<O>,
    /// The failure of the shortened case.
    pub failure: Failure,
    /// The file with the shortened case.
    pub file: PathBuf,
    /// Files with the waves of each node, around the failure.
    pub waves: Vec<PathBuf>,
}

impl<O: Operation> Search<O> {
    /// A search with the seed `NICSCOPE_SEED` of the environment, by default 1, and with `cases`
    /// cases times `NICSCOPE_CASES`, by default 1.
    ///
    /// # Errors
    /// A variable is no number, or `NICSCOPE_CASES` is 0.
    pub fn from_env(name: &str, cases: u64, ops: Range<usize>) -> Result<Search<O>> {
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
        Ok(Search { name: name.to_owned(), seed, cases, ops, draw: O::draw, options: Options::default(), folder })
    }

    /// Plays cases until one fails, and shortens it. `went_well` gets each case that does not fail.
    ///
    /// # Errors
    /// Files cannot be written. A failing case is no error: it is the result.
    pub fn run(&self, mut went_well: impl FnMut(&Case<O>, &Played)) -> Result<Option<Found<O>>> {
        for number in 0..self.cases {
            let case = (self.draw)(self.seed, number, self.ops.clone());
            match play(&case, &self.options) {
                Ok(played) => went_well(&case, &played),
                Err(failure) => return self.found(number, case, failure).map(Some),
            }
        }
        Ok(None)
    }

    /// Writes a failing case as it was drawn, shortens it, and writes the short case and its waves
    /// to the folder. Shortening takes minutes to hours; the whole case can be replayed meanwhile.
    ///
    /// # Errors
    /// Files cannot be written.
    pub fn found(&self, number: u64, case: Case<O>, failure: Failure) -> Result<Found<O>> {
        let drawn_ops = case.ops.len();
        // A shorter case may meet another defect. Only failures of the same statement count.
        let statement = failure.statement;
        let whole = self.write(number, &case, &failure, "whole.case")?;
        eprintln!(
            "nicscope: case {number} failed: {}; looking for a shorter one than {}",
            failure.what,
            whole.display()
        );
        let (mut case, failure, tries) = shorten(case, failure, TRIES_MAX, |case| {
            play(case, &self.options).err().filter(|failure| failure.statement == statement)
        });
        case.remarks = vec![self.remark(number, &failure)];
        let file = self.write(number, &case, &failure, "case")?;
        let waves = file.with_extension("waves");
        let waves = record(&case, &self.options, &failure, &waves)?;
        Ok(Found { seed: self.seed, number, drawn_ops, tries, case, failure, file, waves })
    }

    /// What a failing case says about its origin: one line without a semicolon, which would end it.
    fn remark(&self, number: u64, failure: &Failure) -> String {
        let what = failure.what.replace(['\n', ';'], ",");
        format!("Found by {}, seed {}, case {number}: {what}", self.name, self.seed)
    }

    /// Writes a failing case to the folder.
    fn write(&self, number: u64, case: &Case<O>, failure: &Failure, extension: &str) -> Result<PathBuf> {
        let file = self.folder.join(format!("{}-{}-{number}.{extension}", self.name, self.seed));
        let case = Case { remarks: vec![self.remark(number, failure)], ..case.clone() };
        fs::create_dir_all(&self.folder)
            .and_then(|()| fs::write(&file, case.to_string()))
            .map_err(|error| failed!("{}: {error}", file.display()))?;
        Ok(file)
    }
}

fn waves_from(failure: &Failure) -> Ps {
    let before = |at: Ps, span: Ps| Ps(at.0.saturating_sub(span.0));
    before(failure.from, WAVES_BEFORE).max(before(failure.at, WAVES_MAX))
}

/// Plays a failing case again and records waves from the last comparison that went well to the
/// failure. Returns the files of the waves.
///
/// # Errors
/// The folder cannot be created or read.
pub fn record<O: Operation>(
    case: &Case<O>,
    options: &Options<O::Plant>,
    failure: &Failure,
    folder: &Path,
) -> Result<Vec<PathBuf>> {
    fs::create_dir_all(folder).map_err(|error| failed!("{}: {error}", folder.display()))?;
    let waves = Some((folder.to_path_buf(), waves_from(failure), failure.at));
    // The case fails as before: recording does not change a run.
    let _ = play(case, &Options { waves, ..options.clone() });
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .map_err(|error| failed!("{}: {error}", folder.display()))?
        .flatten()
        .map(|entry| entry.path())
        .collect();
    files.sort();
    Ok(files)
}

/// A path relative to the folder of the workspace, if the path lies in it.
fn from_workspace(path: &Path) -> String {
    let absolute = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let workspace = image::workspace().canonicalize().unwrap_or_default();
    absolute.strip_prefix(workspace).unwrap_or(&absolute).display().to_string()
}

/// The command that plays a case again, for a shell in the folder of the workspace.
pub fn replay_command(file: &Path) -> String {
    format!("target/release/nicscope soak --replay {}", from_workspace(file))
}

impl<O: Operation> fmt::Display for Found<O> {
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
