//! Every layout that two parties share: SRAM structures, frames, trace markers, registers.
//!
//! The firmware, the driver in the host model, the testbench and the frame dissector use these
//! definitions; a test compares the ones that RTL repeats. All words are little endian. Addresses
//! in SRAM are offsets from its first byte.
#![no_std]

pub mod boot;
pub mod cbh;
pub mod counter;
pub mod dispatch;
pub mod fetch;
pub mod frame;
pub mod keeper;
pub mod key;
pub mod nodes;
pub mod personality;
pub mod plant;
pub mod post;
pub mod probe;
pub mod register;
pub mod registers;
pub mod ring;
pub mod static_tables;
pub mod tables;
pub mod trace;
pub mod vmh;

/// Where a core sees SRAM, the scratchpad and the registers.
pub const CORE_SRAM_BASE: u32 = 0x1000_0000;
/// Where a core sees its scratchpad.
pub const CORE_SCRATCHPAD_BASE: u32 = 0x2000_0000;
/// Where a core sees the registers.
pub const CORE_REGISTER_BASE: u32 = 0x4000_0000;

/// Offset in BAR 0 of the window of [`personality::emp::descriptor::BANK_BYTES`] bytes of SRAM that
/// `IDENT.WINDOW_BASE` moves (E-3).
pub const WINDOW_OFFSET: u32 = 0x1800;

/// Bytes in a host page.
pub const PAGE_BYTES: u32 = 4096;
/// Bits of an offset in a host page.
pub const PAGE_SHIFT: u32 = 12;

/// Slots of the NIC: post queues, each with its doorbell page, that it has at most. A process has
/// one while it posts.
pub const PROCESS_SLOTS: usize = 8;
