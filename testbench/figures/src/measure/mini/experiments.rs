//! Bar 1: every experiment prints, soon enough, and every trend is decided.

use std::collections::BTreeSet;
use std::time::Instant;

use nicscope_scenario::error::Result;

use crate::measure::{Figure, Target};
use crate::reproduce::report::Finding;
use crate::reproduce::{self, Outcome};

/// On two cores.
const SECONDS_MAX: f64 = 15.0 * 60.0;

/// What the thesis claims of curves and caches.
const TRENDS: [&str; 6] = ["MC-1", "MC-2", "MC-3", "MC-4", "MC-5", "MC-6"];

pub fn measure() -> Result<Vec<Figure>> {
    let begin = Instant::now();
    let outcomes = reproduce::all()?;
    Ok(of(&outcomes, begin.elapsed().as_secs_f64()))
}

fn of(outcomes: &[Outcome], seconds: f64) -> Vec<Figure> {
    let findings = || outcomes.iter().flat_map(|outcome| &outcome.report.findings);
    let decided: BTreeSet<&str> = TRENDS.into_iter().filter(|trend| findings().any(|it| it.claim == *trend)).collect();
    let count = |is_so: fn(&Finding) -> bool| findings().filter(|finding| is_so(finding)).count() as f64;
    vec![
        Figure::new("mini.1.experiments", outcomes.len() as f64, "", Target::None),
        Figure::new("mini.1.all_experiments", seconds, "s", Target::AtMost(SECONDS_MAX)),
        Figure::new(
            "mini.1.trends_decided",
            decided.len() as f64,
            "of MC-1 to MC-6",
            Target::Exactly(TRENDS.len() as f64),
        ),
        Figure::new("mini.1.statements_that_hold", count(|finding| finding.holds), "", Target::None),
        Figure::new("mini.1.statements_that_do_not", count(|finding| !finding.holds), "", Target::None),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reproduce::report::Report;

    fn outcome(claims: &[(&str, bool)]) -> Outcome {
        let findings = claims.iter().map(|(claim, holds)| Finding::new(claim, "s", *holds, "f")).collect();
        Outcome {
            id: "a.b".into(),
            title: String::new(),
            thesis: String::new(),
            build: String::new(),
            parameters: serde_json::Value::Null,
            was_there: false,
            report: Report { findings, ..Report::default() },
            pictures: Vec::new(),
        }
    }

    #[test]
    fn a_trend_is_decided_whether_it_holds_or_not_and_all_must_be() {
        let some = [outcome(&[("MC-1", true), ("MC-1", false), ("MN-9", true)]), outcome(&[("MC-3", false)])];
        let figures = of(&some, 10.0);
        let value = |id: &str| figures.iter().find(|figure| figure.id == id).map(|figure| (figure.value, figure.ok()));
        assert_eq!(value("mini.1.trends_decided"), Some((2.0, false)));
        assert_eq!(value("mini.1.statements_that_hold"), Some((2.0, true)));
        assert_eq!(value("mini.1.statements_that_do_not"), Some((2.0, true)));
        let all = [outcome(&TRENDS.map(|trend| (trend, false)))];
        assert!(of(&all, 10.0).iter().all(Figure::ok));
        assert!(of(&all, 901.0).iter().any(|figure| !figure.ok()));
    }
}
