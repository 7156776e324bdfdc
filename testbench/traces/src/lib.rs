//! Page accesses of parallel programs, as seen by one NIC of their cluster, and the firmware's VMH
//! cache that looks the pages up (docs/reproduce.md).
//!
//! [`Pattern::trace`] makes the sequence of lookups of one node. [`run`] sends it through
//! `nic_lookup::Vmh` in host memory and counts misses. [`sample`] takes a part of the sequence for
//! which every cache of the same geometry must give the same answers. [`replay`] sends that part
//! through another cache.

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

/// One lookup of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// The path of the lookup: send if the NIC reads the page, receive if it writes it.
    pub path: Path,
    /// The identifier of the process on its node.
    pub pid: u32,
    /// The virtual page of the process.
    pub page: u32,
}
