//! Figure 4.2: misses of page traces in 36 geometries, in the firmware's cache on the host, a part of each proven equal on the RTL.

use host_model::platform::Platform;
use nic_layout::vmh::VmhGeometry;
use nic_lookup::host::Answer;
use nic_lookup::Path;
use nicscope_probe::Probe;
use nicscope_scenario::error::Result;
use nicscope_scenario::failed;
use page_traces::{all_geometries, name, replay, run, sample, Access, Counts, Pattern, ENTRIES, LINE_ENTRIES, WAYS};
use serde_json::json;

use super::setting::PLATFORM;
use crate::reproduce::digits::digits;
use crate::reproduce::report::{Bar, Cell, Chart, Finding, Group, Picture, Report, Table};
use crate::reproduce::{trend, work, Experiment};

pub const FIGURE_4_2: Experiment = Experiment {
    id: "mini.fig-4.2",
    title: "VMH misses of page traces in 36 geometries: send and receive, cold and not (MC-3 to MC-6)",
    thesis: "Figure 4.2: 0 to 40 % of lookups miss; longer lines help but for Ocean, size helps long lines, 4 ways are enough",
    parameters: || json!({"platform": PLATFORM, "seed": SEED, "patterns": Pattern::ALL, "sample": SAMPLE}),
    images: || SAMPLED.iter().map(|geometry| ("cache-probe", *geometry)).collect(),
    measure,
};

const SEED: u64 = 1;

/// Accesses of each trace that the RTL looks up too, in each of these geometries: the ends of the ranges and the recommended one.
const SAMPLE: usize = 1000;
const SAMPLED: [VmhGeometry; 3] = [
    VmhGeometry { entries: 8 * 1024, line_entries: 8, ways: 2 },
    VmhGeometry::RECOMMENDED,
    VmhGeometry { entries: 32 * 1024, line_entries: 128, ways: 8 },
];

fn measure(jobs: usize) -> Result<Report> {
    let traces: Vec<Vec<Access>> = Pattern::ALL.iter().map(|pattern| pattern.trace(SEED)).collect();
    let geometries = all_geometries();
    let misses: Vec<Misses> = traces
        .iter()
        .zip(Pattern::ALL)
        .map(|(trace, pattern)| Misses {
            name: pattern.name(),
            counts: geometries.iter().map(|&geometry| (geometry, run(geometry, trace, &mut |_, _| {}))).collect(),
        })
        .collect();
    let samples = work::each(FIGURE_4_2.id, jobs, &SAMPLED, |&geometry| on_rtl(geometry, &traces, SAMPLE))?;
    let platform = Platform::load(PLATFORM).map_err(|error| failed!("{error}"))?;
    let mut report = report(&misses, &MissCosts::of(&platform));
    report.tables.push(sizes(&traces));
    let mut table = Table::new(
        "The same accesses on the RTL, answer by answer",
        ["geometry", "pattern", "lookups", "sets", "misses", "answers that differ"],
    );
    samples.into_iter().flatten().for_each(|row| table.rows.push(row));
    report.tables.push(table);
    Ok(report)
}

fn sizes(traces: &[Vec<Access>]) -> Table {
    let mut table = Table::new("Traces", ["pattern", "pages shared", "lookups"]);
    for (pattern, trace) in Pattern::ALL.iter().zip(traces) {
        table.row([pattern.name().into(), pattern.pages().into(), (trace.len() as u64).into()]);
    }
    table
}

/// A part of every trace on a NIC.
///
/// # Errors
/// An answer that is not the one of the cache in host memory.
fn on_rtl(geometry: VmhGeometry, traces: &[Vec<Access>], count: usize) -> Result<Vec<Vec<Cell>>> {
    let mut probe = Probe::boot(geometry, false)?;
    let mut rows = Vec::new();
    for (pattern, trace) in Pattern::ALL.iter().zip(traces) {
        let (sample, _) = sample(geometry, trace, count, SEED);
        probe.reset()?;
        let answers = replay(&mut probe, geometry, &sample.accesses)?;
        same(&sample.accesses, &sample.answers, &answers)
            .map_err(|difference| failed!("{} in {}: {difference}", pattern.name(), name(geometry)))?;
        rows.push(vec![
            name(geometry).into(),
            pattern.name().into(),
            (answers.len() as u64).into(),
            sample.sets.into(),
            (sample.misses() as u64).into(),
            0u32.into(),
        ]);
    }
    probe.check_surroundings()?;
    Ok(rows)
}

