//! The core against QEMU: every retired instruction, register by register.
//!
//! QEMU is a model of the instruction set that nobody here wrote. One process of it runs thousands of programs that stand one behind
//! the other in one image, and logs its registers before each instruction; the RTL runs the same image, with random wait states,
//! interrupts, halts and single steps, and is compared while both run.
//!
//! - [`op`] says what programs consist of, [`strategy`] draws them, [`directed`] lists some by hand;
//! - [`image`] lays programs out in memory, with the trap handler that they share ([`handler`]);
//! - [`qemu`] runs QEMU and reads its log, [`compare`] holds the two side by side, [`rules`] knows the few places where they
//!   rightly differ;
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
