//! What the processors ask of the bridge, and what they get back.

use crate::{BusAddr, Word};
use sim_pins::Ps;

/// Names a submitted transaction. Numbers ascend in the order of submission.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TransactionId(pub u64);

/// Which memory read command goes on the bus.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum ReadKind {
    /// Memory Read.
    #[default]
    Plain,
    /// Memory Read Line.
    Line,
    /// Memory Read Multiple.
    Multiple,
}

/// One CPU access.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Transaction {
    /// Type 0; `register` is a byte offset, a multiple of 4.
    ConfigRead {
        /// Device number: IDSEL rises with AD[16 + device].
        device: u8,
        /// Function of the device, 0 to 7.
        function: u8,
        /// Byte offset in configuration space, a multiple of 4.
        register: u8,
    },
    /// Type 0 configuration write of one dword.
    ConfigWrite {
        /// Device number: IDSEL rises with AD[16 + device].
        device: u8,
        /// Function of the device, 0 to 7.
        function: u8,
        /// Byte offset in configuration space, a multiple of 4.
        register: u8,
        /// The dword.
        data: u32,
        /// Bytes that are written, active high.
        byte_enables: u8,
    },
    /// `addr` is a multiple of 4.
    MemoryRead {
        /// Address of the first dword, a multiple of 4.
        addr: BusAddr,
        /// Number of dwords.
        dwords: usize,
        /// Which of the three read commands the bridge uses.
        kind: ReadKind,
    },
    /// Consecutive dwords from `addr`, a multiple of 4.
    MemoryWrite {
        /// Address of the first dword, a multiple of 4.
        addr: BusAddr,
        /// The dwords, in ascending order of address.
        words: Vec<Word>,
    },
}

impl Transaction {
    /// Reads a dword of configuration space of function 0.
    pub const fn config_read(device: u8, register: u8) -> Transaction {
        Transaction::ConfigRead { device, function: 0, register }
    }

    /// Writes a dword of configuration space of function 0.
    pub const fn config_write(device: u8, register: u8, data: u32) -> Transaction {
        Transaction::ConfigWrite { device, function: 0, register, data, byte_enables: 0xF }
    }

    /// Reads one dword of memory with Memory Read.
    pub const fn read_dword(addr: BusAddr) -> Transaction {
        Transaction::MemoryRead { addr, dwords: 1, kind: ReadKind::Plain }
    }

    /// Writes one whole dword of memory.
    pub fn write_dword(addr: BusAddr, data: u32) -> Transaction {
        Transaction::MemoryWrite { addr, words: vec![Word::full(data)] }
    }

    /// Writes whole dwords of memory, in ascending order of address.
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
    /// No target claimed the address.
    #[error("nobody claimed the address (master abort)")]
    MasterAbort,
    /// The target aborted.
    #[error("the target aborted")]
    TargetAbort,
    /// The data arrived with wrong parity.
    #[error("data arrived with wrong parity")]
    Parity,
    /// The target asked for retry more often than
    /// [`Settings::retry_limit`](crate::Settings::retry_limit).
    #[error("the target retried more often than the limit")]
    RetryLimit,
    /// RST# was asserted before the transaction had ended.
    #[error("the bus was reset")]
    Reset,
}

/// The end of a transaction for its CPU.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Completion {
    /// The transaction that has ended.
    pub id: TransactionId,
    /// The edge at which the bridge knows.
    pub at: Ps,
    /// The data of a read, or why no data moved.
    pub result: Result<Answer, BusError>,
}

/// A failure that no CPU waits for. The owner of the bus takes it and reports it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Incident {
    /// A posted write failed after its CPU had gone on.
    PostedWriteLost {
        /// When the bridge saw the failure.
        at: Ps,
        /// Address of the write.
        addr: BusAddr,
        /// Why it failed.
        error: BusError,
    },
    /// The NIC touched memory that refused (INV-26).
    MemoryFault {
        /// When the NIC touched the memory.
        at: Ps,
        /// The address, and why it was refused.
        fault: crate::MemoryFault,
        /// The NIC wrote.
        is_write: bool,
    },
    /// The bridge took data of the NIC's write with wrong parity. They are in memory.
    BadWriteParity {
        /// When the parity was seen.
        at: Ps,
    },
    /// An address phase of the NIC had wrong parity.
    BadAddressParity {
        /// When the parity was seen.
        at: Ps,
    },
    /// SERR# fell.
    SystemError {
        /// When SERR# was seen low.
        at: Ps,
    },
}
