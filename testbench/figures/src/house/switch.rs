//! Bar 5: many nodes behind a switch.

use nicscope_scenario::error::Result;

use crate::engine::{Figure, Target};

pub const NOTE: &str = "absent: runs have two nodes on a cable, and no run is measured behind a switch yet";

/// Messages of the eight nodes together.
const MESSAGES: f64 = 10_000.0;

pub fn measure() -> Result<Vec<Figure>> {
    Ok(vec![
        Figure::absent("house.5.delivered_and_compared", "messages", Target::Exactly(MESSAGES)),
        Figure::absent("house.5.sums_that_disagree", "sums", Target::Exactly(0.0)),
        Figure::absent("house.5.differs_with_threads", "bytes of results", Target::Exactly(0.0)),
        Figure::absent("house.5.nodes", "nodes in one run", Target::AtLeast(16.0)),
        Figure::absent("house.5.speed_per_node", "% of that with two nodes", Target::AtLeast(90.0)),
    ])
}
