//! Descriptor rings that hardware reads (docs/interfaces.md, Rings).

pub const DMA_DESCRIPTOR_BYTES: u32 = 16;
pub const DMA_FLAG_EVENT: u32 = 1 << 16;
pub const DMA_FLAG_ASSIST: u32 = 1 << 17;
/// Host reads: from this bit on, bytes behind those of the descriptor that its command asks for too. The next descriptors take them.
pub const DMA_AHEAD_SHIFT: u32 = 18;
pub const DMA_AHEAD_BYTES_MAX: u32 = (1 << (32 - DMA_AHEAD_SHIFT)) - 1;
pub const DMA_STATUS_DONE: u32 = 1 << 31;

pub const MAC_DESCRIPTOR_BYTES: u32 = 8;
pub const MAC_FLAG_EVENT: u32 = 1 << 16;
pub const MAC_FLAG_SKIP: u32 = 1 << 17;
pub const MAC_STATUS_DONE: u32 = 1 << 31;

/// Events of a core, by their bit and priority. The same numbers as `nic_pkg::EVENT_*`; a test compares them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Event {
    MacRx = 0,
    DmaWrite = 1,
    DmaRead = 2,
    MacTx = 3,
    Mailbox = 4,
    Doorbell = 5,
    Timer0 = 6,
    Timer1 = 7,
    Timer2 = 8,
    Timer3 = 9,
    DmaError = 10,
    MacError = 11,
}

/// Interrupt causes: mailboxes from the NIC.
pub const MAILBOX_MISS: usize = 0;
/// `TO_NIC` mailbox that the driver writes after it has served misses: the free-running consumer index of the miss ring.
pub const MAILBOX_FILLED: usize = 0;

/// `TO_NIC` mailbox of the driver's commands, one at a time. The NIC answers in [`MAILBOX_COMMAND_DONE`] with the same value, when the command has
/// been obeyed and every DMA posted before it has ended (INV-19, INV-36).
pub const MAILBOX_COMMAND: usize = 1;
/// `TO_HOST` mailbox, and interrupt cause, of the answer.
pub const MAILBOX_COMMAND_DONE: usize = 1;

/// `TO_HOST` mailbox, and interrupt cause, of notifications: the free-running producer index of their ring.
pub const MAILBOX_NOTIFY: usize = 2;
/// `TO_NIC` mailbox that the driver writes after it has read notifications: the consumer index.
pub const MAILBOX_NOTIFIED: usize = 2;
/// `TO_NIC` mailbox of what a command is about, where that does not fit the command. Written before it.
pub const MAILBOX_ARGUMENT: usize = 3;

pub const COMMAND_MASK: u32 = 7;
/// Only wait for the DMA.
pub const COMMAND_FENCE: u32 = 1;
/// Forget the line of this key ([`crate::vmh::key`] with the command in place of the state).
pub const COMMAND_INVALIDATE: u32 = 2;
/// Forget all posts of the process slot in bits 7:4, whose `state` the driver has cleared; its indices start again from 0.
pub const COMMAND_CLOSE: u32 = 3;
/// Forget what the CBH cache knows of the buffer whose CBH word is the argument: that it is registered no longer (M-44), or that it is (M-45).
pub const COMMAND_FORGET_BUFFER: u32 = 4;
/// Give the post queue of the slot in bits 7:4 to the process of the entry [`crate::tables::NEXT_OWNER`], if every post that was rung there has ended and its
/// status is written. Then that entry has the state [`crate::tables::ENTRY_ASSIGNED`] and the status of the process that had the queue; otherwise nothing has changed.
pub const COMMAND_ASSIGN: u32 = 5;

impl Event {
    pub const fn bit(self) -> u32 {
        1 << self as u32
    }
}
