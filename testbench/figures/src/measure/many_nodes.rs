//! Many nodes behind a switch: whether every message arrives, whether results depend on threads,
//! and what a node costs to simulate among seven others.

use nicscope_account::results::{FlowSum, Results};
use nicscope_run::cluster::{self, ClusterConfig};
use nicscope_run::progress::Progress;
use nicscope_run::run::{self, RunConfig, DEFAULT_SEED};
use nicscope_scenario::error::Result;
use nicscope_scenario::{failed, scenario};

use super::best::Best;

/// Messages from each of eight nodes to each other one: the fewest that make 10 000 in all.
const MESSAGES_OF_A_PAIR: u64 = 10_000_u64.div_ceil(8 * 7);

/// Times that are compared: the least disturbed one of so many counts.
const ROUNDS: u32 = 3;

/// What was found.
#[derive(Clone, Debug, PartialEq)]
pub struct ManyNodes {
    /// Messages between eight nodes whose every byte was compared, while each link lost 1 % of its
    /// frames and damaged 1 %.
    pub compared: u64,
    /// Messages that were sent.
    pub sent: u64,
    /// Frames that were sent again.
    pub retransmissions: u64,
    /// Sums of counters in that run.
    pub sums: usize,
    /// Sums whose sides differ.
    pub sums_that_disagree: usize,
    /// Bytes of the results on one thread that differ from those on two.
    pub bytes_that_differ: usize,
    /// Nodes of the largest run, each of which sent and received.
    pub most_nodes: usize,
    /// Processor time for each core clock of a node, in seconds: of two nodes, and of eight.
    pub seconds_per_clock: [f64; 2],
}

impl ManyNodes {
    /// Simulated speed of a node among eight, in percent of the speed among two.
    pub fn speed_percent(&self) -> f64 {
        100.0 * self.seconds_per_clock[0] / self.seconds_per_clock[1]
    }
}

fn config(name: &str, overrides: &[&str], threads: usize) -> Result<RunConfig> {
    let overrides: Vec<String> = overrides.iter().map(|entry| (*entry).to_owned()).collect();
    let scenario = scenario::load(name, &overrides)?;
    Ok(RunConfig { scenario, seed: DEFAULT_SEED, threads, firmware: None })
}

/// Runs all of it: some minutes.
///
/// # Errors
/// A run fails, or processor time cannot be read.
pub fn measure() -> Result<ManyNodes> {
    let iterations = format!("workload.iterations={MESSAGES_OF_A_PAIR}");
    let eight = ["workload.sizes_bytes=64", "workload.warm_up=0", iterations.as_str()];
    let on_threads = |threads| -> Result<(Results, String)> {
        let results = run::run(&config("all-to-all", &eight, threads)?)?;
        let text = serde_json::to_string(&results).map_err(|error| failed!("results: {error}"))?;
        Ok((results, text))
    };
    let ((results, one), (_, two)) = (on_threads(1)?, on_threads(2)?);
    let run = &results.runs[0];
    let differing = one.bytes().zip(two.bytes()).filter(|(one, two)| one != two).count();
    let most = config("ring", &["nodes=16", "workload.sizes_bytes=200", "workload.iterations=4"], 2)?;
    let largest = run::run(&most)?;
    largest.check()?;
    let active = |flow: &FlowSum| flow.messages > 0 && flow.messages == flow.compared_messages;
    Ok(ManyNodes {
        compared: run.flows.iter().map(|flow| flow.compared_messages).sum(),
        sent: run.flows.iter().map(|flow| flow.messages).sum(),
        retransmissions: run.rows.iter().map(|row| row.retransmissions).sum(),
        sums: run.conservation.len(),
        sums_that_disagree: run.conservation.iter().filter(|equation| !equation.holds()).count(),
        bytes_that_differ: differing + one.len().abs_diff(two.len()),
        most_nodes: largest.runs[0].flows.iter().filter(|flow| active(flow)).count(),
        seconds_per_clock: seconds_per_clock()?,
    })
}

/// Processor time for each core clock of a node, with two and with eight nodes behind one switch.
fn seconds_per_clock() -> Result<[f64; 2]> {
    // As much work of each node: the neighbours of a ring.
    let of = |nodes: &str| -> Result<ClusterConfig> {
        let overrides = [nodes, "workload.sizes_bytes=1024", "workload.iterations=150", "workload.warm_up=0"];
        run::cluster_config(&config("ring", &overrides, 1)?, "tigon2", 0.0)
    };
    let configs = [of("nodes=2")?, of("nodes=8")?];
    let mut times = [Best::default(), Best::default()];
    let mut clocks = [0.0; 2];
    for _ in 0..ROUNDS {
        for ((config, time), clocks) in configs.iter().zip(&mut times).zip(&mut clocks) {
            let output = time.processor(|| cluster::run(config, &Progress::hidden()))??;
            *clocks = output.nodes.iter().map(|node| node.core_cycles as f64).sum();
        }
    }
    Ok([times[0].seconds / clocks[0], times[1].seconds / clocks[1]])
}
