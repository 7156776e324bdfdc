//! Commands of the driver: the driver writes them to mailboxes, and the firmware obeys them.

use nic_layout::ring::{restarted_peer, COMMAND_CLOSE, COMMAND_MASK, COMMAND_RESTART_PEER};
use nic_layout::trace::ARGUMENT_MASK;

/// A command that the firmware obeys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Command {
    pub word: u32,
    /// The word in the argument mailbox.
    pub argument: u32,
}

impl Command {
    /// The kind of the command: one of the `COMMAND_` constants.
    pub fn kind(self) -> u32 {
        self.word & COMMAND_MASK
    }

    /// The process slot that a command to close or assign names.
    pub fn slot(self) -> usize {
        (self.word >> 4 & 0xF) as usize
    }

    /// The peer that has started again, and its session.
    pub fn restarted_peer(self) -> Option<(u32, u32)> {
        (self.kind() == COMMAND_RESTART_PEER).then(|| restarted_peer(self.word))
    }

    pub fn is_close(self) -> bool {
        self.kind() == COMMAND_CLOSE
    }
}

#[derive(Default)]
pub(crate) struct Commands {
    argument: u32,
    written: Option<u32>,
    obeyed: Option<Command>,
}

impl Commands {
    /// The driver writes the argument mailbox.
    pub fn write_argument(&mut self, value: u32) {
        self.argument = value;
    }

    /// The driver writes the command mailbox.
    pub fn write(&mut self, word: u32) {
        self.written = Some(word);
    }

    /// A marker says that the firmware obeys a command with these low bits.
    pub fn obey(&mut self, low_bits: u32) {
        let word = self.written.filter(|word| word & ARGUMENT_MASK == low_bits);
        self.obeyed = word.map(|word| Command { word, argument: self.argument });
    }

    /// The command of the marker at hand. `None`: the driver has written no such command.
    pub fn obeyed(&self) -> Option<Command> {
        self.obeyed
    }
}