/// The first answer that differs, in words.
fn same(accesses: &[Access], host: &[Answer], nic: &[Answer]) -> Result<(), String> {
    let pairs = accesses.iter().zip(host).zip(nic);
    match pairs.enumerate().find(|(_, ((_, host), nic))| host != nic) {
        None if host.len() == nic.len() => Ok(()),
        None => Err(format!("{} answers on the host, {} on the NIC", host.len(), nic.len())),
        Some((index, ((access, host), nic))) => {
            Err(format!("lookup {index}, {access:?}: the host answers {host:?}, the NIC {nic:?}"))
        }
    }
}

/// One program in every geometry.
struct Misses {
    name: &'static str,
    counts: Vec<(VmhGeometry, Counts)>,
}

impl Misses {
    fn of(&self, entries: u32, line_entries: u32, ways: u32) -> &Counts {
        let wanted = VmhGeometry { entries, line_entries, ways };
        let found = self.counts.iter().find(|(geometry, _)| *geometry == wanted);
        &found.expect("every geometry was run").1
    }

    /// Misses of all geometries that are `kept`.
    fn sum(&self, kept: impl Fn(&VmhGeometry) -> bool) -> u64 {
        self.counts.iter().filter(|(geometry, _)| kept(geometry)).map(|(_, counts)| counts.misses()).sum()
    }
}

/// What a miss costs the one who waits for it: the constants of the platform file.
struct MissCosts {
    retransmit_us: f64,
    service_us: f64,
    pin_call_us: f64,
    pin_page_us: f64,
}

impl MissCosts {
    fn of(platform: &Platform) -> MissCosts {
        let host = &platform.host;
        let service_ns =
            host.interrupt_delay_ns + host.interrupt_handler_ns + host.irq_to_thread_ns + host.miss_service_ns;
        MissCosts {
            retransmit_us: platform.protocol.retransmit_us as f64,
            service_us: service_ns as f64 / 1e3,
            pin_call_us: host.pin_call_ns as f64 / 1e3,
            pin_page_us: host.pin_page_ns as f64 / 1e3,
        }
    }

    /// Microseconds lost for each lookup. Only a cold line is pinned; a frame that misses comes again after the time-out.
    fn for_each_lookup(&self, geometry: VmhGeometry, counts: &Counts) -> f64 {
        let pinned = self.service_us + self.pin_call_us + f64::from(geometry.line_entries) * self.pin_page_us;
        let [_, send_cold, send_other] = counts.of(Path::Send);
        let [_, receive_cold, receive_other] = counts.of(Path::Receive);
        let sum = send_cold as f64 * pinned
            + send_other as f64 * self.service_us
            + receive_cold as f64 * pinned.max(self.retransmit_us)
            + receive_other as f64 * self.service_us.max(self.retransmit_us);
        sum / counts.all_lookups() as f64
    }
}

/// Cost of a geometry over all programs: the geometric mean of what each lookup loses.
fn cost(programs: &[Misses], costs: &MissCosts, geometry: VmhGeometry) -> f64 {
    let each: Vec<f64> = programs
        .iter()
        .map(|program| {
            let counts = program.of(geometry.entries, geometry.line_entries, geometry.ways);
            costs.for_each_lookup(geometry, counts).max(1e-9)
        })
        .collect();
    trend::geometric_mean(&each)
}

fn percent(part: u64, counts: &Counts) -> f64 {
    100.0 * part as f64 / counts.all_lookups() as f64
}

