//! The table of personalities that the driver can serve: one line each.

use super::core::service::ServiceEntry;
use super::echo::Echo;
use super::emp::Emp;
use super::kernel::Kernel;
use super::mini::Mini;
use super::vmmc::Vmmc;

/// The services that the driver has, one for each personality.
pub const SERVICES: &[ServiceEntry] = &[Mini::ENTRY, Vmmc::ENTRY, Echo::ENTRY, Emp::ENTRY, Emp::MINI, Kernel::ENTRY];
