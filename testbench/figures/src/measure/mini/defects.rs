//! Bar 7: planted defects, and whether each is found by the invariant that it breaks.

use nicscope_run::run::default_threads;
use nicscope_scenario::error::Result;
use nicscope_scenario::personality;
use nicscope_soak::case::Nodes;
use nicscope_soak::defect::{Defect, Outcome, Workload};
use nicscope_soak::defects::{self, Bench};

use crate::engine::{Figure, Target};

pub const NOTE: &str = "of each defect: when it was found, in simulated time from power-up, and by which invariant; none: without a defect";

const SEED: u64 = 7;

pub fn measure() -> Result<Vec<Figure>> {
    let mut outcomes = Vec::new();
    let personality = personality::named("mini")?;
    let bench = Bench { personality, nodes: Nodes::PAIR, seed: SEED, threads: default_threads(2) };
    for defect in defects::of(personality) {
        outcomes.push((defect, bench.run(defect)?));
    }
    let sound = bench.run_sound(Workload::Caches)?;
    Ok(of(&outcomes, &sound))
}

fn is_caught(defect: &Defect, outcome: &Outcome) -> bool {
    outcome.found.as_ref().and_then(|found| found.invariant) == Some(defect.invariant)
}

fn of(outcomes: &[(&Defect, Outcome)], sound: &Outcome) -> Vec<Figure> {
    let caught = outcomes.iter().filter(|(defect, outcome)| is_caught(defect, outcome)).count();
    let mut figures = vec![
        Figure::new("mini.7.caught", caught as f64, "defects", Target::Exactly(outcomes.len() as f64)),
        Figure::new("mini.7.found_in_none", f64::from(u8::from(sound.found.is_some())), "", Target::Exactly(0.0)),
        Figure::new("mini.7.lookups_in_none", sound.lookups as f64, "", Target::None),
    ];
    figures.extend(outcomes.iter().map(|(defect, outcome)| {
        let by = outcome.found.as_ref().and_then(|found| found.invariant);
        let by = by.map_or_else(|| "not by an invariant".into(), |number| format!("by INV-{number}"));
        let at_us = outcome.at.0 as f64 / 1e6;
        Figure::new(format!("mini.7.{}", defect.name.replace('-', "_")), at_us, "us", Target::None).paper(by)
    }));
    figures
}

#[cfg(test)]
mod tests {
    use super::*;
    use nicscope_soak::defect::Found;
    use sim_pins::Ps;

    #[test]
    fn a_defect_that_another_invariant_finds_is_not_caught() {
        let found = |number| Outcome {
            found: Some(Found { invariant: Some(number), what: String::new() }),
            at: Ps::from_us(3),
            lookups: 1,
        };
        let nothing = Outcome { found: None, at: Ps::from_us(9), lookups: 9 };
        let defect = &defects::of(personality::default())[0];
        let value = |outcome: &Outcome, sound: &Outcome, n: usize| {
            let figures = of(&[(defect, outcome.clone())], sound);
            (figures[n].value, figures[n].ok())
        };
        assert_eq!(value(&found(defect.invariant), &nothing, 0), (1.0, true));
        assert_eq!(value(&found(99), &nothing, 0), (0.0, false));
        assert_eq!(value(&nothing, &nothing, 0), (0.0, false));
        assert_eq!(value(&nothing, &found(1), 1), (1.0, false));
        assert_eq!(value(&found(1), &nothing, 3).0, 3.0);
    }
}
