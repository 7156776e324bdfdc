//! The `nicscope` command: scenarios, runs, accounts of latency, measurements.

pub mod account;
pub mod category;
pub mod cli;
pub mod cluster;
pub mod commands;
pub mod error;
pub mod explain;
pub mod image;
pub mod list;
pub mod log;
pub mod measure;
pub mod meeting;
pub mod memory_map;
pub mod miss_waves;
pub mod node;
pub mod output;
pub mod path;
pub mod progress;
pub mod results;
pub mod run;
pub mod scenario;
pub mod tables;
pub mod waves;
pub mod wording;
pub mod workload;
