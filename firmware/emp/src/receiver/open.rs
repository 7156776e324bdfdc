//! What the receiver has begun.

/// A frame whose data are not all handed to the engine. SRAM offsets.
#[derive(Clone, Copy, Debug)]
pub(super) struct Open {
    pub record: u32,
    pub buffer: u32,
    /// Where the next byte is.
    pub from: u32,
    /// Where it belongs in the message.
    pub offset: u32,
    pub left: u32,
    /// Whether it is the last frame of its message that has come.
    pub ends: bool,
}

/// A command of the driver on its way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Command {
    pub word: u32,
    /// The record that is looked at next.
    pub next: u32,
    /// The number of the transfer behind those that must end before it is passed on, when all
    /// records were looked at.
    pub until: Option<u32>,
}
