//! Tests of the PCI block alone.
//!
//! One binary: what its tests share is compiled once.

mod by_hand;
mod config;
mod contracts;
mod dma;
mod errors;
mod reset;
mod stops;
mod target;
mod timing;
