//! What can go wrong with memory: for processes, and for devices.

use std::fmt;

use sim_pins::Ps;

use crate::address::{BusAddr, Pid, UserVirt};

/// Why memory of a process cannot be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum MemoryError {
    /// The process has no page there.
    #[error("process {} has no page at {}", pid.0, address)]
    NotMapped {
        /// The process.
        pid: Pid,
        /// Address of the access.
        address: UserVirt,
    },
    /// No address space belongs to this process.
    #[error("no process {}", .0 .0)]
    NoSuchProcess(Pid),
    /// Every page of the node is allocated.
    #[error("the node is out of memory: raise host.memory_mib")]
    OutOfPages,
    /// The process has no range of free addresses of that length.
    #[error("the address space of process {} is full", .0 .0)]
    OutOfAddresses(Pid),
    /// The node's limit on pinned pages is reached.
    #[error("{pages_max} pages are pinned, and host.pinned_pages_max allows no more")]
    TooManyPinned {
        /// The limit, in pages.
        pages_max: usize,
    },
    /// The page was drawn to be refused ([`Memory::refuse_pins`](super::Memory::refuse_pins)).
    #[error("the page cannot be pinned now")]
    PinRefused,
}

/// Which way the data of a DMA access go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DmaDirection {
    /// The device reads memory.
    Read,
    /// The device writes memory.
    Write,
    /// The access ended before the direction was known, because no target answered.
    Unknown,
}

/// Why a device may not touch an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DmaFault {
    /// Beyond the last page of memory.
    Outside,
    /// The page is not allocated to a process.
    Foreign,
    /// The page belongs to a process, but is not pinned.
    Unpinned,
}

impl DmaFault {
    /// The reason, in words that follow an address.
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
    /// When the device touched the address.
    pub at: Ps,
    /// The first byte that it touched.
    pub address: BusAddr,
    /// Which way the data went.
    pub direction: DmaDirection,
    /// Why it must not.
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
    /// Calls that pinned a page.
    pub pins: u64,
    /// Calls that unpinned a page.
    pub unpins: u64,
    /// Pages that are pinned now.
    pub pinned_now: u64,
    /// Accesses of devices that INV-26 forbids.
    pub dma_violations: u64,
}
