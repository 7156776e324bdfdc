//! Figures 2.7 and 2.8: latency and bandwidth of EMP by the size of messages, beside another
//! protocol, on a cable and behind a switch.

use nicscope_account::results::{Row, Run};
use nicscope_scenario::error::Result;
use serde_json::{json, Value};

use super::setting::{self, Asked, PLATFORM};
use crate::engine::digits::digits;
use crate::engine::report::{Chart, Finding, Picture, Report, Series, Table};
use crate::engine::{Experiment, Measure};

pub const FIGURE_2_7: Experiment = Experiment {
    id: "emp.fig-2.7",
    title: "latency and bandwidth by size: EMP, VMMC in place of GM, and EMP behind a switch (EC-3)",
    thesis: "Figures 2.7 and 2.8: EMP 24 us, 80 to 88 % of the wire; GM up to 10 us less below 256 bytes; a switch \
             costs latency and no bandwidth one way",
    note: Some(
        "VMMC stands in the place of GM: remote writes on the same NIC, which no receive is matched with. So the two \
         latencies are of different operations",
    ),
    parameters: || json!({"platform": PLATFORM, "latency": LATENCY_BYTES, "bandwidth": BANDWIDTH_BYTES, "cases": names()}),
    images: || {
        let images = setting::images().into_iter();
        images.chain([("vmmc", nic_layout::vmh::VmhGeometry::RECOMMENDED)]).collect()
    },
    measure: Measure::Report(measure),
};

const LATENCY_BYTES: [u32; 10] = [4, 10, 64, 128, 256, 512, 1024, 2048, 4096, 8192];
const BANDWIDTH_BYTES: [u32; 6] = [256, 1024, 4096, 8192, 16_384, 65_536];
/// Data bits of a full frame by the bits of its time on the wire, in Mb/s.
const WIRE_MBITS_PER_S: f64 = 966.2;

/// Name of a case, and the keys that make it.
const CASES: [(&str, [(&str, &str); 2]); 3] = [
    ("EMP", [("personality", "emp"), ("topology", "{kind=\"cable\"}")]),
    ("VMMC", [("personality", "vmmc"), ("topology", "{kind=\"cable\"}")]),
    ("EMP, switch", [("personality", "emp"), ("topology", "{kind=\"switch\"}")]),
];

fn names() -> Value {
    CASES.map(|(name, _)| name).into()
}

fn asked(scenario: &'static str, sizes_bytes: &[u32], count: u32) -> Vec<Asked> {
    let case = |(_, keys): (&str, [(&str, &str); 2])| {
        let base = Asked::new(scenario).messages(sizes_bytes, count);
        keys.into_iter().fold(base, |asked, (name, value)| asked.key(name, value))
    };
    CASES.map(case).into()
}

fn measure(jobs: usize) -> Result<Report> {
    let mut all = asked("ping-pong", &LATENCY_BYTES, 10);
    let streams = asked("stream", &BANDWIDTH_BYTES, 40);
    all.extend(streams.into_iter().map(|asked| asked.key("workload.outstanding", 2)));
    let runs = setting::runs(FIGURE_2_7.id, jobs, &all)?;
    let (latency, bandwidth) = runs.split_at(CASES.len());
    Ok(report(
        &curves(latency, |row| row.latency_ps.mean / 1e6),
        &curves(bandwidth, |row| row.bandwidth_bits_per_s / 1e6),
    ))
}

/// The values of a case, by size.
type Curve = Vec<(u32, f64)>;

fn curves(runs: &[Run], value: fn(&Row) -> f64) -> Vec<Curve> {
    runs.iter().map(|run| run.rows.iter().map(|row| (row.size_bytes, value(row))).collect()).collect()
}

fn report(latency_us: &[Curve], mbits_per_s: &[Curve]) -> Report {
    Report {
        tables: vec![table("One-way latency, us", latency_us), table("One-way bandwidth, Mb/s", mbits_per_s)],
        pictures: vec![
            picture("latency", "One-way latency", "one-way latency, us", latency_us),
            picture("bandwidth", "One-way bandwidth", "one-way bandwidth, Mb/s", mbits_per_s),
        ],
        findings: findings(latency_us, mbits_per_s),
        ..Report::default()
    }
}

fn table(title: &str, curves: &[Curve]) -> Table {
    let mut table = Table::new(title, std::iter::once("size B").chain(CASES.map(|(name, _)| name)));
    for (index, (size_bytes, _)) in curves[0].iter().enumerate() {
        table.row(std::iter::once((*size_bytes).into()).chain(curves.iter().map(|curve| curve[index].1.into())));
    }
    table
}

fn picture(name: &str, title: &str, y: &str, curves: &[Curve]) -> Picture {
    let series = CASES.iter().zip(curves).map(|((name, _), curve)| Series {
        name: (*name).into(),
        points: curve.iter().map(|(size_bytes, value)| (f64::from(*size_bytes), *value)).collect(),
    });
    let chart = Chart::Sizes { y: y.into(), series: series.collect() };
    Picture { name: name.into(), title: format!("{title} ({PLATFORM})"), chart }
}

fn findings(latency_us: &[Curve], mbits_per_s: &[Curve]) -> Vec<Finding> {
    let [emp, other, switched] = latency_us else { panic!("there are three cases") };
    let small = || emp.iter().zip(other).filter(|(own, _)| own.0 < 256);
    let less: Vec<f64> = small().map(|(own, other)| own.1 - other.1).collect();
    let added: Vec<f64> = emp.iter().zip(switched).map(|(own, other)| other.1 - own.1).collect();
    let listed = |values: &[f64]| values.iter().map(|value| digits(*value)).collect::<Vec<_>>().join(", ");
    let peak = |curve: &Curve| curve.iter().map(|(_, value)| *value).fold(0.0, f64::max);
    let (own, behind) = (peak(&mbits_per_s[0]), peak(&mbits_per_s[2]));
    vec![
        Finding::new(
            "EN-4",
            "a protocol without matching has up to 10 us less latency below 256 bytes",
            less.iter().all(|less| (0.0..=10.0).contains(less)),
            format!("us less: {}", listed(&less)),
        ),
        Finding::new(
            "EN-3",
            "one CPU does not reach the limit of the wire one way",
            own < 0.95 * WIRE_MBITS_PER_S,
            format!("{} of {WIRE_MBITS_PER_S} Mb/s", digits(own)),
        ),
        Finding::new(
            "EC-3",
            "a switch does not change the peak bandwidth one way",
            (behind / own - 1.0).abs() < 0.02,
            format!("{} Mb/s on a cable, {} behind a switch", digits(own), digits(behind)),
        ),
        Finding::new(
            "EN-2",
            "a switch adds latency, and more to large messages",
            added[0] > 0.0 && added[added.len() - 1] > added[0],
            format!("us added: {}", listed(&added)),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made_up(emp: f64, other: f64, switched: f64) -> Vec<Curve> {
        [emp, other, switched].map(|us| vec![(10, us), (8192, us * 10.0)]).into()
    }

    #[test]
    fn each_statement_can_hold_and_can_fail() {
        let holds = |found: &[Finding]| found.iter().map(|it| it.holds).collect::<Vec<_>>();
        let good = findings(&made_up(24.0, 18.0, 29.0), &made_up(84.0, 90.0, 84.0));
        assert_eq!(holds(&good), [true; 4]);
        let bad = findings(&made_up(24.0, 25.0, 24.0), &made_up(96.0, 96.0, 80.0));
        assert_eq!(holds(&bad), [false; 4]);
    }
}
