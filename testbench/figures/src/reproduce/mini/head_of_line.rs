//! What a miss of one process costs another one between the same nodes (M-11), by what the NIC does
//! with the frame that misses.

use nicscope_account::results::{Row, Run};
use nicscope_run::cluster::ClusterConfig;
use nicscope_run::run;
use nicscope_scenario::error::Result;
use nicscope_scenario::scenario::ReceiveMiss;
use serde_json::{json, Value};

use super::setting::{self, CACHE, PERSONALITY, PLATFORM};
use crate::engine::digits::digits;
use crate::engine::report::{Bar, Chart, Finding, Group, Picture, Report, Table};
use crate::engine::{work, Experiment, Measure};

pub const HEAD_OF_LINE: Experiment = Experiment {
    id: "mini.head-of-line",
    title: "words of a process that never misses, beside messages of another that all miss (M-11)",
    thesis:
        "Follows from section 3.1: frames are numbered by pairs of nodes, so a miss stalls all processes between them",
    parameters,
    images: || vec![(PERSONALITY, nic_layout::vmh::VmhGeometry::RECOMMENDED)],
    note: None,
    measure: Measure::Report(measure),
};

const SIZES_BYTES: [u32; 4] = [4, 1024, 4096, 16_384];
const MESSAGES: u32 = 20;
const WAYS: [(ReceiveMiss, &str); 3] =
    [(ReceiveMiss::TimeOut, "time-out"), (ReceiveMiss::Restart, "restart"), (ReceiveMiss::Hold, "hold")];

fn parameters() -> Value {
    json!({
        "platform": PLATFORM, "cache": CACHE, "personality": PERSONALITY, "scenario": "bystander", "sizes_bytes": SIZES_BYTES,
        "messages": MESSAGES, "ways": WAYS.map(|(_, name)| name),
    })
}

fn config(receive: ReceiveMiss, miss_ratio: f64) -> Result<ClusterConfig> {
    let mut scenario = setting::scenario("bystander", PERSONALITY)?;
    scenario.workload.sizes_bytes = SIZES_BYTES.into();
    scenario.workload.iterations = MESSAGES;
    scenario.misses.receive = receive;
    run::cluster_config(&setting::on_one_thread(scenario), PLATFORM, miss_ratio)
}

fn measure(jobs: usize) -> Result<Report> {
    // Without misses the ways do not differ.
    let mut configs = vec![config(ReceiveMiss::TimeOut, 0.0)?];
    for (receive, _) in WAYS {
        configs.push(config(receive, 1.0)?);
    }
    let runs = work::each(HEAD_OF_LINE.id, jobs, &configs, |config| run::single(PLATFORM, config))?;
    Ok(report(&words(&runs[0]), &runs[1..].iter().map(words).collect::<Vec<_>>()))
}

/// Words beside messages of one size.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Words {
    size_bytes: u32,
    count: u32,
    mean_us: f64,
    max_us: f64,
    retransmissions: u64,
}

fn words(run: &Run) -> Vec<Words> {
    let of = |row: &Row| Words {
        size_bytes: row.size_bytes,
        count: row.messages,
        mean_us: row.latency_ps.mean / 1e6,
        max_us: row.latency_ps.max as f64 / 1e6,
        retransmissions: row.retransmissions,
    };
    run.rows.iter().map(of).collect()
}

/// `ways` in the order of [`WAYS`].
fn report(hits: &[Words], ways: &[Vec<Words>]) -> Report {
    let mut table = Table::new(
        format!("One-way latency of words on {PLATFORM}, us; a word every 20 us"),
        ["messages beside them", "a miss", "words", "mean", "longest", "added by a miss, mean", "frames sent again"],
    );
    for (index, hit) in hits.iter().enumerate() {
        let rows = WAYS.iter().map(|(_, name)| *name).zip(ways.iter().map(|words| &words[index]));
        for (name, words) in std::iter::once(("none", hit)).chain(rows) {
            table.row([
                format!("{} B", hit.size_bytes).into(),
                name.into(),
                words.count.into(),
                words.mean_us.into(),
                words.max_us.into(),
                (words.mean_us - hit.mean_us).into(),
                words.retransmissions.into(),
            ]);
        }
    }
    let group = |(index, hit): (usize, &Words)| Group {
        name: format!("{} B", hit.size_bytes),
        bars: WAYS
            .iter()
            .zip(ways)
            .map(|((_, name), words)| Bar {
                name: (*name).into(),
                values: vec![hit.mean_us, words[index].mean_us - hit.mean_us],
            })
            .collect(),
    };
    let picture = Picture {
        name: "words".into(),
        title: format!("Words beside messages that all miss ({PLATFORM})"),
        chart: Chart::Stacks {
            y: "one-way latency of a word, us".into(),
            parts: vec!["beside messages that hit".into(), "added by misses".into()],
            groups: hits.iter().enumerate().map(group).collect(),
        },
    };
    Report { tables: vec![table], pictures: vec![picture], findings: findings(hits, ways), ..Report::default() }
}

/// What a stall is at least, beside words that are not held up: half of the platform's time-out.
const STALL_US: f64 = 125.0;

fn findings(hits: &[Words], ways: &[Vec<Words>]) -> Vec<Finding> {
    let [time_out, restart, hold] = ways else { panic!("there are three ways") };
    let listed = |words: &[Words], of: &dyn Fn(usize, &Words) -> f64| -> String {
        let each = words.iter().enumerate();
        each.map(|(index, it)| format!("{} B {}", it.size_bytes, digits(of(index, it)))).collect::<Vec<_>>().join(", ")
    };
    let longer = |index: usize, words: &Words| words.max_us - hits[index].max_us;
    let added = |index: usize, words: &Words| words.mean_us - hits[index].mean_us;
    let less = |words: &[Words]| words.iter().zip(time_out).all(|(words, other)| words.mean_us < other.mean_us);
    vec![
        Finding::new(
            "M-11",
            "with the time-out, a miss stalls the other processes between the two nodes",
            time_out.iter().enumerate().all(|(index, words)| longer(index, words) >= STALL_US),
            format!("us that the longest word takes more: {}", listed(time_out, &longer)),
        ),
        Finding::new(
            "M-11",
            "they wait less when the sender is told of the miss, or the frame is held",
            less(restart) && less(hold),
            format!(
                "us added to a word: time-out {}; restart {}; hold {}",
                listed(time_out, &added),
                listed(restart, &added),
                listed(hold, &added)
            ),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(mean_us: f64, max_us: f64) -> Vec<Words> {
        vec![Words { size_bytes: 4, count: 20, mean_us, max_us, retransmissions: 0 }]
    }

    fn holds(time_out: (f64, f64), restart: (f64, f64), hold: (f64, f64)) -> Vec<bool> {
        let ways = [time_out, restart, hold].map(|(mean_us, max_us)| words(mean_us, max_us));
        findings(&words(7.0, 9.0), &ways).iter().map(|finding| finding.holds).collect()
    }

    #[test]
    fn each_statement_can_fail() {
        assert_eq!(holds((175.0, 314.0), (48.0, 135.0), (38.0, 120.0)), [true, true]);
        assert_eq!(holds((60.0, 120.0), (48.0, 135.0), (38.0, 120.0)), [false, true]);
        assert_eq!(holds((175.0, 314.0), (180.0, 135.0), (38.0, 120.0)), [true, false]);
        assert_eq!(holds((175.0, 314.0), (48.0, 135.0), (176.0, 120.0)), [true, false]);
    }
}
