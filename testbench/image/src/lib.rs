//! Decides two statements about a linked image of the NIC's firmware, from its machine code alone:
//!
//! - the stack never grows into the static data below it ([`Analysis::stack`]);
//! - no instruction of Rust's panic path can be reached from the entry point
//!   ([`Analysis::refuse_panics`]).
//!
//! The analysis follows every path of control from the entry point. It refuses what it cannot
//! follow: a call through a pointer, recursion, a stack pointer that is set to an unknown value.
//! Interrupts need no stack: the firmware keeps `mstatus.MIE` at 0, and its trap handler uses none.

#![warn(missing_docs)]

mod canary;
mod error;
mod function;
mod instruction;
mod linked;
mod stack;

pub use canary::{Canary, Reader, StackUse};
pub use error::ImageError;
pub use linked::Linked;
pub use stack::{Analysis, Stack, Step};

/// Judges a linked image: an ELF file with symbols.
///
/// # Errors
/// Every [`ImageError`]: the image cannot be read or followed, its stack is too deep, or it can
/// reach a panic.
pub fn judge(file: &[u8]) -> Result<Stack, ImageError> {
    let analysis = Analysis::of(Linked::read(file)?)?;
    analysis.refuse_panics()?;
    analysis.stack()
}