fn report(programs: &[Misses], costs: &MissCosts) -> Report {
    let mut tables = Vec::new();
    let mut ratios = Table::new(
        "Miss ratio, % of lookups",
        std::iter::once("geometry".to_string())
            .chain(programs.iter().map(|program| program.name.to_string()))
            .chain(["lost, us a lookup".to_string()]),
    );
    for geometry in all_geometries() {
        let cells = programs.iter().map(|program| {
            let counts = program.of(geometry.entries, geometry.line_entries, geometry.ways);
            (100.0 * counts.miss_ratio()).into()
        });
        ratios.row(std::iter::once(name(geometry).into()).chain(cells).chain([cost(programs, costs, geometry).into()]));
    }
    tables.push(ratios);
    for program in programs {
        let columns = ["geometry", "send, cold", "send, other", "receive, cold", "receive, other", "all"];
        let mut table = Table::new(format!("{}: misses, % of lookups", program.name), columns);
        for (geometry, counts) in &program.counts {
            let parts = parts(counts);
            table.row(
                std::iter::once(name(*geometry).into()).chain(parts.map(Into::into)).chain([percent(
                    counts.misses(),
                    counts,
                )
                .into()]),
            );
        }
        tables.push(table);
    }
    Report { tables, pictures: programs.iter().map(picture).collect(), findings: findings(programs, costs) }
}

fn parts(counts: &Counts) -> [f64; 4] {
    let [_, send_cold, send_other] = counts.of(Path::Send);
    let [_, receive_cold, receive_other] = counts.of(Path::Receive);
    [send_cold, send_other, receive_cold, receive_other].map(|part| percent(part, counts))
}

/// As in the thesis: a bar for each geometry, by size, then line, then ways.
fn picture(program: &Misses) -> Picture {
    let mut groups: Vec<Group> = Vec::new();
    for (geometry, counts) in &program.counts {
        let group = format!("{}K entries", geometry.entries / 1024);
        if groups.last().is_none_or(|last| last.name != group) {
            groups.push(Group { name: group, bars: Vec::new() });
        }
        let bars = &mut groups.last_mut().expect("there is one").bars;
        let name = format!("L{}.A{}", geometry.line_entries, geometry.ways);
        bars.push(Bar { name, values: parts(counts).into() });
    }
    let parts = ["send, cold", "send, other", "receive, cold", "receive, other"].map(String::from).into();
    Picture {
        name: program.name.to_lowercase(),
        title: format!("{}: VMH misses by geometry", program.name),
        chart: Chart::Stacks { y: "% of lookups".into(), parts, groups },
    }
}

/// "Most programs": more than half of them, which is three of four.
fn most(programs: &[Misses], is_so: impl Fn(&Misses) -> bool) -> bool {
    2 * programs.iter().filter(|program| is_so(program)).count() > programs.len()
}

/// "Little" and "small": less than this share.
const LITTLE: f64 = 0.2;

