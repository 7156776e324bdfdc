//! The table of personalities: one line each.

pub mod echo;
pub mod mini;
pub mod vmmc;

use super::entry::Personality;

pub(super) static PERSONALITIES: [Personality; 3] = [mini::ENTRY, vmmc::ENTRY, echo::ENTRY];
