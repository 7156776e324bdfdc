//! Which statements of the papers held when they were last recorded: a JSON file of the project, so
//! that a statement that no longer holds is noticed.

use std::path::Path;

use nicscope_scenario::error::Result;
use nicscope_scenario::image::workspace;

use crate::engine::compare::Record;
use crate::engine::{Figure, Outcome};

/// The record, below the root of the project.
const RECORD: &str = "testbench/figures/records/statements.json";

/// The verdicts of all experiments at a commit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Statements {
    record: Record,
}

/// A statement whose verdict is not the recorded one.
#[derive(Clone, Debug, PartialEq)]
pub struct Changed {
    /// Experiment, claim, and number of the statement among those of its claim.
    pub id: String,
    /// The recorded statement.
    pub statement: String,
    /// It held, and holds no longer, or is not stated any more.
    pub is_lost: bool,
}

impl Statements {
    /// The record of the project.
    ///
    /// # Errors
    /// The file cannot be read, or is no record.
    pub fn recorded() -> Result<Statements> {
        Ok(Statements { record: Record::read(&workspace().join(RECORD))? })
    }

    /// The record in a file; an empty one if there is no such file.
    ///
    /// # Errors
    /// The file is no record.
    pub fn read_or_new(path: &Path) -> Result<Statements> {
        match path.is_file() {
            true => Ok(Statements { record: Record::read(path)? }),
            false => Ok(Statements::default()),
        }
    }

    /// Writes the record.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, path: &Path) -> Result<()> {
        self.record.write(path)
    }

    /// Puts the verdicts of these experiments in the place of their earlier ones.
    pub fn add(&mut self, commit: &str, outcomes: &[Outcome]) {
        self.record.commit = commit.into();
        self.record.command = "nicscope reproduce --record".into();
        for outcome in outcomes {
            self.record.figures.retain(|figure| !belongs(&figure.id, &outcome.id));
            self.record.figures.extend(outcome.statements());
        }
    }

    /// Recorded statements of an experiment.
    pub fn count(&self, experiment: &str) -> usize {
        self.record.figures.iter().filter(|figure| belongs(&figure.id, experiment)).count()
    }

    /// Statements of these experiments whose verdict is not the recorded one: first what is
    /// recorded, then what is stated now and not recorded.
    pub fn changed(&self, outcomes: &[Outcome]) -> Vec<Changed> {
        let now: Vec<Figure> = outcomes.iter().flat_map(Outcome::statements).collect();
        let recorded = || {
            let is_asked = |figure: &&Figure| outcomes.iter().any(|outcome| belongs(&figure.id, &outcome.id));
            self.record.figures.iter().filter(is_asked)
        };
        let same = |a: &Figure, b: &Figure| a.id == b.id && a.paper == b.paper && a.decided == b.decided;
        let changed = |figure: &Figure, is_lost| Changed {
            id: figure.id.clone(),
            statement: figure.paper.as_deref().unwrap_or_default().into(),
            is_lost,
        };
        let mut found = Vec::new();
        for before in recorded() {
            let holds_now = now.iter().find(|figure| same(figure, before)).map(Figure::ok);
            if holds_now != Some(before.ok()) {
                found.push(changed(before, before.ok() && holds_now != Some(true)));
            }
        }
        let is_new = |figure: &&Figure| !recorded().any(|before| same(before, figure));
        found.extend(now.iter().filter(is_new).map(|figure| changed(figure, false)));
        found
    }
}

/// Whether the id of a statement is one of this experiment.
fn belongs(statement: &str, experiment: &str) -> bool {
    // Claims and their numbers have no point in them: `mini.fig-4.1.MC-1.2`.
    let mut parts = statement.rsplitn(3, '.');
    parts.nth(2) == Some(experiment)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::report::Finding;
    use crate::engine::Report;

    fn outcome(id: &str, findings: Vec<Finding>) -> Outcome {
        Outcome {
            id: id.into(),
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

    fn holds(claim: &str, statement: &str, holds: bool) -> Finding {
        Finding::new(claim, statement, holds, "f")
    }

    #[test]
    fn a_statement_that_no_longer_holds_is_lost() {
        let before =
            outcome("a.1", vec![holds("MC-1", "x", true), holds("MC-1", "y", false), holds("MC-2", "z", true)]);
        let mut statements = Statements::default();
        statements.add("abc", std::slice::from_ref(&before));
        assert_eq!(statements.changed(std::slice::from_ref(&before)), []);
        let lost = |findings: Vec<Finding>| -> Vec<(String, bool)> {
            let changed = statements.changed(&[outcome("a.1", findings)]);
            changed.into_iter().map(|it| (it.id, it.is_lost)).collect()
        };
        let [x, y, z] = [holds("MC-1", "x", true), holds("MC-1", "y", false), holds("MC-2", "z", true)];
        let fails = Finding { holds: false, ..x.clone() };
        assert_eq!(lost(vec![fails, y.clone(), z.clone()]), [("a.1.MC-1.1".to_owned(), true)]);
        let won = Finding { holds: true, ..y.clone() };
        assert_eq!(lost(vec![x.clone(), won, z.clone()]), [("a.1.MC-1.2".to_owned(), false)]);
        assert_eq!(lost(vec![x.clone(), y.clone()]), [("a.1.MC-2.1".to_owned(), true)]);
        // Not a finding any more: an input settles it.
        let settled = z.clone().by_construction("an input");
        let id = "a.1.MC-2.1".to_owned();
        assert_eq!(lost(vec![x.clone(), y.clone(), settled]), [(id.clone(), true), (id, false)]);
        let other = Finding { statement: "another".into(), ..z };
        assert_eq!(lost(vec![x, y, other]).len(), 2);
    }

    #[test]
    fn experiments_that_were_not_asked_for_are_not_lost() {
        let mut statements = Statements::default();
        let [one, other] = ["a.1", "a.1.5"].map(|id| outcome(id, vec![holds("MC-1", "x", true)]));
        statements.add("abc", &[one.clone(), other.clone()]);
        assert_eq!(statements.changed(&[one]), []);
        statements.add("abd", &[Outcome { report: Report::default(), ..other.clone() }]);
        assert_eq!(statements.changed(&[other]).len(), 1);
        assert_eq!(statements.record.figures.len(), 1);
    }
}
