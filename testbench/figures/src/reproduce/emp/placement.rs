//! Tables 3.2 and 3.3: the steps of a message on two cores, by scheme.

use nicscope_account::log::Core;
use nicscope_account::steps::Step;
use nicscope_scenario::error::Result;
use nicscope_scenario::scenario::Scheme;
use serde_json::{json, Value};

use super::placed::{self, Clocks, Run, THESIS_US};
use super::setting::{self, label, Asked, PLATFORM};
use crate::engine::digits::digits;
use crate::engine::report::{Bar, Cell, Chart, Finding, Group, Picture, Report, Table};
use crate::engine::{work, Experiment, Measure};

pub const TABLE_3_2: Experiment = Experiment {
    id: "emp.table-3.2",
    title: "one way: the clocks that the cores of both nodes spend on the steps of a message, by scheme (E-46)",
    thesis: "Table 3.2: us of each step on its core",
    note: NOTE,
    parameters,
    images: setting::images_of_schemes,
    measure: Measure::Report(|jobs| Ok(one_way(&measure("stream", TABLE_3_2.id, jobs, MESSAGES)?))),
};

pub const TABLE_3_3: Experiment = Experiment {
    id: "emp.table-3.3",
    title: "both ways: the clocks that the cores of a node spend on the steps of a message, by scheme (E-47)",
    thesis: "Table 3.3: us of each step on its core; a step takes the same time in all schemes",
    note: NOTE,
    parameters,
    images: setting::images_of_schemes,
    // Each node sends so many.
    measure: Measure::Report(|jobs| Ok(both_ways(&measure("both-ways", TABLE_3_3.id, jobs, 2 * MESSAGES)?))),
};

const NOTE: Option<&str> = Some(
    "messages of one frame, two posted by each sender. Each time between two markers of a core belongs to one step; the \
     time in which a core sleeps belongs to none. The thesis's us are given as clocks of 88 MHz. What its parts hand over \
     to each other is in its steps",
);
const SIZE_BYTES: u32 = 10;
const MESSAGES: u32 = 60;
const OUTSTANDING: u32 = 2;
const THESIS_MHZ: f64 = 88.0;

fn parameters() -> Value {
    json!({"platform": PLATFORM, "size_bytes": SIZE_BYTES, "messages": MESSAGES, "outstanding": OUTSTANDING})
}

/// A scheme and what it took.
type Placed = (Scheme, Run);

/// Clocks of core A and of core B, by scheme.
type Pairs = Vec<[f64; 2]>;

/// A row of a table.
type Row = (String, Pairs);

fn measure(scenario: &'static str, what: &str, jobs: usize, messages: u32) -> Result<Vec<Placed>> {
    let found = work::each(what, jobs, &Scheme::FIXED, |scheme| {
        let asked = Asked::new(scenario).messages(&[SIZE_BYTES], MESSAGES).key("workload.outstanding", OUTSTANDING);
        placed::play(what, asked.scheme(*scheme).config()?, messages)
    })?;
    Ok(Scheme::FIXED.into_iter().zip(found).collect())
}

/// The steps that the thesis has, on the side of the sender of a message or of its receiver.
fn steps_of(sender: bool) -> impl Iterator<Item = Step> {
    let is_of_sender = |step| matches!(step, Step::SendBookkeeping | Step::Transmission | Step::ReceiveAcknowledgement);
    THESIS_US.into_iter().map(|(step, _)| step).filter(move |step| is_of_sender(*step) == sender)
}

/// Clocks of the thesis for a step, on core A and on core B (E-46, E-47).
fn thesis(scheme: Scheme, step: Step) -> [f64; 2] {
    let clocks = placed::thesis_us(step) * THESIS_MHZ;
    let is_on_b = match scheme {
        Scheme::So => matches!(step, Step::Transmission | Step::SendAcknowledgement),
        Scheme::Ro => matches!(step, Step::ReceiveFrame | Step::Receiving),
        // The receipt of an acknowledgement is split.
        Scheme::Dsr if step == Step::ReceiveAcknowledgement => return [2.5 * THESIS_MHZ, 3.25 * THESIS_MHZ],
        Scheme::Dsr => matches!(step, Step::ReceiveBookkeeping | Step::ReceiveFrame | Step::Receiving),
        Scheme::Sr => {
            matches!(step, Step::Transmission | Step::ReceiveFrame | Step::Receiving | Step::SendAcknowledgement)
        }
        _ => false,
    };
    if is_on_b {
        [0.0, clocks]
    } else {
        [clocks, 0.0]
    }
}

