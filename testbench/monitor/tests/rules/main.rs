//! Tests of the monitor: what it lets be, and what it names.
//!
//! One binary: what its tests share is compiled once.

mod bench;

mod dma;
mod fetch;
mod frames;
mod lines;
mod matched;
mod queues;
mod static_tables;
