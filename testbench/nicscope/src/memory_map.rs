//! `nicscope memory-map`: bytes of NIC memory by use.

use crate::cli::MemoryMapArgs;
use crate::error::Result;
use crate::failed;

pub fn run(_arguments: &MemoryMapArgs) -> Result<()> {
    Err(failed!("no map yet"))
}
