//! The protocol checker: watches what both agents drive, and knows nothing of how they decide.
//!
//! [`Checker::advance`] follows the transactions and hands the edge, the edge before it and the
//! transaction to the rules, which live in one module for each thing they watch.

mod arbitration;
mod data;
mod drivers;
mod master;
mod observed;
mod rule;
mod target;
#[cfg(test)]
mod tests;
mod watch;
mod wide;

pub(crate) use observed::Sample;
pub use rule::{Rule, Violation};
pub(crate) use watch::Checker;
