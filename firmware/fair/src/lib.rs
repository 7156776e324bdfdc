//! Orders of service: which of several that wait is served next, while new ones keep coming. Pure bookkeeping in a few words.
#![cfg_attr(not(test), no_std)]

mod circle;
mod run_queue;
mod slots;

pub use circle::{Circle, PassedOver};
pub use run_queue::RunQueue;
pub use slots::SlotQueue;
