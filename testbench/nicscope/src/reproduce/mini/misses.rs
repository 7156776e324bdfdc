//! Figure 4.1: latency and bandwidth when a share of the messages to one node misses in its VMH cache.

use serde_json::{json, Value};

use super::ping_pong::{PingPong, Point};
use super::{CACHE, PERSONALITY, PLATFORM};
use crate::reproduce::print::digits;
use crate::reproduce::report::{Chart, Finding, Picture, Report, Series, Table};
use crate::reproduce::trend;
use crate::reproduce::Experiment;
use crate::results::Run;

pub const FIGURE_4_1: Experiment = Experiment {
    id: "mini.fig-4.1",
    title: "latency and bandwidth by VMH miss ratio and size (MC-1)",
    thesis: "Figure 4.1: latency rises in a line, bandwidth falls, both more for larger messages",
    parameters,
    images: || vec![(PERSONALITY, nic_layout::vmh::VmhGeometry::RECOMMENDED)],
    measure: |jobs| {
        let points: Vec<Point> = RATIOS.iter().map(|&miss_ratio| Point { miss_ratio, retransmit_us: None }).collect();
        Ok(report(&curves(&ping_pong().runs(FIGURE_4_1.id, jobs, &points)?)))
    },
};

const RATIOS: [f64; 11] = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0];

/// Each ratio of misses is exact with so many round trips.
fn ping_pong() -> PingPong {
    PingPong {
        personality: PERSONALITY,
        sizes_bytes: vec![4, 256, 1024, 4096, 16_384, 65_536],
        iterations: 10,
        warm_up: 2,
    }
}

fn parameters() -> Value {
    json!({"platform": PLATFORM, "cache": CACHE, "workload": ping_pong(), "miss_ratios": RATIOS})
}

/// What one size does at every ratio of misses, ratios ascending.
#[derive(Clone, Debug, PartialEq)]
struct Curve {
    size_bytes: u32,
    ratios: Vec<f64>,
    latency_us: Vec<f64>,
    bandwidth_mb_s: Vec<f64>,
    /// Of all messages of a size.
    retransmissions: Vec<u64>,
}

fn curves(runs: &[Run]) -> Vec<Curve> {
    let sizes = runs.first().map_or(&[][..], |run| &run.rows);
    let of = |index: usize| {
        let rows = || runs.iter().map(move |run| &run.rows[index]);
        Curve {
            size_bytes: sizes[index].size_bytes,
            ratios: runs.iter().map(|run| run.miss_ratio).collect(),
            latency_us: rows().map(|row| row.latency_ps.mean / 1e6).collect(),
            bandwidth_mb_s: rows().map(|row| row.bandwidth_bits_per_s / 8e6).collect(),
            retransmissions: rows().map(|row| row.retransmissions).collect(),
        }
    };
    (0..sizes.len()).map(of).collect()
}

impl Curve {
    fn latency(&self) -> trend::Line {
        let points: Vec<(f64, f64)> = self.ratios.iter().copied().zip(self.latency_us.iter().copied()).collect();
        trend::line(&points)
    }

    /// What a miss adds to the message that has it: of two messages, only the one to node 1 can miss.
    fn added_us(&self) -> f64 {
        2.0 * self.latency().slope
    }

    fn bandwidth_lost_mb_s(&self) -> f64 {
        self.bandwidth_mb_s[0] - self.bandwidth_mb_s[self.bandwidth_mb_s.len() - 1]
    }
}

fn report(curves: &[Curve]) -> Report {
    let columns =
        || std::iter::once("miss ratio %".to_string()).chain(curves.iter().map(|it| format!("{} B", it.size_bytes)));
    let by_ratio = |title: &str, value: fn(&Curve, usize) -> f64| {
        let mut table = Table::new(title, columns());
        for (index, ratio) in curves[0].ratios.iter().enumerate() {
            let values = curves.iter().map(|curve| value(curve, index).into());
            table.row(std::iter::once((ratio * 100.0).round().into()).chain(values));
        }
        table
    };
    let mut misses = Table::new(
        "What a miss costs",
        ["size B", "added to its message us", "explained by a line", "MB/s without", "MB/s, all miss", "lost %"],
    );
    for curve in curves {
        let (first, last) = (curve.bandwidth_mb_s[0], curve.bandwidth_mb_s[curve.bandwidth_mb_s.len() - 1]);
        misses.row([
            curve.size_bytes.into(),
            curve.added_us().into(),
            curve.latency().r2.into(),
            first.into(),
            last.into(),
            (100.0 * (1.0 - last / first)).into(),
        ]);
    }
    Report {
        tables: vec![
            by_ratio("One-way latency, us; a share of the messages to node 1 misses", |curve, index| {
                curve.latency_us[index]
            }),
            by_ratio("Bandwidth, MB/s", |curve, index| curve.bandwidth_mb_s[index]),
            by_ratio("Retransmitted frames", |curve, index| curve.retransmissions[index] as f64),
            misses,
        ],
        pictures: vec![
            picture("latency", "one-way latency, us", curves, |curve| &curve.latency_us),
            picture("bandwidth", "bandwidth, MB/s", curves, |curve| &curve.bandwidth_mb_s),
        ],
        findings: findings(curves),
    }
}

