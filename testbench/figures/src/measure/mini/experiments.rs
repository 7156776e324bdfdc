//! Bar 1: every experiment prints, soon enough, every trend is decided by runs, and no statement
//! that held is lost.

use std::collections::BTreeSet;
use std::time::Instant;

use nicscope_scenario::error::Result;

use crate::engine::report::Finding;
use crate::engine::{Figure, Outcome, Target};
use crate::reproduce;
use crate::reproduce::statements::Statements;

/// On two cores.
const SECONDS_MAX: f64 = 15.0 * 60.0;

/// What the thesis claims of curves and caches.
const TRENDS: [&str; 6] = ["MC-1", "MC-2", "MC-3", "MC-4", "MC-5", "MC-6"];

pub fn measure() -> Result<Vec<Figure>> {
    let begin = Instant::now();
    let outcomes = reproduce::all("mini")?;
    let seconds = begin.elapsed().as_secs_f64();
    let changed = Statements::recorded()?.changed(&outcomes);
    for it in &changed {
        let what = if it.is_lost { "lost" } else { "not as recorded" };
        eprintln!("nicscope: {}: {what}: {}", it.id, it.statement);
    }
    Ok(of(&outcomes, seconds, changed.iter().filter(|it| it.is_lost).count(), changed.len()))
}

fn of(outcomes: &[Outcome], seconds: f64, lost: usize, changed: usize) -> Vec<Figure> {
    let findings = || outcomes.iter().flat_map(|outcome| &outcome.report.findings);
    let measured = || findings().filter(|finding| finding.is_measured());
    let decided: BTreeSet<&str> = TRENDS.into_iter().filter(|trend| measured().any(|it| it.claim == *trend)).collect();
    let count = |is_so: fn(&Finding) -> bool| measured().filter(|finding| is_so(finding)).count() as f64;
    let settled = findings().filter(|finding| !finding.is_measured()).count();
    let number =
        |name: &str, value: f64, unit: &'static str, target| Figure::new(format!("mini.1.{name}"), value, unit, target);
    vec![
        number("experiments", outcomes.len() as f64, "", Target::None),
        number("all_experiments", seconds, "s", Target::AtMost(SECONDS_MAX)),
        number(
            "trends_decided",
            decided.len() as f64,
            "of MC-1 to MC-6, by runs",
            Target::Exactly(TRENDS.len() as f64),
        ),
        number("statements_that_hold", count(|finding| finding.holds), "by runs", Target::None),
        number("statements_that_do_not", count(|finding| !finding.holds), "by runs", Target::None),
        number("statements_by_construction", settled as f64, "settled by an input", Target::None),
        number("statements_lost", lost as f64, "that held when recorded", Target::Exactly(0.0)),
        number("statements_changed", changed as f64, "not as recorded", Target::None),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Report;

    fn outcome(claims: &[(&str, bool)]) -> Outcome {
        let findings = claims.iter().map(|(claim, holds)| Finding::new(claim, "s", *holds, "f")).collect();
        Outcome {
            id: "a.b".into(),
            title: String::new(),
            thesis: String::new(),
            build: String::new(),
            parameters: serde_json::Value::Null,
            was_there: false,
            seconds: 0.0,
            report: Report { findings, ..Report::default() },
            pictures: Vec::new(),
        }
    }

    #[test]
    fn a_trend_is_decided_whether_it_holds_or_not_and_all_must_be() {
        let some = [outcome(&[("MC-1", true), ("MC-1", false), ("MN-9", true)]), outcome(&[("MC-3", false)])];
        let figures = of(&some, 10.0, 0, 0);
        let value = |id: &str| figures.iter().find(|figure| figure.id == id).map(|figure| (figure.value, figure.ok()));
        assert_eq!(value("mini.1.trends_decided"), Some((2.0, false)));
        assert_eq!(value("mini.1.statements_that_hold"), Some((2.0, true)));
        assert_eq!(value("mini.1.statements_that_do_not"), Some((2.0, true)));
        let all = [outcome(&TRENDS.map(|trend| (trend, false)))];
        assert!(of(&all, 10.0, 0, 2).iter().all(Figure::ok));
        assert!(of(&all, 901.0, 0, 0).iter().any(|figure| !figure.ok()));
        assert!(of(&all, 10.0, 1, 1).iter().any(|figure| !figure.ok()));
    }

    #[test]
    fn what_an_input_settles_is_counted_apart_and_decides_no_trend() {
        let mut all = outcome(&TRENDS.map(|trend| (trend, true)));
        all.report.findings[1] = all.report.findings[1].clone().by_construction("the time-out");
        let figures = of(&[all], 10.0, 0, 0);
        let value = |name: &str| figures.iter().find(|figure| figure.id.ends_with(name)).unwrap().value;
        assert_eq!((value("trends_decided"), value("that_hold"), value("by_construction")), (5.0, 5.0, 1.0));
    }
}
