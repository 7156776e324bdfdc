//! `nicscope run`: a scenario on its platforms, its tables, accounts and waves.

use std::path::PathBuf;
use std::sync::Arc;

use nic_layout::vmh::VmhGeometry;
use nicscope_account::results::{Results, Run, RESULTS_SCHEMA};
use nicscope_scenario::error::Result;
use nicscope_scenario::memory_map::Wanted;
use nicscope_scenario::scenario::{Scenario, WorkloadKind};
use nicscope_scenario::{failed, image, memory_map, platform, request_error};

use crate::cluster::{self, ClusterConfig, ClusterOutput, Failure};
use crate::progress::Progress;
use crate::summary::summarise;
use crate::workload;
use crate::workload::places::Places;

/// What a run needs beside its scenario.
#[derive(Clone, Debug)]
pub struct RunConfig {
    pub scenario: Scenario,
    pub seed: u64,
    pub threads: usize,
    /// Load this image instead of the personality's.
    pub firmware: Option<PathBuf>,
}

/// The seed of a run for which none is given, so that a run without arguments is the same everywhere.
pub const DEFAULT_SEED: u64 = 1;

/// Nodes that may usefully run at once.
pub fn default_threads(nodes: usize) -> usize {
    std::thread::available_parallelism().map_or(1, |cores| cores.get().min(nodes))
}

/// Checks the whole request, before the first run takes its time.
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

/// A trace is first run through the cache in host memory, which exists in the thesis's geometries.
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

/// The configuration of one platform and one ratio of misses.
pub fn cluster_config(config: &RunConfig, platform_name: &str, miss_ratio: f64) -> Result<ClusterConfig> {
    let scenario = &config.scenario;
    let platform = platform::load(platform_name, scenario)?;
    let firmware = match &config.firmware {
        Some(path) => image::read(path, &platform)?,
        None => {
            let personality = scenario.image_of_core_a(platform.core.count);
            let firmware = image::read(
                &image::build_with_keys(&personality, scenario.geometry()?, scenario.key_width()?)?,
                &platform,
            )?;
            memory_map::check_image(&Wanted::of(scenario)?, platform_name, &platform, &firmware)?;
            firmware
        }
    };
    let second = match platform.core.count {
        1 => None,
        _ => Some(Arc::new(image::read(&image::build("keeper", scenario.geometry()?)?, &platform)?)),
    };
    Ok(ClusterConfig {
        scenario: Arc::new(scenario.clone()),
        platform,
        firmware: Arc::new(firmware),
        second,
        miss_ratio,
        seed: config.seed,
        threads: config.threads,
        record: matches!(
            scenario.workload.kind,
            WorkloadKind::PingPong | WorkloadKind::Bystander | WorkloadKind::Pages
        ),
        record_inputs: false,
        waves: None,
        until: None,
    })
}

/// Is told of every run of a scenario while its logs are still there.
pub trait Observer {
    fn done(&mut self, _config: &ClusterConfig, _output: &ClusterOutput, _run: &Run) {}
    fn failed(&mut self, _platform: &str, _config: &ClusterConfig, _failure: &Failure) {}
}

impl Observer for () {}

/// Runs every platform with every ratio of misses.
pub fn run(config: &RunConfig) -> Result<Results> {
    observe(config, &mut ())
}

/// The same, for someone who looks.
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

/// One platform with one ratio of misses; its sums agree.
pub fn single(platform: &str, config: &ClusterConfig) -> Result<Run> {
    let output = cluster::run(config, &Progress::hidden())?;
    let run = summarise(platform, config, &output)?;
    match run.broken() {
        broken if broken.is_empty() => Ok(run),
        broken => Err(failed!("checks were violated (seed {}):\n  {}", config.seed, broken.join("\n  "))),
    }
}
