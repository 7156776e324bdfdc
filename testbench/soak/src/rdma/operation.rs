//! The operations of a list, by processes, drivers and time.
//!
//! Every operation is legal at any place of any list. An operation without an object does nothing,
//! and places and lengths are taken modulo the present number or size. So a list stays legal when
//! operations are taken out of it or changed.

use std::fmt;
use std::str::FromStr;

use nicscope_scenario::error::{Error, Result};
use nicscope_scenario::request_error;

use crate::case::NODES_MAX;

/// Processes on each node.
pub const PROCESSES: usize = 4;
/// Places for the buffers that each process exports.
pub const EXPORTS: usize = 3;
/// Reads of a process that may be outstanding at a time.
pub const LANDINGS: usize = 4;
/// Bytes of the longest post: it touches three pages, or four.
pub const POST_BYTES_MAX: u32 = 3 * 4096;

/// The place of a process. A successor takes the place when the process has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Who {
    /// The node of the process.
    pub node: usize,
    /// The place on the node, below [`PROCESSES`].
    pub process: usize,
}

impl fmt::Display for Who {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.node, self.process)
    }
}

/// A write to a buffer, or a read from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Post {
    /// The process that posts.
    pub who: Who,
    /// Whether it is a read.
    pub is_read: bool,
    /// The node of the buffer, another node than the process's.
    pub node: usize,
    /// The owner of the buffer, by its place on that node.
    pub process: usize,
    /// The place of the buffer, below [`EXPORTS`].
    pub export: usize,
    /// Offset in the process's own memory, modulo the room there.
    pub own: u32,
    /// Offset in the buffer, modulo the room there.
    pub at: u32,
    /// Length in bytes, at most [`POST_BYTES_MAX`] and at most the buffer's length.
    pub bytes: u32,
    /// Whether a write asks for a notification.
    pub notify: bool,
    /// The reason for which it must be refused, if there is one.
    pub twist: Twist,
}

/// A reason for which a post must be refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Twist {
    /// There is none.
    None,
    /// The key of the buffer has a wrong bit.
    WrongKey,
    /// The buffer does not exist.
    NoBuffer,
    /// The post ends behind the end of the buffer.
    Beyond,
    /// The process's own memory ends in the middle of the post.
    Hole,
}

impl Twist {
    /// All reasons, after the absence of one.
    pub const ALL: [Twist; 5] = [Twist::None, Twist::WrongKey, Twist::NoBuffer, Twist::Beyond, Twist::Hole];

    fn name(self) -> &'static str {
        match self {
            Twist::None => "",
            Twist::WrongKey => "wrong-key",
            Twist::NoBuffer => "no-buffer",
            Twist::Beyond => "beyond",
            Twist::Hole => "hole",
        }
    }
}

/// The rights of other nodes to a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rights {
    /// They may write.
    pub write: bool,
    /// They may read.
    pub read: bool,
}

/// One operation of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// A process posts a write or a read.
    Post(Post),
    /// A process exports a buffer in a place, after it has withdrawn the buffer that was there.
    Export {
        /// The owner.
        who: Who,
        /// The place of the buffer, below [`EXPORTS`].
        export: usize,
        /// Offset of the buffer in the owner's memory, modulo the room for buffers.
        from: u32,
        /// Length in bytes, cut to the room for buffers.
        bytes: u32,
        /// The rights of other nodes.
        rights: Rights,
        /// Whether the owner gets notifications of writes.
        listens: bool,
    },
    /// A process withdraws a buffer.
    Withdraw {
        /// The owner.
        who: Who,
        /// The place of the buffer, below [`EXPORTS`].
        export: usize,
    },
    /// A process waits for the ends of its posts.
    Wait {
        /// The process.
        who: Who,
    },
    /// A process waits for the ends of its posts, and ends. A successor takes its place.
    End {
        /// The process.
        who: Who,
    },
    /// A process is killed after a time, in whatever step it is. A successor takes its place.
    Kill {
        /// The process.
        who: Who,
        /// The time from now on, in us.
        after_us: u32,
    },
    /// The NIC of a node is reset after a time, under whatever it does. The processes of the node
    /// lose it, and successors take their places. All peers are told.
    Reset {
        /// The node.
        node: usize,
        /// The time from now on, in us.
        after_us: u32,
    },
    /// A node starts again after a time: its processes are killed and closed, then its NIC is reset
    /// and successors begin. All peers are told.
    Restart {
        /// The node.
        node: usize,
        /// The time from now on, in us.
        after_us: u32,
    },
    /// The driver takes the line of a page of a process from the NIC's cache.
    Invalidate {
        /// The process.
        who: Who,
        /// The page, counted from the first page of the process's memory, modulo their number.
        page: u32,
    },
    /// No new operation begins on a node for a time.
    Pause {
        /// The node.
        node: usize,
        /// The time, in us.
        us: u32,
    },
    /// All nodes wait until all operations and frames have ended, and the model compares
    /// everything.
    Settle,
}

