//! What a rank knows: requests, and messages that reached it without a receive.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use nic_layout::personality::emp::descriptor::RESERVED_TAG_MIN;
use sim_pins::Ps;

use super::error::MpiError;
use crate::address::{UserVirt, VirtPage};
use crate::library::emp::{Messages, Transfer};
use crate::library::process::Process;

/// A receive takes messages of any rank.
pub const ANY_SOURCE: Option<u32> = None;
/// A receive takes messages of any tag.
pub const ANY_TAG: Option<u16> = None;
/// The largest tag of a message. Larger tags belong to collective operations; the NIC gives their
/// messages to no receive of [`ANY_TAG`].
pub const TAG_MAX: u16 = RESERVED_TAG_MIN - 1;

/// A message that was received, or sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Status {
    /// The rank that sent it.
    pub source: u32,
    /// Its tag.
    pub tag: u16,
    /// Its length.
    pub bytes: u32,
}

/// A send or a receive that was started. It ends with [`Communicator::wait`].
#[derive(PartialEq, Eq, PartialOrd, Ord, Debug)]
#[must_use = "a request ends with wait, test or cancel"]
pub struct Request(pub(super) u64);

/// The operation of a request.
#[derive(Clone, Copy, Debug)]
pub(super) enum Operation {
    Send { to: u32, tag: u16, data: UserVirt, bytes: u32 },
    Receive { from: Option<u32>, tag: Option<u16>, room: UserVirt, bytes: u32 },
}

impl Operation {
    pub fn is_send(&self) -> bool {
        matches!(self, Operation::Send { .. })
    }

    /// Whether it belongs to a collective operation.
    pub fn is_collective(&self) -> bool {
        match self {
            Operation::Send { tag, .. } => *tag > TAG_MAX,
            Operation::Receive { tag, .. } => tag.is_some_and(|tag| tag > TAG_MAX),
        }
    }

    /// Whether a receive takes a message.
    pub fn takes(&self, source: u32, message: u16) -> bool {
        match self {
            Operation::Send { .. } => false,
            Operation::Receive { from, tag, .. } => {
                from.is_none_or(|from| from == source) && tag.is_none_or(|tag| tag == message)
            }
        }
    }
}

/// How far a request has come.
#[derive(Clone, Debug)]
pub(super) enum Stage {
    /// It waits for a descriptor, behind older requests of its kind.
    Waiting,
    /// A receive from its own rank alone: the NIC does not know it.
    Own,
    /// The NIC has it.
    Posted(Transfer),
    Ended(Result<Status, MpiError>),
}

pub(super) struct Entry {
    pub operation: Operation,
    pub stage: Stage,
}

#[derive(Default)]
pub(super) struct State {
    pub next: u64,
    /// By number: in the order in which they were started.
    pub requests: BTreeMap<u64, Entry>,
    /// Messages to the own rank that no receive has taken: tag and bytes.
    pub kept: VecDeque<(u16, Vec<u8>)>,
    /// Collective operations so far.
    pub collectives: u32,
    pub locked: BTreeSet<VirtPage>,
}

/// The ranks of a program. One task at a time may use it.
pub struct Communicator {
    pub(super) process: Process<Messages>,
    pub(super) rank: u32,
    pub(super) size: u32,
    pub(super) state: RefCell<State>,
}

impl Communicator {
    /// The communicator of all ranks: `rank` is the node of the process.
    ///
    /// # Panics
    /// `rank` is not below `size`.
    pub fn new(process: Process<Messages>, rank: u32, size: u32) -> Communicator {
        assert!(rank < size, "rank {rank} of {size}");
        Communicator { process, rank, size, state: RefCell::default() }
    }

    /// The number of this rank.
    pub fn rank(&self) -> u32 {
        self.rank
    }

    /// The number of ranks.
    pub fn size(&self) -> u32 {
        self.size
    }

    /// The process of this rank.
    pub fn process(&self) -> &Process<Messages> {
        &self.process
    }

    /// The descriptors of a request, if the NIC has it.
    pub(super) fn posted(&self, number: u64) -> Option<(Operation, Transfer)> {
        let state = self.state.borrow();
        let entry = state.requests.get(&number)?;
        match &entry.stage {
            Stage::Posted(transfer) => Some((entry.operation, transfer.clone())),
            _ => None,
        }
    }

    pub(super) fn set_stage(&self, number: u64, stage: Stage) {
        if let Some(entry) = self.state.borrow_mut().requests.get_mut(&number) {
            entry.stage = stage;
        }
    }

    /// The library's own instructions in one call.
    pub(super) async fn charge(&self) {
        let span = Ps::from_ns(self.process.0.costs.mpi_call_ns);
        self.process.cpu().charge("mpi", span).await;
    }
}
