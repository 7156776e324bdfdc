//! The table of personalities: one line each.

pub mod echo;
mod emp;
pub mod mini;
pub mod vmmc;

use super::entry::Personality;

pub(super) static PERSONALITIES: [Personality; 4] = [mini::ENTRY, vmmc::ENTRY, emp::ENTRY, echo::ENTRY];
