//! The table of personalities that have figures of their own: a group of bars each, and
//! experiments.

#[path = "measure/mini/mod.rs"]
mod bars;
#[path = "measure/emp/mod.rs"]
mod matched;
#[path = "reproduce/emp/mod.rs"]
mod messages;
#[path = "reproduce/mini/mod.rs"]
mod mini;

use crate::engine::{Experiment, Group};

pub use mini::setting::COMPARED;

/// Their experiments, in the order in which they are listed.
pub fn experiments() -> impl Iterator<Item = &'static Experiment> {
    mini::EXPERIMENTS.iter().chain(&messages::EXPERIMENTS)
}

/// Their groups of bars.
pub const GROUPS: [Group; 2] = [bars::GROUP, matched::GROUP];
