use crate::{AgentId, BusAddr, Command};
use sim_pins::Ps;

/// Numbers the transactions on the bus, of both masters, in order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct BusSerial(pub u64);

/// How a transaction on the bus ended. Every transaction has exactly one outcome.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Outcome {
    /// The master ended it, having moved what it wanted or because its latency timer ran out.
    Completed,
    /// STOP# before the first data.
    Retry,
    /// STOP# after data.
    Disconnect,
    /// The target aborted: it ends the transaction for good.
    TargetAbort,
    /// No target claimed the address.
    MasterAbort,
    /// RST# fell in the middle.
    Reset,
}

impl Outcome {
    /// All outcomes.
    pub const ALL: [Outcome; 6] = [
        Outcome::Completed,
        Outcome::Retry,
        Outcome::Disconnect,
        Outcome::TargetAbort,
        Outcome::MasterAbort,
        Outcome::Reset,
    ];
}

/// An address phase, as seen by all.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Start {
    /// Number of the transaction on this bus.
    pub serial: BusSerial,
    /// The agent that drives the address.
    pub master: AgentId,
    /// `None`: a reserved code.
    pub command: Option<Command>,
    /// The address that was driven.
    pub address: BusAddr,
    /// REQ64# was asserted: the master asks for a 64-bit transfer.
    pub asked_64: bool,
}

/// One data phase in which data moved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Beat {
    /// Number of the transaction on this bus.
    pub serial: BusSerial,
    /// Address of AD[31:0] in this data phase; a multiple of 8 when `wide`.
    pub address: BusAddr,
    /// AD[63:0]; the upper half counts only when `wide`.
    pub data: u64,
    /// Active high; four bits, or eight when `wide`.
    pub byte_enables: u8,
    /// Eight bytes were transferred, instead of four.
    pub wide: bool,
}

/// The end of a transaction, at the edge of its last data phase (or, for a master abort, when the
/// bus is idle again).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct End {
    /// Number of the transaction on this bus.
    pub serial: BusSerial,
    /// How the transaction ended.
    pub outcome: Outcome,
    /// Data phases that moved data.
    pub beats: u32,
}

/// Hears what happens on the bus. Times are those of the edges that see it. Without a listener
/// nothing is spent.
pub trait Listener {
    /// An address phase was seen.
    fn start(&mut self, _at: Ps, _start: &Start) {}
    /// The first data phase of a transaction.
    fn first_data(&mut self, _at: Ps, _beat: &Beat) {}
    /// Every data phase, the first included.
    fn beat(&mut self, _at: Ps, _beat: &Beat) {}
    /// A transaction has ended.
    fn end(&mut self, _at: Ps, _end: &End) {}
    /// INTA# changed its level.
    fn interrupt(&mut self, _at: Ps, _asserted: bool) {}
}
