//! Numbers of messages.

use std::fmt::{self, Display, Formatter};

/// Messages that one operation posts, at most.
pub const BURST_MAX: u32 = 400;

/// Which message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Number {
    /// The place in the list of the operation that posts it.
    pub op: u32,
    /// Its place among the messages of that operation.
    pub index: u32,
}

impl Number {
    /// The least number.
    pub const FIRST: Number = Number { op: 0, index: 0 };

    /// The pattern of its bytes, unless another message has these bytes (`Board::send`).
    pub fn pattern(self) -> u32 {
        self.op * BURST_MAX + self.index
    }
}

impl Display for Number {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match *self {
            Number { op, index: 0 } => write!(f, "{op}"),
            Number { op, index } => write!(f, "{op}.{index}"),
        }
    }
}
