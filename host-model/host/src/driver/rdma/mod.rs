//! Buffers that other processes write into and read (facts M-3 to M-6): what personalities with
//! remote memory access share.
//!
//! * `access`: what an exporter tells others. `keys`, `cbh_table`, `buffers`: registered buffers of
//!   all processes.
//! * `notify`: telling processes of writes. `service`: what the library asks of such a personality.

pub mod access;
pub mod buffers;
pub mod cbh_table;
pub mod keys;
pub mod notify;
pub mod service;

pub use service::RdmaService;