/// The kinds of operations that a campaign counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(usize)]
pub enum Kind {
    /// A write whose data the NIC reads from host memory.
    WriteByDma,
    /// A write whose data go with the post.
    WriteInline,
    /// A write of 0 bytes.
    WriteOfNothing,
    /// A write with a notification.
    WriteAndNotify,
    /// A read.
    Read,
    /// A post with [`Twist::WrongKey`].
    WrongKey,
    /// A post with [`Twist::NoBuffer`].
    NoBuffer,
    /// A post with [`Twist::Beyond`].
    Beyond,
    /// A post with [`Twist::Hole`].
    Hole,
    /// [`Op::Export`].
    Export,
    /// [`Op::Withdraw`].
    Withdraw,
    /// [`Op::Wait`].
    Wait,
    /// [`Op::End`].
    End,
    /// [`Op::Kill`].
    Kill,
    /// [`Op::Reset`].
    Reset,
    /// [`Op::Restart`].
    Restart,
    /// [`Op::Invalidate`].
    Invalidate,
    /// [`Op::Pause`].
    Pause,
    /// [`Op::Settle`].
    Settle,
}

impl Kind {
    /// All kinds, in the order of reports.
    pub const ALL: [Kind; 19] = [
        Kind::WriteByDma,
        Kind::WriteInline,
        Kind::WriteOfNothing,
        Kind::WriteAndNotify,
        Kind::Read,
        Kind::WrongKey,
        Kind::NoBuffer,
        Kind::Beyond,
        Kind::Hole,
        Kind::Export,
        Kind::Withdraw,
        Kind::Wait,
        Kind::End,
        Kind::Kill,
        Kind::Reset,
        Kind::Restart,
        Kind::Invalidate,
        Kind::Pause,
        Kind::Settle,
    ];

    /// The names of all kinds, in the order of reports.
    pub const NAMES: [&'static str; Kind::ALL.len()] = {
        let mut names = [""; Kind::ALL.len()];
        let mut index = 0;
        while index < names.len() {
            names[index] = Kind::ALL[index].name();
            index += 1;
        }
        names
    };

    /// The name in the progress file and in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::WriteByDma => "writes by DMA",
            Kind::WriteInline => "writes in the post",
            Kind::WriteOfNothing => "writes of nothing",
            Kind::WriteAndNotify => "writes that notify",
            Kind::Read => "reads",
            Kind::WrongKey => "posts with a wrong key",
            Kind::NoBuffer => "posts to no buffer",
            Kind::Beyond => "posts beyond the buffer",
            Kind::Hole => "posts with a hole in own memory",
            Kind::Export => "exports",
            Kind::Withdraw => "withdrawals",
            Kind::Wait => "waits",
            Kind::End => "processes that end",
            Kind::Kill => "processes that are killed",
            Kind::Reset => "resets of NICs",
            Kind::Restart => "restarts of peers",
            Kind::Invalidate => "invalidations",
            Kind::Pause => "pauses",
            Kind::Settle => "comparisons of everything",
        }
    }
}

impl Op {
    /// Gives the operation to another node.
    pub fn set_node(&mut self, to: usize) {
        match self {
            Op::Post(post) => post.who.node = to,
            Op::Export { who, .. }
            | Op::Withdraw { who, .. }
            | Op::Wait { who }
            | Op::End { who }
            | Op::Kill { who, .. }
            | Op::Invalidate { who, .. } => who.node = to,
            Op::Reset { node, .. } | Op::Restart { node, .. } | Op::Pause { node, .. } => *node = to,
            Op::Settle => {}
        }
    }

    /// The node of the operation; `None` if all nodes take part.
    pub fn node(&self) -> Option<usize> {
        match self {
            Op::Post(post) => Some(post.who.node),
            Op::Export { who, .. }
            | Op::Withdraw { who, .. }
            | Op::Wait { who }
            | Op::End { who }
            | Op::Kill { who, .. }
            | Op::Invalidate { who, .. } => Some(who.node),
            Op::Reset { node, .. } | Op::Restart { node, .. } | Op::Pause { node, .. } => Some(*node),
            Op::Settle => None,
        }
    }

