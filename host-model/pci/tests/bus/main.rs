//! Tests of the bus model.
//!
//! One binary: what its tests share is compiled once.

mod common;

mod arbitration;
mod cost;
mod diagram;
mod orders;
mod reset;
mod transactions;
