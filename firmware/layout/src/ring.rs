//! Descriptor rings that hardware reads (docs/interfaces.md, Rings).

/// Bytes of a DMA descriptor.
pub const DMA_DESCRIPTOR_BYTES: u32 = 16;
/// Control word: the engine raises its event when the transfer is done.
pub const DMA_FLAG_EVENT: u32 = 1 << 16;
/// Control word of a host read: the engine adds one to `MAC_TX.PRODUCER` when the transfer is done
/// without error.
pub const DMA_FLAG_ASSIST: u32 = 1 << 17;
/// Host reads: from this bit on, bytes behind those of the descriptor that its command asks for
/// too. The next descriptors take them.
pub const DMA_AHEAD_SHIFT: u32 = 18;
/// The most bytes that a command may ask for ahead.
pub const DMA_AHEAD_BYTES_MAX: u32 = (1 << (32 - DMA_AHEAD_SHIFT)) - 1;
/// Status word: the engine is done with the descriptor.
pub const DMA_STATUS_DONE: u32 = 1 << 31;

/// Bytes of a MAC descriptor.
pub const MAC_DESCRIPTOR_BYTES: u32 = 8;
/// Transmit descriptor: the MAC raises its event when the frame has left.
pub const MAC_FLAG_EVENT: u32 = 1 << 16;
/// Transmit descriptor: the MAC consumes it without sending.
pub const MAC_FLAG_SKIP: u32 = 1 << 17;
/// Receive descriptor: a frame is in the buffer.
pub const MAC_STATUS_DONE: u32 = 1 << 31;

/// Events of a core, by their bit and priority. The same numbers as `nic_pkg::EVENT_*`; a test
/// compares them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Event {
    /// A frame was received.
    MacRx = 0,
    /// A host write with [`DMA_FLAG_EVENT`] has ended.
    DmaWrite = 1,
    /// A host read with [`DMA_FLAG_EVENT`] has ended.
    DmaRead = 2,
    /// A frame with [`MAC_FLAG_EVENT`] has left.
    MacTx = 3,
    /// The host wrote a mailbox.
    Mailbox = 4,
    /// A process wrote its doorbell page.
    Doorbell = 5,
    /// Timer 0 fired.
    Timer0 = 6,
    /// Timer 1 fired.
    Timer1 = 7,
    /// Timer 2 fired.
    Timer2 = 8,
    /// Timer 3 fired.
    Timer3 = 9,
    /// A DMA engine stopped at an error.
    DmaError = 10,
    /// The MAC stopped at an error.
    MacError = 11,
    /// Work waits that no hardware tells of: firmware raises it.
    Work = 16,
    /// An entry waits in a queue from the other core: that core raises it (E-49).
    Entry = 17,
}

/// Interrupt causes: mailboxes from the NIC.
pub const MAILBOX_MISS: usize = 0;
/// `TO_NIC` mailbox that the driver writes after it has served misses: the free-running consumer
/// index of the miss ring.
pub const MAILBOX_FILLED: usize = 0;

/// `TO_NIC` mailbox of the driver's commands, one at a time. The NIC answers in
/// [`MAILBOX_COMMAND_DONE`] with the same value, when the command has been obeyed and every DMA
/// posted before it has ended (INV-19, INV-36).
pub const MAILBOX_COMMAND: usize = 1;
/// `TO_HOST` mailbox, and interrupt cause, of the answer.
pub const MAILBOX_COMMAND_DONE: usize = 1;

/// `TO_HOST` mailbox, and interrupt cause, of notifications: the free-running producer index of
/// their ring.
pub const MAILBOX_NOTIFY: usize = 2;
/// `TO_NIC` mailbox that the driver writes after it has read notifications: the consumer index.
pub const MAILBOX_NOTIFIED: usize = 2;
/// `TO_NIC` mailbox of what a command is about, where that does not fit the command. Written before
/// it.
pub const MAILBOX_ARGUMENT: usize = 3;

/// Bits of a command word with one of the commands below.
pub const COMMAND_MASK: u32 = 7;
/// Only wait for the DMA.
pub const COMMAND_FENCE: u32 = 1;
/// Forget the line of this key ([`crate::vmh::key`] with the command in place of the state).
pub const COMMAND_INVALIDATE: u32 = 2;
/// Forget all posts of the process slot in bits 7:4, whose `state` the driver has cleared; its
/// indices start again from 0.
pub const COMMAND_CLOSE: u32 = 3;
/// Forget what the CBH cache knows of the buffer whose CBH word is the argument: that it is
/// registered no longer (M-44), or that it is (M-45).
pub const COMMAND_FORGET_BUFFER: u32 = 4;
/// Give the post queue of the slot in bits 7:4 to the process of the entry
/// [`crate::tables::NEXT_OWNER`], if every post that was rung there has ended and its status is
/// written. Then that entry has the state [`crate::tables::ENTRY_ASSIGNED`] and the status of the
/// process that had the queue; otherwise nothing has changed.
pub const COMMAND_ASSIGN: u32 = 5;
/// The peer in bits 11:4 has started again, and its session is in bits 19:12. What is under way to
/// or from its earlier incarnation ends badly, and sequence numbers begin at 0 in both directions
/// (INV-31). [`restart_peer`] makes the word.
pub const COMMAND_RESTART_PEER: u32 = 6;

/// The process of the number in bits 15:4 has the NIC open: addresses that it posts are those of
/// its space. [`admit`] makes the word.
pub const COMMAND_ADMIT: u32 = 7;

/// The command of a process that has the NIC open.
pub const fn admit(pid: u32) -> u32 {
    COMMAND_ADMIT | pid << 4
}

/// The process of a command that [`admit`] has made.
pub const fn admitted(command: u32) -> u32 {
    command >> 4 & 0xFFF
}

/// The command to go on with the next incarnation of a peer.
pub const fn restart_peer(node: u8, session: u8) -> u32 {
    COMMAND_RESTART_PEER | (node as u32) << 4 | (session as u32) << 12
}

/// Node and session of a command that [`restart_peer`] has made.
pub const fn restarted_peer(command: u32) -> (u32, u32) {
    (command >> 4 & 0xFF, command >> 12 & 0xFF)
}

impl Event {
    /// The bit of the event in the event registers.
    pub const fn bit(self) -> u32 {
        1 << self as u32
    }
}
