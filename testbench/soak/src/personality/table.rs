//! The table of personalities: one line each.

pub mod echo;
mod emp;
mod emp_mini;
mod kernel;
pub mod mini;
pub mod vmmc;

use super::entry::Personality;

pub(super) static PERSONALITIES: [Personality; 6] =
    [mini::ENTRY, vmmc::ENTRY, emp::ENTRY, emp_mini::ENTRY, echo::ENTRY, kernel::ENTRY];
