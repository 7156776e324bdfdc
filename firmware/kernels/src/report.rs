//! What an image says on the trace port, word by word: for each kernel `BEGIN | number`, `END | number`, then clocks, instructions
//! and the check word; `DONE` at the end. A trap or panic says `CRASH | cause`.

pub const BEGIN: u32 = 0xB000_0000;
pub const END: u32 = 0xE000_0000;
pub const DONE: u32 = 0xD000_0000;
pub const CRASH: u32 = 0xC000_0000;

/// Calls of a kernel between the two readings of the counters. One more is made before, unmeasured, so that all is warm.
pub const CALLS: u32 = 2;

/// What the image `dispatch` says on the trace port instead.
pub mod dispatch {
    /// The first instruction of the event's handler.
    pub const HANDLER: u32 = 1;
    /// Behind it the semaphore is asked for.
    pub const ASKS: u32 = 2;
    /// It is owned; behind this it is given back.
    pub const OWNS: u32 = 3;
    pub const FREE: u32 = 4;
}
