//! `nicscope run`: runs a scenario on its platforms, and makes rows, accounts and sums of each run.

use std::path::PathBuf;
use std::sync::Arc;

use nic_layout::vmh::VmhGeometry;
use nicscope_account::results::{Results, Run, RESULTS_SCHEMA};
use nicscope_scenario::error::Result;
use nicscope_scenario::memory_map::Wanted;
use nicscope_scenario::scenario::{Library, Scenario, WorkloadKind};
use nicscope_scenario::{failed, image, memory_map, platform, request_error};

use crate::cluster::{self, ClusterConfig, ClusterOutput, Failure};
use crate::progress::Progress;
use crate::summary::summarise;
use crate::workload;
use crate::workload::places::Places;

/// The request for runs of a scenario.
#[derive(Clone, Debug)]
pub struct RunConfig {
    /// The scenario, with all overrides.
    pub scenario: Scenario,
    /// The seed of every random decision.
    pub seed: u64,
    /// Threads that simulate, at least 1. Results do not depend on their number.
    pub threads: usize,
    /// The ELF file to load into core A in place of the personality's image.
    pub firmware: Option<PathBuf>,
}

/// The seed of a run without `--seed`. It is constant, so such a run has the same result
/// everywhere.
pub const DEFAULT_SEED: u64 = 1;

/// The number of threads for so many nodes: at most one for each node, and for each processor of
/// this machine.
pub fn default_threads(nodes: usize) -> usize {
    std::thread::available_parallelism().map_or(1, |cores| cores.get().min(nodes))
}

/// Checks the whole request before the first run begins.
fn check(config: &RunConfig) -> Result<()> {
    let scenario = &config.scenario;
    if config.threads == 0 {
        return Err(request_error!("--threads 0: must be at least 1"));
    }
    let with_misses = scenario.misses.ratios.iter().any(|ratio| *ratio > 0.0);
    Places::of(scenario, with_misses)?;
    check_traces(scenario)?;
    workload::check(scenario)?;
    for name in &scenario.platforms {
        let platform = platform::load(name, scenario)?;
        memory_map::check(&Wanted::of(scenario)?, name, &platform)?;
        if let Some(path) = &config.firmware {
            image::read(path, &platform)?;
        }
    }
    Ok(())
}

/// Checks that page traces exist for the geometry of the cache. A trace is first played through a
/// cache model in host memory, which has the geometries of the thesis.
fn check_traces(scenario: &Scenario) -> Result<()> {
    let geometry = scenario.geometry()?;
    if scenario.workload.kind != WorkloadKind::Pages || page_traces::all_geometries().contains(&geometry) {
        return Ok(());
    }
    let VmhGeometry { entries, line_entries, ways } = geometry;
    Err(request_error!(
        "cache.entries = {entries}, line_entries = {line_entries}, ways = {ways}: a scenario of kind \"pages\" needs one of \
         the thesis's caches: entries {:?}, line_entries {:?}, ways {:?}",
        page_traces::ENTRIES,
        page_traces::LINE_ENTRIES,
        page_traces::WAYS
    ))
}

/// The configuration of the run on one platform with one ratio of misses. Builds the firmware
/// unless an image is given.
///
/// # Errors
/// The scenario is impossible on the platform, or an image cannot be built or loaded.
pub fn cluster_config(config: &RunConfig, platform_name: &str, miss_ratio: f64) -> Result<ClusterConfig> {
    let scenario = &config.scenario;
    let platform = platform::load(platform_name, scenario)?;
    let first = match &config.firmware {
        Some(path) => path.clone(),
        None => scenario.image_of_core_a(platform.core.count)?,
    };
    let firmware = image::read(&first, &platform)?;
    if config.firmware.is_none() {
        memory_map::check_image(&Wanted::of(scenario)?, platform_name, &platform, &firmware)?;
    }
    let second = match scenario.image_of_core_b(platform.core.count)? {
        None => None,
        Some(path) => Some(Arc::new(image::read(&path, &platform)?)),
    };
    Ok(ClusterConfig {
        scenario: Arc::new(scenario.clone()),
        platform,
        firmware: Arc::new(firmware),
        second,
        miss_ratio,
        seed: config.seed,
        threads: config.threads,
        // Accounts are of messages of the personality itself.
        record: scenario.personality.has_accounts
            && scenario.emp.library == Library::Emp
            && matches!(
                scenario.workload.kind,
                WorkloadKind::PingPong | WorkloadKind::Fetch | WorkloadKind::Bystander | WorkloadKind::Pages
            ),
        record_inputs: false,
        waves: None,
        until: None,
    })
}

/// Gets every run of a scenario while its logs still exist.
pub trait Observer {
    /// A run has ended well: its nodes' logs in `_output`, and its results in `_run`.
    fn done(&mut self, _config: &ClusterConfig, _output: &ClusterOutput, _run: &Run) {}
    /// A run on a platform has failed. No further run of the scenario follows.
    fn failed(&mut self, _platform: &str, _config: &ClusterConfig, _failure: &Failure) {}
}

impl Observer for () {}

/// Runs the scenario on each platform with each ratio of misses.
///
/// # Errors
/// The request is wrong, or a run fails.
pub fn run(config: &RunConfig) -> Result<Results> {
    observe(config, &mut ())
}

/// As [`run`], with an observer of each run.
///
/// # Errors
/// The request is wrong, or a run fails.
pub fn observe(config: &RunConfig, observer: &mut dyn Observer) -> Result<Results> {
    let scenario = &config.scenario;
    check(config)?;
    let mut runs = Vec::new();
    let of = scenario.platforms.len() * scenario.misses.ratios.len();
    for name in &scenario.platforms {
        for &miss_ratio in &scenario.misses.ratios {
            let what = format!("{} on {name}, {:.0} % misses", scenario.name, miss_ratio * 100.0);
            let progress = Progress::new(format!("{what} ({} of {of})", runs.len() + 1));
            let cluster = cluster_config(config, name, miss_ratio)?;
            let outcome: Result<_, Failure> = cluster::attempt(&cluster, &progress).and_then(|output| {
                let at = output.ended_at;
                let run =
                    summarise(name, &cluster, &output).map_err(|error| Failure { at, error, nodes: Vec::new() })?;
                Ok((output, run))
            });
            match outcome {
                Ok((output, run)) => {
                    observer.done(&cluster, &output, &run);
                    runs.push(run);
                }
                Err(failure) => {
                    observer.failed(name, &cluster, &failure);
                    return Err(failure.error);
                }
            }
        }
    }
    Ok(Results {
        schema: RESULTS_SCHEMA,
        version: env!("CARGO_PKG_VERSION").into(),
        seed: config.seed,
        scenario: scenario.clone(),
        runs,
    })
}

/// Runs one configuration; `platform` is the name for the results.
///
/// # Errors
/// The run fails, or its sums do not agree.
pub fn single(platform: &str, config: &ClusterConfig) -> Result<Run> {
    let output = cluster::run(config, &Progress::hidden())?;
    let run = summarise(platform, config, &output)?;
    match run.broken() {
        broken if broken.is_empty() => Ok(run),
        broken => Err(failed!("checks were violated (seed {}):\n  {}", config.seed, broken.join("\n  "))),
    }
}
