//! One run of a scenario: its nodes, what joins them, and what they found.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

use host_model::address::NodeId;
use host_model::driver::{DriverOptions, PROCESSES_MAX};
use host_model::platform::Platform;
use nic_image::Canary;
use nic_monitor::Violation;
use nicscope_scenario::error::{Error, Result};
use nicscope_scenario::failed;
use nicscope_scenario::scenario::{Load, Scenario};
use sim_fabric::{Direction, Ending, SwitchOutput, Topology};
use sim_pins::Ps;

use crate::assembly::{Assembly, Finished, Member};
use crate::node::{error_of, NodeOutput};
use crate::progress::Progress;
use crate::workload::places::Places;
use crate::workload::{self, NodeReport, Work};

/// The configuration of one run: a platform and a ratio of misses.
#[derive(Clone)]
pub struct ClusterConfig {
    /// The scenario of the run.
    pub scenario: Arc<Scenario>,
    /// The platform of every node, with the scenario's link and number of cores.
    pub platform: Platform,
    /// The ELF file of the firmware of core A.
    pub firmware: Arc<Vec<u8>>,
    /// The ELF file of the firmware of core B, on a NIC with two cores.
    pub second: Option<Arc<Vec<u8>>>,
    /// Share of messages that shall miss, 0 to 1.
    pub miss_ratio: f64,
    /// The seed of every random decision.
    pub seed: u64,
    /// Threads that simulate, at least 1. Results do not depend on their number.
    pub threads: usize,
    /// Whether to record what accounts need: markers, probes, frames and host events.
    pub record: bool,
    /// Whether to record the inputs of the models, to play them again.
    pub record_inputs: bool,
    /// Waves of every node's model, as FST, between two times: one path for each node.
    pub waves: Option<(Vec<PathBuf>, Ps, Ps)>,
    /// The simulated time at which the run stops even if tasks have not ended.
    pub until: Option<Ps>,
}

/// The simulated time after which a run counts as hung.
const WATCHDOG: Ps = Ps::from_us(60_000_000);

/// The result of a run that ended well.
pub struct ClusterOutput {
    /// The results of the nodes, in their order.
    pub nodes: Vec<NodeOutput<NodeReport>>,
    /// The cables and switches that join the nodes.
    pub topology: Topology,
    /// The results of the switches, leaves before spines.
    pub switches: Vec<SwitchOutput>,
    /// Simulated time at the end of the run.
    pub ended_at: Ps,
}

/// The result of a run that failed.
pub struct Failure {
    /// Simulated time of the failure.
    pub at: Ps,
    /// The error, with the node, the time and the seed in its text.
    pub error: Error,
    /// The results of the nodes until then. Empty if the run failed before it began.
    pub nodes: Vec<NodeOutput<NodeReport>>,
}

/// One-way latency of each cable of a scenario.
pub fn link_latency(scenario: &Scenario) -> Ps {
    Ps::from_ns(scenario.link.latency_ns)
}

/// Runs until every node's task has ended.
///
/// # Errors
/// A task fails, a check is violated, or the run hangs. The text names the node and the time.
pub fn run(config: &ClusterConfig, progress: &Progress) -> Result<ClusterOutput> {
    attempt(config, progress).map_err(|failure| failure.error)
}

/// The canaries in the stacks of core A and core B, if the scenario asks for them.
fn canaries(config: &ClusterConfig) -> Result<Vec<Canary>> {
    if !config.scenario.nic.stack_canary {
        return Ok(Vec::new());
    }
    let plant = |file: &Arc<Vec<u8>>| Canary::plant(file).map_err(|error| failed!("nic.stack_canary: {error}"));
    std::iter::once(&config.firmware).chain(&config.second).map(plant).collect()
}

/// As [`run`], with the time and the logs of a failure.
///
/// # Errors
/// A task fails, a check is violated, or the run hangs.
pub fn attempt(config: &ClusterConfig, progress: &Progress) -> Result<ClusterOutput, Failure> {
    let scenario = &config.scenario;
    let latency = link_latency(scenario);
    let places = Places::of(scenario, config.miss_ratio > 0.0).map_err(|error| Failure {
        at: Ps::ZERO,
        error,
        nodes: Vec::new(),
    })?;
    let messages = Arc::new(AtomicU64::new(0));
    let canaries = canaries(config).map_err(|error| Failure { at: Ps::ZERO, error, nodes: Vec::new() })?;
    let canaries = Arc::new(canaries);
    // With a canary the file that it gives is loaded.
    let image = |core: usize, file: &Arc<Vec<u8>>| {
        canaries.get(core).map_or_else(|| file.clone(), |canary| Arc::new(canary.planted().to_vec()))
    };
    let (firmware, second) = (image(0, &config.firmware), config.second.as_ref().map(|file| image(1, file)));
    let member = |index: usize| {
        let work = Work {
            node: index,
            scenario: scenario.clone(),
            places,
            miss_ratio: config.miss_ratio,
            seed: config.seed,
            firmware: firmware.clone(),
            second: second.clone(),
            canaries: canaries.clone(),
            messages: messages.clone(),
        };
        let driver = DriverOptions {
            receive_miss: scenario.misses.receive.of_layout(),
            held_frames_max: scenario.misses.held_frames_max,
            miss_service: scenario.misses.service.of_driver(),
            load: scenario.load.map(Load::of_host),
            post_queues: scenario.nic.post_queues,
            messages: scenario.personality.is_matched().then(|| scenario.emp.of_driver()),
            processes_max: scenario.nic.processes_max.unwrap_or(PROCESSES_MAX),
            ..DriverOptions::new(NodeId(index as u16), scenario.nodes as u32, config.seed)
        };
        let waves = config.waves.as_ref().map(|(paths, from, to)| (paths[index].clone(), *from, *to));
        Member {
            driver,
            record: config.record,
            record_inputs: config.record_inputs,
            waves,
            task: move |handle, meeting| workload::run(work, handle, meeting),
        }
    };
    let members = (0..scenario.nodes).map(member).collect();
    let all_messages = scenario.messages();
    let mut between = |now: Ps| {
        let share = match config.until {
            Some(until) => now.0 as f64 / until.0 as f64,
            None => messages.load(Ordering::Relaxed) as f64 / all_messages as f64,
        };
        progress.at(now, share);
        ControlFlow::Continue(())
    };
    let assembly = Assembly {
        platform: &config.platform,
        topology: scenario.topology,
        latency,
        seed: config.seed,
        threads: config.threads,
        end: config.until.unwrap_or(WATCHDOG),
        direction: &|channel| Direction {
            faults: scenario.faults.of_link(channel.link_idx).layers(),
            capture: config.record,
        },
        late_crossings: scenario.faults.late_crossings,
        records_hops: config.record,
        between_windows: Some(&mut between),
    };
    let failed_early = |error| Failure { at: Ps::ZERO, error, nodes: Vec::new() };
    let Finished { ending, nodes, switches } = assembly.run(members).map_err(failed_early)?;
    let ended_at = match ending {
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
    Ok(ClusterOutput { nodes, topology: scenario.topology, switches, ended_at })
}