fn on_cores(clocks: &Clocks, step: Step) -> [f64; 2] {
    Core::BOTH.map(|core| clocks.of(core, step))
}

/// A column for core A with one core, and one for each core with two.
fn table(title: &str, schemes: &[Placed], rows: impl IntoIterator<Item = Row>) -> Table {
    let columns = schemes.iter().flat_map(|(scheme, _)| match scheme {
        Scheme::Base => vec![label(*scheme)],
        other => vec![format!("{} A", label(*other)), format!("{} B", label(*other))],
    });
    let mut table = Table::new(title, std::iter::once("step".to_owned()).chain(columns));
    for (name, pairs) in rows {
        let cells = schemes.iter().zip(pairs).flat_map(|((scheme, _), [a, b])| match scheme {
            Scheme::Base => vec![Cell::from(a)],
            _ => vec![a.into(), b.into()],
        });
        table.row(std::iter::once(name.into()).chain(cells));
    }
    table
}

fn sum_of(pairs: impl Iterator<Item = [f64; 2]>) -> [f64; 2] {
    pairs.fold([0.0; 2], |[a, b], [own_a, own_b]| [a + own_a, b + own_b])
}

/// Rows of steps with what is beside them and with their sum, as measured and as in the thesis.
/// `of`: the clocks of a scheme's nodes that the rows are about.
fn rows(side: &str, steps: &[Step], schemes: &[Placed], of: impl Fn(&Run) -> Clocks) -> [Vec<Row>; 2] {
    let name = |what: &str| format!("{side}{what}");
    let ours = |value: &dyn Fn(&Clocks) -> [f64; 2]| schemes.iter().map(|(_, run)| value(&of(run))).collect::<Pairs>();
    let known = |clocks: &Clocks| sum_of(steps.iter().map(|step| on_cores(clocks, *step)));
    let all = |clocks: &Clocks| Core::BOTH.map(|core| clocks.sum(core));
    let other = |clocks: &Clocks| [0, 1].map(|core| all(clocks)[core] - known(clocks)[core]);
    let mut measured: Vec<Row> =
        steps.iter().map(|step| (name(step.name()), ours(&|clocks| on_cores(clocks, *step)))).collect();
    measured.push((name("other"), ours(&other)));
    measured.push((name("all"), ours(&all)));
    let theirs = |step: Step| schemes.iter().map(|(scheme, _)| thesis(*scheme, step)).collect::<Pairs>();
    let mut published: Vec<Row> = steps.iter().map(|step| (name(step.name()), theirs(*step))).collect();
    let sums = schemes.iter().map(|(scheme, _)| sum_of(steps.iter().map(|step| thesis(*scheme, *step))));
    published.push((name("all"), sums.collect()));
    [measured, published]
}

fn one_way(schemes: &[Placed]) -> Report {
    let node = |index: usize| move |run: &Run| run.nodes[index].clone();
    let sides = [("sender: ", 0, true), ("receiver: ", 1, false)];
    let (mut measured, mut published) = (Vec::new(), Vec::new());
    for (side, index, is_sender) in sides {
        let [own, theirs] = rows(side, &steps_of(is_sender).collect::<Vec<_>>(), schemes, node(index));
        measured.extend(own);
        published.extend(theirs);
    }
    let whole = |index: usize| {
        let base = schemes.iter().find(|(scheme, _)| *scheme == Scheme::Base);
        base.map_or(f64::NAN, |(_, run)| run.nodes[index].sum(Core::A))
    };
    let findings = vec![
        placement("E-46", schemes, |run, step| {
            on_cores(&run.nodes[usize::from(!steps_of(true).any(|it| it == step))], step)
        }),
        Finding::new(
            "EC-1",
            "the side of the receiver takes more of a core than the side of the sender",
            whole(1) > whole(0),
            format!("clocks of a message with one core: receiver {}, sender {}", digits(whole(1)), digits(whole(0))),
        ),
    ];
    Report {
        tables: vec![
            table("Core clocks for a message of 10 bytes, one way", schemes, measured),
            table("The thesis: Table 3.2 as core clocks", schemes, published),
        ],
        findings,
        ..Report::default()
    }
}

