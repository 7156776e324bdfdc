//! Runs of the scenario `ping-pong` that differ in the share of misses and in the retransmission
//! interval.

use nicscope_account::results::Run;
use nicscope_run::cluster::ClusterConfig;
use nicscope_run::run;
use nicscope_scenario::error::Result;
use nicscope_scenario::scenario::{MissedCache, Scenario};
use serde::Serialize;

use super::setting::{self, PLATFORM};
use crate::engine::work;

/// What all runs have in common.
#[derive(Clone, Debug, Serialize)]
pub struct PingPong {
    pub personality: &'static str,
    /// The cache that misses.
    pub cache: MissedCache,
    pub sizes_bytes: Vec<u32>,
    /// Round trips of each size.
    pub iterations: u32,
    pub warm_up: u32,
}

/// One run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Share of the messages to node 1 that miss.
    pub miss_ratio: f64,
    /// The platform's if it is not given.
    pub retransmit_us: Option<u64>,
}

impl PingPong {
    fn scenario(&self) -> Result<Scenario> {
        let mut scenario = setting::scenario("ping-pong", self.personality)?;
        scenario.workload.sizes_bytes = self.sizes_bytes.clone();
        scenario.workload.iterations = self.iterations;
        scenario.workload.warm_up = self.warm_up;
        scenario.misses.cache = self.cache;
        Ok(scenario)
    }

    /// A run for each point, each on one thread.
    pub fn runs(&self, what: &str, jobs: usize, points: &[Point]) -> Result<Vec<Run>> {
        let scenario = self.scenario()?;
        let configs: Vec<ClusterConfig> = points
            .iter()
            .map(|point| {
                let mut scenario = scenario.clone();
                scenario.link.retransmit_us = point.retransmit_us;
                run::cluster_config(&setting::on_one_thread(scenario), PLATFORM, point.miss_ratio)
            })
            .collect::<Result<_>>()?;
        work::each(what, jobs, &configs, |config| run::single(PLATFORM, config))
    }
}
