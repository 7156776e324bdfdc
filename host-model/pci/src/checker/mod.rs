//! The protocol checker: watches what both agents drive, and knows nothing of how they decide.

mod rule;

pub use rule::{Rule, Violation};

use crate::Settings;
use sim_pins::{Conflict, PciDrive, PciLines, Ps};

/// The bus at one edge: the lines, and who drove them since the edge before.
pub(crate) struct Sample<'a> {
    pub at: Ps,
    pub lines: &'a PciLines,
    pub conflict: Option<Conflict>,
    pub bridge: &'a PciDrive,
    pub nic: &'a PciDrive,
    /// The bridge's own GNT# and REQ#, which are inside the chipset.
    pub bridge_granted: bool,
    pub bridge_asks: bool,
}

#[derive(Debug)]
pub(crate) struct Checker {
    on: bool,
    violations: Vec<Violation>,
}

impl Checker {
    pub fn new(settings: &Settings) -> Checker {
        Checker {
            on: settings.checks,
            violations: Vec::new(),
        }
    }

    pub fn advance(&mut self, sample: &Sample) {
        if !self.on {
            return;
        }
        if let Some(conflict) = sample.conflict {
            self.violations.push(Violation {
                at: sample.at,
                rule: Rule::OneDriver,
                what: format!("{conflict:?}"),
            });
        }
    }

    pub fn violations(&self) -> &[Violation] {
        &self.violations
    }

    pub fn take_violations(&mut self) -> Vec<Violation> {
        std::mem::take(&mut self.violations)
    }
}
