//! The table of personalities that the driver can serve: one line each.

use super::core::service::ServiceEntry;
use super::mini::Mini;
use super::vmmc::Vmmc;

pub const SERVICES: &[ServiceEntry] = &[Mini::ENTRY, Vmmc::ENTRY];
