//! The model's inputs: what began, what ended, and when a node saw that.

use std::fmt;

use sim_pins::Ps;

/// Simulated time, in picoseconds.
pub type Time = u64;

/// The name of a process, from its begin to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Life {
    /// The node of the process.
    pub node: usize,
    /// The place of the process on its node.
    pub process: usize,
    /// The number of processes that had this place before.
    pub life: u32,
}

/// The name of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BufferName {
    /// The process that exported it.
    pub owner: Life,
    /// The number of buffers that the owner exported before.
    pub number: u32,
}

/// A buffer, as its owner exported it.
#[derive(Clone, Debug)]
pub struct Buffer {
    /// Offset of its first byte in the memory of the owner.
    pub start: u32,
    /// Length in bytes.
    pub bytes: u32,
    /// Whether other nodes may write it.
    pub may_write: bool,
    /// Whether other nodes may read it.
    pub may_read: bool,
    /// Whether the owner gets notifications of writes to it.
    pub listens: bool,
    /// The time at which its withdrawal, or the end of its owner, began.
    pub end_begun: Option<Time>,
    /// The time at which its withdrawal, or the end of its owner, was complete.
    pub ended: Option<Time>,
}

/// The end of a post, as its process saw it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Without an error.
    Well,
    /// The node of the buffer, or the import, refused it.
    Refused,
    /// A page of the process's own memory does not exist, or cannot be pinned.
    BadMemory,
    /// It ended together with other posts, some of them with errors, and the library cannot tell
    /// which.
    Unclear,
    /// The node of the buffer has started again.
    Lost,
    /// Any other error, which no post of a case may have.
    Other,
}

/// The transfer that a post asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Direction {
    /// A write to the buffer.
    Write {
        /// The bytes that were sent.
        data: Vec<u8>,
        /// Whether it asks for a notification.
        notify: bool,
    },
    /// A read from the buffer.
    Read {
        /// Offset in the memory of the reader to which the bytes come.
        to: u32,
        /// Length in bytes.
        bytes: u32,
        /// The bytes that stood there when the read ended; `None` if it did not end well.
        found: Option<Vec<u8>>,
    },
}

/// A post, as its process saw it.
#[derive(Clone, Debug)]
pub struct Post {
    /// The process that posted it.
    pub by: Life,
    /// The number of the post: unique, and ascending for each process.
    pub number: u32,
    /// The node of the buffer that it names.
    pub to: usize,
    /// The buffer that it names; `None` if that buffer never existed.
    pub buffer: Option<BufferName>,
    /// Whether it shows the key of the buffer.
    pub right_key: bool,
    /// Whether the process's own memory ends in the middle of the transfer.
    pub hole: bool,
    /// Offset in the buffer.
    pub offset: u32,
    /// The transfer.
    pub direction: Direction,
    /// The time of the call of the library.
    pub begin: Time,
    /// The time and the kind of its end; `None` if its process ended first.
    pub end: Option<(Time, End)>,
}

impl fmt::Display for Post {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Post { number, by, to, offset, begin, .. } = self;
        let (kind, bytes) = match &self.direction {
            Direction::Write { data, .. } => ("write", data.len()),
            Direction::Read { bytes, .. } => ("read", *bytes as usize),
        };
        write!(f, "post {number} of {by} at {}, a {kind} of {bytes} bytes at offset {offset} of node {to},", Ps(*begin))
    }
}

/// A node starts again with another session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Restart {
    /// The node.
    pub node: usize,
    /// The time at which its NIC lost what it had.
    pub begun: Time,
    /// The time at which all peers knew of the new session; `None` if they do not yet.
    pub over: Option<Time>,
}

impl Restart {
    /// Whether a post to the node may have met the restart.
    pub(super) fn meets(&self, post: &Post) -> bool {
        let ends_before = post.end.is_some_and(|(end, _)| end < self.begun);
        self.node == post.to && !ends_before && self.over.is_none_or(|over| post.begin <= over)
    }
}

/// A notification, as the handler got it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Told {
    /// The buffer whose owner got it.
    pub buffer: BufferName,
    /// The number of the post that asked for it.
    pub number: u32,
    /// Offset in the buffer behind the last byte of the write.
    pub end_offset: u32,
}

/// What a node has seen since the last comparison.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// New processes, with their memory at the begin.
    pub begun: Vec<(Life, Vec<u8>)>,
    /// Posts, in the order of their begins.
    pub posts: Vec<Post>,
    /// Notifications, in the order of their arrival.
    pub told: Vec<Told>,
    /// Processes that live now: memory, and the number of posts that have ended badly so far.
    pub now: Vec<(Life, Vec<u8>, u64)>,
}

impl fmt::Display for Life {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.node, self.process)?;
        match self.life {
            0 => Ok(()),
            life => write!(f, " (life {life})"),
        }
    }
}
