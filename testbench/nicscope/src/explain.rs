//! `nicscope explain`: the account of one hit and one miss of an earlier run.

use crate::cli::ExplainArgs;
use crate::error::Result;
use crate::failed;

pub fn run(_arguments: &ExplainArgs) -> Result<()> {
    Err(failed!("nothing to explain yet"))
}
