//! What a miss costs by its server: a thread of the host (M-18), its interrupt handler (M-19), or
//! the NIC itself (M-58), with each way of a frame that misses, and of a post.

use nicscope_account::results::Run;
use nicscope_run::cluster::ClusterConfig;
use nicscope_run::run;
use nicscope_scenario::error::Result;
use nicscope_scenario::scenario::{MissService, MissedCache, MissedSide, ReceiveMiss};
use serde_json::{json, Value};

use super::setting::{self, CACHE, PERSONALITY, PLATFORM};
use crate::engine::digits::digits;
use crate::engine::report::{Bar, Cell, Chart, Finding, Group, Picture, Report, Table};
use crate::engine::{work, Experiment, Measure};

pub const SERVICES: Experiment = Experiment {
    id: "mini.services",
    title:
        "what a miss adds to its message, by its server and by what becomes of its frame or post (M-18, M-19, M-58)",
    thesis: "Section 3.1: the kernel thread, since a handler cannot pin; faster in the handler. Section 5: UTLB's NIC fetches, cheaper still",
    parameters,
    images: || vec![(PERSONALITY, nic_layout::vmh::VmhGeometry::RECOMMENDED)],
    note: None,
    measure: Measure::Report(measure),
};

const SIZE_BYTES: u32 = 4;
/// Before them, each line has been filled, so that its pages are pinned when it misses again; the
/// cold ones too, in the warm-up of the ratio.
const MESSAGES: u32 = 20;
const SERVICES_OF_A_MISS: [(MissService, &str); 3] =
    [(MissService::KernelThread, THREAD), (MissService::Interrupt, INTERRUPT), (MissService::Nic, NIC)];
const THREAD: &str = "kernel thread";
const INTERRUPT: &str = "interrupt";
const NIC: &str = "NIC";

/// A lookup that misses, and what becomes of what needed it.
#[derive(Clone, Copy)]
struct Way {
    miss: &'static str,
    way: &'static str,
    cache: MissedCache,
    side: MissedSide,
    receive: ReceiveMiss,
}

const RECEIVED: &str = "VMH, received";
const SENT: &str = "VMH, sent";
const BUFFER: &str = "CBH";

const fn received(way: &'static str, receive: ReceiveMiss) -> Way {
    Way { miss: RECEIVED, way, cache: MissedCache::Vmh, side: MissedSide::Receive, receive }
}

const fn of_buffer(way: &'static str, receive: ReceiveMiss) -> Way {
    Way { miss: BUFFER, cache: MissedCache::Cbh, ..received(way, receive) }
}

const WAYS: [Way; 7] = [
    received("time-out", ReceiveMiss::TimeOut),
    received("restart", ReceiveMiss::Restart),
    received("hold", ReceiveMiss::Hold),
    Way { miss: SENT, side: MissedSide::Send, ..received("parked", ReceiveMiss::Hold) },
    of_buffer("time-out", ReceiveMiss::TimeOut),
    of_buffer("restart", ReceiveMiss::Restart),
    of_buffer("hold", ReceiveMiss::Hold),
];

/// The driver fetches descriptors of buffers in every case, also if the NIC fetches translations.
fn is_served_by(service: MissService, way: &Way) -> bool {
    service != MissService::Nic || way.cache == MissedCache::Vmh
}

fn parameters() -> Value {
    json!({
        "platform": PLATFORM, "cache": CACHE, "personality": PERSONALITY, "size_bytes": SIZE_BYTES, "messages": MESSAGES,
        "services": SERVICES_OF_A_MISS.map(|(_, name)| name), "ways": WAYS.map(|way| format!("{}, {}", way.miss, way.way)),
    })
}

fn config(service: MissService, way: &Way, miss_ratio: f64) -> Result<ClusterConfig> {
    let mut scenario = setting::scenario("ping-pong", PERSONALITY)?;
    // The first size is there so that all lines of the second are pinned.
    scenario.workload.sizes_bytes = vec![SIZE_BYTES; 2];
    scenario.workload.iterations = MESSAGES;
    if way.side == MissedSide::Send {
        scenario.workload.pio_bytes_max = 0;
    }
    scenario.misses.service = service;
    scenario.misses.cache = way.cache;
    scenario.misses.side = way.side;
    scenario.misses.receive = way.receive;
    run::cluster_config(&setting::on_one_thread(scenario), PLATFORM, miss_ratio)
}

/// One way with one service.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Cost {
    service: &'static str,
    miss: &'static str,
    way: &'static str,
    added_us: f64,
    work: Work,
}

/// Counts of the node that misses, over the whole run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Work {
    misses: u64,
    /// Lines that the driver has filled, and the NIC.
    filled: u64,
    fetched: u64,
    bitmap_checks: u64,
    pin_calls: u64,
    dma_read_bytes: u64,
    /// Time of the host's processors, pinning aside.
    processor_ps: u64,
}

