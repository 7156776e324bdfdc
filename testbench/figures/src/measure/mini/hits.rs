//! Bar 3: clocks of the core for a lookup that hits where a message arrives.

use nicscope_account::account::{Account, Clock};
use nicscope_run::run;
use nicscope_scenario::error::Result;
use nicscope_scenario::failed;

use crate::engine::{Figure, Target};
use crate::measure::built_in::config;

pub const NOTE: &str = "the longest of one frame of each message of the account, sizes 4 B to 16 KB; a CBH hit includes the look at the sequence number";

const CYCLES_MAX: f64 = 40.0;

pub fn measure() -> Result<Vec<Figure>> {
    let set = ["workload.sizes_bytes=4,64,1024,4096,16384", "workload.iterations=8", "misses.ratios=0.0"];
    let results = run::run(&config("ping-pong", &set)?)?;
    results.check()?;
    let mut figures = Vec::new();
    for run in &results.runs {
        let longest = |stage: &str| -> Result<f64> {
            let each = run.hits.iter().filter_map(|account| cycles(account, stage));
            each.reduce(f64::max).ok_or_else(|| failed!("no message on {} has `{stage}`", run.platform))
        };
        let id = |name: &str| format!("mini.3.{name}_{}", run.platform);
        let target = Target::AtMost(CYCLES_MAX);
        figures.push(Figure::new(id("vmh_hit"), longest("receiver: lookup")?, "core clocks", target));
        figures.push(Figure::new(
            id("after_vmh_hit"),
            longest("receiver: after lookup hit")?,
            "core clocks",
            Target::None,
        ));
        figures.push(Figure::new(id("cbh_hit"), longest("receiver: find buffer")?, "core clocks", target));
    }
    Ok(figures)
}

/// Clocks of the longest span of that name.
fn cycles(account: &Account, stage: &str) -> Option<f64> {
    let spans = account.spans.iter().filter(|span| span.clock == Clock::Core && span.stage == stage);
    spans.map(|span| span.cycles.round()).reduce(f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nicscope_account::account::Span;

    #[test]
    fn the_longest_span_of_the_core_counts() {
        let span = |stage: &str, clock, cycles| Span {
            stage: stage.into(),
            node: 0,
            clock,
            start_ps: 0,
            duration_ps: 0,
            cycles,
        };
        let spans = vec![
            span("receiver: lookup", Clock::Core, 35.0),
            span("receiver: lookup", Clock::Core, 36.0),
            span("receiver: lookup", Clock::Link, 99.0),
            span("sender: lookup", Clock::Core, 50.0),
        ];
        let account = Account { message: 1, size_bytes: 4, latency_ps: 0, spans };
        assert_eq!(cycles(&account, "receiver: lookup"), Some(36.0));
        assert_eq!(cycles(&account, "receiver: checks"), None);
    }
}
