//! The group `machine`: does the machine run, exactly and fast enough?

mod accounts;
mod latency;
mod losses;
mod repeat;
mod speed;
mod times;

use crate::engine::Experiment;
use crate::measure::built_in;

/// The bars of the group.
pub const BARS: [Experiment; 7] = [
    Experiment::bar("machine.1", "the same run, the same numbers", repeat::measure).images(built_in::images),
    Experiment::bar("machine.2", "spans add up to latencies", accounts::differences).images(built_in::images),
    Experiment::bar("machine.3", "counters agree with each other", accounts::sums).images(built_in::images),
    Experiment::bar("machine.4", "delivery on a bad link", losses::measure).images(built_in::images),
    Experiment::bar("machine.5", "speed of the simulator", speed::measure).note(speed::NOTE).images(built_in::images),
    Experiment::bar("machine.6", "latency of a word, bandwidth of a stream", latency::measure).images(built_in::images),
    Experiment::bar("machine.7", "times of builds and tests", times::measure).note(times::NOTE),
];
