//! What the processor of a network interface does: look up, copy, check, follow a protocol.

mod copy;
mod crc;
mod lookup;
mod machine;

pub use copy::{Copy, Frames};
pub use crc::{Checked, Crc};
pub use lookup::{Lookup, Table};
pub use machine::{Machine, Text};
