//! Tests of the protocol on the host, between nodes with a mock of the NIC.
//!
//! One binary: what its tests share is compiled once.

mod messages;
mod mock;

mod bad_frames;
mod buffer;
mod delivery;
mod driver;
mod fetch;
mod jumbo;
mod notifications;
mod pieces;
mod post_queues;
mod reads;
mod receive_miss;
mod restart;
mod static_tables;
mod turn;
mod wide_keys;
