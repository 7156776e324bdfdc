//! Orders of service. They decide which of several waiting members is served next while new ones
//! keep coming. Pure bookkeeping in a few words of memory.
#![cfg_attr(not(test), no_std)]

mod circle;
mod members;
mod run_queue;
mod slots;

pub use circle::{Circle, PassedOver};
pub use members::Members;
pub use run_queue::RunQueue;
pub use slots::SlotQueue;
