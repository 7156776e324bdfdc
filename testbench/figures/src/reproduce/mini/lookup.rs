//! What a lookup costs in clocks of the core, by geometry and by where the key is found; and the
//! firmware of a message around it.

use nic_layout::probe::{ProbeCommand, ANSWER_UNKNOWN};
use nic_layout::vmh::{key, VmhGeometry, KEY_RESERVED};
use nic_lookup::host::{Answer, Target};
use nic_lookup::Path;
use nicscope_account::account::{Account, Clock};
use nicscope_probe::Probe;
use nicscope_scenario::error::Result;
use nicscope_scenario::failed;
use nicscope_scenario::scenario::MissedCache;
use serde_json::{json, Value};

use super::ping_pong::{PingPong, Point};
use super::setting::{CACHE, PERSONALITY, PLATFORM};
use crate::engine::report::{Cell, Chart, Finding, Picture, Report, Series, Table};
use crate::engine::{work, Experiment, Measure};
use crate::reproduce::trend;

pub const CYCLES: Experiment = Experiment {
    id: "mini.lookup",
    title: "clocks of a VMH lookup by ways, line and size, on the RTL (MC-5)",
    thesis: "Section 4.1.2: higher associativities result in higher lookup times; no figure",
    parameters,
    images: || {
        let probes = GEOMETRIES.iter().map(|geometry| ("cache-probe", *geometry));
        probes.chain([(PERSONALITY, VmhGeometry::RECOMMENDED)]).collect()
    },
    note: None,
    measure: Measure::Report(measure),
};

const fn geometry(k_entries: u32, line_entries: u32, ways: u32) -> VmhGeometry {
    VmhGeometry { entries: k_entries * 1024, line_entries, ways }
}

/// One axis at a time through the recommended one.
const GEOMETRIES: [VmhGeometry; 8] = [
    geometry(16, 64, 2),
    geometry(16, 64, 4),
    geometry(16, 64, 8),
    geometry(16, 8, 4),
    geometry(16, 16, 4),
    geometry(16, 128, 4),
    geometry(8, 64, 4),
    geometry(32, 64, 4),
];

/// Each operation is done so often, and the least time counts: the first brings code into the
/// instruction cache.
const TIMES: u32 = 4;

fn parameters() -> Value {
    let geometries: Vec<String> = GEOMETRIES.iter().map(|geometry| page_traces::name(*geometry)).collect();
    json!({"geometries": geometries, "times": TIMES, "platform": PLATFORM, "cache": CACHE, "workload": ping_pong()})
}

fn ping_pong() -> PingPong {
    PingPong { personality: PERSONALITY, cache: MissedCache::Vmh, sizes_bytes: vec![4], iterations: 8, warm_up: 2 }
}

fn measure(jobs: usize) -> Result<Report> {
    let cycles = work::each(CYCLES.id, jobs, &GEOMETRIES, |geometry| probe(*geometry))?;
    let hits = ping_pong().runs(CYCLES.id, jobs, &[Point { miss_ratio: 0.0, retransmit_us: None }])?;
    let account = hits[0].hits.first().ok_or_else(|| failed!("no message was accounted for"))?;
    Ok(report(&cycles, account))
}

/// Clocks of the core, without those of taking the command from the ring.
#[derive(Clone, Debug, PartialEq)]
struct Cycles {
    geometry: VmhGeometry,
    /// Clocks of a hit in the way used last, in the way used before it, and so on.
    hits: Vec<u32>,
    unlock: u32,
    /// Lookup and reservation; every way is free to go.
    miss: u32,
    /// All other ways are locked.
    miss_last_way: u32,
    no_way: u32,
    pending: u32,
}

