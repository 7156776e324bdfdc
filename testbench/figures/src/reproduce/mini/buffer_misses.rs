//! Figure 4.4: latency and bandwidth when a share of the messages to one node misses in its CBH
//! cache.

use nicscope_scenario::error::Result;
use nicscope_scenario::scenario::MissedCache;
use serde_json::{json, Value};

use super::curves::{self, listed, Curve};
use super::misses::{ping_pong, A_MEAN_OF_TWO, IS_A_LINE, RATIOS};
use super::ping_pong::Point;
use super::setting::{CACHE, PERSONALITY, PLATFORM};
use crate::engine::report::{Finding, Report, Table};
use crate::engine::{Experiment, Measure};
use crate::reproduce::trend;

pub const FIGURE_4_4: Experiment = Experiment {
    id: "mini.fig-4.4",
    title: "latency and bandwidth by CBH miss ratio and size, beside misses of the VMH cache (MC-2)",
    thesis: "Figure 4.4: nearly the same as with misses of the VMH cache",
    parameters,
    images: || vec![(PERSONALITY, nic_layout::vmh::VmhGeometry::RECOMMENDED)],
    note: None,
    measure: Measure::Report(measure),
};

/// Miss ratios of the VMH cache with which the curves are compared.
const VMH_RATIOS: [f64; 3] = [0.0, 0.5, 1.0];

/// "Nearly the same": no further apart than this share of the larger one.
const NEARLY: f64 = 0.2;

/// Why the two caches cannot differ here.
const THE_TIME_OUT: &str = "the host serves a miss of either cache within the time-out of 250 us, and the time-out is \
     what the message waits for";

fn parameters() -> Value {
    json!({
        "platform": PLATFORM, "cache": CACHE, "workload": ping_pong(PERSONALITY, MissedCache::Cbh), "miss_ratios": RATIOS,
        "vmh_miss_ratios": VMH_RATIOS, "nearly": NEARLY,
    })
}

fn measure(jobs: usize) -> Result<Report> {
    let curves = |cache, ratios: &[f64]| -> Result<Vec<Curve>> {
        let points: Vec<Point> = ratios.iter().map(|&miss_ratio| Point { miss_ratio, retransmit_us: None }).collect();
        Ok(curves::curves(&ping_pong(PERSONALITY, cache).runs(FIGURE_4_4.id, jobs, &points)?))
    };
    Ok(report(&curves(MissedCache::Cbh, &RATIOS)?, &curves(MissedCache::Vmh, &VMH_RATIOS)?))
}

fn report(cbh: &[Curve], vmh: &[Curve]) -> Report {
    let mut beside = Table::new(
        "A miss of either cache",
        ["size B", "CBH: added us", "VMH: added us", "CBH: MB/s, all miss", "VMH: MB/s, all miss"],
    );
    let last = |curve: &Curve| curve.bandwidth_mb_s[curve.bandwidth_mb_s.len() - 1];
    for (cbh, vmh) in cbh.iter().zip(vmh) {
        beside.row([
            cbh.size_bytes.into(),
            cbh.added_us().into(),
            vmh.added_us().into(),
            last(cbh).into(),
            last(vmh).into(),
        ]);
    }
    let mut tables = curves::tables("a share of the messages to node 1 names a buffer that is not in its cache", cbh);
    tables.push(beside);
    Report {
        tables,
        pictures: curves::pictures("CBH miss ratio of node 1, %", cbh),
        findings: findings(cbh, vmh),
        ..Report::default()
    }
}

fn findings(cbh: &[Curve], vmh: &[Curve]) -> Vec<Finding> {
    let lines: Vec<f64> = cbh.iter().map(|curve| curve.latency().r2).collect();
    let lost: Vec<f64> =
        cbh.iter().map(|curve| 100.0 * curve.bandwidth_lost_mb_s() / curve.bandwidth_mb_s[0]).collect();
    let apart = |of: fn(&Curve) -> f64| -> Vec<f64> {
        let pairs = cbh.iter().map(of).zip(vmh.iter().map(of));
        pairs.map(|(cbh, vmh)| 100.0 * (cbh - vmh) / cbh.max(vmh)).collect()
    };
    let are_near = |percents: &[f64]| percents.iter().all(|percent| percent.abs() <= 100.0 * NEARLY);
    let added = apart(Curve::added_us);
    let bandwidth = apart(|curve| curve.bandwidth_mb_s[curve.bandwidth_mb_s.len() - 1]);
    vec![
        Finding::new(
            "MC-2",
            "with misses of the CBH cache latency rises in a line and bandwidth falls, as with those of the VMH cache",
            lines.iter().all(|r2| *r2 >= IS_A_LINE)
                && cbh.iter().all(|curve| curve.latency().slope > 0.0 && trend::falls(&curve.bandwidth_mb_s)),
            format!("bandwidth lost when all miss, %: {}", listed(cbh, &lost)),
        )
        .by_construction(A_MEAN_OF_TWO),
        Finding::new(
            "MC-2",
            "a miss of either cache adds nearly the same latency",
            are_near(&added),
            format!("% more than a miss of the VMH cache: {}", listed(cbh, &added)),
        )
        .by_construction(THE_TIME_OUT),
        Finding::new(
            "MC-2",
            "when all miss, bandwidth is nearly the same for either cache",
            are_near(&bandwidth),
            format!("% more than with misses of the VMH cache: {}", listed(cbh, &bandwidth)),
        )
        .by_construction(THE_TIME_OUT),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cbh(added_us: f64) -> Vec<Curve> {
        vec![curves::tests::curve(&RATIOS, 4, 8.0, added_us), curves::tests::curve(&RATIOS, 4096, 52.0, added_us)]
    }

    fn vmh(added_us: f64) -> Vec<Curve> {
        let curve = |size_bytes, base_us| curves::tests::curve(&VMH_RATIOS, size_bytes, base_us, added_us);
        vec![curve(4, 8.0), curve(4096, 52.0)]
    }

    fn holds(cbh: &[Curve], vmh: &[Curve]) -> Vec<bool> {
        findings(cbh, vmh).iter().map(|finding| finding.holds).collect()
    }

    #[test]
    fn what_the_thesis_measured_holds() {
        assert_eq!(holds(&cbh(250.0), &vmh(260.0)), [true; 3]);
    }

    #[test]
    fn each_statement_can_fail() {
        assert_eq!(holds(&cbh(150.0), &vmh(250.0)), [true, false, false]);
        // The latencies are equal, but the buffers have less bandwidth: only bandwidth tells the
        // two apart.
        let mut slow = cbh(250.0);
        slow[1].bandwidth_mb_s[10] /= 2.0;
        assert_eq!(holds(&slow, &vmh(250.0)), [true, true, false]);
        let mut bent = cbh(250.0);
        bent[0].bandwidth_mb_s[3] = bent[0].bandwidth_mb_s[2];
        assert_eq!(holds(&bent, &vmh(250.0)), [false, true, true]);
    }
}
