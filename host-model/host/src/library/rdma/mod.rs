//! Remote memory access: buffers for others, buffers of others, writes and reads (facts M-3 to
//! M-7).
//!
//! * `extension`, `terms`: what a process knows. `export`: own buffers for others and for posts.
//!   `import`: buffers of others.
//! * `transfer`: writes and reads. `connect`: an import that its owner confirms.

mod connect;
mod export;
mod extension;
mod import;
mod terms;
mod transfer;

pub use connect::ConnectError;
pub use extension::Rdma;