/// One set is enough: it is filled with lines of one process.
fn probe(geometry: VmhGeometry) -> Result<Cycles> {
    let mut probe = Probe::boot(geometry, false)?;
    let command = ProbeCommand { op: ANSWER_UNKNOWN + 1, ..ProbeCommand::default() };
    let mut overhead = u32::MAX;
    for _ in 0..TIMES {
        let result = probe.obey(command)?;
        if result.answer != ANSWER_UNKNOWN {
            return Err(failed!("the firmware answered {} to a command that is none", result.answer));
        }
        overhead = overhead.min(result.cycles);
    }
    let mut cycles = Cycles {
        geometry,
        hits: vec![u32::MAX; geometry.ways as usize],
        unlock: u32::MAX,
        miss: u32::MAX,
        miss_last_way: u32::MAX,
        no_way: u32::MAX,
        pending: u32::MAX,
    };
    for _ in 0..TIMES {
        let mut set = Set::full(&mut probe)?;
        let take = |least: &mut u32, cycles: u32| *least = (*least).min(cycles.saturating_sub(overhead));
        for position in 0..geometry.ways as usize {
            let page = set.order[position];
            let line = set.hit(page)?;
            take(&mut cycles.hits[position], set.probe.last_cycles());
            set.unlock(line)?;
            take(&mut cycles.unlock, set.probe.last_cycles());
        }
        set.miss()?;
        take(&mut cycles.miss, set.probe.last_cycles());
        set.pending()?;
        take(&mut cycles.pending, set.probe.last_cycles());
        set.fill_missed()?;
        // The latest stays free to go, and the search for a victim begins at the other end.
        let latest = set.order[0];
        for page in set.order.clone().into_iter().skip(1).rev() {
            set.hit(page)?;
        }
        set.hit(latest).and_then(|line| set.unlock(line))?;
        set.miss()?;
        take(&mut cycles.miss_last_way, set.probe.last_cycles());
        set.fill_missed()?;
        let latest = set.order[0];
        set.hit(latest)?;
        set.no_way()?;
        take(&mut cycles.no_way, set.probe.last_cycles());
    }
    Ok(cycles)
}

/// Set 0 of the cache, full.
struct Set<'a> {
    probe: &'a mut Probe,
    geometry: VmhGeometry,
    /// Pages of its lines, in the order of their last use.
    order: Vec<u32>,
    next: u32,
    missed: Option<(u32, u32)>,
}

const PID: u32 = 1;

impl Set<'_> {
    fn full(probe: &mut Probe) -> Result<Set<'_>> {
        probe.reset()?;
        let geometry = probe.geometry();
        let mut set = Set { probe, geometry, order: Vec::new(), next: 0, missed: None };
        for _ in 0..geometry.ways {
            set.miss()?;
            set.fill_missed()?;
        }
        Ok(set)
    }

    fn answer(&mut self, page: u32) -> Result<Answer> {
        self.probe.use_page(Path::Receive, PID, page)
    }

    fn hit(&mut self, page: u32) -> Result<u32> {
        match self.answer(page)? {
            Answer::Hit { line, .. } => {
                self.order.retain(|&other| other != page);
                self.order.insert(0, page);
                Ok(line)
            }
            other => Err(failed!("page {page:#x} must hit, and the NIC answers {other:?}")),
        }
    }

    fn unlock(&mut self, line: u32) -> Result<()> {
        match self.probe.unlock(Path::Receive, line)? {
            Answer::Done => Ok(()),
            other => Err(failed!("line {line} is locked, and the NIC answers {other:?} to its unlock")),
        }
    }

    /// A page that was never there.
    fn new_page(&mut self) -> u32 {
        let page = self.next * self.geometry.sets() * self.geometry.line_entries;
        self.next += 1;
        page
    }

    fn miss(&mut self) -> Result<()> {
        let page = self.new_page();
        match self.answer(page)? {
            Answer::Reserved { line } => {
                self.missed = Some((page, line));
                Ok(())
            }
            other => Err(failed!("page {page:#x} must miss, and the NIC answers {other:?}")),
        }
    }

    fn pending(&mut self) -> Result<()> {
        let (page, _) = self.missed.ok_or_else(|| failed!("nothing is reserved"))?;
        match self.answer(page)? {
            Answer::Pending => Ok(()),
            other => Err(failed!("page {page:#x} is reserved, and the NIC answers {other:?}")),
        }
    }

    /// The page that missed takes the place of the line that was given up.
    fn fill_missed(&mut self) -> Result<()> {
        let (page, line) = self.missed.take().ok_or_else(|| failed!("nothing is reserved"))?;
        self.probe.fill(line, key(PID, page, KEY_RESERVED), &page_traces::page_number)?;
        // What it replaced is no longer asked for, so its place in the order does not matter.
        self.order.truncate(self.geometry.ways as usize - 1);
        self.order.insert(0, page);
        Ok(())
    }

    fn no_way(&mut self) -> Result<()> {
        let page = self.new_page();
        match self.answer(page)? {
            Answer::NoWay => Ok(()),
            other => Err(failed!("every way is locked, and the NIC answers {other:?}")),
        }
    }
}

