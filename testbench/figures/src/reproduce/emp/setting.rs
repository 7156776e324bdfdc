//! The machine and the runs that the experiments on EMP have in common.

use nic_layout::vmh::VmhGeometry;
use nicscope_account::results::Run;
use nicscope_run::cluster::ClusterConfig;
use nicscope_run::run::{self, RunConfig, DEFAULT_SEED};
use nicscope_scenario::error::Result;
use nicscope_scenario::scenario::{self, Scheme};

use crate::engine::work;

/// The machine of the thesis (EN-1).
pub const PLATFORM: &str = "tigon2";

/// The images that most experiments load.
pub fn images() -> Vec<(&'static str, VmhGeometry)> {
    vec![("emp", VmhGeometry::RECOMMENDED)]
}

/// The images of one core and of two cores. Images of every scheme have the same sources.
pub fn images_of_schemes() -> Vec<(&'static str, VmhGeometry)> {
    ["emp", "emp-pair", "emp-b"].map(|image| (image, VmhGeometry::RECOMMENDED)).into()
}

/// The name of a scheme in tables, as the thesis has it.
pub fn label(scheme: Scheme) -> String {
    match scheme {
        Scheme::Base => "base".into(),
        other => other.name().to_uppercase(),
    }
}

/// The same with the image that translates.
pub fn translating_images() -> Vec<(&'static str, VmhGeometry)> {
    [images(), vec![("emp-mini", VmhGeometry::RECOMMENDED)]].concat()
}

/// A run that an experiment asks for: a built-in scenario, and keys of it.
#[derive(Clone, Debug)]
pub struct Asked {
    scenario: &'static str,
    set: Vec<String>,
}

impl Asked {
    /// A scenario on the machine of the thesis, with the personality `emp`.
    pub fn new(scenario: &'static str) -> Asked {
        Asked { scenario, set: Vec::new() }
            .key("platforms", PLATFORM)
            .key("personality", "emp")
            .key("misses.ratios", 0.0)
    }

    /// The same with another value of a key.
    pub fn key(mut self, name: &str, value: impl std::fmt::Display) -> Asked {
        self.set.push(format!("{name}={value}"));
        self
    }

    /// The same on NICs with two cores; with one for `base`, where core B would do nothing.
    pub fn scheme(self, scheme: Scheme) -> Asked {
        match scheme {
            Scheme::Base => self,
            other => self.key("cores", 2).key("emp.scheme", other.name()),
        }
    }

    /// The same with messages of these sizes, so many of each.
    pub fn messages(self, sizes_bytes: &[u32], count: u32) -> Asked {
        self.key("workload.sizes_bytes", format!("{sizes_bytes:?}")).key("workload.iterations", count)
    }

    /// The cluster of the run, on one thread: several run at a time.
    pub fn config(&self) -> Result<ClusterConfig> {
        let scenario = scenario::load(self.scenario, &self.set)?;
        let request = RunConfig { scenario, seed: DEFAULT_SEED, threads: 1, firmware: None };
        let ratio = request.scenario.misses.ratios.first().copied().unwrap_or_default();
        run::cluster_config(&request, PLATFORM, ratio)
    }
}

/// Messages of a size in a stream: so many that its begin and its end, which do not overlap, do not
/// count, and no more.
pub fn count(size_bytes: u32) -> u32 {
    (1_000_000 / size_bytes.max(1)).clamp(16, 40)
}

/// All runs, in their order. `what` is the id of the experiment.
pub fn runs(what: &str, jobs: usize, asked: &[Asked]) -> Result<Vec<Run>> {
    let configs: Vec<ClusterConfig> = asked.iter().map(Asked::config).collect::<Result<_>>()?;
    work::each(what, jobs, &configs, |config| run::single(PLATFORM, config))
}
