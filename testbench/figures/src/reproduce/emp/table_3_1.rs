//! Table 3.1: what the cores do for a message, in steps.

use nicscope_account::log::Core;
use nicscope_account::steps::Step;
use nicscope_scenario::error::Result;
use serde_json::json;

use super::placed::{self, Clocks};
use super::setting::{self, Asked, PLATFORM};
use crate::engine::digits::digits;
use crate::engine::report::{Finding, Report, Table};
use crate::engine::{Experiment, Measure};

pub const TABLE_3_1: Experiment = Experiment {
    id: "emp.table-3.1",
    title: "the steps of a message on the cores",
    thesis:
        "Table 3.1: us of six steps on a core of 88 MHz; receive bookkeeping, 10.50 us, as Tables 3.2 and 3.3 split it",
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

fn measure() -> Result<Report> {
    let config = Asked::new("ping-pong").messages(&[SIZE_BYTES], MESSAGES).config()?;
    let clock_hz = config.platform.core.clock_hz as f64;
    // Each node sends a message of each round trip, and receives the other.
    let clocks: Clocks = placed::play(TABLE_3_1.id, config, 2 * MESSAGES)?.nodes.into_iter().sum();
    let mean_us = |step: Step| clocks.of(Core::A, step) * 1e6 / clock_hz;
    Ok(Report { tables: vec![table(mean_us, clock_hz)], findings: findings(&mean_us), ..Report::default() })
}

fn findings(mean_us: &impl Fn(Step) -> f64) -> Vec<Finding> {
    let receive = mean_us(Step::ReceiveBookkeeping) + mean_us(Step::ReceiveFrame);
    let others = [Step::SendBookkeeping, Step::Transmission, Step::ReceiveAcknowledgement];
    let others = others.into_iter().chain([Step::Receiving, Step::SendAcknowledgement]);
    let dearest = others.map(mean_us).fold(0.0, f64::max);
    vec![
        Finding::new(
            "E-44",
            "receive bookkeeping is dearer than send bookkeeping",
            receive > mean_us(Step::SendBookkeeping),
            format!("{} us, and {}", digits(receive), digits(mean_us(Step::SendBookkeeping))),
        ),
        Finding::new(
            "E-44",
            "receive bookkeeping is the dearest step",
            receive > dearest,
            format!("{} us, the dearest other step {}", digits(receive), digits(dearest)),
        ),
    ]
}

fn table(mean_us: impl Fn(Step) -> f64, clock_hz: f64) -> Table {
    let mut table = Table::new(
        format!("Steps of a message of {SIZE_BYTES} bytes on {PLATFORM}"),
        ["step", "us", "core clocks", "thesis us", "thesis clocks"],
    );
    let clocks = |us: f64| us * clock_hz / 1e6;
    for (step, thesis_us) in placed::THESIS_US {
        let us = mean_us(step);
        table.row([step.name().into(), us.into(), clocks(us).into(), thesis_us.into(), clocks(thesis_us).into()]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_statement_can_hold_and_can_fail() {
        let holds = |us: fn(Step) -> f64| findings(&us).iter().map(|it| it.holds).collect::<Vec<_>>();
        assert_eq!(holds(placed::thesis_us), [true; 2]);
        assert_eq!(holds(|step| if step == Step::SendBookkeeping { 30.0 } else { 1.0 }), [false; 2]);
    }
}
