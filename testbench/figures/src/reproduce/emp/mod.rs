//! Tables and figures of the thesis on EMP.

mod kinds;
mod libraries;
pub(crate) mod matching;
mod setting;
mod steps;
mod table_3_1;

use crate::engine::Experiment;

/// In the order in which they are listed.
pub static EXPERIMENTS: [Experiment; 5] =
    [kinds::FIGURE_2_7, steps::STEPS, table_3_1::TABLE_3_1, libraries::LIBRARIES, matching::MATCHING];
