//! Messages that the NIC matches: what a process of EMP does without the kernel (facts E-22 to
//! E-29).
//!
//! A process fills a descriptor in the NIC's memory by programmed I/O, writes its number to a
//! mailbox, and polls the first byte of the descriptor. Polls are reads of the bus.
//!
//! * `extension`: what a process has for it. `pool`: descriptors that are free. `post`: filling
//!   and posting. `end`: waiting, and what the NIC has answered. `error`: why a message failed.

mod end;
mod error;
mod extension;
mod pool;
mod post;

pub use end::Arrival;
pub use error::MessageError;
pub use extension::{Messages, Translate};
pub use post::{From, Transfer};
