//! Tables 4.6 and 4.7: how long misses wait for their thread, and how long it takes, on hosts with
//! other work.

use host_model::events::{subjects, Event, EventKind, Subject};
use nicscope_account::results::Run;
use nicscope_run::cluster::{ClusterConfig, ClusterOutput};
use nicscope_run::run::{self, Observer};
use nicscope_scenario::error::Result;
use nicscope_scenario::scenario::{self, Scenario};
use serde_json::{json, Value};

use super::setting::{self, CACHE, PERSONALITY, PLATFORM};
use crate::engine::digits::digits;
use crate::engine::report::{Bar, Chart, Finding, Group, Picture, Report, Table};
use crate::engine::{work, Experiment, Measure};

pub const TABLES_4_6_4_7: Experiment = Experiment {
    id: "mini.table-4.6-4.7",
    title: "how long misses of four programs wait for the driver's thread, and how long it works (MN-6, MN-7)",
    thesis: "Tables 4.6 and 4.7: most wait 10 to 20 us; 10 to 20 us, 50 to 100 us or 200 to 500 us of work",
    parameters,
    images: || vec![(PERSONALITY, nic_layout::vmh::VmhGeometry::RECOMMENDED)],
    note: None,
    measure: Measure::Report(measure),
};

/// Accesses of each program.
const ACCESSES: u32 = 6000;

/// Upper ends of the thesis's bins, in us; the last has none.
const BINS_US: [f64; 6] = [10.0, 20.0, 50.0, 100.0, 200.0, 500.0];
const BIN_COUNT: usize = BINS_US.len() + 1;
const BIN_NAMES: [&str; BIN_COUNT] = ["0-10", "10-20", "20-50", "50-100", "100-200", "200-500", "> 500"];

/// Percentages of misses in each bin.
type Shares = [f64; BIN_COUNT];

struct Program {
    name: &'static str,
    /// Table 4.6.
    delay: Shares,
    /// Table 4.7.
    processing: Shares,
}

const PROGRAMS: [Program; 4] = [
    Program {
        name: "FFT",
        delay: [45.43, 52.07, 2.03, 0.05, 0.02, 0.08, 0.33],
        processing: [0.09, 66.03, 5.63, 19.79, 0.24, 8.16, 0.06],
    },
    Program {
        name: "LU",
        delay: [27.09, 58.29, 11.48, 0.49, 0.69, 0.98, 0.98],
        processing: [0.54, 22.59, 6.93, 40.77, 1.53, 25.83, 1.80],
    },
    Program {
        name: "Radix",
        delay: [23.40, 59.75, 14.89, 0.53, 0.00, 0.18, 1.24],
        processing: [1.62, 41.49, 6.30, 16.74, 6.57, 26.91, 0.36],
    },
    Program {
        name: "Ocean",
        delay: [20.82, 50.41, 24.93, 2.74, 0.00, 0.27, 0.82],
        processing: [0.78, 25.83, 7.38, 20.39, 5.44, 39.03, 1.17],
    },
];

fn scenario(program: &str) -> Result<Scenario> {
    let mut scenario = setting::scenario("pages", PERSONALITY)?;
    scenario.workload.program = Some(program.to_lowercase());
    scenario.workload.iterations = ACCESSES;
    Ok(scenario)
}

/// Why the times of work have the form of the thesis's.
const THE_LOAD: &str = "the costs of pinning and the load of the hosts are tuned to the form of Table 4.7";

fn parameters() -> Value {
    let load = scenario::load("pages", &[]).ok().and_then(|scenario| scenario.load);
    json!({
        "platform": PLATFORM, "cache": CACHE, "personality": PERSONALITY, "scenario": "pages", "accesses": ACCESSES, "load": load,
        "programs": PROGRAMS.map(|program| program.name),
    })
}

/// Misses of the watched node, each once.
#[derive(Clone, Debug, Default, PartialEq)]
struct Times {
    /// From the first instruction of the interrupt handler to the thread's.
    delay_us: Vec<f64>,
    /// From there, or from when it has come to this miss, to the report that it is served.
    processing_us: Vec<f64>,
}

struct Watch(usize, Times);

impl Observer for Watch {
    fn done(&mut self, _config: &ClusterConfig, output: &ClusterOutput, _run: &Run) {
        self.1 = times(&output.nodes[self.0].log.host);
    }
}

