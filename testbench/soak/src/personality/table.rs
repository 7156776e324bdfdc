//! The table of personalities: one line each.

mod mini;
mod vmmc;

use super::entry::Personality;

pub(super) static PERSONALITIES: [Personality; 2] = [mini::ENTRY, vmmc::ENTRY];
