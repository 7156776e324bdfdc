//! What driver and core B share in a NIC with two cores: the highest [`AREA_BYTES`] of the SRAM
//! that firmware may use. Core A does not know of it: the driver tells it of so much less SRAM.
//!
//! Core B keeps totals of 64 bits of the counters of core A, which wrap at 32, and watches that
//! they add up (INV-38).

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use crate::counter::Counter;

/// Bytes of the area of core B.
pub const AREA_BYTES: u32 = 16 * 1024;

/// Where it lies in the SRAM of [`SRAM_BYTES`] that a NIC with two cores has: the image of core B
/// is linked for that place.
pub const AREA_ADDRESS: u32 = SRAM_BYTES - AREA_BYTES;
/// Bytes of SRAM of a NIC with two cores.
pub const SRAM_BYTES: u32 = 512 * 1024;

/// Offsets in the area.
pub const REQUEST: u32 = 0;
/// [`KeeperReply`].
pub const REPLY: u32 = 0x40;
/// A `CrashRecord`, of core B.
pub const CRASH: u32 = 0x100;
/// For each counter its total: low word, high word.
pub const TOTALS: u32 = 0x200;
/// The image of core B.
pub const IMAGE: u32 = 0x800;

const _: () = assert!(TOTALS + 8 * Counter::LINKED_COUNT as u32 <= IMAGE);

/// [`KeeperRequest::magic`]: "NSKP".
pub const KEEPER_MAGIC: u32 = 0x4E53_4B50;

/// Written by the driver before it lets core B run, when core A has started.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct KeeperRequest {
    /// [`KEEPER_MAGIC`].
    pub magic: u32,
    /// [`crate::boot::LAYOUT_VERSION`].
    pub layout_version: u32,
    /// Where core A counts: `boot::CountersReply`.
    pub counters: u32,
    /// How long after core A was busy its counters are added up, in core clocks. Below 2^31.
    pub period_cycles: u32,
}

/// Written by core B.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct KeeperReply {
    /// `BOOT_READY`, or `BOOT_REFUSED`.
    pub state: u32,
    /// Code of the `BootError`, if core B refuses.
    pub error: u32,
    /// How often totals were made; counted before and after they change, so that it is odd
    /// meanwhile.
    pub folds: u32,
    /// Equations of INV-38 that did not hold, all times together.
    pub violations: u32,
}

/// The event by which core A tells core B that it was busy: the first one of software.
pub const EVENT_BUSY: u32 = 16;
