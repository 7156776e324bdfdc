//! What every firmware of the NIC shares: start-up, crash record, registers, rings, boot handshake.
//! Images are for riscv32 only. On other targets the crate has what needs no chip, so that the
//! whole workspace can be checked and tested on the host.
#![cfg_attr(target_arch = "riscv32", no_std)]

/// Shapes of the caches and width of the keys, chosen when the image is built (docs/firmware.md).
pub mod geometry {
    include!(concat!(env!("OUT_DIR"), "/geometry.rs"));
}

/// On which core each part of EMP runs, chosen when the image is built (docs/emp.md, Four parts).
pub mod scheme {
    include!(concat!(env!("OUT_DIR"), "/scheme.rs"));
}

/// How EMP finds posted receives, chosen when the image is built.
#[cfg(target_arch = "riscv32")]
pub mod matching {
    #[cfg(matching_hashed)]
    pub use nic_matching::Hashed as Matching;
    #[cfg(not(matching_hashed))]
    pub use nic_matching::Linear as Matching;
}

mod images;
pub mod keeper;

// The memcpy of the image.
#[cfg(target_arch = "riscv32")]
use nic_copy as _;

#[cfg(target_arch = "riscv32")]
pub mod boot;
#[cfg(target_arch = "riscv32")]
pub mod chip;
#[cfg(target_arch = "riscv32")]
pub mod crash;
#[cfg(target_arch = "riscv32")]
pub mod events;
#[cfg(target_arch = "riscv32")]
pub mod memory;
#[cfg(target_arch = "riscv32")]
pub mod ring;
#[cfg(target_arch = "riscv32")]
pub mod semaphore;
#[cfg(all(target_arch = "riscv32", scheme_dynamic))]
pub mod shared;
#[cfg(target_arch = "riscv32")]
mod start;
