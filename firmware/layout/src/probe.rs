//! Command ring of the firmware `cache-probe`, which runs single cache operations that the host
//! asks for by PIO.
//!
//! 1. The firmware boots as every firmware does, and adds a [`ProbeReply`] before it sets
//!    `ReplyState::state`.
//! 2. The host writes commands, then the free-running producer index to mailbox `TO_NIC`
//!    [`MAILBOX_PROBE`].
//! 3. The firmware obeys in order, writes a result into the slot of the same index, and then, when
//!    it has none left, the free-running number of obeyed commands to `TO_HOST` [`MAILBOX_PROBE`].

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// Mailbox of the producer index, and of the number of obeyed commands.
pub const MAILBOX_PROBE: usize = 0;
/// Commands that the ring holds, and results.
pub const PROBE_RING_ENTRIES: u32 = 128;

/// SRAM offset of [`ProbeReply`].
pub const PROBE_REPLY_ADDRESS: u32 = 0x180;

/// Where the rings are. SRAM offsets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct ProbeReply {
    /// First [`ProbeCommand`].
    pub commands: u32,
    /// First [`ProbeResult`].
    pub results: u32,
}

/// 16 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct ProbeCommand {
    /// `PROBE_*`, others do nothing and answer [`ANSWER_UNKNOWN`].
    pub op: u32,
    /// Bits 11:0 process; bit 16 path (1 receive).
    pub pid_path: u32,
    /// Virtual page, or line for [`PROBE_UNLOCK`].
    pub page_or_line: u32,
    /// Not used.
    pub reserved: u32,
}

/// Look up, and lock on a hit; on a miss reserve a line.
pub const PROBE_USE: u32 = 1;
/// End one reference of the path to a line.
pub const PROBE_UNLOCK: u32 = 2;
/// Forget the line of a page.
pub const PROBE_INVALIDATE: u32 = 3;
/// Empty the cache, whatever it holds.
pub const PROBE_RESET: u32 = 4;

/// 16 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct ProbeResult {
    /// `ANSWER_*`.
    pub answer: u32,
    /// The line that was hit or reserved.
    pub line: u32,
    /// The translation of a hit.
    pub entry: u32,
    /// Core clocks between two reads of the cycle counter around the operation, without the cost of
    /// the reads.
    pub cycles: u32,
}

/// The page was found, and its line is locked.
pub const ANSWER_HIT: u32 = 1;
/// The page was absent, and a line is reserved for it.
pub const ANSWER_RESERVED: u32 = 2;
/// The line of the page is reserved already.
pub const ANSWER_PENDING: u32 = 3;
/// Every way of the set is locked or reserved.
pub const ANSWER_NO_WAY: u32 = 4;
/// The operation was done.
pub const ANSWER_DONE: u32 = 5;
/// Unlock of a line that was not locked, invalidation of a line that was not there.
pub const ANSWER_NOTHING: u32 = 6;
/// There is no such operation.
pub const ANSWER_UNKNOWN: u32 = 7;
