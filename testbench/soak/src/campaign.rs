//! `nicscope soak`: many cases of one seed, several at a time, with the progress in a file.

use std::collections::BTreeMap;
use std::fs;
use std::io::IsTerminal;
use std::marker::PhantomData;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Instant;

use nic_layout::plant::Plant;
use serde::{Deserialize, Serialize};
use sim_pins::Ps;

use crate::case::{Case, MIDDLE_VMH, SMALL_VMH};
use crate::defect::{Drawn, Found, Outcome, Workload};
use crate::language::{Operation, Options};
use crate::play::{play, Failure, Played, FAULTS};
use crate::search::{record, Search};
use nicscope_run::files;
use nicscope_scenario::error::{Error, Result, Statement};
use nicscope_scenario::personality::{Personality, PERSONALITIES};
use nicscope_scenario::{failed, request_error};

/// Operations of a case: enough that the time of its boot is small, few enough to be shortened.
const OPS: Range<usize> = 600..1200;
const SCHEMA: u32 = 4;

/// The request for a campaign.
#[derive(Clone, Debug)]
pub struct Campaign {
    /// Operations in all. The operations in the progress file of the same build, seed and
    /// personality count.
    pub operations: u64,
    /// The seed of all cases.
    pub seed: u64,
    /// The personality of all NICs.
    pub personality: &'static Personality,
    /// Cases at a time, at least 1. Results do not depend on the number.
    pub jobs: usize,
    /// The folder for the progress, and for a failing case with its waves.
    pub folder: PathBuf,
    /// Whether to ignore a progress file and begin with the first case.
    pub fresh: bool,
}

/// The sums of all cases so far: `progress.json` in the folder.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// The version of the file's format.
    pub schema: u32,
    /// The name of the build, of the command and the firmware images. The progress of another build
    /// is not continued.
    pub build: String,
    /// The seed of all cases.
    pub seed: u64,
    /// The name of the personality.
    pub personality: String,
    /// Cases so far, which is also the number of the next case.
    pub cases: u64,
    /// Operations so far.
    pub operations: u64,
    /// Operations so far, by the name of their kind. Every kind of the language has an entry.
    pub kinds: BTreeMap<String, u64>,
    /// Faults of the links, misses, and ends of posts, by name.
    pub counts: BTreeMap<String, u64>,
    /// Simulated time of all cases, in us.
    pub simulated_us: u64,
    /// Clock cycles of all NIC cores.
    pub core_cycles: u64,
    /// Wall-clock time of all cases, in s, each on one processor.
    pub seconds: f64,
    /// The text of the failure, if a case failed.
    pub failure: Option<String>,
    /// The statement that did not hold, if the failure is one of a numbered statement.
    pub broken: Option<Statement>,
}

impl Progress {
    /// No operations of each kind of a language.
    fn of_language<O: Operation>() -> Progress {
        let kinds = O::KINDS.iter().map(|kind| ((*kind).to_owned(), 0)).collect();
        Progress { kinds, ..Progress::default() }
    }

    fn load(path: &Path, build: &str, seed: u64, personality: &Personality) -> Option<Progress> {
        let progress: Progress = serde_json::from_str(&fs::read_to_string(path).ok()?).ok()?;
        let same = progress.schema == SCHEMA && progress.build == build && progress.seed == seed;
        Some(progress).filter(|progress| same && progress.personality == personality.name)
    }

    fn save(&self, path: &Path) -> Result<()> {
        let text = serde_json::to_string_pretty(self).map_err(|error| failed!("{}: {error}", path.display()))?;
        files::write(path, &(text + "\n"))
    }

    fn add<O: Operation>(&mut self, case: &Case<O>, played: &Played, seconds: f64) {
        self.cases += 1;
        *self.counts.entry(format!("clusters of {} nodes", case.cluster.topology.nodes)).or_default() += 1;
        self.operations += case.ops.len() as u64;
        for op in &case.ops {
            *self.kinds.entry(op.kind_name().to_owned()).or_default() += 1;
        }
        for (name, count) in &played.counts {
            *self.counts.entry((*name).to_owned()).or_default() += count;
        }
        self.simulated_us += played.simulated.0 / 1_000_000;
        self.core_cycles += played.core_cycles;
        self.seconds += seconds;
    }

    /// Kinds of operations and faults of the link that have not occurred.
    pub fn lacking(&self) -> Vec<&str> {
        let kinds = self.kinds.iter().filter(|(_, count)| **count == 0).map(|(name, _)| name.as_str());
        let faults = FAULTS.into_iter().filter(|name| self.counts.get(*name).is_none_or(|count| *count == 0));
        kinds.chain(faults).collect()
    }

