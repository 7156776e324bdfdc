//! Bar 1: hits and misses cost what they cost at an earlier commit.

use std::path::Path;

use nicscope_run::files;
use nicscope_scenario::error::Result;
use nicscope_scenario::image::workspace;

use crate::engine::compare::{Compared, Record};
use crate::engine::obtain::{obtain, MEASURED};
use crate::engine::{Figure, Target};
use crate::measure;

pub const NOTE: &str = "each value is that of now over that of the commit in testbench/figures/records/costs.json; \
     where that one is not positive, 1 and the change as a share of its size. What this build has measured already is \
     read from out/measure";

/// The record of the earlier commit, below the root of the project. The bars of its figures are
/// compared.
const BEFORE: &str = "testbench/figures/records/costs.json";

/// A figure may be so many percent worse.
const WORSE_PERCENT_MAX: f64 = 2.0;

pub fn measure() -> Result<Vec<Figure>> {
    let before = Record::read(&workspace().join(BEFORE))?;
    let now = figures_of(&before)?;
    Ok(of(&before, &now))
}

/// The figures of the bars of which the record has figures, measured or found.
pub fn figures_of(record: &Record) -> Result<Vec<Figure>> {
    let folder = Path::new(MEASURED);
    files::prepare_folder(folder)?;
    let is_in = |id: &str| record.figures.iter().any(|it| it.id.strip_prefix(id).is_some_and(|it| it.starts_with('.')));
    let measured = measure::bars().filter(|bar| is_in(bar.id)).map(|bar| obtain(bar, folder, 1, false));
    Ok(measured.collect::<Result<Vec<_>>>()?.into_iter().flat_map(|outcome| outcome.report.figures).collect())
}

fn of(before: &Record, now: &[Figure]) -> Vec<Figure> {
    let compared = before.compare(now);
    let mut figures: Vec<Figure> = compared.iter().map(|it| figure(it, &before.commit)).collect();
    // A figure that is gone is worse than any other.
    let percent = |it: &Compared| if it.worse_percent().is_nan() { f64::INFINITY } else { it.worse_percent() };
    let worst = compared.iter().max_by(|a, b| percent(a).total_cmp(&percent(b)));
    let missed = now.iter().filter(|figure| !figure.ok()).count();
    let percent_worse = worst.map_or(f64::NAN, percent);
    let worst_figure = Figure::new("house.1.worst", percent_worse, "% worse", Target::AtMost(WORSE_PERCENT_MAX));
    figures.extend([
        worst_figure.paper(worst.map_or(String::new(), |worst| worst.id.clone())),
        Figure::new("house.1.compared", compared.len() as f64, "figures", Target::AtLeast(1.0)),
        Figure::new("house.1.targets_missed", missed as f64, "of their own", Target::Exactly(0.0)),
    ]);
    figures
}

fn figure(compared: &Compared, commit: &str) -> Figure {
    let share = WORSE_PERCENT_MAX / 100.0;
    let target = match compared.larger_is_better {
        true => Target::AtLeast(1.0 - share),
        false => Target::AtMost(1.0 + share),
    };
    let id = format!("house.1.{}", compared.id);
    let value = |value: f64| Figure::new("", value, "", Target::None).value_text();
    let values = format!("{} {}, before {}", value(compared.now), compared.unit, value(compared.before));
    Figure::new(id, compared.ratio(), "of before", target).paper(values).source(commit.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn before() -> Record {
        let figures = vec![
            Figure::new("m.4.write_word", 4.0, "us", Target::AtMost(5.0)),
            Figure::new("m.4.peak", 100.0, "MB/s", Target::AtLeast(90.0)),
        ];
        Record { commit: "abc".into(), command: String::new(), figures }
    }

    fn now(write_word: f64, peak: f64) -> Vec<Figure> {
        let mut figures = before().figures;
        (figures[0].value, figures[1].value) = (write_word, peak);
        figures
    }

    fn met(now: &[Figure]) -> Vec<bool> {
        of(&before(), now).iter().map(Figure::ok).collect()
    }

    #[test]
    fn a_figure_that_is_more_than_two_percent_worse_misses() {
        // Word, peak, the worst, how many, own targets.
        assert_eq!(met(&now(4.07, 98.1)), [true; 5]);
        assert_eq!(met(&now(4.2, 98.1)), [false, true, false, true, true]);
        assert_eq!(met(&now(4.0, 97.0)), [true, false, false, true, true]);
        assert_eq!(met(&now(5.1, 89.0)), [false, false, false, true, false]);
    }

    #[test]
    fn a_figure_that_is_gone_misses_and_is_the_worst() {
        let figures = of(&before(), &now(4.2, 100.0)[..1]);
        let worst = figures.iter().find(|figure| figure.id == "house.1.worst").unwrap();
        assert_eq!((worst.ok(), worst.paper.as_deref()), (false, Some("m.4.peak")));
        assert!(!figures[1].ok() && figures[1].value_text() == "absent");
    }

    #[test]
    fn the_record_of_the_project_has_all_that_is_compared() {
        let record = Record::read(&workspace().join(BEFORE)).unwrap();
        let recorded = |bar: &str| record.figures.iter().filter(|figure| figure.id.starts_with(bar)).count();
        assert_eq!(measure::bars().filter(|bar| recorded(&format!("{}.", bar.id)) > 0).count(), 4);
        assert!(record.figures.iter().all(Figure::ok));
    }
}
