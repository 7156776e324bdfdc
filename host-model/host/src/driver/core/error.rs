//! What can go wrong in the driver, in words that help.

use nic_layout::boot::{BootError, CrashRecord, Refusal, CRASH_PANIC, CRASH_TRAP};
use sim_pins::Ps;

use crate::address::{BusAddr, SramAddr, UserVirt};
use crate::bus::BusFault;
use crate::elf::ImageError;
use crate::memory::MemoryError;

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum DriverError {
    #[error("no NIC (vendor 4E53, device 4943) on the bus: devices found: {found:x?}")]
    NoDevice { found: Vec<u32> },
    #[error("BAR {bar} of the NIC is {bytes} bytes of {kind}; the driver needs {needed}")]
    WrongBar { bar: usize, bytes: u32, kind: &'static str, needed: &'static str },
    #[error("register ID reads {read:#010x}: this is not a nicscope NIC, or BAR 0 does not reach it")]
    WrongId { read: u32 },
    #[error("the register map is of version {read}; the driver knows version {known}: build both from one tree")]
    WrongVersion { read: u32, known: u32 },
    #[error("the NIC has {nic} bytes of SRAM and the platform says {platform}")]
    WrongSramBytes { nic: u32, platform: u32 },
    #[error(transparent)]
    Image(#[from] ImageError),
    #[error("SRAM {address} reads {read:#010x} after {written:#010x} was written there")]
    VerifyFailed { address: SramAddr, written: u32, read: u32 },
    #[error("the firmware refused to start: {0}")]
    BootRefused(Refusal),
    #[error("the boot block has no room for the requests of {services} services")]
    RequestTooLong { services: usize },
    #[error("the firmware's boot reply is impossible: {0}")]
    BootReply(#[from] BootError),
    #[error("the firmware gave no answer within {after}; its boot reply reads state {state:#010x}, and there is no crash record")]
    BootTimeout { after: Ps, state: u32 },
    #[error("the firmware crashed: {}", crash_text(.0))]
    Crashed(CrashRecord),
    #[error("the firmware of core B crashed: {}", crash_text(.0))]
    CrashedB(CrashRecord),
    #[error("the totals of core B changed during each of {tries} readings")]
    KeeperBusy { tries: u32 },
    #[error("there is an image for core B, and the NIC has {cores} core: a platform with core.count = 2 is needed")]
    NoCoreB { cores: u32 },
    #[error("the image of core B belongs to the area at the end of the SRAM, and that of core A below: SRAM {address} is on the wrong side")]
    WrongCore { address: SramAddr },
    #[error("the firmware's boot reply is impossible: {what} = {value:#x}")]
    BadLayout { what: &'static str, value: u32 },
    #[error("the firmware has no remote memory access")]
    NoRemoteMemory,
    #[error("the firmware is of another personality than this call is for")]
    OtherPersonality,
    #[error("the firmware has no import tables: posts name node, buffer and key themselves")]
    NoImports,
    #[error("the NIC did not answer command {command:#010x} within {after}")]
    CommandTimeout { command: u32, after: Ps },
    #[error("all {slots} process slots of the node are taken")]
    NoSlot { slots: usize },
    #[error("the NIC was asked to give post queue {slot} to another process, and its entry says {state:#x}")]
    BadAssignment { slot: usize, state: u32 },
    #[error("every buffer identifier of this process is in use")]
    NoBufferId,
    #[error("buffer identifier {id:#x} is in use, or beyond what the NIC can name")]
    BufferIdTaken { id: u32 },
    #[error("buffer {buffer:#x} is not registered by this process")]
    NoSuchBuffer { buffer: u32 },
    #[error("a buffer needs at least one byte, and must not run over the end of the address space")]
    BadBuffer,
    #[error("the NIC's table is full: all {entries} {what} are in use")]
    TableFull { what: &'static str, entries: u32 },
    #[error("not all of {pages} pages can be pinned")]
    CannotPin { pages: usize },
    #[error("memory at {start} is not registered with this length")]
    NotRegistered { start: UserVirt },
    #[error("buffer {buffer:#x} of node {node} cannot be named by an import")]
    BadImport { node: u16, buffer: u32 },
    #[error("node {node} has keys of {theirs} bits, and this one of {own}: all NICs of a cluster need images with keys of one width")]
    OtherKeyWidth { node: u16, theirs: u32, own: u32 },
    #[error("this process has no import {index}")]
    NoSuchImport { index: u32 },
    #[error("process {} has ended", .0)]
    ProcessEnded(u32),
    #[error("the driver has not been started, or failed to start")]
    NotReady,
    #[error("access to {address} failed: {fault}")]
    Posted { address: BusAddr, fault: BusFault },
    #[error("access over the bus failed: {0}")]
    Bus(#[from] BusFault),
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
