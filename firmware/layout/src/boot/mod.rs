//! The boot block: SRAM bytes 0 to 0x3FF, where driver and firmware tell each other parameters.
//!
//! The request of the driver and the reply of the firmware are each a [`Head`] and sections. A
//! section has a kind, and belongs to one layer: the link, the post queues, the caches. A
//! personality is the list of the sections that its firmware asks for and of those that it answers
//! with.
//!
//! | Bytes | Content |
//! |---|---|
//! | [`BOOT_BLOCK_ADDRESS`] | the request: [`REQUEST_WORDS`] words at most |
//! | [`CRASH_RECORD_ADDRESS`] | [`CrashRecord`] |
//! | [`BOOT_REPLY_ADDRESS`] | [`ReplyState`], then the reply's sections: [`REPLY_WORDS`] words at most |

mod block;
pub mod caches;
mod error;
mod sections;
pub mod static_tables;

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

pub use block::{Entry, Head, Kind, Section, Sections, SectionsWriter};
pub use caches::ReceiveMiss;
pub use error::{BootError, Refusal};
pub use sections::{CountersReply, LinkReply, LinkRequest, NicReply, NicRequest, PostsReply, PostsRequest, RingsReply};

/// SRAM offset of the boot request.
pub const BOOT_BLOCK_ADDRESS: u32 = 0;
/// Words of SRAM that a boot request may take: its head, directory and sections.
pub const REQUEST_WORDS: usize = 64;
/// SRAM offset of the first byte of a firmware image.
pub const FIRMWARE_ADDRESS: u32 = 0x400;

/// [`Head::magic`] of a request: "NSBT".
pub const BOOT_MAGIC: u32 = 0x4E53_4254;
/// [`Head::magic`] of a reply: "NSBR".
pub const REPLY_MAGIC: u32 = 0x4E53_4252;
/// Changes with every change of a structure in this crate.
pub const LAYOUT_VERSION: u32 = 8;

/// SRAM offset of the reply: [`ReplyState`], and behind it the sections.
pub const BOOT_REPLY_ADDRESS: u32 = 0x200;
/// Words of SRAM that a reply's head, directory and sections may take.
pub const REPLY_WORDS: usize = 64;

/// The first words of a reply. The firmware writes them after the sections, and `state` last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct ReplyState {
    /// [`BOOT_READY`] or [`BOOT_REFUSED`]; anything else means that there is no answer yet.
    pub state: u32,
    /// The words of a [`BootError`], if the firmware refuses.
    pub error: [u32; 2],
    /// Which firmware answers: [`caches::PERSONALITY`], [`static_tables::PERSONALITY`], or the
    /// number of another. The driver finds its service by this number.
    pub personality: u32,
}

/// SRAM offset of the head of a reply.
pub const REPLY_SECTIONS_ADDRESS: u32 = BOOT_REPLY_ADDRESS + size_of::<ReplyState>() as u32;

const _: () = {
    assert!(BOOT_BLOCK_ADDRESS as usize + 4 * REQUEST_WORDS <= CRASH_RECORD_ADDRESS as usize);
    assert!(REPLY_SECTIONS_ADDRESS as usize + 4 * REPLY_WORDS <= FIRMWARE_ADDRESS as usize);
};

/// [`ReplyState::state`] of a firmware that runs.
pub const BOOT_READY: u32 = 0x5245_4459;
/// [`ReplyState::state`] of a firmware that does not start.
pub const BOOT_REFUSED: u32 = 0x4645_4852;

/// Written by firmware that met its own error, before it raises [`CAUSE_CRASH`] and stops. At
/// [`CRASH_RECORD_ADDRESS`]; zero before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct CrashRecord {
    /// [`CRASH_TRAP`] or [`CRASH_PANIC`]; written last.
    pub kind: u32,
    /// `mcause`; of a panic: the source line.
    pub cause: u32,
    /// `mepc`; of a panic: 0.
    pub pc: u32,
    /// `mtval`; of a panic: 0.
    pub value: u32,
}

/// SRAM offset of [`CrashRecord`] of core A.
pub const CRASH_RECORD_ADDRESS: u32 = 0x100;
/// [`CrashRecord::kind`] of an exception.
pub const CRASH_TRAP: u32 = 0x5452_4150;
/// [`CrashRecord::kind`] of a failed assertion.
pub const CRASH_PANIC: u32 = 0x5041_4E49;

/// Interrupt cause (`INTERRUPT.CAUSE` bit) of a crash.
pub const CAUSE_CRASH: u32 = 8;
