//! The group `mini`: what handles that are looked up on the NIC cost.

mod defects;
mod experiments;
mod hits;
mod latency;
mod memory;
mod receive_miss;
mod soak;

use crate::engine::{Experiment, Group};
use crate::measure::built_in;

/// The group.
pub const GROUP: Group = Group {
    name: "mini",
    about: "handles looked up on the NIC: experiments and trends, clocks of a hit, what a miss costs where a message arrives, random operations",
    bars: &BARS,
};

/// The bars of the group.
const BARS: [Experiment; 7] = [
    Experiment::bar("mini.1", "the thesis's tables, figures and statements", experiments::measure)
        .images(built_in::images),
    Experiment::bar("mini.2", "memory of the NIC", memory::measure).note(memory::NOTE).images(built_in::images),
    Experiment::bar("mini.3", "clocks of a lookup that hits", hits::measure).note(hits::NOTE).images(built_in::images),
    Experiment::bar("mini.4", "messages that hit, on the thesis's machine", latency::measure)
        .note(latency::NOTE)
        .images(built_in::images),
    Experiment::bar("mini.5", "a miss where a message arrives", receive_miss::measure)
        .note(receive_miss::NOTE)
        .images(built_in::images),
    Experiment::bar("mini.6", "random operations on whole clusters", soak::measure).note(soak::NOTE),
    Experiment::bar("mini.7", "planted defects", defects::measure).note(defects::NOTE).images(built_in::images),
];
