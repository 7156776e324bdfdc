//! Remote memory access: buffers for others, buffers of others, writes and reads (facts M-3 to M-7).
//!
//! * `extension`, `terms`: what a process knows. `export`: own buffers for others and for posts. `import`: buffers of others.
//! * `transfer`: writes and reads.

mod export;
mod extension;
mod import;
mod terms;
mod transfer;

pub use extension::Rdma;
pub use import::ConnectError;
