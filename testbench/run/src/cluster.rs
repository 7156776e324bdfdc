//! One run: nodes on threads, a cable between them, and what they found.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

use host_model::address::NodeId;
use host_model::driver::{DriverOptions, PROCESSES_MAX};
use host_model::host::HostConfig;
use host_model::platform::Platform;
use nic_monitor::Violation;
use nicscope_scenario::error::{Error, Result};
use nicscope_scenario::failed;
use nicscope_scenario::scenario::{Load, Scenario};
use sim_fabric::{link, Corruption, Direction, Ending, Fault, LinkConfig, Loss, RunOptions};
use sim_pins::Ps;

use crate::meeting::Meeting;
use crate::node::{error_of, transmit_clock, Node, NodeConfig, NodeOutput};
use crate::progress::Progress;
use crate::workload::places::Places;
use crate::workload::{self, NodeReport, Work};

/// One platform, one ratio of misses.
#[derive(Clone)]
pub struct ClusterConfig {
    pub scenario: Arc<Scenario>,
    pub platform: Platform,
    pub firmware: Arc<Vec<u8>>,
    /// The image of core B, of a NIC with two cores.
    pub second: Option<Arc<Vec<u8>>>,
    pub miss_ratio: f64,
    pub seed: u64,
    pub threads: usize,
    /// Record what accounts need.
    pub record: bool,
    /// Record the inputs of the models, to play them again.
    pub record_inputs: bool,
    /// FST of every node's model between two times: one path for each node.
    pub waves: Option<(Vec<PathBuf>, Ps, Ps)>,
    /// Stop here, whatever is under way.
    pub until: Option<Ps>,
}

/// No scenario takes longer; a run that does hangs.
const WATCHDOG: Ps = Ps::from_us(60_000_000);

pub struct ClusterOutput {
    pub nodes: Vec<NodeOutput<NodeReport>>,
    pub ended_at: Ps,
}

/// A run that ended badly, the simulated time when it did, and what its nodes did until then.
pub struct Failure {
    pub at: Ps,
    pub error: Error,
    pub nodes: Vec<NodeOutput<NodeReport>>,
}

pub fn link_latency(scenario: &Scenario) -> Ps {
    Ps::from_ns(scenario.link.latency_ns)
}

/// Runs until every node's task has ended. What goes wrong ends it with the node and the time.
pub fn run(config: &ClusterConfig, progress: &Progress) -> Result<ClusterOutput> {
    attempt(config, progress).map_err(|failure| failure.error)
}

/// The same, for a caller who wants to look at the time of a failure.
pub fn attempt(config: &ClusterConfig, progress: &Progress) -> Result<ClusterOutput, Failure> {
    let scenario = &config.scenario;
    let latency = link_latency(scenario);
    let places = Places::of(scenario, config.miss_ratio > 0.0).map_err(|error| Failure {
        at: Ps::ZERO,
        error,
        nodes: Vec::new(),
    })?;
    let direction = || Direction { faults: faults(scenario), capture: config.record };
    let (a, b) = link(LinkConfig {
        latency,
        a_clock: transmit_clock(&config.platform),
        b_clock: transmit_clock(&config.platform),
        a_to_b: direction(),
        b_to_a: direction(),
        seed: config.seed,
        link_idx: 0,
    });
    let meeting = Meeting::new(scenario.nodes, latency);
    let messages = Arc::new(AtomicU64::new(0));
    let builders: Vec<_> = [a, b]
        .into_iter()
        .enumerate()
        .map(|(index, port)| {
            let work = Work {
                node: index,
                scenario: scenario.clone(),
                places,
                miss_ratio: config.miss_ratio,
                seed: config.seed,
                firmware: config.firmware.clone(),
                second: config.second.clone(),
                meeting: meeting.clone(),
                messages: messages.clone(),
            };
            let host = HostConfig {
                platform: config.platform.clone(),
                driver: DriverOptions {
                    receive_miss: scenario.misses.receive.of_layout(),
                    held_frames_max: scenario.misses.held_frames_max,
                    miss_service: scenario.misses.service.of_driver(),
                    load: scenario.load.map(Load::of_host),
                    post_queues: scenario.nic.post_queues,
                    processes_max: scenario.nic.processes_max.unwrap_or(PROCESSES_MAX),
                    ..DriverOptions::new(NodeId(index as u16), scenario.nodes as u32, config.seed)
                },
                trace: config.record,
            };
            let waves = config.waves.as_ref().map(|(paths, from, to)| (paths[index].clone(), *from, *to));
            let config =
                NodeConfig { index, host, port, record: config.record, record_inputs: config.record_inputs, waves };
            move || Node::new(config, |host| host.spawn("workload", |handle| workload::run(work, handle)))
        })
        .collect();
    let all_messages = scenario.messages_per_node() * scenario.nodes as u64;
    let mut between = |now: Ps| {
        let share = match config.until {
            Some(until) => now.0 as f64 / until.0 as f64,
            None => messages.load(Ordering::Relaxed) as f64 / all_messages as f64,
        };
        progress.at(now, share);
        ControlFlow::Continue(())
    };
    let options = RunOptions {
        window: latency,
        end: config.until.unwrap_or(WATCHDOG),
        threads: config.threads,
        between_windows: Some(&mut between),
    };
    let run = sim_fabric::run(builders, options);
    let nodes: Vec<NodeOutput<NodeReport>> = run.outputs.into_iter().flatten().collect();
    let ended_at = match run.ending {
        Ending::AllFinished { at } | Ending::Interrupted { at } => at,
        Ending::TimeIsUp { at } if config.until.is_some() => at,
        Ending::TimeIsUp { at } => {
            let waiting: Vec<String> = nodes
                .iter()
                .enumerate()
                .map(|(node, output)| format!("node {node}: {}", output.live_tasks.join(", ")))
                .collect();
            let error = failed!("nothing ended within {at} of simulated time; still waiting: {}", waiting.join("; "));
            return Err(Failure { at, error, nodes });
        }
        Ending::Failed { node, at, error } => {
            let error = error.map_text(|text| format!("{text} (node {node}, at {at}, seed {})", config.seed));
            return Err(Failure { at, error, nodes });
        }
    };
    let mut faults: Vec<String> = nodes
        .iter()
        .enumerate()
        .flat_map(|(node, output)| output.faults.iter().map(move |fault| format!("node {node}: {fault}")))
        .collect();
    let violations: Vec<&Violation> = nodes.iter().filter_map(|output| output.violation.as_ref()).collect();
    faults.extend(violations.iter().map(ToString::to_string));
    if !faults.is_empty() && config.until.is_none() {
        let text = format!("checks were violated (seed {}):\n  {}", config.seed, faults.join("\n  "));
        let error = match violations.first() {
            Some(violation) => error_of(violation).map_text(|_| text),
            None => Error::Failed(text),
        };
        return Err(Failure { at: ended_at, error, nodes });
    }
    Ok(ClusterOutput { nodes, ended_at })
}

fn faults(scenario: &Scenario) -> Vec<Box<dyn Fault>> {
    let mut faults: Vec<Box<dyn Fault>> = Vec::new();
    let wanted = &scenario.faults;
    if wanted.loss_ratio > 0.0 {
        faults.push(Box::new(Loss { name: "loss".into(), probability: wanted.loss_ratio }));
    }
    if wanted.corrupt_ratio > 0.0 {
        faults.push(Box::new(Corruption {
            name: "corruption".into(),
            probability: wanted.corrupt_ratio,
            bytes: 2,
            offsets: Corruption::ANY_FRAME,
        }));
    }
    faults
}
