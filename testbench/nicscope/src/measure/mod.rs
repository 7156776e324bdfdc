//! `nicscope measure`: the figures of docs/measurements.md, measured again.

use crate::cli::MeasureArgs;
use crate::error::Result;
use crate::failed;

pub fn run(_arguments: &MeasureArgs) -> Result<()> {
    Err(failed!("nothing is measured yet"))
}
