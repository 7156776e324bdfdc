//! What a miss costs by who serves it on the host (M-18, M-19), with each way of a frame that misses.

use serde_json::{json, Value};

use super::{CACHE, PERSONALITY, PLATFORM};
use crate::cli::DEFAULT_SEED;
use crate::cluster::ClusterConfig;
use crate::error::Result;
use crate::reproduce::print::digits;
use crate::reproduce::report::{Bar, Chart, Finding, Group, Picture, Report, Table};
use crate::reproduce::{work, Experiment};
use crate::results::Run;
use crate::run::{self, RunConfig};
use crate::scenario::{self, MissService, MissedCache, ReceiveMiss};

pub const SERVICES: Experiment = Experiment {
    id: "mini.services",
    title:
        "what a miss adds to its message, by who serves it on the host and by what becomes of its frame (M-18, M-19)",
    thesis: "Section 3.1: the kernel thread, since a handler cannot pin; faster in the handler",
    parameters,
    images: || vec![(PERSONALITY, nic_layout::vmh::VmhGeometry::RECOMMENDED)],
    measure,
};

const SIZE_BYTES: u32 = 4;
/// Before them, each line has been filled, so that its pages are pinned when it misses again; the cold ones too, in the warm-up of the ratio.
const MESSAGES: u32 = 20;
const SERVICES_OF_A_MISS: [(MissService, &str); 2] =
    [(MissService::KernelThread, "kernel thread"), (MissService::Interrupt, "interrupt")];
const CACHES: [(MissedCache, &str); 2] = [(MissedCache::Vmh, "VMH"), (MissedCache::Cbh, "CBH")];
const WAYS: [(ReceiveMiss, &str); 3] =
    [(ReceiveMiss::TimeOut, "time-out"), (ReceiveMiss::Restart, "restart"), (ReceiveMiss::Hold, "hold")];

fn parameters() -> Value {
    json!({
        "platform": PLATFORM, "cache": CACHE, "personality": PERSONALITY, "size_bytes": SIZE_BYTES, "messages": MESSAGES,
        "services": SERVICES_OF_A_MISS.map(|(_, name)| name), "caches": CACHES.map(|(_, name)| name), "ways": WAYS.map(|(_, name)| name),
    })
}

fn config(service: MissService, cache: MissedCache, receive: ReceiveMiss, miss_ratio: f64) -> Result<ClusterConfig> {
    let mut scenario = scenario::load("ping-pong", &[])?;
    scenario.platforms = vec![PLATFORM.into()];
    scenario.personality = PERSONALITY.into();
    // The first size is there so that all lines of the second are pinned.
    scenario.workload.sizes_bytes = vec![SIZE_BYTES; 2];
    scenario.workload.iterations = MESSAGES;
    scenario.misses.service = service;
    scenario.misses.cache = cache;
    scenario.misses.receive = receive;
    scenario.cache = CACHE;
    run::cluster_config(&RunConfig { scenario, seed: DEFAULT_SEED, threads: 1, firmware: None }, PLATFORM, miss_ratio)
}

/// One way with one cache and one service.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Cost {
    service: &'static str,
    cache: &'static str,
    way: &'static str,
    added_us: f64,
}

fn measure(jobs: usize) -> Result<Report> {
    let mut configs = vec![config(MissService::KernelThread, MissedCache::Vmh, ReceiveMiss::TimeOut, 0.0)?];
    let mut names = Vec::new();
    for (cache, cache_name) in CACHES {
        for (receive, way) in WAYS {
            for (service, name) in SERVICES_OF_A_MISS {
                configs.push(config(service, cache, receive, 1.0)?);
                names.push((name, cache_name, way));
            }
        }
    }
    let runs = work::each(SERVICES.id, jobs, &configs, |config| run::single(PLATFORM, config))?;
    let latency_us = |run: &Run| run.rows[1].latency_ps.mean / 1e6;
    let hit_us = latency_us(&runs[0]);
    // Of two messages, only the one to node 1 can miss.
    let cost = |((service, cache, way), run): (_, &Run)| Cost {
        service,
        cache,
        way,
        added_us: 2.0 * (latency_us(run) - hit_us),
    };
    Ok(report(&names.into_iter().zip(&runs[1..]).map(cost).collect::<Vec<_>>()))
}

