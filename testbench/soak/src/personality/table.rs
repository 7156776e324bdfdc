//! The table of personalities: one line each.

mod echo;
mod mini;
mod vmmc;

use super::entry::Personality;

pub(super) static PERSONALITIES: [Personality; 3] = [mini::ENTRY, vmmc::ENTRY, echo::ENTRY];
