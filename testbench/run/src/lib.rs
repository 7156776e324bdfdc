//! Runs scenarios on whole nodes: hosts, NICs, and the cables and switches between them.

pub mod acceptance;
pub(crate) mod accounts;
pub mod assembly;
pub mod canary;
pub mod cluster;
pub mod equations;
pub mod files;
pub mod leaks;
pub mod matched_accounts;
pub mod meeting;
pub mod node;
pub mod personality;
mod printed;
pub mod progress;
pub mod run;
pub mod summary;
pub mod watch;
pub mod workload;
