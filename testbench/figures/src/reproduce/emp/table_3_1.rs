//! Table 3.1: what the cores do for a message, in steps.

use nicscope_account::log::Core;
use nicscope_account::steps::{Step, Steps};
use nicscope_run::cluster::{self, ClusterConfig};
use nicscope_run::progress::Progress;
use nicscope_scenario::error::Result;
use nicscope_scenario::failed;
use serde_json::json;
use sim_pins::Ps;

use super::setting::{self, Asked, PLATFORM};
use crate::engine::report::{Report, Table};
use crate::engine::{Experiment, Measure};

pub const TABLE_3_1: Experiment = Experiment {
    id: "emp.table-3.1",
    title: "the steps of a message on the cores",
    thesis: "Table 3.1: us of six steps on a core of 88 MHz",
    note: Some(
        "a message of 10 bytes in a ping-pong, on one core. Each time between two markers of the firmware belongs to \
         one step; the time in which the core sleeps belongs to none",
    ),
    parameters: || json!({"platform": PLATFORM, "size_bytes": SIZE_BYTES, "messages": MESSAGES}),
    images: setting::images,
    measure: Measure::Report(|_| measure()),
};

const SIZE_BYTES: u32 = 10;
const MESSAGES: u32 = 20;

/// The steps, and the values of the thesis in us.
const THESIS_US: [(Step, f64); 6] = [
    (Step::SendBookkeeping, 5.25),
    (Step::Transmission, 5.50),
    (Step::ReceiveAcknowledgement, 5.75),
    (Step::ReceiveBookkeeping, 10.50),
    (Step::Receiving, 2.75),
    (Step::SendAcknowledgement, 2.50),
];

fn measure() -> Result<Report> {
    let config = Asked::new("ping-pong").messages(&[SIZE_BYTES], MESSAGES).config()?;
    let clock_hz = config.platform.core.clock_hz as f64;
    let output = cluster::run(&ClusterConfig { record: true, ..config }, &Progress::new(TABLE_3_1.id.into()))?;
    let mut steps = Vec::new();
    for node in &output.nodes {
        let report = node.outcome.as_ref().ok_or_else(|| failed!("a node was cut off"))?;
        let step = report.steps.first().ok_or_else(|| failed!("ping-pong has no step"))?;
        // Counters are read before the step begins and after it ends.
        steps.push(Steps::of(&node.log, Core::A, step.begin, step.end));
    }
    if let Some(wrong) = steps.iter().find(|steps| steps.difference_ps() != 0) {
        return Err(failed!("steps differ from the whole time by {} ps", wrong.difference_ps()));
    }
    // Each node sends a message of each round trip, and receives the other.
    let mean_us = |step: Step| {
        let sum: Ps = steps.iter().fold(Ps::ZERO, |sum, steps| sum + steps.time(step));
        sum.0 as f64 / 1e6 / f64::from(2 * MESSAGES)
    };
    Ok(Report { tables: vec![table(mean_us, clock_hz)], ..Report::default() })
}

fn table(mean_us: impl Fn(Step) -> f64, clock_hz: f64) -> Table {
    let mut table = Table::new(
        format!("Steps of a message of {SIZE_BYTES} bytes on {PLATFORM}"),
        ["step", "us", "core clocks", "thesis us", "thesis clocks"],
    );
    let clocks = |us: f64| us * clock_hz / 1e6;
    for (step, thesis_us) in THESIS_US {
        let us = mean_us(step);
        table.row([step.name().into(), us.into(), clocks(us).into(), thesis_us.into(), clocks(thesis_us).into()]);
    }
    table
}
