//! The group `house`: whether a change of the structure keeps what the machine does and costs, and
//! how far the structure has come.

mod code;
mod instructions;
mod lines;
mod regressions;
mod scripts;
mod soak;
mod switch;

pub use soak::SoakRecords;
pub(crate) use soak::{Played, Soaked};

use crate::engine::{Experiment, Group};
use crate::measure::built_in;

/// The group.
pub const GROUP: Group = Group {
    name: "house",
    about: "the structure: costs and code beside those of an earlier commit, personalities named, cycles of files, switch, documents",
    bars: &BARS,
};

/// The bars of the group.
const BARS: [Experiment; 7] = [
    Experiment::bar("house.1", "figures beside those of an earlier commit", regressions::measure)
        .note(regressions::NOTE)
        .images(built_in::images),
    Experiment::bar("house.2", "code of the images, and instructions of a message", code::measure)
        .note(code::NOTE)
        .images(built_in::images),
    Experiment::bar("house.3", "lines of a small personality", lines::measure).note(lines::NOTE),
    Experiment::bar("house.4", "personalities named, and cycles of files", scripts::structure).note(scripts::NOTE),
    Experiment::bar("house.5", "many nodes behind a switch", switch::measure).note(switch::NOTE),
    Experiment::bar("house.6", "random operations on two to eight nodes", soak::measure).note(soak::NOTE),
    Experiment::bar("house.7", "public items documented, and sentences", scripts::words).note(scripts::NOTE),
];
