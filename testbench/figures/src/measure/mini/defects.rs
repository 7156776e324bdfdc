//! Bar 7: planted defects of `mini`, and whether each is found by the invariant that it breaks.

use nicscope_scenario::error::Result;
use nicscope_soak::defect::Workload;

use crate::engine::{Figure, Target};
use crate::measure::defects;

pub use crate::measure::defects::NOTE;

pub fn measure() -> Result<Vec<Figure>> {
    let played = defects::play("mini", &[Workload::Caches])?;
    let mut figures = defects::figures("mini.7", &played);
    figures.push(Figure::new("mini.7.lookups_in_none", played.sound[0].lookups as f64, "", Target::None));
    Ok(figures)
}
