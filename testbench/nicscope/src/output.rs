//! Standard output that may be closed by its reader, as by `head`.

use std::io::{self, ErrorKind, Write};

use nicscope_scenario::error::Result;
use nicscope_scenario::failed;

/// Prints a text. A reader that has seen enough is no error.
pub fn print(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(failed!("cannot write to standard output: {error}")),
        _ => Ok(()),
    }
}
