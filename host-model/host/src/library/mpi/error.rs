//! Why a request failed, in words.

use crate::driver::DriverError;
use crate::library::emp::MessageError;
use crate::memory::MemoryError;

/// Why a request failed, or could not be started.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum MpiError {
    /// No such rank.
    #[error("rank {rank}: the communicator has ranks 0 to {last}")]
    NoRank {
        /// The rank that was asked for.
        rank: u32,
        /// The last rank.
        last: u32,
    },
    /// The tag belongs to collective operations.
    #[error("tag {tag}: tags of messages are 0 to 32767")]
    TagTooLarge {
        /// The tag that was asked for.
        tag: u16,
    },
    /// The message is longer than the room of its receive.
    #[error("the message is longer than the {room_bytes} bytes of its receive")]
    Truncated {
        /// Bytes of the receive.
        room_bytes: u32,
    },
    /// The receiver has no room for the message.
    #[error("the receive of the message is too short, or its process has ended")]
    Refused,
    /// The receive waits for a message of its own rank that was not sent.
    #[error("the receive waits for a message of its own rank that was not sent")]
    NotSent,
    /// The process has given the request up.
    #[error("the process has given the request up")]
    Cancelled,
    /// The request has ended before, or belongs to another communicator.
    #[error("no such request")]
    NoRequest,
    /// The message could not be sent or received.
    #[error(transparent)]
    Message(#[from] MessageError),
    /// Memory of the process could not be used.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The driver refuses.
    #[error(transparent)]
    Driver(#[from] DriverError),
}
