//! The group `mini`: what handles that are looked up on the NIC cost.

mod defects;
mod experiments;
mod hits;
mod latency;
mod memory;
mod receive_miss;
mod soak;

use crate::engine::Experiment;
use crate::measure::built_in;

/// The bars of the group.
pub const BARS: [Experiment; 7] = [
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