fn report(cycles: &[Cycles], account: &Account) -> Report {
    let columns = [
        "geometry",
        "hit, latest",
        "second",
        "fourth",
        "eighth",
        "unlock",
        "miss",
        "miss, one way free",
        "no way",
        "pending",
    ];
    let mut table = Table::new("Clocks of the core, without those of taking the command", columns);
    for it in cycles {
        let hit = |position: usize| Cell::from(it.hits.get(position).copied());
        table.row([
            page_traces::name(it.geometry).into(),
            hit(0),
            hit(1),
            hit(3),
            hit(7),
            it.unlock.into(),
            it.miss.into(),
            it.miss_last_way.into(),
            it.no_way.into(),
            it.pending.into(),
        ]);
    }
    let mut firmware = Table::new(
        format!("Firmware of a message of {} B that hits ({PLATFORM})", account.size_bytes),
        ["part", "node", "clocks"],
    );
    for span in account.spans.iter().filter(|span| span.clock == Clock::Core) {
        firmware.row([span.stage.as_str().into(), (span.node as u32).into(), span.cycles.round().into()]);
    }
    let by_ways: Vec<&Cycles> = of_ways(cycles);
    let series = |name: &str, value: fn(&Cycles) -> u32| Series {
        name: name.into(),
        points: by_ways.iter().map(|it| (f64::from(it.geometry.ways), f64::from(value(it)))).collect(),
    };
    let chart = Chart::Lines {
        x: "ways".into(),
        y: "clocks of the core".into(),
        series: vec![
            series("hit, latest way", |it| it.hits[0]),
            series("hit, least recent way", |it| it.hits[it.hits.len() - 1]),
            series("miss", |it| it.miss),
            series("miss, one way free", |it| it.miss_last_way),
        ],
    };
    Report {
        tables: vec![table, firmware],
        pictures: vec![Picture { name: "ways".into(), title: "VMH lookup, C16.L64".into(), chart }],
        findings: findings(cycles),
        ..Report::default()
    }
}

/// 16K entries, lines of 64, ways ascending.
fn of_ways(cycles: &[Cycles]) -> Vec<&Cycles> {
    let recommended = VmhGeometry::RECOMMENDED;
    let mut found: Vec<&Cycles> =
        cycles.iter().filter(|it| VmhGeometry { ways: recommended.ways, ..it.geometry } == recommended).collect();
    found.sort_by_key(|it| it.geometry.ways);
    found
}

fn findings(cycles: &[Cycles]) -> Vec<Finding> {
    let by_ways = of_ways(cycles);
    let values = |value: fn(&Cycles) -> u32| -> Vec<f64> { by_ways.iter().map(|it| f64::from(value(it))).collect() };
    let last = values(|it| it.hits[it.hits.len() - 1]);
    let miss = values(|it| it.miss);
    let latest = values(|it| it.hits[0]);
    let chain = |values: &[f64]| values.iter().map(f64::to_string).collect::<Vec<_>>().join(", ");
    vec![Finding::new(
        "MC-5",
        "more ways raise the time of a lookup",
        trend::rises(&last) && trend::rises(&miss),
        format!(
            "clocks with 2, 4, 8 ways: hit in the least recent way {}; miss {}; hit in the latest way {}",
            chain(&last),
            chain(&miss),
            chain(&latest)
        ),
    )]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cycles(ways: u32, last: u32, miss: u32) -> Cycles {
        let mut hits = vec![20; ways as usize];
        hits[ways as usize - 1] = last;
        let geometry = geometry(16, 64, ways);
        Cycles { geometry, hits, unlock: 8, miss, miss_last_way: miss + 10, no_way: miss, pending: 30 }
    }

    #[test]
    fn more_ways_must_cost_more() {
        let holds = |cycles: &[Cycles]| findings(cycles)[0].holds;
        assert!(holds(&[cycles(2, 25, 60), cycles(8, 60, 120), cycles(4, 35, 80)]));
        assert!(!holds(&[cycles(2, 25, 60), cycles(4, 25, 80), cycles(8, 60, 120)]));
        assert!(!holds(&[cycles(2, 25, 60), cycles(4, 35, 80), cycles(8, 60, 80)]));
    }

    #[test]
    fn a_full_set_hits_misses_and_refuses_as_it_must() {
        let small = VmhGeometry { entries: 64, line_entries: 8, ways: 2 };
        let found = probe(small).unwrap();
        assert_eq!(found.hits.len(), 2);
        assert!(found.hits[0] > 0 && found.hits[0] < found.hits[1] && found.hits[1] < found.miss, "{found:?}");
    }
}
