//! The table of personalities: one line each.

mod echo;
mod emp;
mod emp_mini;
mod kernel;
mod mini;
mod thesis;
mod vmmc;

use super::entry::Personality;

/// All personalities, in the order in which `nicscope list` shows them. The first is the default.
pub const PERSONALITIES: [&Personality; 6] =
    [&mini::MINI, &vmmc::VMMC, &emp::EMP, &emp_mini::EMP_MINI, &echo::ECHO, &kernel::KERNEL];
