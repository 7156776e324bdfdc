//! Why a post failed: what the firmware tells, in words, and what the library finds.

use nic_layout::post::PostError;

use crate::memory::MemoryError;

/// A post that was rung.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WriteHandle {
    /// Free-running, in the order of posting: of its last entry in the queue.
    pub index: u32,
    pub message: u32,
}

/// Why a post failed, or was not made.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum WriteError {
    #[error("the NIC refused post {index}: {}", post_error(*.error))]
    Refused { index: u32, error: u32 },
    /// The status page tells the last refusal only. This post ended together with it, and may be
    /// one of those refused.
    #[error("posts up to {last_index} ended, {refused} of them badly, the last with: {}", post_error(*.error))]
    Unclear { last_index: u32, refused: u32, error: u32 },
    #[error("the status page says that {ended} posts have ended, and {posted} were posted")]
    WildStatus { ended: u32, posted: u32 },
    #[error("buffer {buffer:#x} of node {node} was not imported, and posts to this NIC name imports")]
    NotImported { node: u16, buffer: u32 },
    #[error("the process ended, or the driver gave up, before there was a post queue for it")]
    NoPostQueue,
    #[error("node {node} has keys of {theirs} bits, and this one of {own}: posts to it would not be understood")]
    OtherKeyWidth { node: u16, theirs: u32, own: u32 },
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
