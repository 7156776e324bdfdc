//! What an image says on the trace port, word by word: for each kernel `BEGIN | number`, `END |
//! number`, then clocks, instructions and the check word; `DONE` at the end. A trap or panic says
//! `CRASH | cause`.

/// Said before the measured calls of a kernel; its number in the low bits.
pub const BEGIN: u32 = 0xB000_0000;
/// Said behind the measured calls of a kernel; its number in the low bits.
pub const END: u32 = 0xE000_0000;
/// Said once, behind the last kernel.
pub const DONE: u32 = 0xD000_0000;
/// Said after a trap, with the low 24 bits of `mcause`, or after a panic.
pub const CRASH: u32 = 0xC000_0000;

/// Calls of a kernel between the two readings of the counters. One more call, before them, warms
/// the instruction cache and is not measured.
pub const CALLS: u32 = 2;

/// Words of the image `dispatch` on the trace port. Before them it says the address of the handler
/// of the event.
pub mod dispatch {
    /// Said by the handler before it requests the semaphore.
    pub const ASKS: u32 = 2;
    /// Said when the core owns the semaphore, before it releases the semaphore.
    pub const OWNS: u32 = 3;
    /// Said after the release of the semaphore.
    pub const FREE: u32 = 4;
}

/// The image `pair`: SRAM offsets of the words that the host writes before both cores start, and
/// the words that the cores say on the trace port.
pub mod pair {
    /// SRAM offset of the job, one of `JOB_*`.
    pub const JOB: u32 = 0x300;
    /// SRAM offset of the number of rounds that each core makes in its job.
    pub const ROUNDS: u32 = 0x304;
    /// SRAM offset of the number of the core that sets the event of the other in [`JOB_EVENTS`].
    pub const SENDER: u32 = 0x308;
    /// SRAM offset of a flag of [`JOB_COUNT`]: 1 if the cores count under the semaphore.
    pub const LOCKED: u32 = 0x30C;
    /// SRAM offset of the word that both cores increment in [`JOB_COUNT`].
    pub const COUNTER: u32 = 0x310;
    /// SRAM offset of the question in [`JOB_MESSAGES`].
    pub const QUESTION: u32 = 0x318;
    /// SRAM offset of the answer in [`JOB_MESSAGES`].
    pub const ANSWER: u32 = 0x31C;
    /// SRAM offset of core A's area of 4 KB in [`JOB_HAMMER`]. Core B's follows.
    pub const AREA: u32 = 0x1_0000;

    /// For each received frame one core sets the event of the other.
    pub const JOB_EVENTS: u32 = 0;
    /// Both cores increment one word.
    pub const JOB_COUNT: u32 = 1;
    /// Both cores load, store and fetch as fast as they can.
    pub const JOB_HAMMER: u32 = 2;
    /// The cores exchange words through SRAM.
    pub const JOB_MESSAGES: u32 = 3;

    /// Said by the first instruction of the handler of [`EVENT`].
    pub const HANDLER: u32 = 1;
    /// Said when a core owns the semaphore. Before it requested the semaphore it said word 0.
    pub const OWNS: u32 = 2;
    /// Number of the event that one core sets for the other.
    pub const EVENT: u32 = 16;
}
