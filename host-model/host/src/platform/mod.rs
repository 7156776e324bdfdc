//! A machine as data: clocks, sizes and widths of what has RTL, and the costs of what has none.
//!
//! Each key carries its unit; each constant in the files under `platforms/` names its source. A
//! platform is one of [`Platform::names`] or a path to a file of the same form.

mod check;
mod kernel;
mod load;
mod values;

pub use kernel::KernelCosts;
pub use load::{toml_error, PlatformError};
pub use values::{Bridge, Buffers, Core, HostCosts, Link, Management, Pci, Platform, Protocol, Sram};
