//! Bar 5: many nodes behind a switch.

use nicscope_scenario::error::Result;

use crate::engine::{Figure, Target};
use crate::measure::many_nodes;

pub const NOTE: &str =
    "eight nodes write to all others behind one switch, while each link loses 1 % of its frames and damages 1 %; \
     speed is processor time for each node and core clock, the least of three runs";

/// The fewest messages of the eight nodes together.
const MESSAGES: f64 = 10_000.0;

/// Measures the bar: some minutes.
///
/// # Errors
/// A run fails, or processor time cannot be read.
pub fn measure() -> Result<Vec<Figure>> {
    let found = many_nodes::measure()?;
    let lost = found.sent.saturating_sub(found.compared);
    let figure = |id: &str, value: f64, unit, target| Figure::new(format!("house.5.{id}"), value, unit, target);
    Ok(vec![
        figure("delivered_and_compared", found.compared as f64, "messages", Target::AtLeast(MESSAGES)),
        figure("sent_and_not_compared", lost as f64, "messages", Target::Exactly(0.0)),
        figure("sums_that_disagree", found.sums_that_disagree as f64, "sums", Target::Exactly(0.0)),
        figure("differs_with_threads", found.bytes_that_differ as f64, "bytes of results", Target::Exactly(0.0)),
        figure("nodes", found.most_nodes as f64, "nodes in one run", Target::AtLeast(16.0)),
        figure("speed_per_node", found.speed_percent(), "% of that with two nodes", Target::AtLeast(90.0)),
    ])
}
