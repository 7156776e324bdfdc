//! Why a post failed: what the firmware tells, in words, and what the library finds.

use nic_layout::post::PostError;

use crate::memory::MemoryError;

/// A post that was rung.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WriteHandle {
    /// Free-running index of the post's last entry in the queue.
    pub index: u32,
    /// The number that travels with the message.
    pub message: u32,
}

/// Why a post failed, or was not made.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum WriteError {
    /// The NIC refused this post.
    #[error("the NIC refused post {index}: {}", post_error(*.error))]
    Refused {
        /// Free-running index of the post.
        index: u32,
        /// Why: an error word of `nic_layout` posts.
        error: u32,
    },
    /// The status page tells the last refusal only. This post ended together with it, and may be
    /// one of those refused.
    #[error("posts up to {last_index} ended, {refused} of them badly, the last with: {}", post_error(*.error))]
    Unclear {
        /// Free-running index of the last post that has ended.
        last_index: u32,
        /// Posts that ended badly among those that ended together.
        refused: u32,
        /// Why the last of them was refused.
        error: u32,
    },
    /// The status page holds a count that cannot be true: a fault of the NIC, or of the process.
    #[error("the status page says that {ended} posts have ended, and {posted} were posted")]
    WildStatus {
        /// Posts that have ended, by the status page.
        ended: u32,
        /// Posts that were made.
        posted: u32,
    },
    /// The post needs an import that the process does not have.
    #[error("buffer {buffer:#x} of node {node} was not imported, and posts to this NIC name imports")]
    NotImported {
        /// Node of the buffer.
        node: u16,
        /// The CBH word of the buffer.
        buffer: u32,
    },
    /// The NIC was reset before the post had ended. Whether the peer has taken the data is not
    /// known.
    #[error("the NIC was reset before the post had ended")]
    NicReset,
    /// There was no post queue before the process ended.
    #[error("the process ended, or the driver gave up, before there was a post queue for it")]
    NoPostQueue,
    /// The remote node has keys of another width.
    #[error("node {node} has keys of {theirs} bits, and this one of {own}: posts to it would not be understood")]
    OtherKeyWidth {
        /// The remote node.
        node: u16,
        /// Key width of the remote node, in bits.
        theirs: u32,
        /// Key width of this node, in bits.
        own: u32,
    },
    /// The source or destination in own memory cannot be used.
    #[error(transparent)]
    Memory(#[from] MemoryError),
}

/// What the firmware has written as an error, in words.
fn post_error(error: u32) -> String {
    let Some(known) = PostError::from_word(error) else {
        return format!("error {error}, which is unknown");
    };
    let text = match known {
        PostError::UnknownOperation => "unknown operation",
        PostError::NoSuchNode => "no such node",
        PostError::LengthOutOfRange => "length out of range",
        PostError::BadLocalAddress => "bad address of own memory: it has no page, or the page cannot be pinned",
        PostError::PeerUnreachable => "the peer does not answer",
        PostError::BadProducerIndex => "wild doorbell",
        PostError::BusError => "the PCI bus ended the DMA of the source",
        PostError::Refused => "the node of the buffer refused it",
        PostError::NoSuchImport => "no such import",
        PostError::ImportForbids => "the import does not permit it",
        PostError::ImportTooShort => "the imported buffer ends before",
    };
    text.to_owned()
}
