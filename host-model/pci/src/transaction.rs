//! What the processors ask of the bridge, and what they get back.

use crate::{BusAddr, Word};
use sim_pins::Ps;

/// Names a submitted transaction. Numbers ascend in the order of submission.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TransactionId(pub u64);

/// Which memory read command goes on the bus.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum ReadKind {
    #[default]
    Plain,
    Line,
    Multiple,
}

/// One CPU access.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Transaction {
    /// Type 0; `register` is a byte offset, a multiple of 4.
    ConfigRead {
        device: u8,
        function: u8,
        register: u8,
    },
    ConfigWrite {
        device: u8,
        function: u8,
        register: u8,
        data: u32,
        byte_enables: u8,
    },
    /// `addr` is a multiple of 4.
    MemoryRead {
        addr: BusAddr,
        dwords: usize,
        kind: ReadKind,
    },
    /// Consecutive dwords from `addr`, a multiple of 4.
    MemoryWrite {
        addr: BusAddr,
        words: Vec<Word>,
    },
}

impl Transaction {
    pub const fn config_read(device: u8, register: u8) -> Transaction {
        Transaction::ConfigRead { device, function: 0, register }
    }

    pub const fn config_write(device: u8, register: u8, data: u32) -> Transaction {
        Transaction::ConfigWrite { device, function: 0, register, data, byte_enables: 0xF }
    }

    pub const fn read_dword(addr: BusAddr) -> Transaction {
        Transaction::MemoryRead { addr, dwords: 1, kind: ReadKind::Plain }
    }

    pub fn write_dword(addr: BusAddr, data: u32) -> Transaction {
        Transaction::MemoryWrite { addr, words: vec![Word::full(data)] }
    }

    pub fn write_dwords(addr: BusAddr, data: &[u32]) -> Transaction {
        Transaction::MemoryWrite { addr, words: data.iter().copied().map(Word::full).collect() }
    }
}

/// What a successful transaction gives.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// The dwords of a read.
    Read(Vec<u32>),
    /// The write is in the bridge's buffer; the bus sees it later.
    Posted,
    /// The write has been accepted by its target.
    Written,
}

/// Why a transaction failed on the bus.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BusError {
    #[error("nobody claimed the address (master abort)")]
    MasterAbort,
    #[error("the target aborted")]
    TargetAbort,
    #[error("data arrived with wrong parity")]
    Parity,
    #[error("the target retried more often than the limit")]
    RetryLimit,
    #[error("the bus was reset")]
    Reset,
}

/// The end of a transaction for its CPU.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Completion {
    pub id: TransactionId,
    /// The edge at which the bridge knows.
    pub at: Ps,
    pub result: Result<Answer, BusError>,
}

/// What no CPU waits for, but somebody should hear of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Incident {
    /// A posted write failed after its CPU had gone on.
    PostedWriteLost { at: Ps, addr: BusAddr, error: BusError },
    /// The NIC touched memory that refused (INV-26).
    MemoryFault { at: Ps, fault: crate::MemoryFault, is_write: bool },
    /// The bridge took data of the NIC's write with wrong parity. They are in memory.
    BadWriteParity { at: Ps },
    /// An address phase of the NIC had wrong parity.
    BadAddressParity { at: Ps },
    /// SERR# fell.
    SystemError { at: Ps },
}
