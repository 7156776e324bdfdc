//! What can go wrong with memory: on the side of processes, and on that of devices.

use std::fmt;

use sim_pins::Ps;

use crate::address::{BusAddr, Pid, UserVirt};

#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum MemoryError {
    #[error("process {} has no page at {}", pid.0, address)]
    NotMapped { pid: Pid, address: UserVirt },
    #[error("no process {}", .0 .0)]
    NoSuchProcess(Pid),
    #[error("the node is out of memory: raise host.memory_mib")]
    OutOfPages,
    #[error("the address space of process {} is full", .0 .0)]
    OutOfAddresses(Pid),
    #[error("{pages_max} pages are pinned, and host.pinned_pages_max allows no more")]
    TooManyPinned { pages_max: usize },
    #[error("the page cannot be pinned now")]
    PinRefused,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DmaDirection {
    /// The device reads memory.
    Read,
    /// The device writes memory.
    Write,
    /// Nobody answered before it was known.
    Unknown,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DmaFault {
    /// Beyond the last page of memory.
    Outside,
    /// The page belongs to nobody.
    Foreign,
    /// The page belongs to a process, but is not pinned.
    Unpinned,
}

impl DmaFault {
    pub const fn reason(self) -> &'static str {
        match self {
            DmaFault::Outside => "outside the memory",
            DmaFault::Foreign => "in a page that belongs to nobody",
            DmaFault::Unpinned => "in a page that is not pinned",
        }
    }
}

/// A device touched what it must not touch (INV-26).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DmaViolation {
    pub at: Ps,
    pub address: BusAddr,
    pub direction: DmaDirection,
    pub fault: DmaFault,
}

impl fmt::Display for DmaViolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = match self.direction {
            DmaDirection::Read => "read of",
            DmaDirection::Write => "write to",
            DmaDirection::Unknown => "access to",
        };
        let what = self.fault.reason();
        write!(f, "INV-26 at {}: DMA {verb} {}, {what}", self.at, self.address)
    }
}

/// For the conservation of pins (INV-38).
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counts {
    pub pins: u64,
    pub unpins: u64,
    pub pinned_now: u64,
    pub dma_violations: u64,
}
