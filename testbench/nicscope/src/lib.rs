//! The `nicscope` command: scenarios, runs, accounts of latency, measurements.

pub mod account;
pub mod cli;
pub mod error;
pub mod image;
pub mod log;
pub mod path;
pub mod results;
pub mod scenario;
pub mod tables;
pub mod waves;