    /// The kind of the operation.
    pub fn kind(&self) -> Kind {
        match self {
            Op::Post(post) => match post.twist {
                Twist::WrongKey => Kind::WrongKey,
                Twist::NoBuffer => Kind::NoBuffer,
                Twist::Beyond => Kind::Beyond,
                Twist::Hole => Kind::Hole,
                Twist::None if post.is_read => Kind::Read,
                Twist::None if post.notify => Kind::WriteAndNotify,
                Twist::None if post.bytes == 0 => Kind::WriteOfNothing,
                Twist::None if post.bytes <= nic_layout::post::INLINE_BYTES_MAX => Kind::WriteInline,
                Twist::None => Kind::WriteByDma,
            },
            Op::Export { .. } => Kind::Export,
            Op::Withdraw { .. } => Kind::Withdraw,
            Op::Wait { .. } => Kind::Wait,
            Op::End { .. } => Kind::End,
            Op::Kill { .. } => Kind::Kill,
            Op::Reset { .. } => Kind::Reset,
            Op::Restart { .. } => Kind::Restart,
            Op::Invalidate { .. } => Kind::Invalidate,
            Op::Pause { .. } => Kind::Pause,
            Op::Settle => Kind::Settle,
        }
    }

    /// Simpler operations that may fail in the same way, the simplest first.
    pub fn simpler(&self) -> Vec<Op> {
        let mut found = Vec::new();
        match *self {
            Op::Post(post) => {
                let mut tries = vec![
                    Post { own: 0, at: 0, bytes: post.bytes.min(4), notify: false, twist: Twist::None, ..post },
                    Post { twist: Twist::None, ..post },
                    Post { notify: false, ..post },
                    Post { process: 0, ..post },
                    Post { export: 0, ..post },
                    Post { who: Who { process: 0, ..post.who }, ..post },
                    Post { own: 0, ..post },
                    Post { at: 0, ..post },
                ];
                for bytes in [0, 4, 33, post.bytes / 2] {
                    tries.push(Post { bytes: bytes.min(post.bytes), ..post });
                }
                found.extend(tries.into_iter().filter(|other| *other != post).map(Op::Post));
            }
            Op::Export { who, export, from, bytes, rights, listens } => {
                let tries = [
                    Op::Export { who, export, from: 0, bytes, rights, listens },
                    Op::Export { who, export, from, bytes: 4096.min(bytes), rights, listens },
                    Op::Export { who, export, from, bytes, rights: Rights { write: true, read: true }, listens },
                    Op::Export { who, export, from, bytes, rights, listens: true },
                ];
                found.extend(tries.into_iter().filter(|other| other != self));
            }
            Op::Kill { who, after_us } if after_us > 0 => {
                found.push(Op::End { who });
                found.push(Op::Kill { who, after_us: 0 });
                found.push(Op::Kill { who, after_us: after_us / 2 });
            }
            Op::Kill { who, .. } => found.push(Op::End { who }),
            Op::End { who } => found.push(Op::Wait { who }),
            Op::Reset { node, after_us } if after_us > 0 => {
                found.extend([0, after_us / 2].map(|after_us| Op::Reset { node, after_us }));
            }
            Op::Restart { node, after_us } => found.push(Op::Reset { node, after_us }),
            Op::Pause { node, us } if us > 1 => found.push(Op::Pause { node, us: us / 2 }),
            _ => {}
        }
        found
    }
}

// ---- As text ------------------------------------------------------------------------------------

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Op::Post(Post { who, is_read, node, process, export, own, at, bytes, notify, twist }) => {
                match is_read {
                    false => write!(f, "write {who} from {own} to {node}.{process}.{export} at {at} bytes {bytes}")?,
                    true => write!(f, "read {who} into {own} from {node}.{process}.{export} at {at} bytes {bytes}")?,
                }
                if *notify {
                    write!(f, " notify")?;
                }
                match twist {
                    Twist::None => Ok(()),
                    twist => write!(f, " {}", twist.name()),
                }
            }
            Op::Export { who, export, from, bytes, rights, listens } => {
                write!(f, "export {who}.{export} from {from} bytes {bytes}")?;
                for (is_so, word) in [(rights.write, " write"), (rights.read, " read"), (*listens, " listen")] {
                    if is_so {
                        write!(f, "{word}")?;
                    }
                }
                Ok(())
            }
            Op::Withdraw { who, export } => write!(f, "withdraw {who}.{export}"),
            Op::Wait { who } => write!(f, "wait {who}"),
            Op::End { who } => write!(f, "end {who}"),
            Op::Kill { who, after_us } => write!(f, "kill {who} after {after_us}"),
            Op::Reset { node, after_us } => write!(f, "reset {node} after {after_us}"),
            Op::Restart { node, after_us } => write!(f, "restart {node} after {after_us}"),
            Op::Invalidate { who, page } => write!(f, "invalidate {who} page {page}"),
            Op::Pause { node, us } => write!(f, "pause {node} us {us}"),
            Op::Settle => write!(f, "settle"),
        }
    }
}

