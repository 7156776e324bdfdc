//! The core against QEMU: every retired instruction, register by register.
//!
//! QEMU is an independent model of the instruction set. One process of QEMU runs thousands of
//! programs, which lie one behind the other in one image, and logs its registers before each
//! instruction. The RTL runs the same image with random wait states, interrupts, halts and single
//! steps. The two are compared while both run.
//!
//! - [`op`] has the operations of programs, [`strategy`] draws programs, [`directed`] lists some by
//!   hand;
//! - [`image`] lays programs out in memory, with the trap handler that they share ([`handler`]);
//! - [`qemu`] runs QEMU and reads its log, [`compare`] compares the two sides, [`rules`] lists the
//!   few places where they rightly differ;
//! - [`debugger`] halts the core;
//! - [`batch`] runs one image, [`campaign`] many, and shrinks what fails.

pub mod batch;
pub mod bitmanip;
pub mod campaign;
pub mod compare;
pub mod debugger;
pub mod directed;
pub mod handler;
pub mod image;
pub mod isa;
pub mod op;
pub mod qemu;
pub mod rules;
pub mod strategy;
