//! A bar: figures that are measured together.

use nicscope_scenario::error::Result;

use super::Figure;

/// A part of a group of figures. `--only` chooses bars by number.
pub struct Bar {
    /// The second part of the ids of its figures, as in `mini.3.vmh_hit_tigon2`.
    pub number: u32,
    /// Measures all figures of the bar.
    pub measure: fn() -> Result<Vec<Figure>>,
    /// How the figures were taken, for the reader of the table.
    pub note: Option<&'static str>,
}