impl Work {
    /// For each miss.
    fn processor_us(&self) -> f64 {
        self.processor_ps as f64 / 1e6 / self.misses as f64
    }
}

fn work_of(run: &Run) -> Work {
    let count = |name: &str| run.counters[1].get(name).copied().unwrap_or(0);
    Work {
        misses: count("firmware.SendMisses") + count("firmware.ReceiveMisses"),
        filled: count("driver.fills"),
        fetched: count("firmware.FetchesFilled"),
        bitmap_checks: count("driver.bitmap_checks"),
        pin_calls: count("driver.pin_calls"),
        dma_read_bytes: count("rtl.dma_read_bytes"),
        processor_ps: count("driver.for_misses_ps"),
    }
}

fn measure(jobs: usize) -> Result<Report> {
    // Without misses: data in the post, and data read from the host.
    let hits = [&WAYS[0], &WAYS[3]];
    let mut configs = hits.iter().map(|way| config(MissService::KernelThread, way, 0.0)).collect::<Result<Vec<_>>>()?;
    let mut names = Vec::new();
    for way in &WAYS {
        for (service, name) in SERVICES_OF_A_MISS {
            if is_served_by(service, way) {
                configs.push(config(service, way, 1.0)?);
                names.push((name, way));
            }
        }
    }
    let runs = work::each(SERVICES.id, jobs, &configs, |config| run::single(PLATFORM, config))?;
    let latency_us = |run: &Run| run.rows[1].latency_ps.mean / 1e6;
    // Of two messages, only one of those between the nodes can miss.
    let cost = |((service, way), run): ((&'static str, &Way), &Run)| {
        let hit = &runs[usize::from(way.side == MissedSide::Send)];
        let added_us = 2.0 * (latency_us(run) - latency_us(hit));
        Cost { service, miss: way.miss, way: way.way, added_us, work: work_of(run) }
    };
    Ok(report(&names.into_iter().zip(&runs[hits.len()..]).map(cost).collect::<Vec<_>>()))
}

fn of<'a>(costs: &'a [Cost], miss: &str, way: &str, service: &str) -> Option<&'a Cost> {
    costs.iter().find(|cost| (cost.miss, cost.way, cost.service) == (miss, way, service))
}

fn report(costs: &[Cost]) -> Report {
    let columns = ["miss", "frame or post"].into_iter().chain(SERVICES_OF_A_MISS.map(|(_, name)| name));
    let mut table = Table::new(
        format!("Added to a message of {SIZE_BYTES} B that misses, its pages pinned, us ({PLATFORM})"),
        columns.map(String::from),
    );
    let mut groups = Vec::new();
    for Way { miss, way, .. } in WAYS {
        let found = SERVICES_OF_A_MISS.map(|(_, service)| of(costs, miss, way, service));
        let cells = found.map(|cost| cost.map(|cost| cost.added_us).into());
        table.row([miss.into(), way.into()].into_iter().chain(cells));
        let bars = found.into_iter().flatten();
        groups.push(Group {
            name: format!("{miss}, {way}"),
            bars: bars.map(|cost| Bar { name: cost.service.into(), values: vec![cost.added_us] }).collect(),
        });
    }
    let columns = [
        "miss",
        "frame or post",
        "served by",
        "misses",
        "lines filled by the driver",
        "lines fetched",
        "looks into the bitmap",
        "pin calls",
        "B read from the host",
        "us of a processor for a miss",
    ];
    let title = format!("Who did what on the node that misses, all {} messages and what came before", 2 * MESSAGES);
    let mut worked = Table::new(title, columns.map(String::from));
    for cost in costs.iter().filter(|cost| cost.miss != BUFFER) {
        let Work { misses, filled, fetched, bitmap_checks, pin_calls, dma_read_bytes, .. } = cost.work;
        let numbers = [misses, filled, fetched, bitmap_checks, pin_calls, dma_read_bytes];
        let names = [cost.miss, cost.way, cost.service];
        let each: Cell = cost.work.processor_us().into();
        worked.row(names.into_iter().map(Into::into).chain(numbers.map(Into::into)).chain([each]));
    }
    let picture = Picture {
        name: "cost".into(),
        title: format!("What a miss adds to its message ({PLATFORM})"),
        chart: Chart::Stacks { y: "us".into(), parts: vec!["added to a message of 4 B".into()], groups },
    };
    Report { tables: vec![table, worked], pictures: vec![picture], findings: findings(costs), ..Report::default() }
}

/// "Nearly the same": no further apart than this share of the larger one.
const NEARLY: f64 = 0.2;

