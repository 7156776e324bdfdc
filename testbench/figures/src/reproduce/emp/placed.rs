//! Clocks that each core spends on each step of a message.

use nicscope_account::log::Core;
use nicscope_account::steps::{Step, Steps};
use nicscope_run::cluster::{self, ClusterConfig};
use nicscope_run::progress::Progress;
use nicscope_scenario::error::Result;
use nicscope_scenario::failed;
use sim_pins::Ps;

/// The steps of Tables 3.1 to 3.3 of the thesis, with its times in us.
pub const THESIS_US: [(Step, f64); 7] = [
    (Step::SendBookkeeping, 5.25),
    (Step::Transmission, 5.50),
    (Step::ReceiveAcknowledgement, 5.75),
    (Step::ReceiveBookkeeping, 6.25),
    (Step::ReceiveFrame, 4.25),
    (Step::Receiving, 2.75),
    (Step::SendAcknowledgement, 2.50),
];

/// The time of a step in the thesis; none of what it has no step for.
pub fn thesis_us(step: Step) -> f64 {
    THESIS_US.iter().find(|(it, _)| *it == step).map_or(0.0, |(_, us)| *us)
}

/// Core clocks for each message, by step, core A first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Clocks(pub [[f64; Step::ALL.len()]; 2]);

impl Clocks {
    /// Clocks of a step on a core.
    pub fn of(&self, core: Core, step: Step) -> f64 {
        self.0[core as usize][step as usize]
    }

    /// Clocks of all steps on a core.
    pub fn sum(&self, core: Core) -> f64 {
        self.0[core as usize].iter().sum()
    }
}

impl std::iter::Sum for Clocks {
    fn sum<I: Iterator<Item = Clocks>>(all: I) -> Clocks {
        all.fold(Clocks::default(), |mut sum, it| {
            sum.0.iter_mut().flatten().zip(it.0.iter().flatten()).for_each(|(sum, own)| *sum += own);
            sum
        })
    }
}

/// What a run of messages took of its nodes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Run {
    /// Clocks for each message, by node.
    pub nodes: Vec<Clocks>,
    /// Time for each message.
    pub us: f64,
}

/// Plays a run. Its clocks and its time are divided by so many messages.
///
/// # Errors
/// The run fails, or steps and sleep do not add up to the whole time.
pub fn play(what: &str, config: ClusterConfig, messages: u32) -> Result<Run> {
    let clocks_per_ps = config.platform.core.clock_hz as f64 / 1e12;
    let messages = f64::from(messages);
    let output = cluster::run(&ClusterConfig { record: true, ..config }, &Progress::hidden())?;
    let mut run = Run::default();
    let (mut begin, mut end) = (Ps::MAX, Ps::ZERO);
    for node in &output.nodes {
        let report = node.outcome.as_ref().ok_or_else(|| failed!("{what}: a node was cut off"))?;
        let step = report.steps.first().ok_or_else(|| failed!("{what}: the workload has no step"))?;
        let mut clocks = Clocks::default();
        for core in Core::BOTH {
            let steps = Steps::of(&node.log, core, step.begin, step.end);
            if steps.difference_ps() != 0 {
                return Err(failed!("{what}: steps differ from the whole time by {} ps", steps.difference_ps()));
            }
            clocks.0[core as usize] = Step::ALL.map(|step| steps.time(step).0 as f64 * clocks_per_ps / messages);
        }
        run.nodes.push(clocks);
        (begin, end) = (begin.min(step.begin), end.max(step.end));
    }
    run.us = (end - begin).0 as f64 / 1e6 / messages;
    Ok(run)
}
