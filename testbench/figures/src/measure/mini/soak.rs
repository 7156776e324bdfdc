//! Bar 6: random operations on whole clusters. They take hours, so `make soak` writes what it has
//! done, which is read here.

use std::fs;

use crate::engine::{Figure, Target};
use nicscope_scenario::error::{Result, Statement};
use nicscope_scenario::failed;
use nicscope_scenario::image::workspace;
use nicscope_soak::campaign::Progress;
use nicscope_soak::play::FAULTS;
use nicscope_soak::rdma::operation::Kind;

pub const NOTE: &str = "as `make soak` last left it in out/soak/progress.json; it ends at the first failure, and has then counted what went well before it";

const OPERATIONS_MIN: f64 = 1e6;

pub fn measure() -> Result<Vec<Figure>> {
    let path = "out/soak/progress.json";
    let progress = match fs::read_to_string(workspace().join(path)) {
        Ok(text) => Some(serde_json::from_str(&text).map_err(|error| failed!("{path}: {error}"))?),
        Err(error) => {
            eprintln!("nicscope: {path}: {error}: run `make soak`");
            None
        }
    };
    Ok(of(progress.as_ref()))
}

fn of(progress: Option<&Progress>) -> Vec<Figure> {
    let number = |count: &dyn Fn(&Progress) -> u64| progress.map_or(f64::NAN, |progress| count(progress) as f64);
    let broken = |invariants: &'static [u8]| {
        number(&move |progress| {
            let is_one = |number: &u8| progress.broken == Some(Statement::Invariant(*number));
            u64::from(progress.failure.is_some() && (invariants.is_empty() || invariants.iter().any(is_one)))
        })
    };
    let kinds = |kinds: &'static [Kind]| {
        number(&move |progress| kinds.iter().filter_map(|kind| progress.kinds.get(kind.name())).sum())
    };
    let faults = number(&|progress| FAULTS.iter().filter_map(|name| progress.counts.get(*name)).sum());
    vec![
        Figure::new("mini.6.operations", kinds(&Kind::ALL), "operations", Target::AtLeast(OPERATIONS_MIN)),
        Figure::new("mini.6.invariants_broken", broken(&[]), "", Target::Exactly(0.0)),
        Figure::new("mini.6.bytes_wrong", broken(&[27, 28]), "", Target::Exactly(0.0)),
        Figure::new("mini.6.pages_left_pinned", broken(&[36]), "", Target::Exactly(0.0)),
        Figure::new(
            "mini.6.kinds_lacking",
            number(&|progress| progress.lacking().len() as u64),
            "of operations and faults",
            Target::Exactly(0.0),
        ),
        Figure::new("mini.6.faults", faults, "frames lost, corrupted, doubled, delayed", Target::None),
        Figure::new("mini.6.withdrawals", kinds(&[Kind::Withdraw]), "", Target::None),
        Figure::new("mini.6.processes_ended", kinds(&[Kind::End, Kind::Kill]), "", Target::None),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn full() -> Progress {
        Progress {
            kinds: Kind::ALL.iter().map(|kind| (kind.name().to_owned(), 100_000)).collect(),
            counts: FAULTS.iter().map(|fault| (fault.to_string(), 10)).collect(),
            ..Progress::default()
        }
    }

    fn missed(progress: Option<&Progress>) -> Vec<String> {
        of(progress).into_iter().filter(|figure| !figure.ok()).map(|figure| figure.id).collect()
    }

    #[test]
    fn a_soak_of_every_kind_without_a_failure_meets_the_bar() {
        assert_eq!(missed(Some(&full())), Vec::<String>::new());
        let mut short = full();
        short.kinds.insert(Kind::Kill.name().to_owned(), 1);
        short.kinds.insert(Kind::Read.name().to_owned(), 0);
        short.kinds.values_mut().for_each(|count| *count /= 2);
        assert_eq!(missed(Some(&short)), ["mini.6.operations", "mini.6.kinds_lacking"]);
        assert_eq!(missed(None).len(), of(None).len());
    }

    #[test]
    fn a_failure_is_of_its_kind() {
        let failed =
            |broken: Option<Statement>| missed(Some(&Progress { failure: Some("so".into()), broken, ..full() }));
        let invariant = |number| Some(Statement::Invariant(number));
        assert_eq!(failed(invariant(27)), ["mini.6.invariants_broken", "mini.6.bytes_wrong"]);
        assert_eq!(failed(invariant(36)), ["mini.6.invariants_broken", "mini.6.pages_left_pinned"]);
        assert_eq!(failed(None), ["mini.6.invariants_broken"], "a panic");
    }
}