/// All nodes together.
fn together(run: &Run) -> Clocks {
    run.nodes.iter().cloned().sum()
}

fn both_ways(schemes: &[Placed]) -> Report {
    let steps: Vec<Step> = THESIS_US.into_iter().map(|(step, _)| step).collect();
    let [measured, published] = rows("", &steps, schemes, together);
    let pairs = |rows: &[Row]| rows.last().map(|(_, pairs)| pairs.clone()).unwrap_or_default();
    let gains = Gains::of(schemes, &pairs(&measured), &pairs(&published));
    let bars = |(index, (scheme, run)): (usize, &Placed)| {
        let clocks = together(run);
        let bar = |core: Core| Bar {
            name: if core == Core::A { "A" } else { "B" }.into(),
            values: Step::ALL.map(|step| clocks.of(core, step)).into(),
        };
        let cores = if index == 0 { &Core::BOTH[..1] } else { &Core::BOTH[..] };
        Group { name: label(*scheme), bars: cores.iter().copied().map(bar).collect() }
    };
    let chart = Chart::Stacks {
        y: "core clocks for a message".into(),
        parts: Step::ALL.map(|step| step.name().into()).into(),
        groups: schemes.iter().enumerate().map(bars).collect(),
    };
    let title = format!("Both ways, messages of {SIZE_BYTES} bytes: what each core does ({PLATFORM})");
    Report {
        tables: vec![
            table("Core clocks for a message of 10 bytes, both ways", schemes, measured),
            table("The thesis: Table 3.3 as core clocks", schemes, published),
            gains.table(),
        ],
        pictures: vec![Picture { name: "cores".into(), title, chart }],
        findings: both_ways_findings(schemes, &gains),
        ..Report::default()
    }
}

/// What the second core is worth, in times one core: by scheme of two cores.
struct Gains {
    schemes: Vec<Scheme>,
    /// If the core with more to do were never idle, by the clocks of the thesis.
    thesis: Vec<f64>,
    /// The same by our clocks.
    clocks: Vec<f64>,
    /// Messages in the time of one.
    measured: Vec<f64>,
}

impl Gains {
    /// The first scheme runs on one core.
    fn of(schemes: &[Placed], measured: &[[f64; 2]], published: &[[f64; 2]]) -> Gains {
        let bound = |pairs: &[[f64; 2]]| pairs[1..].iter().map(|[a, b]| pairs[0][0] / a.max(*b)).collect();
        Gains {
            schemes: schemes[1..].iter().map(|(scheme, _)| *scheme).collect(),
            thesis: bound(published),
            clocks: bound(measured),
            measured: schemes[1..].iter().map(|(_, run)| schemes[0].1.us / run.us).collect(),
        }
    }

    fn table(&self) -> Table {
        let columns = std::iter::once("times one core".to_owned()).chain(self.schemes.iter().copied().map(label));
        let mut table = Table::new("Messages of two cores over those of one", columns);
        for (name, values) in [
            ("bound by the busier core, thesis", &self.thesis),
            ("bound by the busier core, here", &self.clocks),
            ("measured", &self.measured),
        ] {
            table.row(std::iter::once(name.into()).chain(values.iter().map(|it| (*it).into())));
        }
        table
    }

    fn listed(&self, values: &[f64]) -> String {
        let of = |(scheme, value): (&Scheme, &f64)| format!("{} {}", label(*scheme), digits(*value));
        self.schemes.iter().zip(values).map(of).collect::<Vec<_>>().join(", ")
    }
}

