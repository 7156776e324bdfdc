//! The table of personalities: one line each.

mod mini;
mod vmmc;

use super::entry::Personality;

/// All personalities, in the order in which `nicscope list` shows them. The first is the default.
pub const PERSONALITIES: [&Personality; 2] = [&mini::MINI, &vmmc::VMMC];
