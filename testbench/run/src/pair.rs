//! Two whole nodes at the ends of a link without faults, each with a task: what an experiment or a planted defect runs, where no scenario says it.

use std::future::Future;

use host_model::driver::DriverOptions;
use host_model::host::HostConfig;
use host_model::platform::Platform;
use nicscope_scenario::error::{Error, Result};
use sim_fabric::{link, Direction, LinkConfig, Run, RunOptions};
use sim_pins::Ps;

use crate::node::{transmit_clock, Handle, Node, NodeConfig, NodeOutput};

/// How both are linked, and how long they may take.
pub struct Pair<'a> {
    pub platform: &'a Platform,
    /// Of the link, and so of what nodes may run ahead of each other.
    pub latency: Ps,
    pub seed: u64,
    pub threads: usize,
    /// The run is cut off here.
    pub end: Ps,
}

impl Pair<'_> {
    /// Runs `task` on each node, by its number, with a driver of `options`.
    pub fn run<T, F>(
        &self,
        options: impl Fn(usize) -> DriverOptions,
        task: impl Fn(usize, Handle) -> F + Clone + Send,
    ) -> Run<Error, NodeOutput<T>>
    where
        T: Send + 'static,
        F: Future<Output = Result<T>> + 'static,
    {
        let direction = || Direction { faults: Vec::new(), capture: false };
        let (a, b) = link(LinkConfig {
            latency: self.latency,
            a_clock: transmit_clock(self.platform),
            b_clock: transmit_clock(self.platform),
            a_to_b: direction(),
            b_to_a: direction(),
            seed: self.seed,
            link_idx: 0,
        });
        let builder = |(index, port)| {
            let host = HostConfig { platform: self.platform.clone(), driver: options(index), trace: false };
            let config = NodeConfig { index, host, port, record: false, record_inputs: false, waves: None };
            let task = task.clone();
            move || Node::new(config, |host| host.spawn("task", move |handle| task(index, handle)))
        };
        let builders: Vec<_> = [a, b].into_iter().enumerate().map(builder).collect();
        let options = RunOptions { window: self.latency, end: self.end, threads: self.threads, between_windows: None };
        sim_fabric::run(builders, options)
    }
}