/// Whether each step runs on the core on which the thesis has it.
fn placement(claim: &str, schemes: &[Placed], of: impl Fn(&Run, Step) -> [f64; 2]) -> Finding {
    let mut others = Vec::new();
    for (scheme, run) in schemes {
        for (step, _) in THESIS_US {
            let ([a, b], [thesis_a, thesis_b]) = (of(run, step), thesis(*scheme, step));
            if thesis_a * thesis_b == 0.0 && (a < b) != (thesis_a < thesis_b) {
                others.push(format!("{} in {}", step.name(), label(*scheme)));
            }
        }
    }
    let figures = if others.is_empty() { "none is on another".to_owned() } else { others.join(", ") };
    Finding::new(claim, "most of each step is on the core on which the thesis has it", others.is_empty(), figures)
        .by_construction("the table of schemes in the firmware")
}

fn both_ways_findings(schemes: &[Placed], gains: &Gains) -> Vec<Finding> {
    let wholes: Vec<f64> =
        schemes.iter().map(|(_, run)| together(run)).map(|it| it.sum(Core::A) + it.sum(Core::B)).collect();
    let shares: Vec<f64> = wholes[1..].iter().map(|whole| whole / wholes[0]).collect();
    let less = |scheme: Scheme| {
        let at = gains.schemes.iter().position(|it| *it == scheme);
        at.is_some_and(|at| gains.measured[at] < gains.thesis[at])
    };
    vec![
        placement("E-47", schemes, |run, step| on_cores(&together(run), step)),
        Finding::new(
            "E-47",
            "the cores of each scheme together take no more clocks for a message than one core does",
            shares.iter().all(|share| *share <= 1.05),
            format!("times one core: {}", gains.listed(&shares)),
        ),
        Finding::new(
            "E-52",
            "DSR and SR gain less than the times of the steps promise",
            less(Scheme::Dsr) && less(Scheme::Sr),
            format!("measured {}; promised {}", gains.listed(&gains.measured), gains.listed(&gains.thesis)),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The clocks of the thesis, times a factor for schemes of two cores, with all messages of one
    /// core in `us`.
    fn made_up(factor: f64, us: f64, nodes: usize) -> Vec<Placed> {
        let of = |scheme: Scheme| {
            let factor = if scheme == Scheme::Base { 1.0 } else { factor };
            let own = |index: usize| {
                let mut clocks = Clocks::default();
                let steps: Vec<Step> = match nodes {
                    1 => THESIS_US.map(|it| it.0).into(),
                    _ => steps_of(index == 0).collect(),
                };
                for step in steps {
                    let [a, b] = thesis(scheme, step).map(|clocks| clocks * factor);
                    (clocks.0[0][step as usize], clocks.0[1][step as usize]) = (a, b);
                }
                clocks
            };
            let us = if scheme == Scheme::Base { 10.0 } else { us };
            (scheme, Run { nodes: (0..nodes).map(own).collect(), us })
        };
        Scheme::FIXED.map(of).into()
    }

    fn holds(report: &Report) -> Vec<bool> {
        report.findings.iter().map(|it| it.holds).collect()
    }

    #[test]
    fn each_statement_can_hold_and_can_fail() {
        assert_eq!(holds(&both_ways(&made_up(1.0, 8.0, 1))), [true; 3]);
        let mut other = made_up(1.2, 4.0, 1);
        other[2].1.nodes[0].0.swap(0, 1);
        assert_eq!(holds(&both_ways(&other)), [false; 3]);
        assert_eq!(holds(&one_way(&made_up(1.0, 8.0, 2))), [true, false]);
        let mut other = made_up(1.0, 8.0, 2);
        other[0].1.nodes[1].0[0][Step::Other as usize] = 500.0;
        other[1].1.nodes[1].0.swap(0, 1);
        assert_eq!(holds(&one_way(&other)), [false, true]);
    }

    #[test]
    fn the_thesis_splits_all_of_its_work_between_the_cores() {
        for scheme in Scheme::FIXED {
            let [a, b] = sum_of(THESIS_US.into_iter().map(|(step, _)| thesis(scheme, step)));
            assert!((a + b - 32.25 * THESIS_MHZ).abs() < 1.0, "{}: {a} {b}", scheme.name());
        }
    }
}
