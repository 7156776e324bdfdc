//! What is told to the model: what began and what ended, and when that was seen.

use std::fmt;

/// Simulated picoseconds.
pub type Time = u64;

/// A process, from its beginning to its end: node, place, and how many were there before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Life {
    pub node: usize,
    pub process: usize,
    pub life: u32,
}

/// A buffer: its owner, and how many that one registered before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BufferName {
    pub owner: Life,
    pub number: u32,
}

#[derive(Clone, Debug)]
pub struct Buffer {
    /// In the memory of the owner.
    pub start: u32,
    pub bytes: u32,
    pub may_write: bool,
    pub may_read: bool,
    pub listens: bool,
    /// When its end began, and when it was over; the end of the owner is one, too.
    pub end_begun: Option<Time>,
    pub ended: Option<Time>,
}

/// How a post was seen to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Well,
    /// The node of the buffer refused it.
    Refused,
    /// A page of own memory does not exist.
    BadMemory,
    /// It ended together with others, some of them badly, and the library cannot tell which.
    Unclear,
    Other,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Direction {
    /// The bytes that were sent.
    Write { data: Vec<u8>, notify: bool },
    /// Where they came in own memory, and what was there at the moment of the end.
    Read { to: u32, bytes: u32, found: Option<Vec<u8>> },
}

#[derive(Clone, Debug)]
pub struct Post {
    pub by: Life,
    /// Unique, ascending for each process.
    pub number: u32,
    /// `None`: a buffer that never was.
    pub buffer: Option<BufferName>,
    pub right_key: bool,
    /// Own memory ends in the middle of it.
    pub hole: bool,
    pub offset: u32,
    pub direction: Direction,
    pub begin: Time,
    /// `None`: its process ended first.
    pub end: Option<(Time, End)>,
}

/// What a handler was told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Told {
    pub buffer: BufferName,
    pub number: u32,
    pub end_offset: u32,
}

/// What a node has seen since the last comparison.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// New processes, and what their memory held at first.
    pub begun: Vec<(Life, Vec<u8>)>,
    pub posts: Vec<Post>,
    pub told: Vec<Told>,
    /// Now: the memory of each process that lives, and how many of its posts have ended badly so far.
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
