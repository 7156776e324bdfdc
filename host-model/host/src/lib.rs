//! The host of one node, in deterministic simulated time: memory, processors, driver and user
//! library.
//!
//! A [`host::Host`] is driven by the node's clock loop and meets the NIC at the PCI pins, nowhere
//! else. What has no RTL, the processors' work, is charged from a [`platform::Platform`]; what
//! crosses the bus is measured. `docs/host-model.md` says which is which.
//!
//! From below: [`executor`] (time), [`processor`] and [`memory`] (the machine), [`bus`] and [`pio`]
//! (the way to the NIC), [`driver`] (kernel), [`library`] (process), [`host`] (all together);
//! [`mock`] is a NIC for tests.

#![warn(missing_docs)]

pub mod address;
pub mod bus;
pub mod driver;
pub mod elf;
pub mod events;
pub mod executor;
pub mod host;
pub mod library;
pub mod load;
pub mod memory;
pub mod mock;
pub mod pci;
pub mod pio;
pub mod platform;
pub mod processor;
