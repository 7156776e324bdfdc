//! Work that parts of the firmware pass to each other (E-49).
//!
//! The parts may run on two cores of one NIC. There are no locked bus cycles, and one semaphore. So
//! a [`Writer`] and a [`Reader`] share a ring of words in which each index has one core that writes
//! it. Stores of a core become visible in their order (docs/memory.md), and nothing more is needed.
//!
//! A core that has passed work on wakes the other one by a [`Bell`].
#![cfg_attr(not(test), no_std)]

mod bell;
mod claims;
mod queue;

pub use bell::{answer, tell, Bell};
pub use claims::{Claims, Semaphore};
pub use queue::{Queue, Reader, Writer};
