//! `nicscope list`: what there is to ask for.

use crate::cli::ListArgs;
use crate::error::Result;
use crate::failed;

pub fn run(_arguments: &ListArgs) -> Result<()> {
    Err(failed!("no list yet"))
}
