//! Reports of an invariant that does not hold.

use std::fmt;

use sim_pins::Ps;

/// An invariant by its number: docs/properties.md.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Invariant(pub u8);

impl fmt::Display for Invariant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "INV-{}", self.0)
    }
}

/// A broken rule as a watch reports it. The monitor adds the node and the time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// The rule.
    pub invariant: Invariant,
    /// What was expected and seen.
    pub what: String,
}

/// The result of a rule that does not hold: an error with the number of the invariant.
///
/// # Errors
/// Always.
pub fn broken<T>(invariant: u8, what: String) -> Result<T, Broken> {
    Err(Broken { invariant: Invariant(invariant), what })
}

/// An invariant that was broken in a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The number of the node, counted from 0.
    pub node: usize,
    /// The time of the event at which the rule was found broken.
    pub at: Ps,
    /// The invariant that does not hold.
    pub invariant: Invariant,
    /// What was expected and seen.
    pub what: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "node {}: {} at {}: {}", self.node, self.invariant, self.at, self.what)
    }
}

impl std::error::Error for Violation {}