    /// The counts as a table for the user.
    pub fn text(&self) -> String {
        let mut text = format!("operations {:>32}\n", self.operations);
        for (kind, count) in &self.kinds {
            text += &format!("  {kind:<40}{count:>12}\n");
        }
        text += &format!("cases {:>37}\n", self.cases);
        for (name, count) in &self.counts {
            text += &format!("  {name:<48}{count:>14}\n");
        }
        let seconds = self.simulated_us as f64 / 1e6;
        text + &format!(
            "{seconds:.1} s simulated, {} core clocks, in {:.0} s of one processor: {:.0} operations a second\n",
            self.core_cycles,
            self.seconds,
            self.operations as f64 / self.seconds.max(1e-9)
        )
    }
}

/// A language of operations, for callers that do not know the type of these.
pub trait Language: Sync {
    /// Plays cases until the operations are as many as requested, or a case fails. Returns the
    /// progress, and the report of the failing case after it was shortened.
    ///
    /// # Errors
    /// The request has no operations or no jobs, the firmware does not build, or the folder cannot
    /// be written.
    fn soak(&self, campaign: &Campaign) -> Result<(Progress, Option<String>)>;

    /// Plays the case in a file, and returns its counts.
    ///
    /// # Errors
    /// The file holds no case, or the case fails. The waves of a failing case are then in the
    /// folder, and the text names them.
    fn replay(&self, file: &Path, folder: &Path) -> Result<Progress>;

    /// Plays drawn cases on NICs of a personality until one fails, those with the numbers `lists`.
    /// `workload` says whether the NICs have one core or two. Their firmware may have a planted
    /// defect. Lookups are not counted.
    ///
    /// # Errors
    /// The firmware does not build.
    fn find(
        &self,
        personality: &'static Personality,
        workload: Workload,
        plant: Option<Plant>,
        seed: u64,
        lists: Range<u64>,
    ) -> Result<Outcome>;
}

/// Cases in which a planted defect must show: many short ones, since most of a long one is not
/// about the defect.
pub const FIND_CASES: u64 = 12;
/// Operations of such a case.
const FIND_OPS: Range<usize> = 14..40;

/// The language whose operations are `O`.
pub struct LanguageOf<O>(PhantomData<fn() -> O>);

impl<O> LanguageOf<O> {
    /// The only value.
    pub const VALUE: LanguageOf<O> = LanguageOf(PhantomData);
}

impl<O: Operation> Language for LanguageOf<O> {
    fn soak(&self, campaign: &Campaign) -> Result<(Progress, Option<String>)> {
        run::<O>(campaign)
    }

    fn replay(&self, file: &Path, folder: &Path) -> Result<Progress> {
        replay::<O>(file, folder)
    }

    fn find(
        &self,
        personality: &'static Personality,
        workload: Workload,
        plant: Option<Plant>,
        seed: u64,
        lists: Range<u64>,
    ) -> Result<Outcome> {
        let options = Options { in_firmware: plant, ..Options::default() };
        let mut at = Ps::ZERO;
        for number in lists {
            let mut case = O::draw(seed, number, FIND_OPS);
            case.cluster = case.cluster.of_personality(personality);
            if workload == Workload::ListsOnTwoCores {
                case.cluster = case.cluster.on_two_cores();
            }
            match play(&case, &options) {
                Ok(played) => at = played.simulated,
                Err(failure) => {
                    let found = Some(Found::new(failure.statement, failure.what));
                    let list = Some(Drawn { seed, list: number });
                    return Ok(Outcome { found, at: failure.at, lookups: 0, list });
                }
            }
        }
        Ok(Outcome { found: None, at, lookups: 0, list: None })
    }
}

fn run<O: Operation>(campaign: &Campaign) -> Result<(Progress, Option<String>)> {
    if campaign.jobs == 0 || campaign.operations == 0 {
        return Err(request_error!("--jobs and --operations: must be at least 1"));
    }
    files::prepare_folder(&campaign.folder)?;
    let images = PERSONALITIES.iter().flat_map(|it| match it.has_caches() {
        true => vec![(it.name, SMALL_VMH), (it.name, MIDDLE_VMH)],
        false => vec![(it.name, SMALL_VMH)],
    });
    let build = files::build(&images.collect::<Vec<_>>())?;
    let path = campaign.folder.join("progress.json");
    let Campaign { seed, personality, .. } = *campaign;
    let fresh = || Progress {
        schema: SCHEMA,
        build: build.clone(),
        seed,
        personality: personality.name.to_owned(),
        ..Progress::of_language::<O>()
    };
    let mut progress = match campaign.fresh {
        true => fresh(),
        false => Progress::load(&path, &build, seed, personality).unwrap_or_else(fresh),
    };
    // The case of an earlier failure is played again, so it is reported again.
    (progress.failure, progress.broken) = (None, None);
    let Some((number, case, failure)) = go_on::<O>(&mut progress, &path, campaign)? else {
        return Ok((progress, None));
    };
    let search = Search::<O> {
        name: "soak".into(),
        seed: campaign.seed,
        cases: 0,
        ops: OPS,
        draw: O::draw,
        options: Options::default(),
        folder: campaign.folder.clone(),
    };
    let found = search.found(number, case, failure)?;
    progress.failure = Some(found.failure.what.clone());
    progress.broken = found.failure.statement;
    progress.save(&path)?;
    Ok((progress, Some(found.to_string())))
}

