//! Tables and figures of the thesis on EMP.

mod clocks;
mod contention;
mod flow_control;
mod kinds;
mod libraries;
pub(crate) mod matching;
mod placed;
mod placement;
mod schemes;
pub(super) mod setting;
mod steps;
mod table_3_1;
mod translation;

use crate::engine::Experiment;

/// In the order in which they are listed.
pub static EXPERIMENTS: [Experiment; 14] = [
    flow_control::FIGURE_2_6,
    kinds::FIGURE_2_7,
    steps::STEPS,
    table_3_1::TABLE_3_1,
    placement::TABLE_3_2,
    placement::TABLE_3_3,
    schemes::FIGURE_3_1,
    schemes::FIGURE_3_3,
    schemes::FIGURE_3_5,
    contention::CONTENTION,
    clocks::CLOCKS,
    matching::MATCHING,
    translation::TRANSLATION,
    libraries::LIBRARIES,
];
