//! Planted defects of a personality, and whether each is found by the invariant that it breaks.

use nicscope_run::run::default_threads;
use nicscope_scenario::error::Result;
use nicscope_scenario::personality;
use nicscope_soak::campaign::FIND_CASES;
use nicscope_soak::case::Nodes;
use nicscope_soak::defect::{Defect, Outcome, Workload};
use nicscope_soak::defects::{self, Bench};

use crate::engine::{Figure, Target};

pub const NOTE: &str = "of each defect: when it was found, in simulated time from power-up, and by which invariant; none: without a defect";

const SEED: u64 = 7;

/// Runs with each defect, and without one.
pub struct Played {
    pub planted: Vec<(&'static Defect, Outcome)>,
    pub sound: Vec<Outcome>,
}

/// Plays the defects of a personality, each with a seed of its own, and workloads without one.
///
/// # Errors
/// An image does not build, or a run does not begin.
pub fn play(name: &str, sound: &[Workload]) -> Result<Played> {
    let personality = personality::named(name)?;
    let bench = |seed| Bench { personality, nodes: Nodes::PAIR, seed, threads: default_threads(2) };
    let run = |(defect, seed)| Ok((defect, bench(seed).run(defect)?));
    Ok(Played {
        planted: defects::of(personality).iter().zip(SEED..).map(run).collect::<Result<_>>()?,
        sound: sound.iter().map(|workload| bench(SEED).run_sound(*workload, FIND_CASES)).collect::<Result<_>>()?,
    })
}

fn is_caught(defect: &Defect, outcome: &Outcome) -> bool {
    outcome.found.as_ref().is_some_and(|found| defect.is_found_by(found.invariant))
}

/// The figures of a bar.
pub fn figures(bar: &str, played: &Played) -> Vec<Figure> {
    let caught = played.planted.iter().filter(|(defect, outcome)| is_caught(defect, outcome)).count();
    let found_in_none = played.sound.iter().filter(|outcome| outcome.found.is_some()).count();
    let all = played.planted.len() as f64;
    let mut figures = vec![
        Figure::new(format!("{bar}.caught"), caught as f64, "defects", Target::Exactly(all)),
        Figure::new(format!("{bar}.found_in_none"), found_in_none as f64, "", Target::Exactly(0.0)),
    ];
    figures.extend(played.planted.iter().map(|(defect, outcome)| {
        let by = outcome.found.as_ref().map(|found| match found.invariant {
            Some(number) => format!("by INV-{number}"),
            None => "by a command without an answer".into(),
        });
        let at_us = outcome.at.0 as f64 / 1e6;
        let name = format!("{bar}.{}", defect.name.replace('-', "_"));
        Figure::new(name, at_us, "us", Target::None).paper(by.unwrap_or_else(|| "not found".into()))
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
            list: None,
        };
        let nothing = Outcome { found: None, at: Ps::from_us(9), lookups: 9, list: None };
        let defect = &defects::of(personality::default())[0];
        let value = |outcome: &Outcome, sound: &Outcome, n: usize| {
            let played = Played { planted: vec![(defect, outcome.clone())], sound: vec![sound.clone()] };
            let figures = figures("bar", &played);
            (figures[n].value, figures[n].ok())
        };
        assert_eq!(value(&found(defect.invariant), &nothing, 0), (1.0, true));
        assert_eq!(value(&found(99), &nothing, 0), (0.0, false));
        assert_eq!(value(&nothing, &nothing, 0), (0.0, false));
        assert_eq!(value(&nothing, &found(1), 1), (1.0, false));
        assert_eq!(value(&found(1), &nothing, 2).0, 3.0);
    }
}
