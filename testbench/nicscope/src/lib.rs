//! The `nicscope` command: scenarios, runs, accounts of latency, measurements.

pub mod cli;
pub mod error;
pub mod scenario;
