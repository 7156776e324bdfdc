//! Tables and figures of the thesis on EMP.

mod kinds;
mod setting;
mod steps;

use crate::engine::Experiment;

/// In the order in which they are listed.
pub static EXPERIMENTS: [Experiment; 2] = [kinds::FIGURE_2_7, steps::STEPS];
