//! The debug module with two cores: a bench that drives it, and a debugger that uses only its
//! registers.

pub mod bench;
pub mod debugger;
pub mod models;