/// The words of a line, taken one after the other.
struct Words<'a> {
    line: &'a str,
    rest: std::iter::Peekable<std::str::SplitWhitespace<'a>>,
}

impl<'a> Words<'a> {
    fn wrong(&self) -> Error {
        request_error!("`{}` is not an operation (docs/properties.md)", self.line)
    }

    fn next(&mut self) -> Result<&'a str> {
        self.rest.next().ok_or_else(|| self.wrong())
    }

    /// The number behind the given word.
    fn number(&mut self, word: &str) -> Result<u32> {
        match self.next()? == word {
            true => self.next()?.parse().map_err(|_| self.wrong()),
            false => Err(self.wrong()),
        }
    }

    /// Numbers joined by dots, as in `0.3.1`, each below its limit.
    fn place<const N: usize>(&mut self, limits: [usize; N]) -> Result<[usize; N]> {
        let numbers: Vec<usize> = self.next()?.split('.').map_while(|text| text.parse().ok()).collect();
        let place: [usize; N] = numbers.try_into().map_err(|_| self.wrong())?;
        match place.iter().zip(limits).all(|(number, limit)| *number < limit) {
            true => Ok(place),
            false => Err(self.wrong()),
        }
    }

    fn who(&mut self) -> Result<Who> {
        let [node, process] = self.place([NODES_MAX, PROCESSES])?;
        Ok(Who { node, process })
    }

    fn who_and_export(&mut self) -> Result<(Who, usize)> {
        let [node, process, export] = self.place([NODES_MAX, PROCESSES, EXPORTS])?;
        Ok((Who { node, process }, export))
    }

    fn has(&mut self, word: &str) -> bool {
        self.rest.next_if_eq(&word).is_some()
    }

    fn end<T>(mut self, value: T) -> Result<T> {
        match self.rest.next() {
            None => Ok(value),
            Some(_) => Err(self.wrong()),
        }
    }
}

impl FromStr for Op {
    type Err = Error;

    fn from_str(line: &str) -> Result<Op> {
        let mut words = Words { line, rest: line.split_whitespace().peekable() };
        let op = match words.next()? {
            verb @ ("write" | "read") => {
                let is_read = verb == "read";
                let (own, buffer) = if is_read { ("into", "from") } else { ("from", "to") };
                let who = words.who()?;
                let own = words.number(own)?;
                if words.next()? != buffer {
                    return Err(words.wrong());
                }
                let (owner, export) = words.who_and_export()?;
                if owner.node == who.node {
                    return Err(words.wrong());
                }
                let at = words.number("at")?;
                let bytes = words.number("bytes")?.min(POST_BYTES_MAX);
                let notify = words.has("notify") && !is_read;
                let twist = Twist::ALL[1..].iter().copied().find(|twist| words.has(twist.name()));
                let twist = twist.unwrap_or(Twist::None);
                Op::Post(Post {
                    who,
                    is_read,
                    node: owner.node,
                    process: owner.process,
                    export,
                    own,
                    at,
                    bytes,
                    notify,
                    twist,
                })
            }
            "export" => {
                let (who, export) = words.who_and_export()?;
                let (from, bytes) = (words.number("from")?, words.number("bytes")?);
                let rights = Rights { write: words.has("write"), read: words.has("read") };
                Op::Export { who, export, from, bytes, rights, listens: words.has("listen") }
            }
            "withdraw" => {
                let (who, export) = words.who_and_export()?;
                Op::Withdraw { who, export }
            }
            "wait" => Op::Wait { who: words.who()? },
            "end" => Op::End { who: words.who()? },
            "kill" => Op::Kill { who: words.who()?, after_us: words.number("after")? },
            "invalidate" => Op::Invalidate { who: words.who()?, page: words.number("page")? },
            verb @ ("reset" | "restart") => {
                let [node] = words.place([NODES_MAX])?;
                let after_us = words.number("after")?;
                match verb {
                    "reset" => Op::Reset { node, after_us },
                    _ => Op::Restart { node, after_us },
                }
            }
            "pause" => {
                let [node] = words.place([NODES_MAX])?;
                Op::Pause { node, us: words.number("us")? }
            }
            "settle" => Op::Settle,
            _ => return Err(words.wrong()),
        };
        words.end(op)
    }
}
