//! Tests of the PCI block alone.
//!
//! The RTL of `nic_pci` stands between two models: the platform's side of the bus (`host-pci`) at
//! its pins, and a plain memory with two DMA engines ([`CoreSide`]) at its core-clock ports.
//! [`Bench`] runs both clocks.

mod bench;
mod byte_counts;
mod core_side;
mod hand;
mod pins;

pub use bench::{Bench, BenchError, BusEdge, Setup, BAR0, BAR1};
pub use byte_counts::ByteCounts;
pub use core_side::{CoreSide, Counts, DmaStatus, ReadResult, BAR0_BYTES, SRAM_BYTES};
pub use hand::{Ending, Hand, Plan, Report};

verilated::include_model!("BenchPci");
verilated::include_model!("BenchPciParts");
