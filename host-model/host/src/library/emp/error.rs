//! Why a message failed, in words.

use nic_layout::personality::emp::descriptor::Failure;

use crate::bus::BusFault;
use crate::driver::DriverError;
use crate::memory::MemoryError;

/// Why a message failed, or could not be posted.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum MessageError {
    /// The NIC has ended the message with a failure.
    #[error("{}", failure_text(*.0))]
    Failed(Failure),
    /// No descriptors are free: so many are needed, side by side in one bank.
    #[error("{needed} descriptors side by side were needed, and the pool has none: free ended messages first")]
    NoDescriptor {
        /// Descriptors that the message needs.
        needed: u32,
    },
    /// The message is longer than any may be.
    #[error("{bytes} bytes: a message of EMP has at most 16777216")]
    TooLong {
        /// Bytes of the message.
        bytes: u32,
    },
    /// The NIC has written a first byte that means nothing.
    #[error("descriptor {number} has the first byte {stat:#04x}, which means nothing")]
    WildStat {
        /// Number of the descriptor.
        number: u32,
        /// Its first byte.
        stat: u8,
    },
    /// The driver refuses.
    #[error(transparent)]
    Driver(#[from] DriverError),
    /// A read of the NIC has failed.
    #[error("access over the bus failed: {0}")]
    Bus(#[from] BusFault),
    /// Memory of the process could not be used.
    #[error(transparent)]
    Memory(#[from] MemoryError),
}

fn failure_text(failure: Failure) -> &'static str {
    match failure {
        Failure::BadDescriptor => "no such format or node, or a chain beyond its bank",
        Failure::BadList => "pages of wrong lengths or addresses, or too few of them",
        Failure::BusError => "the PCI bus ended a DMA of the message",
        Failure::Unreachable => "the peer does not answer",
        Failure::PeerRestarted => "the peer has started again",
        Failure::Truncated => "the receive is shorter than the message",
        Failure::Aborted => "the other side has given the message up",
        Failure::Cancelled => "the process has given the message up",
        Failure::BadAddress => "the process has no page at an address of the message",
    }
}
