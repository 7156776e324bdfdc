//! Whole NICs with EMP, each with a host, over a device in memory.

mod delivery;
mod failures;
mod world;
