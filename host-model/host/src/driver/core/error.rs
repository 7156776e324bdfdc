//! What can go wrong in the driver, in words that help.

use nic_layout::boot::{BootError, CrashRecord, Refusal, CRASH_PANIC, CRASH_TRAP};
use sim_pins::Ps;

use crate::address::{BusAddr, SramAddr, UserVirt};
use crate::bus::BusFault;
use crate::elf::ImageError;
use crate::memory::MemoryError;

/// Why the driver could not start, or could not do what a process asked for.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum DriverError {
    /// Enumeration has found no device with the NIC's vendor and device number.
    #[error("no NIC (vendor 4E53, device 4943) on the bus: devices found: {found:x?}")]
    NoDevice {
        /// The words at offset 0 of the devices that were found: device << 16 | vendor.
        found: Vec<u32>,
    },
    /// A base address register is not of the size or the kind that the driver expects.
    #[error("BAR {bar} of the NIC is {bytes} bytes of {kind}; the driver needs {needed}")]
    WrongBar {
        /// Number of the register, 0 to 5.
        bar: usize,
        /// Size that the register asks for.
        bytes: u32,
        /// Kind of address space that the register asks for.
        kind: &'static str,
        /// What the driver needs, in words.
        needed: &'static str,
    },
    /// The identification register does not hold the NIC's value.
    #[error("register ID reads {read:#010x}: this is not a nicscope NIC, or BAR 0 does not reach it")]
    WrongId {
        /// What the register reads.
        read: u32,
    },
    /// The register map is of a version that the driver does not know.
    #[error("the register map is of version {read}; the driver knows version {known}: build both from one tree")]
    WrongVersion {
        /// Version that the NIC gives.
        read: u32,
        /// Version of `nic_layout::registers`.
        known: u32,
    },
    /// The SRAM is not as large as the platform says.
    #[error("the NIC has {nic} bytes of SRAM and the platform says {platform}")]
    WrongSramBytes {
        /// Bytes by the NIC's register.
        nic: u32,
        /// Bytes by the platform file.
        platform: u32,
    },
    /// The firmware file cannot be loaded.
    #[error(transparent)]
    Image(#[from] ImageError),
    /// A word of the loaded image does not read back as it was written.
    #[error("SRAM {address} reads {read:#010x} after {written:#010x} was written there")]
    VerifyFailed {
        /// Address of the word.
        address: SramAddr,
        /// What was written.
        written: u32,
        /// What was read.
        read: u32,
    },
    /// The firmware refused its boot parameters.
    #[error("the firmware refused to start: {0}")]
    BootRefused(Refusal),
    /// The sections of the boot request do not fit into the boot block.
    #[error("the boot block has no room for the requests of {services} services")]
    RequestTooLong {
        /// Services that the driver has.
        services: usize,
    },
    /// The head or a section of the boot reply cannot be read.
    #[error("the firmware's boot reply is impossible: {0}")]
    BootReply(#[from] BootError),
    /// The firmware did not answer in time.
    #[error("the firmware gave no answer within {after}; its boot reply reads state {state:#010x}, and there is no crash record")]
    BootTimeout {
        /// How long the driver waited: `DriverOptions::boot_timeout`.
        after: Ps,
        /// The state word of the boot reply at the end.
        state: u32,
    },
    /// The firmware of core A has crashed.
    #[error("the firmware crashed: {}", crash_text(.0))]
    Crashed(CrashRecord),
    /// The firmware of core B has crashed.
    #[error("the firmware of core B crashed: {}", crash_text(.0))]
    CrashedB(CrashRecord),
    /// The totals of core B were never stable while they were read.
    #[error("the totals of core B changed during each of {tries} readings")]
    KeeperBusy {
        /// Readings that were tried.
        tries: u32,
    },
    /// An image for core B was given, but the NIC has one core.
    #[error("there is an image for core B, and the NIC has {cores} core: a platform with core.count = 2 is needed")]
    NoCoreB {
        /// Cores of the NIC.
        cores: u32,
    },
    /// A segment of an image lies in the area of the other core.
    #[error("the image of core B belongs to the area at the end of the SRAM, and that of core A below: SRAM {address} is on the wrong side")]
    WrongCore {
        /// First address of the segment.
        address: SramAddr,
    },
    /// A word of the boot reply cannot be true.
    #[error("the firmware's boot reply is impossible: {what} = {value:#x}")]
    BadLayout {
        /// Name of the word.
        what: &'static str,
        /// The word.
        value: u32,
    },
    /// The personality of the firmware offers no remote memory access.
    #[error("the firmware has no remote memory access")]
    NoRemoteMemory,
    /// The call belongs to a personality that the firmware does not have.
    #[error("the firmware is of another personality than this call is for")]
    OtherPersonality,
    /// The personality has no replacement.
    #[error("pages of this personality stay pinned until they are registered no more: water marks do not apply")]
    NoWaterMarks,
    /// The personality has no import tables.
    #[error("the firmware has no import tables: posts name node, buffer and key themselves")]
    NoImports,
    /// The firmware did not answer a command in time.
    #[error("the NIC did not answer command {command:#010x} within {after}")]
    CommandTimeout {
        /// The command word.
        command: u32,
        /// How long the driver waited: `DriverOptions::command_timeout`.
        after: Ps,
    },
    /// No further process can open the NIC.
    #[error("all {slots} process slots of the node are taken")]
    NoSlot {
        /// Processes that may have it open.
        slots: usize,
    },
    /// The NIC left an impossible state when it was asked to give a post queue to another process.
    #[error("the NIC was asked to give post queue {slot} to another process, and its entry says {state:#x}")]
    BadAssignment {
        /// Number of the post queue.
        slot: usize,
        /// State word of the process entry.
        state: u32,
    },
    /// The process has a buffer under every identifier.
    #[error("every buffer identifier of this process is in use")]
    NoBufferId,
    /// The buffer identifier that the caller wished for cannot be had.
    #[error("buffer identifier {id:#x} is in use, or beyond what the NIC can name")]
    BufferIdTaken {
        /// The identifier.
        id: u32,
    },
    /// The process has registered no such buffer.
    #[error("buffer {buffer:#x} is not registered by this process")]
    NoSuchBuffer {
        /// The CBH word of the buffer (`nic_layout::cbh`).
        buffer: u32,
    },
    /// A buffer is empty, or runs over the end of the address space.
    #[error("a buffer needs at least one byte, and must not run over the end of the address space")]
    BadBuffer,
    /// A table of the NIC has no free entry.
    #[error("the NIC's table is full: all {entries} {what} are in use")]
    TableFull {
        /// What the table holds.
        what: &'static str,
        /// Entries of the table.
        entries: u32,
    },
    /// The limits on pinned pages do not allow these pages together.
    #[error("not all of {pages} pages can be pinned")]
    CannotPin {
        /// Pages that were asked for.
        pages: usize,
    },
    /// A process asked for marks that no replacement can keep to.
    #[error("water marks {high} and {low} are impossible: the high one is 1 to {max}, and the low one not above it")]
    BadWaterMarks {
        /// The high mark that was asked for, in pages.
        high: u32,
        /// The low mark that was asked for, in pages.
        low: u32,
        /// Pages that the node may pin.
        max: u32,
    },
    /// The memory to be deregistered was not registered with this start and length.
    #[error("memory at {start} is not registered with this length")]
    NotRegistered {
        /// First address of the memory.
        start: UserVirt,
    },
    /// The import format cannot express this node and buffer.
    #[error("buffer {buffer:#x} of node {node} cannot be named by an import")]
    BadImport {
        /// Node of the buffer.
        node: u16,
        /// The CBH word of the buffer.
        buffer: u32,
    },
    /// The remote node has keys of another width.
    #[error("node {node} has keys of {theirs} bits, and this one of {own}: all NICs of a cluster need images with keys of one width")]
    OtherKeyWidth {
        /// The remote node.
        node: u16,
        /// Key width of the remote node, in bits.
        theirs: u32,
        /// Key width of this node, in bits.
        own: u32,
    },
    /// The process has no such import.
    #[error("this process has no import {index}")]
    NoSuchImport {
        /// Index of the import.
        index: u32,
    },
    /// The process, by its identifier, has ended or is ending.
    #[error("process {} has ended", .0)]
    ProcessEnded(u32),
    /// The NIC was reset while the call was under way, or since the process has opened it.
    #[error("the NIC was reset: processes have to open it again")]
    NicReset,
    /// A peer whose number names no other node.
    #[error("node {node} is no peer of node {own}")]
    NoSuchPeer {
        /// The node that shall be a peer.
        node: u16,
        /// The node of the driver.
        own: u16,
    },
    /// The personality of the NIC has no post queues.
    #[error("the firmware of this NIC has no post queues")]
    NoPostQueues,
    /// The personality of the NIC has no rings for misses and notifications.
    #[error("the firmware of this NIC writes no rings for the driver")]
    NoRings,
    /// A page that is not locked into memory (facts E-15).
    #[error("the page at {address} is not locked: a message of EMP needs pages that were locked")]
    NotLocked {
        /// Address of the page in the process.
        address: UserVirt,
    },
    /// The driver has not started, or failed to start.
    #[error("the driver has not been started, or failed to start")]
    NotReady,
    /// A posted write failed after its processor had gone on.
    #[error("access to {address} failed: {fault}")]
    Posted {
        /// Address of the first dword of the write.
        address: BusAddr,
        /// Why it failed.
        fault: BusFault,
    },
    /// A transaction for which the processor waited has failed.
    #[error("access over the bus failed: {0}")]
    Bus(#[from] BusFault),
    /// Memory of the process could not be used.
    #[error(transparent)]
    Memory(#[from] MemoryError),
}

fn crash_text(record: &CrashRecord) -> String {
    let CrashRecord { kind, cause, pc, value } = record;
    match *kind {
        CRASH_TRAP => format!("trap, mcause {cause:#x}, mepc {pc:#010x}, mtval {value:#010x}"),
        CRASH_PANIC => format!("panic at source line {cause}"),
        _ => format!("crash record of unknown kind {kind:#010x}: {cause:#x}, {pc:#x}, {value:#x}"),
    }
}
