//! Why a call failed, in words.

use nic_layout::personality::emp::descriptor::Failure;

use crate::driver::DriverError;
use crate::library::emp::MessageError;
use crate::memory::MemoryError;

/// Why a call on a socket failed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SocketError {
    /// No listener has taken the request in time.
    #[error("node {node} has no listener at port {port}, or the listener is busy")]
    Refused {
        /// The node that was asked.
        node: u16,
        /// Its port.
        port: u16,
    },
    /// The ports end at [`super::PORT_MAX`].
    #[error("port {port}: ports are 0 to 16383")]
    NoPort {
        /// The port that was asked for.
        port: u16,
    },
    /// The peer has closed the connection, and takes no more bytes.
    #[error("the peer has closed the connection")]
    Closed,
    /// This side has ended its stream.
    #[error("this side has ended its stream")]
    Ended,
    /// The peer does not answer, has started again, or its process is gone.
    #[error("the connection is lost")]
    Lost,
    /// The process had as many connections as there are identifiers.
    #[error("the process has had as many connections as it may")]
    NoConnection,
    /// A message could not be posted.
    #[error(transparent)]
    Message(MessageError),
    /// Memory of the process could not be used.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The driver refuses.
    #[error(transparent)]
    Driver(#[from] DriverError),
}

impl From<MessageError> for SocketError {
    fn from(error: MessageError) -> SocketError {
        match error {
            MessageError::Failed(Failure::Unreachable | Failure::PeerRestarted | Failure::Aborted) => SocketError::Lost,
            other => SocketError::Message(other),
        }
    }
}
