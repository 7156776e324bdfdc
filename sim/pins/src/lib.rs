//! The pins where a NIC model meets its surroundings: the PCI slot and the link.
//!
//! `sim` (the RTL) and `host-model` (the rest of the machine) both depend on this crate and not on
//! each other.
//!
//! Sampling. At a rising clock edge every agent sees the levels that stood on the lines before the
//! edge; what an agent drives afterwards is seen at the next edge. So one edge of the PCI clock is:
//!
//! 1. take the [`PciDrive`] of every agent, as it stood since the last edge, and resolve them to
//!    [`PciLines`];
//! 2. give those lines to every agent, which advances by one clock and has a new drive.

#![deny(missing_docs)]

mod link;
mod pci;
mod time;

pub use link::{LinkSymbol, LINK_IDLE};
pub use pci::{Conflict, PciControl, PciDrive, PciLines, PciPin};
pub use time::Ps;
