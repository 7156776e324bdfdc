//! Commands of the driver (`nic_layout::ring`) that EMP obeys.

use nic_layout::ring::{
    COMMAND_ADMIT, COMMAND_CLOSE, COMMAND_FENCE, COMMAND_INVALIDATE, COMMAND_MASK, COMMAND_RESTART_PEER,
};

/// Whether a peer has started again.
pub const fn is_restart(word: u32) -> bool {
    word & COMMAND_MASK == COMMAND_RESTART_PEER
}

/// Whether the process has ended.
pub const fn is_close(word: u32) -> bool {
    word & COMMAND_MASK == COMMAND_CLOSE
}

/// Whether it names the process whose addresses are posted.
pub const fn is_admit(word: u32) -> bool {
    word & COMMAND_MASK == COMMAND_ADMIT
}

/// Whether the driver takes a line of translations away.
pub const fn is_invalidate(word: u32) -> bool {
    word & COMMAND_MASK == COMMAND_INVALIDATE
}

/// Whether EMP has the command. Where addresses are physical, the commands of pages do nothing.
pub const fn is_known(word: u32) -> bool {
    is_restart(word) || is_close(word) || is_admit(word) || is_invalidate(word) || word & COMMAND_MASK == COMMAND_FENCE
}
