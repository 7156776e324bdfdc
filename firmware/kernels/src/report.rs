//! What an image says on the trace port, word by word: for each kernel `BEGIN | number`, `END |
//! number`, then clocks, instructions and the check word; `DONE` at the end. A trap or panic says
//! `CRASH | cause`.

pub const BEGIN: u32 = 0xB000_0000;
pub const END: u32 = 0xE000_0000;
pub const DONE: u32 = 0xD000_0000;
pub const CRASH: u32 = 0xC000_0000;

/// Calls of a kernel between the two readings of the counters. One more is made before, unmeasured,
/// so that all is warm.
pub const CALLS: u32 = 2;

/// What the image `dispatch` says on the trace port instead, behind the address of the event's
/// handler.
pub mod dispatch {
    /// Behind it the semaphore is asked for.
    pub const ASKS: u32 = 2;
    /// It is owned; behind this it is given back.
    pub const OWNS: u32 = 3;
    pub const FREE: u32 = 4;
}

/// The image `pair`: what the host writes to SRAM before both cores start, and what they say.
pub mod pair {
    /// Offsets of words in SRAM. What to do: one of `JOB_*`.
    pub const JOB: u32 = 0x300;
    pub const ROUNDS: u32 = 0x304;
    /// The core, in [`JOB_EVENTS`], that sets the event of the other.
    pub const SENDER: u32 = 0x308;
    /// In [`JOB_COUNT`] 1 takes the semaphore.
    pub const LOCKED: u32 = 0x30C;
    pub const COUNTER: u32 = 0x310;
    pub const QUESTION: u32 = 0x318;
    pub const ANSWER: u32 = 0x31C;
    /// 4 KB for each core.
    pub const AREA: u32 = 0x1_0000;

    pub const JOB_EVENTS: u32 = 0;
    pub const JOB_COUNT: u32 = 1;
    pub const JOB_HAMMER: u32 = 2;
    pub const JOB_MESSAGES: u32 = 3;

    /// Said by the first instruction of the handler of [`EVENT`].
    pub const HANDLER: u32 = 1;
    /// The semaphore is asked for behind word 0, and owned.
    pub const OWNS: u32 = 2;
    pub const EVENT: u32 = 16;
}
