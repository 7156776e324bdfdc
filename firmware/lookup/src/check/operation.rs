//! The operations, and their text.

use std::fmt;
use std::str::FromStr;

use nic_layout::vmh::VmhGeometry;

use crate::Path;

/// One step. `nth` counts what is outstanding, oldest first, modulo how many there are; with none
/// the step does nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheOp {
    /// Look a page up; lock on a hit, reserve when absent.
    Use {
        path: Path,
        pid: u32,
        page: u32,
    },
    /// End the nth reference.
    Unlock {
        nth: u32,
    },
    /// Fill the nth reserved line; `seed` chooses the page numbers.
    Fill {
        nth: u32,
        seed: u32,
    },
    /// Give the nth reserved line back.
    Release {
        nth: u32,
    },
    Invalidate {
        pid: u32,
        page: u32,
    },
}

impl CacheOp {
    /// Makes an operation of any number. Processes and pages are few, so that tags collide.
    pub fn draw(random: u64, geometry: VmhGeometry) -> CacheOp {
        let bits = |low: u32, count: u32| (random >> low) as u32 & ((1 << count) - 1);
        let pid = 1 + bits(8, 1);
        // Half as many lines again as one set holds, of two neighbouring sets.
        let set = bits(10, 1) & (geometry.sets() - 1);
        let turn = bits(11, 16) % (geometry.ways + geometry.ways / 2);
        let page = (turn * geometry.sets() + set) * geometry.line_entries + bits(27, 7) % geometry.line_entries;
        let nth = bits(40, 8);
        match bits(0, 4) {
            0..=7 => CacheOp::Use { path: if bits(9, 1) == 0 { Path::Send } else { Path::Receive }, pid, page },
            8..=10 => CacheOp::Unlock { nth },
            11..=13 => CacheOp::Fill { nth, seed: bits(48, 8) },
            14 => CacheOp::Release { nth },
            _ => CacheOp::Invalidate { pid, page },
        }
    }
}

impl fmt::Display for CacheOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            CacheOp::Use { path: Path::Send, pid, page } => write!(f, "use send {pid} {page:#x}"),
            CacheOp::Use { path: Path::Receive, pid, page } => write!(f, "use receive {pid} {page:#x}"),
            CacheOp::Unlock { nth } => write!(f, "unlock {nth}"),
            CacheOp::Fill { nth, seed } => write!(f, "fill {nth} {seed}"),
            CacheOp::Release { nth } => write!(f, "release {nth}"),
            CacheOp::Invalidate { pid, page } => write!(f, "invalidate {pid} {page:#x}"),
        }
    }
}

/// The line that is not an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotAnOperation(pub String);

impl fmt::Display for NotAnOperation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not a cache operation; one reads like `use send 3 0x41`, `unlock 0`, `fill 0 7`, `release 0`, `invalidate 3 0x41`", self.0)
    }
}

impl std::error::Error for NotAnOperation {}

impl FromStr for CacheOp {
    type Err = NotAnOperation;

    fn from_str(line: &str) -> Result<CacheOp, NotAnOperation> {
        let number = |text: &str| match text.strip_prefix("0x") {
            Some(hex) => u32::from_str_radix(hex, 16).map_err(|_| NotAnOperation(line.to_owned())),
            None => text.parse().map_err(|_| NotAnOperation(line.to_owned())),
        };
        let words: Vec<&str> = line.split_whitespace().collect();
        Ok(match words[..] {
            ["use", "send", pid, page] => CacheOp::Use { path: Path::Send, pid: number(pid)?, page: number(page)? },
            ["use", "receive", pid, page] => {
                CacheOp::Use { path: Path::Receive, pid: number(pid)?, page: number(page)? }
            }
            ["unlock", nth] => CacheOp::Unlock { nth: number(nth)? },
            ["fill", nth, seed] => CacheOp::Fill { nth: number(nth)?, seed: number(seed)? },
            ["release", nth] => CacheOp::Release { nth: number(nth)? },
            ["invalidate", pid, page] => CacheOp::Invalidate { pid: number(pid)?, page: number(page)? },
            _ => return Err(NotAnOperation(line.to_owned())),
        })
    }
}
