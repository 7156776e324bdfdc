//! The lookup cache, run by firmware on the RTL, compared with its model (docs/properties.md).
//!
//! [`Probe`] is a NIC with the firmware `cache-probe` in a host. It runs cache operations over PCI.
//! [`compare`] runs a list of operations on the probe, on the same cache in host memory and on a
//! plain model, and checks the invariants. [`Search`] draws lists, and shrinks a list that fails.
//! [`List`] is the text in which a failing list is kept; `tests/replay.rs` runs it again.

pub mod compare;
pub mod geometry;
pub mod invariants;
pub mod list;
pub mod operations;
pub mod replay;
pub mod report;
pub mod search;
mod shorten;

pub use compare::{compare, Disagreement, Subject};
pub use list::List;
pub use nicscope_probe::{self as probe, Probe};
pub use search::Search;