fn of<'a>(costs: &'a [Cost], cache: &'a str, way: &'a str) -> impl Iterator<Item = &'a Cost> {
    costs.iter().filter(move |cost| cost.cache == cache && cost.way == way)
}

fn report(costs: &[Cost]) -> Report {
    let columns = ["cache that misses", "the frame"].into_iter().chain(SERVICES_OF_A_MISS.map(|(_, name)| name));
    let mut table = Table::new(
        format!("Added to a message of {SIZE_BYTES} B that misses, its pages pinned, us ({PLATFORM})"),
        columns.map(String::from).chain(["saved us".to_string()]),
    );
    let mut groups = Vec::new();
    for (_, cache) in CACHES {
        for (_, way) in WAYS {
            let values: Vec<f64> = of(costs, cache, way).map(|cost| cost.added_us).collect();
            let cells = values.iter().copied().chain([values[0] - values[1]]).map(Into::into);
            table.row([cache.into(), way.into()].into_iter().chain(cells));
            groups.push(Group {
                name: format!("{cache}, {way}"),
                bars: of(costs, cache, way)
                    .map(|cost| Bar { name: cost.service.into(), values: vec![cost.added_us] })
                    .collect(),
            });
        }
    }
    let picture = Picture {
        name: "cost".into(),
        title: format!("What a miss adds to its message ({PLATFORM})"),
        chart: Chart::Stacks { y: "us".into(), parts: vec!["added to a message of 4 B".into()], groups },
    };
    Report { tables: vec![table], pictures: vec![picture], findings: findings(costs) }
}

fn findings(costs: &[Cost]) -> Vec<Finding> {
    let saved = |way: &'static str| -> Vec<f64> {
        CACHES
            .iter()
            .map(|(_, cache)| {
                let values: Vec<f64> = of(costs, cache, way).map(|cost| cost.added_us).collect();
                values[0] - values[1]
            })
            .collect()
    };
    let listed = |values: &[f64]| {
        let each = CACHES.iter().zip(values).map(|((_, cache), saved)| format!("{cache} {}", digits(*saved)));
        each.collect::<Vec<_>>().join(", ")
    };
    let (held, timed_out) = (saved("hold"), saved("time-out"));
    vec![
        Finding::new(
            "M-19",
            "a held frame waits less when the handler serves its miss",
            held.iter().all(|saved| *saved > 0.0),
            format!("us saved: {}", listed(&held)),
        ),
        Finding::new(
            "M-19",
            "with the time-out it makes no difference, since that is what a miss costs",
            timed_out.iter().all(|saved| saved.abs() < 1.0),
            format!("us saved: {}", listed(&timed_out)),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A service takes so long where the frame is held, and where it waits for the time-out.
    fn costs(thread: (f64, f64), interrupt: (f64, f64)) -> Vec<Cost> {
        let mut costs = Vec::new();
        for (_, cache) in CACHES {
            for (_, way) in WAYS {
                for ((_, service), (held, timed_out)) in SERVICES_OF_A_MISS.into_iter().zip([thread, interrupt]) {
                    let added_us = if way == "time-out" { timed_out } else { held };
                    costs.push(Cost { service, cache, way, added_us });
                }
            }
        }
        costs
    }

    fn holds(costs: &[Cost]) -> Vec<bool> {
        findings(costs).iter().map(|finding| finding.holds).collect()
    }

    #[test]
    fn each_statement_can_fail() {
        assert_eq!(holds(&costs((46.0, 253.0), (31.0, 253.1))), [true, true]);
        assert_eq!(holds(&costs((46.0, 253.0), (47.0, 253.0))), [false, true]);
        assert_eq!(holds(&costs((46.0, 253.0), (31.0, 240.0))), [true, false]);
    }
}
