//! The table of personalities that have figures of their own: a group of bars each, and
//! experiments.

#[path = "measure/mini/mod.rs"]
mod bars;
#[path = "measure/emp/mod.rs"]
mod matched;
#[path = "reproduce/mini/mod.rs"]
mod mini;

use crate::engine::Group;

pub use mini::{setting::COMPARED, EXPERIMENTS};

/// Their groups of bars.
pub const GROUPS: [Group; 2] = [bars::GROUP, matched::GROUP];
