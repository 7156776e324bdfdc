//! The kernel path: a stream that the operating system makes of frames, on a NIC that does no more
//! than to move them (docs/libraries.md).
//!
//! * `segment`: a part of a stream as a frame. `stream`: one end of a stream, without time.
//! * `buffers`: frames in memory of the kernel, and the NIC's rings. `endpoint`: a stream with its
//!   sleepers and its timer. `service`: interrupts, the work behind them, and the system calls.

mod buffers;
mod endpoint;
mod segment;
mod service;
mod stream;

pub use segment::Peer;
pub use service::{Kernel, StreamError};
