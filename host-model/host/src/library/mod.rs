//! The user library: what a process does with the NIC without the kernel (facts M-1, M-5 to M-7).
//!
//! A post is a descriptor, stored into the process's own queue page in SRAM, and its doorbell. Its
//! end shows in the status page, in the process's own memory; arrival shows in the bytes
//! themselves. Neither costs an access to the NIC.
//!
//! * `process`: the process and its memory. `poll`: waiting for what devices write. `status`: how
//!   posts ended. `post`: descriptors, in the queue. Every personality has these.
//! * `extension`, `rdma`: what personalities with remote memory access add: export, import, write,
//!   read.
//! * `emp`: messages that the NIC matches. `mpi`, `sockets`: libraries over them. `kernel`: streams
//!   of the operating system.
//! * `error`: why a post failed.

pub mod emp;
mod error;
mod extension;
pub mod kernel;
pub mod mpi;
mod poll;
mod post;
mod process;
mod rdma;
pub mod sockets;
mod status;

pub use crate::driver::rdma::access::{Access, Export};
pub use error::{WriteError, WriteHandle};
pub use extension::Extension;
pub use process::Process;
pub use rdma::{ConnectError, Rdma};
