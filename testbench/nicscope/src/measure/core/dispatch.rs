//! Bar 4: how soon an event is served, and what the semaphore costs, on the RTL between pins and trace port.

use bench_kernels::dispatch::{self, Dispatch};

use super::cpi::failed;
use crate::error::Result;
use crate::measure::{Figure, Target};

pub const NOTE: &str =
    "the longest of 16 rounds, the core asleep before each; `event_to_other_core` needs a NIC of two cores";

pub fn measure() -> Result<Vec<Figure>> {
    Ok(of(dispatch::measure().map_err(failed)?))
}

fn of(clocks: Dispatch) -> Vec<Figure> {
    vec![
        Figure::new("core.4.event_to_handler", clocks.event_to_handler as f64, "clocks", Target::AtMost(6.0)),
        Figure::new("core.4.semaphore_taken", clocks.semaphore_taken as f64, "clocks", Target::AtMost(8.0)),
        Figure::new("core.4.semaphore_released", clocks.semaphore_released as f64, "clocks", Target::None),
        Figure::absent("core.4.event_to_other_core", "clocks", Target::AtMost(12.0)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_late_handler_is_found() {
        let figures = of(Dispatch { event_to_handler: 7, semaphore_taken: 8, semaphore_released: 2 });
        assert!(!figures[0].ok() && figures[1].ok());
    }
}
