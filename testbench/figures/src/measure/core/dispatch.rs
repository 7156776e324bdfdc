//! Bar 4: how soon an event is served, and what the semaphore costs, on the RTL between pins and
//! trace port.

use nicscope_kernels::dispatch::{self, Dispatch};
use nicscope_kernels::pair;
use nicscope_scenario::error::Result;

use super::cpi::failed;
use crate::engine::{Figure, Target};

pub const NOTE: &str =
    "the longest of 16 rounds, the cores asleep before each; `event_to_other_core` in both directions";

pub fn measure() -> Result<Vec<Figure>> {
    let other_core = pair::event_to_other_core().map_err(failed)?;
    Ok(of(dispatch::measure().map_err(failed)?, other_core))
}

fn of(clocks: Dispatch, other_core: u64) -> Vec<Figure> {
    vec![
        Figure::new("core.4.event_to_handler", clocks.event_to_handler as f64, "clocks", Target::AtMost(6.0)),
        Figure::new("core.4.semaphore_taken", clocks.semaphore_taken as f64, "clocks", Target::AtMost(8.0)),
        Figure::new("core.4.semaphore_released", clocks.semaphore_released as f64, "clocks", Target::None),
        Figure::new("core.4.event_to_other_core", other_core as f64, "clocks", Target::AtMost(12.0)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_late_handler_is_found() {
        let figures = of(Dispatch { event_to_handler: 7, semaphore_taken: 8, semaphore_released: 2 }, 13);
        assert!(!figures[0].ok() && figures[1].ok() && !figures[3].ok());
    }
}
