//! Messages that the NIC matches, with virtual addresses: the same operations, and lookups that
//! miss.

use crate::personality::entry::Personality;

/// The driver takes the lines of a process away when the process ends.
pub const ENTRY: Personality = Personality { name: "emp-mini", ..super::emp::ENTRY };
