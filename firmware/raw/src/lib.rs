//! A NIC that moves frames between the link and buffers of the kernel, and no more: the baseline of
//! the libraries (docs/libraries.md).
//!
//! The driver writes the addresses of frames and of free buffers to two rings in SRAM, and their
//! producer indices to two mailboxes. The NIC interrupts the host when frames stand in its buffers.
//! Everything that makes a stream of frames is the kernel's work.
#![cfg_attr(not(test), no_std)]

mod frames;
mod plan;

pub use frames::Frames;
pub use plan::{Config, Places, Plan};
