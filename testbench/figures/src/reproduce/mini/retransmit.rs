//! The retransmission interval under misses (MN-9).

use nicscope_account::results::Run;
use nicscope_scenario::error::Result;
use nicscope_scenario::scenario::MissedCache;
use serde_json::{json, Value};

use super::ping_pong::{PingPong, Point};
use super::setting::{CACHE, PERSONALITY, PLATFORM};
use crate::engine::digits::digits;
use crate::engine::report::{Chart, Finding, Picture, Report, Series, Table};
use crate::engine::{Experiment, Measure};

pub const INTERVAL: Experiment = Experiment {
    id: "mini.retransmit",
    title: "retransmissions for each miss and latency, by retransmission interval (MN-9)",
    thesis: "Section 4: 200 to 300 us are best, lower values disturb normal operation, about one retransmission for each miss",
    parameters,
    images: || vec![(PERSONALITY, nic_layout::vmh::VmhGeometry::RECOMMENDED)],
    note: None,
    measure: Measure::Report(measure),
};

const INTERVALS_US: [u64; 11] = [50, 75, 100, 125, 150, 200, 250, 300, 500, 1000, 2000];
const MISS_RATIO: f64 = 0.5;

/// One frame a message, but for the last size.
fn ping_pong() -> PingPong {
    PingPong {
        personality: PERSONALITY,
        cache: MissedCache::Vmh,
        sizes_bytes: vec![4, 4096, 16_384],
        iterations: 10,
        warm_up: 2,
    }
}

fn parameters() -> Value {
    json!({"platform": PLATFORM, "cache": CACHE, "workload": ping_pong(), "intervals_us": INTERVALS_US, "miss_ratio": MISS_RATIO})
}

fn measure(jobs: usize) -> Result<Report> {
    let point = |miss_ratio| move |us: &u64| Point { miss_ratio, retransmit_us: Some(*us) };
    // The longest first.
    let points: Vec<Point> =
        INTERVALS_US.iter().rev().map(point(MISS_RATIO)).chain(INTERVALS_US.iter().rev().map(point(0.0))).collect();
    let mut runs = ping_pong().runs(INTERVAL.id, jobs, &points)?;
    let mut hits = runs.split_off(INTERVALS_US.len());
    runs.reverse();
    hits.reverse();
    Ok(report(&trials(&runs, &hits)))
}

/// One interval with messages of one size.
#[derive(Clone, Debug, PartialEq)]
struct Trial {
    interval_us: u64,
    size_bytes: u32,
    latency_us: f64,
    misses: u64,
    retransmissions: u64,
    /// Frames sent again without misses, for all messages.
    needless: u64,
    messages: u32,
    hit_latency_us: f64,
}

fn trials(runs: &[Run], hits: &[Run]) -> Vec<Trial> {
    let mut trials = Vec::new();
    for ((interval_us, run), hit) in INTERVALS_US.into_iter().zip(runs).zip(hits) {
        for (row, hit) in run.rows.iter().zip(&hit.rows) {
            trials.push(Trial {
                interval_us,
                size_bytes: row.size_bytes,
                latency_us: row.latency_ps.mean / 1e6,
                misses: row.misses,
                retransmissions: row.retransmissions,
                needless: hit.retransmissions,
                messages: hit.messages,
                hit_latency_us: hit.latency_ps.mean / 1e6,
            });
        }
    }
    trials
}

impl Trial {
    fn for_each_miss(&self) -> f64 {
        self.retransmissions as f64 / self.misses as f64
    }
}

/// MN-9.
const BEST_US: std::ops::RangeInclusive<u64> = 200..=300;

fn report(trials: &[Trial]) -> Report {
    let mut table = Table::new(
        format!("Half of the messages to node 1 miss ({PLATFORM}); misses of the first size pin their lines, later ones find them pinned"),
        [
            "interval us",
            "size B",
            "latency us",
            "misses",
            "retransmitted frames",
            "for each miss",
            "latency without misses us",
            "retransmitted without misses",
        ],
    );
    for trial in trials {
        table.row([
            trial.interval_us.into(),
            trial.size_bytes.into(),
            trial.latency_us.into(),
            trial.misses.into(),
            trial.retransmissions.into(),
            trial.for_each_miss().into(),
            trial.hit_latency_us.into(),
            trial.needless.into(),
        ]);
    }
    let mut sizes: Vec<u32> = trials.iter().map(|trial| trial.size_bytes).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let series = |value: fn(&Trial) -> f64| -> Vec<Series> {
        sizes
            .iter()
            .map(|&size_bytes| Series {
                name: format!("{size_bytes} B"),
                points: trials
                    .iter()
                    .filter(|trial| trial.size_bytes == size_bytes)
                    .map(|trial| (trial.interval_us as f64, value(trial)))
                    .collect(),
            })
            .collect()
    };
    let picture = |name: &str, y: &str, value| Picture {
        name: name.into(),
        title: format!("Retransmission interval, half of the messages to node 1 miss: {y}"),
        chart: Chart::Lines { x: "interval, us".into(), y: y.into(), series: series(value) },
    };
    Report {
        tables: vec![table],
        pictures: vec![
            picture("latency", "one-way latency, us", |trial| trial.latency_us),
            picture("retransmissions", "retransmitted frames for each miss", Trial::for_each_miss),
        ],
        findings: findings(trials, &sizes),
        ..Report::default()
    }
}

