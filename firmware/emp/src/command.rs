//! Commands of the driver (`nic_layout::ring`) that EMP obeys.

use nic_layout::ring::{COMMAND_CLOSE, COMMAND_FENCE, COMMAND_MASK, COMMAND_RESTART_PEER};

/// Whether a peer has started again.
pub const fn is_restart(word: u32) -> bool {
    word & COMMAND_MASK == COMMAND_RESTART_PEER
}

/// Whether the process has ended.
pub const fn is_close(word: u32) -> bool {
    word & COMMAND_MASK == COMMAND_CLOSE
}

/// Whether EMP has the command.
pub const fn is_known(word: u32) -> bool {
    is_restart(word) || is_close(word) || word & COMMAND_MASK == COMMAND_FENCE
}
