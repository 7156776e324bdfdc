//! Latency and bandwidth of a ping-pong by the share of messages that miss, as curves.

use nicscope_account::results::Run;

use crate::engine::digits::digits;
use crate::engine::report::{Chart, Picture, Series, Table};
use crate::reproduce::trend;

use super::setting::PLATFORM;

/// What one size does at every ratio of misses, ratios ascending.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    pub size_bytes: u32,
    pub ratios: Vec<f64>,
    pub latency_us: Vec<f64>,
    pub bandwidth_mb_s: Vec<f64>,
    /// Frames sent again for all messages of the size.
    pub retransmissions: Vec<u64>,
}

pub fn curves(runs: &[Run]) -> Vec<Curve> {
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
    pub fn latency(&self) -> trend::Line {
        let points: Vec<(f64, f64)> = self.ratios.iter().copied().zip(self.latency_us.iter().copied()).collect();
        trend::line(&points)
    }

    /// What a miss adds to the message that has it: of two messages, only the one to node 1 can
    /// miss.
    pub fn added_us(&self) -> f64 {
        2.0 * self.latency().slope
    }

    pub fn bandwidth_lost_mb_s(&self) -> f64 {
        self.bandwidth_mb_s[0] - self.bandwidth_mb_s[self.bandwidth_mb_s.len() - 1]
    }
}

/// `misses` says what misses, as in "a share of the messages to node 1 misses".
pub fn tables(misses: &str, curves: &[Curve]) -> Vec<Table> {
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
    let mut costs = Table::new(
        "What a miss costs",
        ["size B", "added to its message us", "explained by a line", "MB/s without", "MB/s, all miss", "lost %"],
    );
    for curve in curves {
        let (first, last) = (curve.bandwidth_mb_s[0], curve.bandwidth_mb_s[curve.bandwidth_mb_s.len() - 1]);
        costs.row([
            curve.size_bytes.into(),
            curve.added_us().into(),
            curve.latency().r2.into(),
            first.into(),
            last.into(),
            (100.0 * (1.0 - last / first)).into(),
        ]);
    }
    vec![
        by_ratio(&format!("One-way latency, us; {misses}"), |curve, index| curve.latency_us[index]),
        by_ratio("Bandwidth, MB/s", |curve, index| curve.bandwidth_mb_s[index]),
        by_ratio("Retransmitted frames", |curve, index| curve.retransmissions[index] as f64),
        costs,
    ]
}

/// `x` is the axis of the ratios.
pub fn pictures(x: &str, curves: &[Curve]) -> Vec<Picture> {
    vec![
        picture("latency", x, "one-way latency, us", curves, |curve| &curve.latency_us),
        picture("bandwidth", x, "bandwidth, MB/s", curves, |curve| &curve.bandwidth_mb_s),
    ]
}

fn picture(name: &str, x: &str, y: &str, curves: &[Curve], values: fn(&Curve) -> &Vec<f64>) -> Picture {
    let series = curves.iter().map(|curve| Series {
        name: format!("{} B", curve.size_bytes),
        points: curve.ratios.iter().map(|ratio| ratio * 100.0).zip(values(curve).iter().copied()).collect(),
    });
    let chart = Chart::Lines { x: x.into(), y: y.into(), series: series.collect() };
    Picture { name: name.into(), title: format!("Ping-pong on {PLATFORM}: {y}"), chart }
}

/// A value for each size, in words.
pub fn listed(curves: &[Curve], values: &[f64]) -> String {
    let each = curves.iter().zip(values).map(|(curve, value)| format!("{} B {}", curve.size_bytes, digits(*value)));
    each.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// Latency `base + ratio * added / 2`, as on a machine where each miss adds the same.
    pub fn curve(ratios: &[f64], size_bytes: u32, base_us: f64, added_us: f64) -> Curve {
        let latency_us: Vec<f64> = ratios.iter().map(|ratio| base_us + ratio * added_us / 2.0).collect();
        let bandwidth_mb_s = latency_us.iter().map(|us| f64::from(size_bytes) / us).collect();
        Curve { size_bytes, ratios: ratios.into(), latency_us, bandwidth_mb_s, retransmissions: vec![0; ratios.len()] }
    }

    #[test]
    fn a_miss_adds_twice_the_slope() {
        assert!((curve(&[0.0, 0.5, 1.0], 4, 8.0, 250.0).added_us() - 250.0).abs() < 1e-9);
    }
}
