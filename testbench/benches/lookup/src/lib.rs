//! The lookup cache on the RTL, through firmware, against its model (docs/properties.md).
//!
//! [`Probe`] is a NIC with the firmware `cache-probe` in a host, and runs cache operations over PCI. [`compare`] runs a list on it, on the same
//! cache in host memory and on the dull model, and looks at the invariants. [`Search`] draws lists and shrinks one that fails; [`List`] is
//! the text that it leaves and that `tests/replay.rs` runs again.

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