fn findings(programs: &[Misses], costs: &MissCosts) -> Vec<Finding> {
    let listed = |value: &dyn Fn(&Misses) -> String| {
        programs.iter().map(|program| format!("{} {}", program.name, value(program))).collect::<Vec<_>>().join("; ")
    };
    let chain = |values: &[f64]| values.iter().map(|value| digits(*value)).collect::<Vec<_>>().join(", ");
    // Mean over the other two axes.
    let mean = |program: &Misses, kept: &dyn Fn(&VmhGeometry) -> bool| {
        let geometries = program.counts.iter().filter(|(geometry, _)| kept(geometry)).count() as f64;
        100.0 * program.sum(kept) as f64 / (geometries * program.counts[0].1.all_lookups() as f64)
    };
    let by_line = |program: &Misses| LINE_ENTRIES.map(|line| mean(program, &|it| it.line_entries == line));
    let by_ways = |program: &Misses| WAYS.map(|ways| mean(program, &|it| it.ways == ways));
    let named = |wanted: &str| programs.iter().find(|program| program.name == wanted);
    let mut findings = vec![Finding::new(
        "MC-3",
        "longer lines reduce the misses of most programs, up to 128 entries",
        most(programs, |program| trend::falls(&by_line(program))),
        format!("% at lines of 8, 16, 64, 128: {}", listed(&|program| chain(&by_line(program)))),
    )];

    if let Some(ocean) = named("Ocean") {
        let mut shown = Vec::new();
        let mut holds = true;
        for entries in ENTRIES.into_iter().filter(|&entries| entries < 32 * 1024) {
            for ways in WAYS {
                let non_cold = [16, 64, 128].map(|line| ocean.of(entries, line, ways).all_non_cold());
                holds &= non_cold[2] > 2 * non_cold[0];
                shown.push(format!("C{}.A{ways} {}, {}, {}", entries / 1024, non_cold[0], non_cold[1], non_cold[2]));
            }
        }
        findings.push(Finding::new(
            "MC-3",
            "but Ocean's non-cold misses more than double from lines of 16 to 128 entries, below 32K entries",
            holds,
            format!("non-cold misses at lines of 16, 64, 128: {}", shown.join("; ")),
        ));
    }

    // From 16K to 32K entries: misses that go, as a share.
    let gain = |program: &Misses, line: u32, ways: u32| {
        let [small, large] = [16, 32].map(|k| program.of(k * 1024, line, ways).misses() as f64);
        1.0 - large / small.max(1.0)
    };
    let least =
        |program: &Misses, line: u32| WAYS.map(|ways| gain(program, line, ways)).into_iter().fold(1.0, f64::min);
    let largest =
        |program: &Misses, line: u32| WAYS.map(|ways| gain(program, line, ways)).into_iter().fold(0.0, f64::max);
    findings.push(Finding::new(
        "MC-4",
        "with lines of 8 entries, 32K entries instead of 16K matter little to most programs",
        most(programs, |program| largest(program, 8) < LITTLE),
        format!("misses that go, %: {}", listed(&|program| digits(100.0 * largest(program, 8)))),
    ));
    for wanted in ["FFT", "LU"] {
        if let Some(program) = named(wanted) {
            findings.push(Finding::new(
                "MC-4",
                format!("with lines of 128 entries, they more than halve the misses of {wanted}"),
                least(program, 128) > 0.5,
                format!(
                    "misses that go with 2, 4, 8 ways, %: {}",
                    chain(&WAYS.map(|ways| 100.0 * gain(program, 128, ways)))
                ),
            ));
        }
    }

    let step = |program: &Misses, from: usize| {
        let by_ways = by_ways(program);
        1.0 - by_ways[from + 1] / by_ways[from]
    };
    findings.push(Finding::new(
        "MC-5",
        "four ways instead of two help most programs",
        most(programs, |program| step(program, 0) > 0.0),
        format!("% with 2, 4, 8 ways: {}", listed(&|program| chain(&by_ways(program)))),
    ));
    findings.push(Finding::new(
        "MC-5",
        "eight instead of four help little",
        most(programs, |program| step(program, 1) < LITTLE),
        format!(
            "misses that go from 2 to 4, and from 4 to 8, %: {}",
            listed(&|program| chain(&[100.0 * step(program, 0), 100.0 * step(program, 1)]))
        ),
    ));

    let recommended = VmhGeometry::RECOMMENDED;
    let best = |entries: u32| {
        let of_size = all_geometries().into_iter().filter(move |geometry| geometry.entries == entries);
        let costed = of_size.map(|geometry| (cost(programs, costs, geometry), geometry));
        costed.min_by(|a, b| a.0.total_cmp(&b.0)).expect("there are geometries of each size")
    };
    let ours = cost(programs, costs, recommended);
    let sizes: Vec<String> = ENTRIES
        .iter()
        .map(|&entries| {
            let (cost, geometry) = best(entries);
            format!("{} {} us", name(geometry), digits(cost))
        })
        .collect();
    findings.push(Finding::new(
        "MC-6",
        "no cache of up to 16K entries loses less time than C16.L64.A4",
        ENTRIES.iter().filter(|&&entries| entries <= recommended.entries).all(|&entries| best(entries).0 >= ours),
        format!("lost for each lookup: C16.L64.A4 {} us; best of each size: {}", digits(ours), sizes.join(", ")),
    ));
    if let Some(ocean) = named("Ocean") {
        let at_8k = 100.0 * ocean.of(8 * 1024, 64, 4).miss_ratio();
        let at_16k = 100.0 * ocean.of(16 * 1024, 64, 4).miss_ratio();
        findings.push(Finding::new(
            "MC-6",
            "a program that misses little needs no more than 8K entries",
            at_8k <= 2.0,
            format!("Ocean at C8.L64.A4 {} %, at C16.L64.A4 {} %", digits(at_8k), digits(at_16k)),
        ));
    }
    let ratios = |program: &Misses| -> [f64; 2] {
        let ratios = program.counts.iter().map(|(_, counts)| 100.0 * counts.miss_ratio());
        ratios.fold([f64::INFINITY, 0.0], |[least, most], ratio| [least.min(ratio), most.max(ratio)])
    };
    findings.push(Finding::new(
        "MN-8",
        "0 to 2 % of Ocean's lookups miss, 2 to 40 % of the others'",
        programs.iter().all(|program| match (program.name, ratios(program)) {
            ("Ocean", [_, most]) => most <= 2.0,
            (_, [least, most]) => least >= 2.0 && most <= 40.0,
        }),
        format!("least and most, %: {}", listed(&|program| chain(&ratios(program)))),
    ));
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use nic_lookup::host::Target;

    /// Misses of 100 000 lookups, all on the receive path and none cold, as `of` says for each geometry.
    fn program(name: &'static str, of: impl Fn(VmhGeometry) -> u64) -> Misses {
        let counts = |geometry| Counts { lookups: [0, 100_000], cold: [0, 0], non_cold: [0, of(geometry)] };
        Misses { name, counts: all_geometries().into_iter().map(|it| (it, counts(it))).collect() }
    }

    const COSTS: MissCosts = MissCosts { retransmit_us: 250.0, service_us: 50.0, pin_call_us: 2.0, pin_page_us: 0.5 };

    /// Long lines prefetch; 16K entries are too few for the longest; two ways cost a third more than four, and eight gain nothing.
    fn usual(geometry: VmhGeometry) -> u64 {
        let misses = match (geometry.line_entries, geometry.entries) {
            (8, _) => 30_000,
            (16, _) => 20_000,
            (64, _) => 10_000,
            (_, 32_768) => 2_500,
            _ => 11_000,
        };
        misses * if geometry.ways == 2 { 4 } else { 3 } / 3
    }

    fn ocean(geometry: VmhGeometry) -> u64 {
        match geometry.entries {
            32_768 => 800 / u64::from(geometry.line_entries) * if geometry.ways == 2 { 2 } else { 1 },
            _ => u64::from(geometry.line_entries) * 10,
        }
    }

    fn thesis() -> Vec<Misses> {
        vec![program("FFT", usual), program("LU", usual), program("Radix", usual), program("Ocean", ocean)]
    }

    /// Statements that do not hold.
    fn failing(programs: &[Misses]) -> Vec<String> {
        findings(programs, &COSTS).into_iter().filter(|it| !it.holds).map(|it| it.statement).collect()
    }

    #[test]
    fn programs_as_the_thesis_describes_them_hold() {
        assert_eq!(failing(&thesis()), [] as [&str; 0]);
    }

    #[track_caller]
    fn fails(programs: &[Misses], statement: &str) {
        let failing = failing(programs);
        assert!(failing.iter().any(|it| it.starts_with(statement)), "`{statement}` holds; what fails: {failing:?}");
    }

    #[test]
    fn each_statement_on_one_program_can_fail() {
        let with = |index: usize, name: &'static str, of: &dyn Fn(VmhGeometry) -> u64| {
            let mut programs = thesis();
            programs[index] = program(name, of);
            programs
        };
        let no_conflicts = with(3, "Ocean", &|geometry| 1000 / u64::from(geometry.line_entries));
        fails(&no_conflicts, "but Ocean's non-cold misses more than double");
        for (index, name) in [(0, "FFT"), (1, "LU")] {
            let same = with(index, name, &|geometry| usual(VmhGeometry { entries: 32 * 1024, ..geometry }));
            fails(&same, "with lines of 128 entries");
        }
        fails(&with(3, "Ocean", &|geometry| 5 * ocean(geometry)), "a program that misses little");
        fails(&with(3, "Ocean", &|geometry| 5 * ocean(geometry)), "0 to 2 %");
        fails(&with(2, "Radix", &|geometry| 2 * usual(geometry)), "0 to 2 %");
        fails(&with(2, "Radix", &|geometry| usual(geometry) / 2), "0 to 2 %");
    }

    #[test]
    fn each_statement_on_most_programs_can_fail() {
        let all = |of: fn(VmhGeometry) -> u64| -> Vec<Misses> {
            ["FFT", "LU", "Radix", "Ocean"].map(|name| program(name, of)).into()
        };
        fails(&all(|geometry| u64::from(geometry.line_entries) * 100), "longer lines reduce");
        fails(&all(|geometry| u64::from(40_000_000 / geometry.entries)), "with lines of 8 entries");
        fails(&all(|geometry| u64::from(geometry.ways) * 1000), "four ways instead of two");
        fails(&all(|geometry| 8000 / u64::from(geometry.ways)), "eight instead of four");
        fails(&all(|geometry| 240_000 / u64::from(geometry.line_entries)), "no cache of up to 16K entries");
    }

    #[test]
    fn an_answer_that_differs_is_named() {
        let accesses = [Access { path: Path::Send, pid: 1, page: 5 }; 2];
        let host = [Answer::Reserved { line: 0 }, Answer::Hit { line: 0, entry: 7 }];
        assert_eq!(same(&accesses, &host, &host), Ok(()));
        let nic = [host[0], Answer::Hit { line: 0, entry: 8 }];
        let difference = same(&accesses, &host, &nic).unwrap_err();
        assert!(difference.contains("lookup 1") && difference.contains("entry: 8"), "{difference}");
        assert!(same(&accesses, &host, &host[..1]).is_err());
    }

    #[test]
    fn the_rtl_answers_a_part_of_each_trace_as_the_host_does() {
        let traces = Pattern::ALL.map(|pattern| pattern.trace(9));
        let rows = on_rtl(VmhGeometry::RECOMMENDED, &traces, 60).unwrap();
        assert_eq!(rows.len(), Pattern::ALL.len());
        assert!(rows.iter().all(|row| row[2] == Cell::Number(60.0)));
    }

    /// A line that is lost on the way is found, and where.
    #[test]
    fn an_rtl_that_forgets_a_line_is_found() {
        struct Forgetful {
            probe: Probe,
            lookups: u32,
        }
        impl Target for Forgetful {
            type Error = nicscope_scenario::error::Error;

            fn use_page(&mut self, path: Path, pid: u32, page: u32) -> Result<Answer> {
                self.lookups += 1;
                if self.lookups == 20 {
                    self.probe.invalidate(pid, page)?;
                }
                self.probe.use_page(path, pid, page)
            }

            fn unlock(&mut self, path: Path, line: u32) -> Result<Answer> {
                self.probe.unlock(path, line)
            }

            fn invalidate(&mut self, pid: u32, page: u32) -> Result<Answer> {
                self.probe.invalidate(pid, page)
            }

            fn fill(&mut self, line: u32, miss_key: u32, page_number: &dyn Fn(u32) -> u32) -> Result<()> {
                self.probe.fill(line, miss_key, page_number)
            }

            fn release(&mut self, line: u32) -> Result<()> {
                self.probe.release(line)
            }
        }
        let geometry = VmhGeometry::RECOMMENDED;
        let one_page = vec![Access { path: Path::Receive, pid: 1, page: 0x4_0000 }; 30];
        let (sample, _) = sample(geometry, &one_page, 30, SEED);
        let mut target = Forgetful { probe: Probe::boot(geometry, false).unwrap(), lookups: 0 };
        let answers = replay(&mut target, geometry, &sample.accesses).unwrap();
        let difference = same(&sample.accesses, &sample.answers, &answers).unwrap_err();
        assert!(difference.starts_with("lookup 19,") && difference.contains("the NIC Reserved"), "{difference}");
    }

    #[test]
    fn only_cold_lines_are_pinned_and_only_frames_wait_for_the_time_out() {
        let geometry = VmhGeometry::RECOMMENDED;
        let one = |counts| COSTS.for_each_lookup(geometry, &counts);
        assert_eq!(one(Counts { lookups: [1, 0], cold: [1, 0], non_cold: [0, 0] }), 50.0 + 2.0 + 32.0);
        assert_eq!(one(Counts { lookups: [1, 0], cold: [0, 0], non_cold: [1, 0] }), 50.0);
        assert_eq!(one(Counts { lookups: [0, 1], cold: [0, 1], non_cold: [0, 0] }), 250.0);
        assert_eq!(one(Counts { lookups: [0, 1], cold: [0, 0], non_cold: [0, 1] }), 250.0);
    }
}