fn picture(name: &str, y: &str, curves: &[Curve], values: fn(&Curve) -> &Vec<f64>) -> Picture {
    let series = curves.iter().map(|curve| Series {
        name: format!("{} B", curve.size_bytes),
        points: curve.ratios.iter().map(|ratio| ratio * 100.0).zip(values(curve).iter().copied()).collect(),
    });
    let chart = Chart::Lines { x: "VMH miss ratio of node 1, %".into(), y: y.into(), series: series.collect() };
    Picture { name: name.into(), title: format!("Ping-pong on {PLATFORM}: {y}"), chart }
}

/// How much of the variance a line must explain to be called one.
const IS_A_LINE: f64 = 0.99;

fn findings(curves: &[Curve]) -> Vec<Finding> {
    let by_size = |value: &dyn Fn(&Curve) -> f64| -> Vec<f64> { curves.iter().map(value).collect() };
    let listed = |values: &[f64]| {
        let each = curves.iter().zip(values).map(|(curve, value)| format!("{} B {}", curve.size_bytes, digits(*value)));
        each.collect::<Vec<_>>().join(", ")
    };
    let lines = by_size(&|curve| curve.latency().r2);
    let slopes = by_size(&|curve| curve.latency().slope);
    let lost = by_size(&|curve| 100.0 * curve.bandwidth_lost_mb_s() / curve.bandwidth_mb_s[0]);
    let added = by_size(&Curve::added_us);
    let lost_mb_s = by_size(&Curve::bandwidth_lost_mb_s);
    vec![
        Finding::new(
            "MC-1",
            "latency rises in a line with the miss ratio",
            lines.iter().all(|r2| *r2 >= IS_A_LINE) && slopes.iter().all(|slope| *slope > 0.0),
            format!("share of the variance that a line explains: {}", listed(&lines)),
        ),
        Finding::new(
            "MC-1",
            "bandwidth falls with the miss ratio",
            curves.iter().all(|curve| trend::falls(&curve.bandwidth_mb_s)),
            format!("lost when all miss, %: {}", listed(&lost)),
        ),
        Finding::new(
            "MC-1",
            "a miss costs more bandwidth with larger messages",
            trend::rises(&lost_mb_s),
            format!("lost when all miss, MB/s: {}", listed(&lost_mb_s)),
        ),
        Finding::new(
            "MC-1",
            "a miss adds more latency to larger messages",
            trend::rises(&added),
            format!("us added to a message that misses: {}", listed(&added)),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Latency `base + ratio * added / 2`, as on a machine where each miss adds the same.
    fn curve(size_bytes: u32, base_us: f64, added_us: f64) -> Curve {
        let latency_us: Vec<f64> = RATIOS.iter().map(|ratio| base_us + ratio * added_us / 2.0).collect();
        let bandwidth_mb_s = latency_us.iter().map(|us| f64::from(size_bytes) / us).collect();
        Curve { size_bytes, ratios: RATIOS.into(), latency_us, bandwidth_mb_s, retransmissions: vec![0; RATIOS.len()] }
    }

    fn holds(curves: &[Curve]) -> Vec<bool> {
        findings(curves).iter().map(|finding| finding.holds).collect()
    }

    fn as_in_the_thesis() -> Vec<Curve> {
        vec![curve(4, 8.0, 250.0), curve(4096, 52.0, 300.0), curve(16_384, 150.0, 1000.0)]
    }

    #[test]
    fn what_the_thesis_measured_holds() {
        assert_eq!(holds(&as_in_the_thesis()), [true; 4]);
    }

    #[test]
    fn each_part_of_the_claim_can_fail() {
        let mut bent = as_in_the_thesis();
        bent[1].latency_us[10] = 1000.0;
        assert_eq!(holds(&bent), [false, true, true, false]);

        let mut flat = as_in_the_thesis();
        flat[0].bandwidth_mb_s[5] = flat[0].bandwidth_mb_s[4];
        assert_eq!(holds(&flat), [true, false, true, true]);

        let equal = vec![curve(4, 8.0, 250.0), curve(8, 8.1, 250.0), curve(4096, 52.0, 250.0)];
        assert_eq!(holds(&equal), [true, true, true, false]);

        let mut smaller = as_in_the_thesis();
        smaller.swap(0, 2);
        assert_eq!(holds(&smaller), [true, true, false, false]);

        let falling = vec![curve(4, 300.0, -100.0), curve(64, 400.0, -50.0)];
        assert_eq!(holds(&falling), [false, false, false, true]);
    }

    #[test]
    fn a_miss_adds_twice_the_slope() {
        assert!((curve(4, 8.0, 250.0).added_us() - 250.0).abs() < 1e-9);
    }
}
