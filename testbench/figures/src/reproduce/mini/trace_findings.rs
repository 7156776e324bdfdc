//! MC-3 to MC-6 and MN-8: what the thesis states of misses by geometry, decided from counts alone.

use nic_layout::vmh::VmhGeometry;
use page_traces::{name, ENTRIES, LINE_ENTRIES, WAYS};

use super::miss_costs::{best, cost, holds_over, trials, MissCosts};
use super::programs::Misses;
use crate::engine::digits::digits;
use crate::engine::report::Finding;
use crate::reproduce::trend;

/// "Most programs": more than half of them, which is three of four.
fn most(programs: &[Misses], is_so: impl Fn(&Misses) -> bool) -> bool {
    2 * programs.iter().filter(|program| is_so(program)).count() > programs.len()
}

/// "Little" and "small": less than this share.
const LITTLE: f64 = 0.2;

/// The last finding is settled by an input.
fn settle_last(mut findings: Vec<Finding>, because: &'static str) -> Vec<Finding> {
    let last = findings.pop().map(|finding| finding.by_construction(because));
    findings.extend(last);
    findings
}

/// The statements of the thesis on misses of programs, and what was found.
pub fn findings(programs: &[Misses], costs: &MissCosts) -> Vec<Finding> {
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
    let best = |entries: u32| best(programs, costs, |of| of == entries);
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
        format!(
            "with {} us to fill a fresh page, lost for each lookup: C16.L64.A4 {} us; best of each size: {}; {}",
            digits(costs.page_fill_us),
            digits(ours),
            sizes.join(", "),
            holds_over(&trials(programs, costs))
        ),
    ));
    // The verdict is that of a constant if another value of the constant turns it.
    let of_reading = &trials(programs, costs)[0];
    if of_reading.iter().any(|trial| trial.is_recommended_best() != of_reading[0].is_recommended_best()) {
        findings = settle_last(findings, "the time to fill a fresh page, an input, turns the verdict");
    }
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
    use super::super::miss_costs::tests::COSTS;
    use super::super::miss_costs::Trial;
    use super::*;
    use page_traces::{all_geometries, Counts};

    /// Misses of 100 000 lookups, all on the receive path and none cold, as `of` says for each
    /// geometry.
    fn program(name: &'static str, of: impl Fn(VmhGeometry) -> u64) -> Misses {
        let counts = |geometry| Counts { lookups: [0, 100_000], cold: [0, 0], non_cold: [0, of(geometry)] };
        Misses { name, counts: all_geometries().into_iter().map(|it| (it, counts(it))).collect() }
    }

    /// Long lines prefetch; 16K entries are too few for the longest; two ways cost a third more
    /// than four, and eight gain nothing.
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

    /// Long lines have few misses, all of them cold: they are the best until filling their pages
    /// costs more.
    #[test]
    fn a_verdict_that_the_time_to_fill_a_page_turns_is_settled_by_it() {
        let cold = |geometry: VmhGeometry| {
            let cold = 400_000 / u64::from(geometry.line_entries) / if geometry.line_entries == 128 { 1 } else { 2 };
            let other = if geometry == VmhGeometry::RECOMMENDED { 0 } else { 1 };
            let most = if geometry.line_entries == 128 { cold * 3 / 4 } else { cold };
            Counts { lookups: [0, 100_000], cold: [0, most], non_cold: [0, other] }
        };
        let misses = |name| Misses { name, counts: all_geometries().into_iter().map(|it| (it, cold(it))).collect() };
        let programs = [misses("Radix")];
        let verdict = |page_fill_us| {
            let costs = MissCosts { page_fill_us, ..COSTS };
            let found = findings(&programs, &costs);
            found.into_iter().find(|it| it.statement.starts_with("no cache of up to 16K")).unwrap()
        };
        let trials = trials(&programs, &COSTS);
        let best: Vec<bool> = trials[0].iter().map(Trial::is_recommended_best).collect();
        assert!(best.contains(&true) && best.contains(&false), "{trials:?}");
        assert_eq!(verdict(0.0).holds, best[0]);
        assert_eq!(verdict(5.0).holds, best[10]);
        assert!(!verdict(0.0).is_measured() && verdict(0.0).figures.contains("received pages filled: at "));
    }
}
