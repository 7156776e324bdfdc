//! Figure 4.1: latency and bandwidth when a share of the messages to one node misses in its VMH
//! cache.

use nicscope_account::results::Run;
use nicscope_scenario::scenario::MissedCache;
use serde_json::{json, Value};

use super::curves::{self, listed, Curve};
use super::ping_pong::{PingPong, Point};
use super::setting::{CACHE, PERSONALITY, PLATFORM};
use crate::engine::report::{Finding, Report, Table};
use crate::engine::{Experiment, Measure};
use crate::reproduce::trend;

pub const FIGURE_4_1: Experiment = Experiment {
    id: "mini.fig-4.1",
    title: "latency and bandwidth by VMH miss ratio and size (MC-1)",
    thesis: "Figure 4.1: latency rises in a line, bandwidth falls, both more for larger messages",
    parameters,
    images: || [PERSONALITY, BASE].map(|name| (name, nic_layout::vmh::VmhGeometry::RECOMMENDED)).into(),
    note: None,
    measure: Measure::Report(|jobs| {
        let points: Vec<Point> = RATIOS.iter().map(|&miss_ratio| Point { miss_ratio, retransmit_us: None }).collect();
        let curves = curves::curves(&ping_pong(PERSONALITY, MissedCache::Vmh).runs(FIGURE_4_1.id, jobs, &points)?);
        let base = ping_pong(BASE, MissedCache::Vmh).runs(FIGURE_4_1.id, jobs, &points[..1])?;
        let mut report = report(&curves);
        report.tables.extend(base.first().map(|run| beside_the_base(&curves, run)));
        Ok(report)
    }),
};

/// What never misses.
const BASE: &str = "vmmc";

pub const RATIOS: [f64; 11] = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0];

/// Each ratio of misses is exact with so many round trips.
pub fn ping_pong(personality: &'static str, cache: MissedCache) -> PingPong {
    PingPong { personality, cache, sizes_bytes: vec![4, 256, 1024, 4096, 16_384, 65_536], iterations: 10, warm_up: 2 }
}

fn parameters() -> Value {
    let workload = ping_pong(PERSONALITY, MissedCache::Vmh);
    json!({"platform": PLATFORM, "cache": CACHE, "workload": workload, "base": BASE, "miss_ratios": RATIOS})
}

fn report(curves: &[Curve]) -> Report {
    Report {
        tables: curves::tables("a share of the messages to node 1 misses", curves),
        pictures: curves::pictures("VMH miss ratio of node 1, %", curves),
        findings: findings(curves),
        ..Report::default()
    }
}

/// The first point of each curve, where nothing misses, and the same of the system that looks
/// nothing up at the host.
fn beside_the_base(curves: &[Curve], base: &Run) -> Table {
    let columns = ["size B", "mini us", "vmmc us", "mini MB/s", "vmmc MB/s"];
    let mut table = Table::new("All lookups hitting, beside the base system", columns);
    for (curve, row) in curves.iter().zip(&base.rows) {
        table.row([
            curve.size_bytes.into(),
            curve.latency_us[0].into(),
            (row.latency_ps.mean / 1e6).into(),
            curve.bandwidth_mb_s[0].into(),
            (row.bandwidth_bits_per_s / 8e6).into(),
        ]);
    }
    table
}

/// Why a curve by the share of misses is a line.
pub const A_MEAN_OF_TWO: &str = "each message hits or misses and takes one of two times, so the mean is linear in the \
     share of misses";

/// How much of the variance a line must explain to be called one.
pub const IS_A_LINE: f64 = 0.99;

fn findings(curves: &[Curve]) -> Vec<Finding> {
    let by_size = |value: &dyn Fn(&Curve) -> f64| -> Vec<f64> { curves.iter().map(value).collect() };
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
            format!("share of the variance that a line explains: {}", listed(curves, &lines)),
        )
        .by_construction(A_MEAN_OF_TWO),
        Finding::new(
            "MC-1",
            "bandwidth falls with the miss ratio",
            curves.iter().all(|curve| trend::falls(&curve.bandwidth_mb_s)),
            format!("lost when all miss, %: {}", listed(curves, &lost)),
        ),
        Finding::new(
            "MC-1",
            "a miss costs more bandwidth with larger messages",
            trend::rises(&lost_mb_s),
            format!("lost when all miss, MB/s: {}", listed(curves, &lost_mb_s)),
        ),
        Finding::new(
            "MC-1",
            "a miss adds more latency to larger messages",
            trend::rises(&added),
            format!("us added to a message that misses: {}", listed(curves, &added)),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(size_bytes: u32, base_us: f64, added_us: f64) -> Curve {
        curves::tests::curve(&RATIOS, size_bytes, base_us, added_us)
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
}
