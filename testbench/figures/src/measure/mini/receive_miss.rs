//! Bar 5: what a miss where a message arrives costs its sender beyond the work of the host, by what
//! the NIC does with the frame.

use host_model::events::{subjects, Event, EventKind, Subject};
use nicscope_account::results::{Results, Row, Run};
use nicscope_run::cluster::{ClusterConfig, ClusterOutput};
use nicscope_run::run::{self, Observer};
use nicscope_scenario::error::Result;
use nicscope_scenario::failed;

use crate::engine::{Figure, Target};
use crate::measure::built_in::config;

pub const NOTE: &str = "mean latency of messages that all miss, less that of messages that hit, less the time from the interrupt line to the driver's \
    report that the line is filled; every message to node 1 misses";

const SIZES: &str = "workload.sizes_bytes=4,256,1024,4096,16384";
/// Node 1 receives every other message of a ping-pong.
const MISSING_SHARE: f64 = 0.5;

/// How long the host took for each miss of a run, by platform: from INTA# to the report that it is
/// served.
#[derive(Default)]
struct ServiceTimes {
    us: Vec<f64>,
}

impl Observer for ServiceTimes {
    fn done(&mut self, _config: &ClusterConfig, output: &ClusterOutput, _run: &Run) {
        for node in &output.nodes {
            self.us.extend(service_times_us(&node.log.host));
        }
    }
}

fn service_times_us(events: &[Event]) -> Vec<f64> {
    let misses = subjects(events, |subject| matches!(subject, Subject::Miss { .. }));
    let at = |subject: Subject, kind: EventKind| {
        events.iter().find(|event| event.subject == subject && event.kind == kind).map(|event| event.at)
    };
    let length =
        |subject| Some(at(subject, EventKind::ServedWritten)?.0 - at(subject, EventKind::InterruptAsserted)?.0);
    misses.into_iter().filter_map(length).map(|ps| ps as f64 / 1e6).collect()
}

pub fn measure() -> Result<Vec<Figure>> {
    let mut figures = Vec::new();
    let hits = run::run(&config("ping-pong", &["platforms=lanai9", SIZES, "misses.ratios=0.0"])?)?;
    // Restart sends frames again, which takes the time of the link: it is told beside.
    for (mode, target) in [("time-out", Target::None), ("restart", Target::None), ("hold", Target::AtMost(20.0))] {
        let mode_key = format!("misses.receive={mode}");
        let mut services = ServiceTimes::default();
        let missing = config("ping-pong", &["platforms=lanai9", SIZES, "misses.ratios=1.0", &mode_key])?;
        let missing = run::observe(&missing, &mut services)?;
        missing.check()?;
        let (missing_rows, warm_up) = (rows(&missing)?, missing.scenario.workload.warm_up as usize);
        let sizes = missing_rows.len();
        for (index, (hit, miss)) in rows(&hits)?.iter().zip(missing_rows).enumerate() {
            // As many misses of each size, in the order of the sizes.
            let share = services.us.len() / sizes;
            let own = services.us.get(index * share..(index + 1) * share).unwrap_or_default();
            let measured = own.get(warm_up..).unwrap_or_default();
            let service_us = measured.iter().sum::<f64>() / measured.len() as f64;
            let cost_us = (miss.latency_ps.mean - hit.latency_ps.mean) / MISSING_SHARE / 1e6;
            let size = hit.size_bytes;
            figures.push(Figure::new(format!("mini.5.{mode}.{size}_bytes.cost"), cost_us, "us", Target::None));
            figures.push(Figure::new(format!("mini.5.{mode}.{size}_bytes.service"), service_us, "us", Target::None));
            let beyond = cost_us - service_us;
            figures.push(Figure::new(format!("mini.5.{mode}.{size}_bytes.beyond_service"), beyond, "us", target));
        }
    }
    Ok(figures)
}

fn rows(results: &Results) -> Result<&[Row]> {
    results.runs.first().map(|run| &run.rows[..]).ok_or_else(|| failed!("no result of lanai9"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use host_model::address::NodeId;
    use sim_pins::Ps;

    #[test]
    fn a_service_runs_from_the_interrupt_to_the_report() {
        let miss = |number| Subject::Miss { number, key: 0 };
        let event = |subject, at_us, kind| Event { at: Ps::from_us(at_us), node: NodeId(0), subject, kind };
        let events = [
            event(miss(1), 10, EventKind::InterruptAsserted),
            event(miss(2), 20, EventKind::InterruptAsserted),
            event(miss(1), 60, EventKind::ServedWritten),
            event(miss(1), 40, EventKind::PinStart),
            event(Subject::Boot, 70, EventKind::ServedWritten),
        ];
        assert_eq!(service_times_us(&events), [50.0]);
    }
}