fn findings(costs: &[Cost]) -> Vec<Finding> {
    let added = |miss, way, service| of(costs, miss, way, service).map_or(f64::NAN, |cost| cost.added_us);
    let saved =
        |way: &'static str| [RECEIVED, BUFFER].map(|miss| added(miss, way, THREAD) - added(miss, way, INTERRUPT));
    let listed = |saved: [f64; 2]| format!("VMH {}, CBH {}", digits(saved[0]), digits(saved[1]));
    let of_held = [THREAD, INTERRUPT].map(|service| [RECEIVED, BUFFER].map(|miss| added(miss, "hold", service)));
    let (held, timed_out) = (saved("hold"), saved("time-out"));
    let quick = [(RECEIVED, "hold"), (SENT, "parked")];
    let by_nic: Vec<&Cost> = quick.iter().filter_map(|(miss, way)| of(costs, miss, way, NIC)).collect();
    let times = quick.map(|(miss, way)| (added(miss, way, INTERRUPT), added(miss, way, NIC)));
    let fills: u64 = by_nic.iter().map(|cost| cost.work.filled).sum();
    let fetches: u64 = by_nic.iter().map(|cost| cost.work.fetched).sum();
    let checks = by_nic.iter().filter(|cost| cost.miss == SENT).map(|cost| cost.work.bitmap_checks).sum::<u64>();
    vec![
        Finding::new(
            "M-19",
            "a held frame waits less when the handler serves its miss",
            held.iter().all(|saved| *saved > 0.0),
            format!("us saved: {}", listed(held)),
        ),
        Finding::new(
            "M-19",
            "with the time-out it makes no difference, since that is what a miss costs",
            timed_out.iter().all(|saved| saved.abs() < 1.0),
            format!("us saved: {}", listed(timed_out)),
        )
        .by_construction("either service ends within the time-out of 250 us, and the message waits for the time-out"),
        Finding::new(
            "MC-2",
            "with the frame held, a miss of either cache adds nearly the same latency",
            of_held.iter().all(|[vmh, cbh]| (vmh - cbh).abs() <= NEARLY * vmh.max(*cbh)),
            format!(
                "us by thread: VMH {}, CBH {}; by interrupt: VMH {}, CBH {}",
                digits(of_held[0][0]),
                digits(of_held[0][1]),
                digits(of_held[1][0]),
                digits(of_held[1][1])
            ),
        ),
        Finding::new(
            "M-58",
            "a miss that the NIC serves costs less than half of the quickest that the host serves",
            times.iter().all(|(interrupt, nic)| 2.0 * nic < *interrupt),
            format!(
                "us by interrupt and by the NIC: received {} and {}, sent {} and {}",
                digits(times[0].0),
                digits(times[0].1),
                digits(times[1].0),
                digits(times[1].1)
            ),
        ),
        Finding::new(
            "M-58",
            "the host does nothing for it, but its library looks before each post",
            fills == 0 && fetches > 0 && checks > 0,
            format!("{fetches} lines fetched, {fills} filled by the driver; {checks} looks of the sender"),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A service takes so long where the frame is held or the post parked, and where it waits for
    /// the time-out.
    fn costs(thread: (f64, f64), interrupt: (f64, f64), nic: (f64, u64)) -> Vec<Cost> {
        let mut costs = Vec::new();
        for way in &WAYS {
            for (service, name) in SERVICES_OF_A_MISS.into_iter().filter(|(service, _)| is_served_by(*service, way)) {
                let (held, timed_out) = match service {
                    MissService::KernelThread => thread,
                    MissService::Interrupt => interrupt,
                    MissService::Nic => (nic.0, 250.0),
                };
                let added_us = if way.way == "time-out" { timed_out } else { held };
                let work = Work { filled: nic.1, fetched: 20, bitmap_checks: 20, ..Work::default() };
                costs.push(Cost { service: name, miss: way.miss, way: way.way, added_us, work });
            }
        }
        costs
    }

    fn holds(costs: &[Cost]) -> Vec<bool> {
        findings(costs).iter().map(|finding| finding.holds).collect()
    }

    #[test]
    fn each_statement_can_fail() {
        let (thread, interrupt, nic) = ((46.0, 253.0), (31.0, 253.1), (8.0, 0));
        assert_eq!(holds(&costs(thread, interrupt, nic)), [true; 5]);
        assert_eq!(holds(&costs(thread, (47.0, 253.0), nic)), [false, true, true, true, true]);
        assert_eq!(holds(&costs(thread, (31.0, 240.0), nic)), [true, false, true, true, true]);
        let mut apart = costs(thread, interrupt, nic);
        apart.iter_mut().filter(|cost| cost.miss == BUFFER && cost.way == "hold").for_each(|cost| cost.added_us *= 2.0);
        assert_eq!(holds(&apart), [true, true, false, true, true]);
        assert_eq!(holds(&costs(thread, interrupt, (16.0, 0))), [true, true, true, false, true]);
        assert_eq!(holds(&costs(thread, interrupt, (8.0, 1))), [true, true, true, true, false]);
    }

    /// What is not there is no result.
    #[test]
    fn without_runs_nothing_holds() {
        assert_eq!(holds(&[]), [false; 5]);
    }
}
