//! Bar 1: clocks for each instruction of the benchmark mix, and kernels like those of public
//! benchmarks for each MHz.

use nicscope_kernels::images::{Language, Placement};
use nicscope_kernels::runs::{self, Run, MIX};
use nicscope_kernels::stalls::Cause;
use nicscope_kernels::{model, Error};
use nicscope_scenario::error::Result;
use nicscope_scenario::failed;

use crate::engine::{Figure, Target};

pub const NOTE: &str =
    "docs/benchmarks.md says what the kernels are; in the mix each has a quarter of the instructions";

/// What public cores were measured with, on a mix like this.
const PUBLISHED: &str = "1.16 Hazard3, 1.23 to 1.48 Ibex, 1.64 VexRiscv, 3.94 PicoRV32";

/// One clock in so many has an access of the link when it receives and transmits at once
/// (docs/memory.md, bandwidth budget).
const LINK_EVERY: u64 = 3;

pub fn measure() -> Result<Vec<Figure>> {
    let mut figures = Vec::new();
    let mut wrong = 0;
    let mut differing = 0;
    for placement in Placement::ALL {
        for language in Language::ALL {
            let runs = runs::measure(language, placement, 0).map_err(failed)?;
            wrong += wrong_results(&runs);
            differing += runs.iter().filter(|run| !counted_alike(run)).count();
            figures.extend(of(&runs, language, placement));
        }
    }
    for language in Language::ALL {
        let runs = runs::measure(language, Placement::Sram, LINK_EVERY).map_err(failed)?;
        let id = format!("core.1.beside_link.{}.mix", language.name());
        figures.push(Figure::new(id, runs::cpi_of_mix(&runs), "clocks per instruction", Target::None));
    }
    figures.push(Figure::new("core.1.wrong_results", wrong as f64, "kernels", Target::Exactly(0.0)));
    figures.push(Figure::new("core.1.counters_and_rvfi_differ", differing as f64, "kernels", Target::Exactly(0.0)));
    Ok(figures)
}

pub(super) fn failed(error: Error) -> nicscope_scenario::error::Error {
    failed!("{error}")
}

fn wrong_results(runs: &[Run]) -> usize {
    runs.iter().zip(model::expected()).filter(|(run, expected)| run.check != *expected).count()
}

fn counted_alike(run: &Run) -> bool {
    run.clocks == run.clocks_seen && run.instructions == run.instructions_seen
}

/// Figures of one image.
fn of(runs: &[Run], language: Language, placement: Placement) -> Vec<Figure> {
    let id = |name: &str| format!("core.1.{}.{}.{name}", placement.name(), language.name());
    let bar = match placement {
        Placement::Scratchpad => 1.20,
        Placement::Sram => 1.35,
    };
    let (mix, others) = runs.split_at(MIX);
    let mut figures =
        vec![Figure::new(id("mix"), runs::cpi_of_mix(runs), "clocks per instruction", Target::AtMost(bar))
            .paper(PUBLISHED)];
    figures.extend(mix.iter().map(|run| Figure::new(id(run.name), run.cpi(), "clocks per instruction", Target::None)));
    for cause in Cause::ALL {
        // The mean is taken as for the CPI of the mix, so that these figures and 1 add up to that
        // CPI, except for the clocks in which the counters themselves are read.
        let share =
            mix.iter().map(|run| run.stalls.of(cause) as f64 / run.instructions as f64).sum::<f64>() / MIX as f64;
        let id = id(&format!("stall.{}", cause.name()));
        figures.push(Figure::new(id, share, "clocks per instruction", Target::None));
    }
    figures.push(Figure::new(id("clocks_of_mix"), runs::clocks_of_mix(runs), "clocks, each once", Target::None));
    // A speed at 1 MHz. To compare cores of different clocks, multiply by MHz.
    let speed = |run: &Run| 1e6 / run.clocks_per_call();
    figures.extend(others.iter().map(|run| Figure::new(id(run.name), speed(run), "runs per s and MHz", Target::None)));
    let mean = (others.iter().map(|run| speed(run).ln()).sum::<f64>() / others.len() as f64).exp();
    figures.push(Figure::new(id("geometric_mean"), mean, "runs per s and MHz", Target::None));
    figures
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(clocks: u64) -> Run {
        Run {
            name: "x",
            clocks,
            instructions: 1000,
            clocks_seen: clocks,
            instructions_seen: 1000,
            retired: 1000,
            stalls: Default::default(),
            check: 0,
        }
    }

    #[test]
    fn kernels_weigh_the_same_in_the_mix() {
        let runs: Vec<Run> = [1000, 1200, 1400, 1600, 2000, 2000].map(run).into();
        let figures = of(&runs, Language::C, Placement::Scratchpad);
        let value = |name: &str| figures.iter().find(|figure| figure.id.ends_with(name)).unwrap().value;
        assert!((value(".mix") - 1.3).abs() < 1e-9);
        assert!(!figures[0].ok(), "1.3 is more than 1.2");
        // Two calls take 2000 clocks.
        assert!((value("geometric_mean") - 1000.0).abs() < 1e-6);
    }

    #[test]
    fn a_wrong_result_and_a_wrong_counter_are_found() {
        let mut runs: Vec<Run> = model::expected().into_iter().map(|check| Run { check, ..run(1000) }).collect();
        assert_eq!(wrong_results(&runs), 0);
        runs[2].check ^= 1;
        assert_eq!(wrong_results(&runs), 1);
        assert!(counted_alike(&runs[0]));
        assert!(!counted_alike(&Run { clocks_seen: 999, ..runs[0].clone() }));
    }
}
