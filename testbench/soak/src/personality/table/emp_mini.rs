//! Messages that the NIC matches, with virtual addresses: the same operations, and lookups that
//! miss.

use super::emp;
use crate::personality::entry::Personality;

/// The driver takes the lines of a process away when the process ends. The NIC has one core.
pub const ENTRY: Personality = Personality { name: "emp-mini", defects: emp::DEFECTS_OF_ONE_CORE, ..emp::ENTRY };
