//! What processes, drivers and time do in a list. Every operation is legal at any place of any list: one with nothing to act upon does nothing,
//! places and lengths are taken modulo what there is. So a list stays legal when operations are taken out of it or changed.

use std::fmt;
use std::str::FromStr;

use nicscope_scenario::error::{Error, Result};
use nicscope_scenario::request_error;

/// The most nodes of a cluster.
pub const NODES_MAX: usize = 8;
/// Processes on each node, and places for the buffers that each process exports.
pub const PROCESSES: usize = 4;
pub const EXPORTS: usize = 3;
/// Longest post: it touches four pages, or five.
pub const POST_BYTES_MAX: u32 = 3 * 4096;

/// A process: its place, which a successor takes when it has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Who {
    pub node: usize,
    pub process: usize,
}

impl fmt::Display for Who {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.node, self.process)
    }
}

/// Write or read of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Post {
    pub who: Who,
    pub is_read: bool,
    /// The buffer: of this process of another node, in this place.
    pub node: usize,
    pub process: usize,
    pub export: usize,
    /// Where in own memory, and where in the buffer.
    pub own: u32,
    pub at: u32,
    pub bytes: u32,
    /// Of a write.
    pub notify: bool,
    pub twist: Twist,
}

/// What is wrong with a post, if anything is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Twist {
    None,
    WrongKey,
    NoBuffer,
    /// Ends behind the end of the buffer.
    Beyond,
    /// Own memory ends in the middle.
    Hole,
}

impl Twist {
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

/// What others may do with a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rights {
    pub write: bool,
    pub read: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    Post(Post),
    /// A buffer in place of the one that is there, if one is.
    Export {
        who: Who,
        export: usize,
        from: u32,
        bytes: u32,
        rights: Rights,
        listens: bool,
    },
    Withdraw {
        who: Who,
        export: usize,
    },
    /// The process waits for its posts.
    Wait {
        who: Who,
    },
    /// It waits for its posts, and ends; a successor takes its place.
    End {
        who: Who,
    },
    /// It is ended so long from now, whatever it does then.
    Kill {
        who: Who,
        after_us: u32,
    },
    /// The driver takes the line of this page of the process from the NIC's cache.
    Invalidate {
        who: Who,
        page: u32,
    },
    /// Nothing new begins on this node for so long.
    Pause {
        node: usize,
        us: u32,
    },
    /// All nodes wait until nothing moves any more, and everything is compared.
    Settle,
}

/// Kinds of operations, as they are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(usize)]
pub enum Kind {
    WriteByDma,
    WriteInline,
    WriteOfNothing,
    WriteAndNotify,
    Read,
    WrongKey,
    NoBuffer,
    Beyond,
    Hole,
    Export,
    Withdraw,
    Wait,
    End,
    Kill,
    Invalidate,
    Pause,
    Settle,
}

impl Kind {
    pub const ALL: [Kind; 17] = [
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
        Kind::Invalidate,
        Kind::Pause,
        Kind::Settle,
    ];

    pub fn name(self) -> &'static str {
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
            Kind::Invalidate => "invalidations",
            Kind::Pause => "pauses",
            Kind::Settle => "comparisons of everything",
        }
    }
}

impl Op {
    /// Has another node do it.
    pub fn set_node(&mut self, to: usize) {
        match self {
            Op::Post(post) => post.who.node = to,
            Op::Export { who, .. }
            | Op::Withdraw { who, .. }
            | Op::Wait { who }
            | Op::End { who }
            | Op::Kill { who, .. }
            | Op::Invalidate { who, .. } => who.node = to,
            Op::Pause { node, .. } => *node = to,
            Op::Settle => {}
        }
    }

    /// The node that does it; `None`: all.
    pub fn node(&self) -> Option<usize> {
        match self {
            Op::Post(post) => Some(post.who.node),
            Op::Export { who, .. }
            | Op::Withdraw { who, .. }
            | Op::Wait { who }
            | Op::End { who }
            | Op::Kill { who, .. }
            | Op::Invalidate { who, .. } => Some(who.node),
            Op::Pause { node, .. } => Some(*node),
            Op::Settle => None,
        }
    }

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
            Op::Invalidate { .. } => Kind::Invalidate,
            Op::Pause { .. } => Kind::Pause,
            Op::Settle => Kind::Settle,
        }
    }

    /// Operations that say less and may fail in the same way, the simplest first.
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
            Op::Pause { node, us } if us > 1 => found.push(Op::Pause { node, us: us / 2 }),
            _ => {}
        }
        found
    }
}

// ---- As text ----------------------------------------------------------------------------------------------------------

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
            Op::Invalidate { who, page } => write!(f, "invalidate {who} page {page}"),
            Op::Pause { node, us } => write!(f, "pause {node} us {us}"),
            Op::Settle => write!(f, "settle"),
        }
    }
}

/// Words of a line, taken one by one.
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

    /// The number behind a word.
    fn number(&mut self, word: &str) -> Result<u32> {
        match self.next()? == word {
            true => self.next()?.parse().map_err(|_| self.wrong()),
            false => Err(self.wrong()),
        }
    }

    /// `0.3.1`: so many numbers, each below its limit.
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
