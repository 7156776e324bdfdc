//! What driver, core A and core B share in a NIC whose two cores both run parts of EMP: the highest
//! [`AREA_BYTES`] of the SRAM that firmware may use. The driver tells both cores of so much less
//! SRAM, so no table lies there.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use crate::counter::Counter;
pub use crate::keeper::{CRASH, IMAGE, REPLY, REQUEST, SRAM_BYTES};

/// Bytes of the area of core B.
pub const AREA_BYTES: u32 = 48 * 1024;
/// Where the area lies in the SRAM. The image of core B is linked for that place.
pub const AREA_ADDRESS: u32 = SRAM_BYTES - AREA_BYTES;

/// Offset of the word by which core A tells core B from where it has planned the memory: the first
/// free byte behind the image of core A. Core A writes it before it answers the driver.
pub const FIRST_FREE: u32 = REQUEST + 16;
/// Offset of the number of the frame that either core places next in the transmit ring, behind the
/// semaphore. Core A clears it before it answers the driver.
pub const NEXT_FRAME: u32 = FIRST_FREE + 4;
/// With the scheme `dynamic`: the SRAM address of the half that core A lends, and its bytes. Core A
/// writes them before it answers the driver.
pub const LENT: u32 = NEXT_FRAME + 4;
/// Offset of the word that says which core has that half.
pub const OWNER: u32 = LENT + 8;
/// Offset of the counters of core B, in the order of [`Counter`].
pub const COUNTERS: u32 = 0x200;

const _: () = assert!(COUNTERS + 4 * Counter::COUNT as u32 <= IMAGE);
const _: () = assert!(core::mem::size_of::<PairRequest>() as u32 <= FIRST_FREE - REQUEST);
const _: () = assert!(OWNER + 4 <= REPLY);
const _: () = assert!(AREA_ADDRESS == 0x7_4000);

/// [`PairRequest::magic`]: "NSPR".
pub const PAIR_MAGIC: u32 = 0x4E53_5052;

/// Written by the driver before it lets core B run, when core A has started. What core B needs
/// besides stands in the boot request of core A.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct PairRequest {
    /// [`PAIR_MAGIC`].
    pub magic: u32,
    /// [`crate::boot::LAYOUT_VERSION`].
    pub layout_version: u32,
}

/// Written by core B, `state` last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct PairReply {
    /// `BOOT_READY`, or `BOOT_REFUSED`.
    pub state: u32,
    /// Code of the `BootError`, if core B refuses.
    pub error: u32,
}
