//! Bar 4: nothing is lost or doubled on a bad link.

use nic_layout::counter::Counter;
use nicscope_run::cluster;
use nicscope_run::progress::Progress;
use nicscope_run::run::{self, RunConfig};
use nicscope_run::workload::NodeReport;
use nicscope_scenario::error::Result;
use nicscope_scenario::failed;

use crate::engine::{Figure, Target};
use crate::measure::built_in::config;

pub fn measure() -> Result<Vec<Figure>> {
    let set =
        ["workload.iterations=10000", "workload.outstanding=16", "faults.loss_ratio=0.01", "faults.corrupt_ratio=0.01"];
    of(&config("random", &set)?)
}

/// A byte that is wrong ends the run, with its place and the messages so far; what is left to count
/// are messages.
fn of(config: &RunConfig) -> Result<Vec<Figure>> {
    let platform = &config.scenario.platforms[0];
    let cluster = run::cluster_config(config, platform, 0.0)?;
    let output = cluster::run(&cluster, &Progress::new(format!("random messages on {platform}")))?;
    let reports: Vec<&NodeReport> = output.nodes.iter().filter_map(|node| node.outcome.as_ref()).collect();
    if reports.len() != output.nodes.len() {
        return Err(failed!("a node was cut off"));
    }
    let firmware = |counter| reports.iter().map(|report| report.totals.firmware(counter)).sum::<u64>();
    let compared: u64 = reports.iter().map(|report| report.compared).sum();
    // `FramesSent` counts first transmissions, one for each data frame. So each acceptance beyond
    // that number is of a frame that was accepted before.
    let doubled = firmware(Counter::FramesAccepted) as f64 - firmware(Counter::FramesSent) as f64;
    let frames = |count: fn(&sim_fabric::FrameCounts) -> u64| {
        output.nodes.iter().map(|node| count(&node.frames)).sum::<u64>() as f64
    };
    let hit = frames(|frames| frames.of_layer("loss") + frames.of_layer("corruption"));
    let wanted = f64::from(config.scenario.workload.iterations);
    Ok(vec![
        Figure::new("machine.4.delivered_and_compared", compared as f64, "messages", Target::Exactly(wanted)),
        Figure::new("machine.4.accepted_twice", doubled, "frames", Target::Exactly(0.0)),
        Figure::new(
            "machine.4.frames_hit",
            100.0 * hit / frames(|frames| frames.sent),
            "% of frames",
            Target::AtLeast(1.5),
        ),
        Figure::new(
            "machine.4.retransmitted",
            firmware(Counter::FramesRetransmitted) as f64,
            "frames",
            Target::AtLeast(1.0),
        ),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_messages_survive_a_bad_link() {
        let set = ["workload.iterations=60", "faults.loss_ratio=0.03", "faults.corrupt_ratio=0.03"];
        for figure in of(&config("random", &set).unwrap()).unwrap() {
            assert!(figure.ok(), "{figure:?}");
        }
    }
}
