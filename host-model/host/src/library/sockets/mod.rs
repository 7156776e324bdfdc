//! Byte streams, as sockets have them, over messages that the NIC matches (docs/libraries.md).
//!
//! A connection has buffers at its receiver, each with a posted receive. A writer has a credit for
//! each of them, so no message comes without a receive. A reader gives a credit back when it has
//! read a buffer to its end.
//!
//! * `layer`: listen, accept, connect. `connection`: write, read, end. `wire`: what the messages of
//!   a connection say. `buffers`: locked memory with its posted messages. `error`: why a call
//!   failed.

mod buffers;
mod connection;
mod error;
mod layer;
mod wire;

pub use connection::{Connection, Ready};
pub use error::SocketError;
pub use layer::{Listener, Sockets, PORT_MAX};
pub use wire::{CREDITS, DATA_BYTES_MAX, MESSAGE_BYTES};