fn times(events: &[Event]) -> Times {
    let mut times = Times::default();
    for subject in subjects(events, |subject| matches!(subject, Subject::Miss { .. })) {
        let at = |kind: EventKind| {
            let found = events.iter().find(|event| event.subject == subject && event.kind == kind);
            found.map(|event| event.at)
        };
        let us = |from: EventKind, to: EventKind| Some((at(to)?.0 - at(from)?.0) as f64 / 1e6);
        // The thread that is at work already takes up the next miss without a start of its own.
        let start = match at(EventKind::ThreadStart) {
            Some(_) => EventKind::ThreadStart,
            None => EventKind::ServiceStart,
        };
        times.delay_us.extend(us(EventKind::HandlerStart, start));
        times.processing_us.extend(us(start, EventKind::ServedWritten));
    }
    times
}

fn measure(jobs: usize) -> Result<Report> {
    let times = work::each(TABLES_4_6_4_7.id, jobs, &PROGRAMS, |program| {
        let scenario = scenario(program.name)?;
        let mut watch = Watch(scenario.misses.node, Times::default());
        run::observe(&setting::on_one_thread(scenario), &mut watch)?.check()?;
        Ok(watch.1)
    })?;
    Ok(report(&times))
}

fn shares(values_us: &[f64]) -> Shares {
    let mut shares = [0.0; BIN_COUNT];
    for value in values_us {
        let bin = BINS_US.iter().position(|end| value < end).unwrap_or(BINS_US.len());
        shares[bin] += 100.0 / values_us.len() as f64;
    }
    shares
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn report(times: &[Times]) -> Report {
    let table = |title: &str, of_thesis: fn(&Program) -> &Shares, ours: fn(&Times) -> &Vec<f64>| {
        let columns = ["program", "", "misses", "mean us"].into_iter().chain(BIN_NAMES);
        let mut table = Table::new(title, columns);
        for (program, times) in PROGRAMS.iter().zip(times) {
            let values = ours(times);
            let head = [program.name.into(), "ours".into(), (values.len() as u64).into(), mean(values).into()];
            table.row(head.into_iter().chain(shares(values).map(Into::into)));
            let head = ["".into(), "thesis".into(), None::<f64>.into(), None::<f64>.into()];
            table.row(head.into_iter().chain(of_thesis(program).map(Into::into)));
        }
        table
    };
    let picture = |name: &str, title: &str, of_thesis: fn(&Program) -> &Shares, ours: fn(&Times) -> &Vec<f64>| {
        let bar = |name: &str, shares: Shares| Bar { name: name.into(), values: shares.to_vec() };
        let groups = PROGRAMS.iter().zip(times).map(|(program, times)| Group {
            name: program.name.into(),
            bars: vec![bar("ours", shares(ours(times))), bar("thesis", *of_thesis(program))],
        });
        Picture {
            name: name.into(),
            title: title.into(),
            chart: Chart::Stacks {
                y: "% of misses".into(),
                parts: BIN_NAMES.map(|name| format!("{name} us")).into(),
                groups: groups.collect(),
            },
        }
    };
    Report {
        tables: vec![
            table("Delay: from the handler to the thread, % of misses by us", |it| &it.delay, |it| &it.delay_us),
            table(
                "Processing: from there to the report, % of misses by us",
                |it| &it.processing,
                |it| &it.processing_us,
            ),
        ],
        pictures: vec![
            picture("delay", "Miss delay (Table 4.6)", |it| &it.delay, |it| &it.delay_us),
            picture("processing", "Miss processing (Table 4.7)", |it| &it.processing, |it| &it.processing_us),
        ],
        findings: findings(times),
        ..Report::default()
    }
}

/// Few misses: less than so many percent.
const FEW: f64 = 20.0;
/// The shortest retransmission interval that the thesis recommends (MN-9).
const INTERVAL_US: f64 = 200.0;

fn findings(times: &[Times]) -> Vec<Finding> {
    let listed = |of: &dyn Fn(&Times) -> f64| {
        let each = PROGRAMS.iter().zip(times).map(|(program, it)| format!("{} {}", program.name, digits(of(it))));
        each.collect::<Vec<_>>().join(", ")
    };
    let below_20 = |it: &Times| {
        let below = it.delay_us.iter().filter(|us| **us < BINS_US[1]).count();
        100.0 * below as f64 / it.delay_us.len() as f64
    };
    let between = |it: &Times| shares(&it.processing_us)[2];
    let long = |it: &Times| {
        let long = it.processing_us.iter().filter(|us| **us > INTERVAL_US).count();
        100.0 * long as f64 / it.processing_us.len() as f64
    };
    let means: Vec<f64> = times.iter().map(|it| mean(&it.processing_us)).collect();
    let (least, most) = (means.iter().copied().fold(f64::MAX, f64::min), means.iter().copied().fold(0.0, f64::max));
    vec![
        Finding::new(
            "MN-6",
            "most misses wait less than 20 us for the thread, in each program",
            times.iter().all(|it| below_20(it) > 50.0),
            format!("% of misses: {}", listed(&below_20)),
        )
        .by_construction("the platform takes the delay of the thread from Table 4.6 itself"),
        Finding::new(
            "MN-7",
            "few take 20 to 50 us: their pages are pinned already, or a line of pages has to be",
            times.iter().all(|it| between(it) < FEW),
            format!("% of misses: {}", listed(&between)),
        )
        .by_construction(THE_LOAD),
        Finding::new(
            "MN-7",
            "the work for a miss differs between programs by more than half",
            most > 1.5 * least,
            format!("mean us: {}", listed(&|it| mean(&it.processing_us))),
        )
        .by_construction(THE_LOAD),
        Finding::new(
            "MN-9",
            "each miss is served faster than the retransmission interval of 200 us",
            times.iter().all(|it| long(it) == 0.0),
            format!("% that take longer: {}", listed(&long)),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use host_model::address::NodeId;
    use sim_pins::Ps;

    fn times(delay_us: &[f64], processing_us: &[f64]) -> Times {
        Times { delay_us: delay_us.into(), processing_us: processing_us.into() }
    }

    fn holds(all: &[Times; 4]) -> Vec<bool> {
        findings(all).iter().map(|finding| finding.holds).collect()
    }

    #[test]
    fn each_statement_can_fail() {
        let good = times(&[8.0, 15.0, 30.0], &[15.0, 15.0, 90.0]);
        let other = times(&[8.0, 15.0, 30.0], &[15.0, 90.0, 190.0]);
        let all = |last: Times| [good.clone(), other.clone(), good.clone(), last];
        assert_eq!(holds(&all(good.clone())), [true; 4]);
        assert_eq!(holds(&all(times(&[30.0, 15.0], &[15.0]))), [false, true, true, true]);
        assert_eq!(holds(&all(times(&[8.0], &[15.0, 30.0, 90.0]))), [true, false, true, true]);
        assert_eq!(holds(&[(); 4].map(|()| good.clone())), [true, true, false, true]);
        assert_eq!(holds(&all(times(&[8.0], &[15.0, 250.0]))), [true, true, true, false]);
    }

    #[test]
    fn a_miss_waits_until_the_thread_starts_or_comes_to_it() {
        let event = |number: u64, us: u64, kind| Event {
            node: NodeId(1),
            at: Ps::from_us(us),
            subject: Subject::Miss { number, key: 0 },
            kind,
        };
        let events = [
            event(0, 10, EventKind::HandlerStart),
            event(0, 25, EventKind::ThreadStart),
            event(0, 25, EventKind::ServiceStart),
            event(1, 26, EventKind::HandlerStart),
            event(0, 40, EventKind::ServedWritten),
            event(1, 41, EventKind::ServiceStart),
            event(1, 51, EventKind::ServedWritten),
        ];
        assert_eq!(super::times(&events), times(&[15.0, 15.0], &[15.0, 10.0]));
    }

    #[test]
    fn bins_are_those_of_the_thesis() {
        let percent = shares(&[5.0, 10.0, 19.9, 600.0]);
        assert_eq!(percent, [25.0, 50.0, 0.0, 0.0, 0.0, 0.0, 25.0]);
        for program in &PROGRAMS {
            for shares in [program.delay, program.processing] {
                assert!((shares.iter().sum::<f64>() - 100.0).abs() < 0.1, "{}", program.name);
            }
        }
    }
}
