//! The figures of docs/measurements.md, measured again, beside their targets.

mod best;
pub(crate) mod built_in;
mod core;
pub(crate) mod defects;
mod machine;
pub mod many_nodes;

use crate::engine::{Experiment, Group};
use crate::table;

/// Groups of bars, without those that compare other groups with what they were.
pub const GROUPS: [Group; 2] = [
    Group {
        name: "machine",
        about: "the machine: repeatability, exact sums, delivery with faults, simulator speed, latency and bandwidth, times of builds",
        bars: &machine::BARS,
    },
    Group {
        name: "core",
        about: "the core: clocks for each instruction, clock and size on an FPGA, proofs and coverage, event dispatch, two cores, ping-pong before and after",
        bars: &core::BARS,
    },
];

/// The bars of all these groups.
pub fn bars() -> impl Iterator<Item = &'static Experiment> {
    GROUPS.iter().chain(&table::GROUPS).flat_map(|group| group.bars)
}
