//! Bars 2 and 3: spans add up to latencies, and counters to each other.

use std::sync::OnceLock;

use nicscope_account::results::Results;
use nicscope_run::run::{self, RunConfig};
use nicscope_scenario::error::Result;

use crate::engine::{Figure, Target};
use crate::measure::built_in::config;

/// The main job: all sizes, both platforms, all hits and with misses. Both bars look at the same
/// run.
fn main_job() -> Result<&'static Results> {
    static RESULTS: OnceLock<Results> = OnceLock::new();
    if let Some(results) = RESULTS.get() {
        return Ok(results);
    }
    let results = run::run(&config("ping-pong", &[])?)?;
    Ok(RESULTS.get_or_init(|| results))
}

pub fn differences() -> Result<Vec<Figure>> {
    Ok(differences_of(main_job()?))
}

fn differences_of(results: &Results) -> Vec<Figure> {
    let largest = results.runs.iter().map(|run| run.largest_difference_ps).max().unwrap_or(0);
    let messages: u64 = results.runs.iter().map(|run| run.accounts).sum();
    vec![
        Figure::new("machine.2.span_difference", largest as f64, "ps", Target::Exactly(0.0)),
        Figure::new("machine.2.messages", messages as f64, "accounts", Target::AtLeast(1.0)),
    ]
}

/// The main job, and a run in which frames are lost and damaged.
pub fn sums() -> Result<Vec<Figure>> {
    let faulty = run::run(&faulty()?)?;
    Ok(sums_of(&[main_job()?, &faulty]))
}

fn faulty() -> Result<RunConfig> {
    config("random", &["platforms=[\"tigon2\", \"lanai9\"]", "workload.iterations=200"])
}

fn sums_of(results: &[&Results]) -> Vec<Figure> {
    let sums = || results.iter().flat_map(|results| &results.runs).flat_map(|run| &run.conservation);
    let broken = sums().filter(|sum| !sum.holds()).inspect(|sum| eprintln!("nicscope: does not hold: {sum:?}")).count();
    vec![
        Figure::new("machine.3.sums_that_disagree", broken as f64, "sums", Target::Exactly(0.0)),
        Figure::new("machine.3.sums", sums().count() as f64, "sums", Target::AtLeast(1.0)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use nicscope_account::results::Equation;

    #[test]
    fn a_short_run_adds_up_and_a_broken_sum_is_found() {
        let set = ["workload.sizes_bytes=[4, 2000]", "workload.iterations=2", "misses.ratios=0.5"];
        let mut results = run::run(&config("ping-pong", &set).unwrap()).unwrap();
        for figure in differences_of(&results).iter().chain(&sums_of(&[&results])) {
            assert!(figure.ok(), "{figure:?}");
        }
        results.runs[0].largest_difference_ps = 1;
        results.runs[1].conservation.push(Equation::new("one is two", 1, 2));
        assert!(!differences_of(&results)[0].ok());
        assert_eq!(sums_of(&[&results])[0].value, 1.0);
    }
}
