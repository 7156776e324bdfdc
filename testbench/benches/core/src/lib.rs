//! Tests of the core alone: `nic_core` against a simulator of its instruction set, with a memory
//! that can be slow and faulty.
//!
//! - [`asm`] builds programs, [`insn`] reads them, [`reference`] executes them;
//! - [`bench`](mod@bench) drives the RTL, [`lockstep`] compares each retired instruction with the
//!   reference;
//! - [`random`] makes programs for property tests.

pub mod asm;
pub mod bench;
pub mod directed;
pub mod insn;
pub mod lockstep;
pub mod memory;
pub mod models;
pub mod random;
pub mod reference;
pub mod triggers;
