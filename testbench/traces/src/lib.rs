//! Page accesses of parallel programs as one NIC of their cluster sees them, and the firmware's VMH cache that looks them up (docs/reproduce.md).
//!
//! [`Pattern::trace`] makes the sequence of lookups of one node; [`run`] sends it through `nic_lookup::Vmh` in host memory and counts misses;
//! [`sample`] takes a part of it that any other cache of the same geometry must answer in the same way, and [`replay`] asks that one.

mod cluster;
mod count;
mod geometries;
mod pattern;
mod run;
mod sample;

pub use cluster::{FIRST_PAGE, NODES, PROCESSES_OF_A_NODE, RANKS};
pub use count::Counts;
pub use geometries::{all_geometries, name, ENTRIES, LINE_ENTRIES, WAYS};
pub use pattern::{Lu, Ocean, Pattern, Radix, Transpose};
pub use run::{page_number, run};
pub use sample::{replay, sample, Sample};

use nic_lookup::Path;

/// One lookup: a process's page, to be sent from or received into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    pub path: Path,
    pub pid: u32,
    pub page: u32,
}
