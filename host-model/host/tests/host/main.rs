//! Tests of the host: its bus, its memory, driver and library.
//!
//! One binary: what its tests share is compiled once.

mod common;

mod buffers;
mod driver;
mod echo;
mod elf;
mod executor;
mod library;
mod memory;
mod miss;
mod notify;
mod pinned;
mod pins;
mod platform;
mod post_queues;
mod process_end;
mod registered;
mod reset;
mod services;
