//! Tests on whole nodes: hosts, NICs with their firmware, and what joins them.
//!
//! One binary: what its tests share is compiled once.

// Its macro is for all of them.
#[macro_use]
mod common;

mod buffers;
mod claims;
mod echo;
mod hostile;
mod kernel;
mod lost_frames;
mod many_nodes;
mod many_processes;
mod matched;
mod matched_accounts;
mod matched_flows;
mod meetings;
mod mpi;
mod operations;
mod reads;
mod restart;
mod sockets;
mod stack;
mod translated;
mod two_cores;
mod vmmc;
mod wide_keys;
