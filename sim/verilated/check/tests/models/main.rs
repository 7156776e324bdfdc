//! Tests of the binding on small models.
//!
//! One binary: what its tests share is compiled once.

mod instances;
mod pins;
mod stops;
mod ticks;
mod traces;