type CaseFailed<O> = (u64, Case<O>, Failure);

/// Plays cases until the operations are as many as requested, or a case fails.
///
/// Several threads play cases. Their results are counted in the order of the cases' numbers, so the
/// sums do not depend on the threads.
fn go_on<O: Operation>(progress: &mut Progress, path: &Path, campaign: &Campaign) -> Result<Option<CaseFailed<O>>> {
    let Campaign { operations, seed, personality, jobs, .. } = *campaign;
    let begin = Instant::now();
    let (first, before) = (progress.cases, progress.operations);
    let next = std::sync::atomic::AtomicU64::new(first);
    let stop = std::sync::atomic::AtomicBool::new(before >= operations);
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            let (sender, next, stop) = (sender.clone(), &next, &stop);
            scope.spawn(move || {
                use std::sync::atomic::Ordering::Relaxed;
                while !stop.load(Relaxed) {
                    let number = next.fetch_add(1, Relaxed);
                    let mut case = O::draw(seed, number, OPS);
                    case.cluster = case.cluster.of_personality(personality);
                    let begin = Instant::now();
                    let outcome = play(&case, &Options::default());
                    if sender.send((number, case, outcome, begin.elapsed().as_secs_f64())).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let mut waiting = BTreeMap::new();
        let mut shown = Instant::now();
        let mut failed = None;
        for (number, case, outcome, seconds) in receiver {
            waiting.insert(number, (case, outcome, seconds));
            while let Some((case, outcome, seconds)) = waiting.remove(&progress.cases) {
                if failed.is_some() || progress.operations >= operations {
                    break;
                }
                match outcome {
                    Ok(played) => progress.add(&case, &played, seconds),
                    Err(failure) => failed = Some((progress.cases, case, failure)),
                }
            }
            if failed.is_some() || progress.operations >= operations {
                stop.store(true, std::sync::atomic::Ordering::Relaxed);
            }
            progress.save(path)?;
            if std::io::stderr().is_terminal() || shown.elapsed().as_secs() >= 60 {
                shown = Instant::now();
                let rate = (progress.operations - before) as f64 / begin.elapsed().as_secs_f64();
                let left = operations.saturating_sub(progress.operations) as f64 / rate.max(1e-9) / 60.0;
                let end = if std::io::stderr().is_terminal() { '\r' } else { '\n' };
                let (done, cases) = (progress.operations, progress.cases);
                eprint!("{done} of {operations} operations, {cases} cases, {rate:.0} a second, about {left:.0} min left{end}");
            }
        }
        Ok::<_, Error>(failed)
    })
}

fn replay<O: Operation>(file: &Path, folder: &Path) -> Result<Progress> {
    let case: Case<O> = Case::load(file)?;
    let begin = Instant::now();
    let options: Options<O::Plant> = Options::default();
    match play(&case, &options) {
        Ok(played) => {
            let personality = case.cluster.personality.name.to_owned();
            let mut progress = Progress { personality, ..Progress::of_language::<O>() };
            progress.add(&case, &played, begin.elapsed().as_secs_f64());
            Ok(progress)
        }
        Err(failure) => {
            let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let files = record(&case, &options, &failure, &folder.join(stem + ".waves"))?;
            let names: Vec<String> = files.iter().map(|file| format!("waves: {}", file.display())).collect();
            Err(failed!("{}\n{}", failure.what, names.join("\n")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rdma::draw;
    use crate::rdma::operation::{Kind, Op};

    #[test]
    fn only_the_same_build_and_seed_go_on() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("progress.json");
        let progress = Progress {
            schema: SCHEMA,
            build: "1".into(),
            seed: 7,
            cases: 3,
            personality: PERSONALITIES[0].name.into(),
            ..Progress::default()
        };
        progress.save(&path).expect("written");
        assert_eq!(Progress::load(&path, "1", 7, PERSONALITIES[0]), Some(progress));
        assert_eq!(Progress::load(&path, "2", 7, PERSONALITIES[0]), None);
        assert_eq!(Progress::load(&path, "1", 8, PERSONALITIES[0]), None);
        assert_eq!(Progress::load(&path, "1", 7, PERSONALITIES[1]), None);
    }

    #[test]
    fn what_has_not_occurred_is_named() {
        let mut progress = Progress::of_language::<Op>();
        let mut case = draw::case(1, 0, 2000..2001);
        let node = 0;
        case.ops.extend([Op::Reset { node, after_us: 1 }, Op::Restart { node, after_us: 1 }]);
        progress.add(&case, &Played::default(), 1.0);
        assert_eq!(progress.lacking(), FAULTS);
        progress.counts.extend(FAULTS.map(|fault| (fault.to_owned(), 1)));
        progress.kinds.insert(Kind::Kill.name().to_owned(), 0);
        assert_eq!(progress.lacking(), [Kind::Kill.name()]);
    }
}
