//! Unrelated clocks in integer picoseconds.
//!
//! A [`Clock`] is a frequency and a phase, and never drifts. A [`Scheduler`] merges several into
//! instants: when, and which clocks rise. Nothing else in the simulation advances time.

#![deny(missing_docs)]

mod clock;
mod scheduler;

pub use clock::Clock;
pub use scheduler::{ClockSet, Instant, Scheduler};