fn findings(trials: &[Trial], sizes: &[u32]) -> Vec<Finding> {
    let best = |size_bytes: u32| {
        let of_size = trials.iter().filter(|trial| trial.size_bytes == size_bytes);
        of_size.min_by(|a, b| a.latency_us.total_cmp(&b.latency_us))
    };
    let best: Vec<&Trial> = sizes.iter().filter_map(|&size| best(size)).collect();
    let listed = |each: &mut dyn Iterator<Item = String>| each.collect::<Vec<_>>().join(", ");
    let one_frame = |trial: &&Trial| trial.size_bytes == sizes[0];
    let recommended: Vec<&Trial> =
        trials.iter().filter(one_frame).filter(|trial| BEST_US.contains(&trial.interval_us)).collect();
    let shorter = || trials.iter().filter(|trial| trial.interval_us < *BEST_US.start());
    let disturbed: u64 = shorter().map(|trial| trial.needless).sum();
    let undisturbed: u64 =
        trials.iter().filter(|trial| BEST_US.contains(&trial.interval_us)).map(|trial| trial.needless).sum();
    vec![
        Finding::new(
            "MN-9",
            "200 to 300 us give the least latency",
            best.iter().all(|trial| BEST_US.contains(&trial.interval_us)),
            listed(&mut best.iter().map(|trial| {
                format!("{} B {} us, with {} us", trial.size_bytes, digits(trial.latency_us), trial.interval_us)
            })),
        ),
        Finding::new(
            "MN-9",
            "about one retransmission for each miss at 200 to 300 us",
            recommended.iter().all(|trial| (0.8..=1.2).contains(&trial.for_each_miss())),
            listed(&mut recommended.iter().map(|trial| {
                format!("{} us {} ({} B)", trial.interval_us, digits(trial.for_each_miss()), trial.size_bytes)
            })),
        ),
        Finding::new(
            "MN-9",
            "lower intervals disturb normal operation",
            disturbed > 0 && undisturbed == 0,
            format!("frames retransmitted without any miss: {disturbed} below 200 us, {undisturbed} at 200 to 300 us"),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trial(interval_us: u64, latency_us: f64, retransmissions: u64, needless: u64) -> Trial {
        Trial {
            interval_us,
            size_bytes: 4,
            latency_us,
            misses: 10,
            retransmissions,
            needless,
            messages: 20,
            hit_latency_us: 6.0,
        }
    }

    fn holds(trials: &[Trial]) -> Vec<bool> {
        findings(trials, &[4]).iter().map(|finding| finding.holds).collect()
    }

    #[test]
    fn what_the_thesis_says_holds() {
        assert_eq!(holds(&[trial(100, 80.0, 40, 3), trial(250, 70.0, 10, 0), trial(1000, 200.0, 10, 0)]), [true; 3]);
    }

    #[test]
    fn each_statement_can_fail() {
        let (short, good, long) = (trial(100, 80.0, 40, 3), trial(250, 70.0, 10, 0), trial(1000, 200.0, 10, 0));
        let faster = Trial { latency_us: 30.0, ..short.clone() };
        assert_eq!(holds(&[faster, good.clone(), long.clone()]), [false, true, true]);
        let twice = Trial { retransmissions: 20, ..good.clone() };
        assert_eq!(holds(&[short.clone(), twice, long.clone()]), [true, false, true]);
        let quiet = Trial { needless: 0, ..short.clone() };
        assert_eq!(holds(&[quiet, good.clone(), long.clone()]), [true, true, false]);
        let disturbed = Trial { needless: 1, ..good };
        assert_eq!(holds(&[short, disturbed, long]), [true, true, false]);
    }
}
