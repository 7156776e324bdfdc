//! Bar 5: what a second core costs the simulator.

use crate::error::Result;
use crate::measure::{Figure, Target};

pub const NOTE: &str =
    "the NIC has one core today; its speed in the same stream is that of `nicscope measure machine --only 5`";

/// Slower by so much for each simulated core, in the stream of two nodes.
pub fn measure() -> Result<Vec<Figure>> {
    Ok(vec![Figure::absent("core.5.slower_per_core", "%", Target::AtMost(25.0))])
}
