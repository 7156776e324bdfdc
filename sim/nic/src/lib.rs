//! The verilated NIC with typed pins.
//!
//! [`Nic`] is one type for all builds of `nic_top`: the parameter sets `tigon2`, with one core or
//! two, and `lanai9`, each with and without waves. The owner of the scheduler handles an instant of
//! simulated time like this:
//!
//! 1. give the NIC what its pins sample at this instant: [`Nic::sense_pci`] if the PCI clock rises,
//!    [`Nic::receive`] if the receive clock does;
//! 2. [`Nic::tick`] with the clocks that rise;
//! 3. take what it drives from now on: [`Nic::drive`], [`Nic::transmit`], and after core clocks
//!    [`Nic::marker`] and [`Nic::probes`].
//!
//! In waves an input stands from the instant before the edge that samples it: set inputs as soon as
//! they are known.
//!
//! Edges of the link clocks change nothing while the link is quiet and the MAC's link side is idle;
//! they may be left out then. Nothing does so yet: `sim_fabric::Receiver::idle_before` tells the
//! one condition, and the other wants a pin.

#![warn(missing_docs)]

mod models;
mod nic;
mod pci;
mod recording;
mod waves;

pub use models::ParameterSet;
pub use nic::{clock, Fault, Nic, NicConfig};
pub use recording::{Played, Recording};
pub use waves::WaveWindow;
