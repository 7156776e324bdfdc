//! The figures of docs/measurements.md, measured again, beside their targets.

mod best;
pub(crate) mod built_in;
mod core;
mod machine;
pub mod many_nodes;
mod mini;

use crate::engine::{Experiment, Group};

/// Groups of bars, without those that compare other groups with what they were.
pub const GROUPS: [Group; 3] = [
    Group { name: "machine", bars: &machine::BARS },
    Group { name: "core", bars: &core::BARS },
    Group { name: "mini", bars: &mini::BARS },
];

/// The bars of all these groups.
pub fn bars() -> impl Iterator<Item = &'static Experiment> {
    GROUPS.iter().flat_map(|group| group.bars)
}
