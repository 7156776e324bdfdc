//! How the host's software reaches the PCI bus.
//!
//! Contract:
//! * A [`Bus`] carries requests out in the order of their submission, one after another; so a read
//!   never passes an earlier write.
//! * Every request ends in one [`Completion`], at the clock edge at which its last data phase, or
//!   its failure, was seen.
//! * Requests that stand in the port at an edge are submitted at that edge.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use sim_pins::{PciDrive, PciLines, Ps};

use crate::address::BusAddr;
use crate::events::{EventLog, Note};
use crate::executor::Notify;

/// What the bus is asked to do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Request {
    /// Type 0 configuration access to function 0 of a device; the register's byte offset.
    ConfigRead {
        /// Device number on the bus: it selects the IDSEL line.
        device: u8,
        /// Byte offset in configuration space, a multiple of 4.
        register: u8,
    },
    /// Type 0 configuration write of one dword to function 0 of a device.
    ConfigWrite {
        /// Device number on the bus: it selects the IDSEL line.
        device: u8,
        /// Byte offset in configuration space, a multiple of 4.
        register: u8,
        /// The dword that is written.
        value: u32,
    },
    /// One dword.
    Read {
        /// Address of the dword, a multiple of 4.
        address: BusAddr,
    },
    /// A burst of whole dwords.
    Write {
        /// Address of the first dword, a multiple of 4.
        address: BusAddr,
        /// The dwords, in ascending order of address.
        words: Vec<u32>,
    },
    /// RST# of the bus, as the control register of a bridge pulls it (PCI-to-PCI Bridge
    /// Architecture Specification 1.2, 3.2.5.18, secondary bus reset). It acts at once, before
    /// older requests: each request without an end fails with [`BusFault::Reset`]. It ends when
    /// the bus may be used again.
    Reset,
}

/// Number of a request: [`BusPort`] counts them from 0, and a [`Completion`] carries the number
/// back.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RequestId(pub u64);

/// Why a transaction moved no data.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BusFault {
    /// No target claimed the address.
    #[error("nobody answered (master abort)")]
    MasterAbort,
    /// The target ended the transaction by target abort.
    #[error("the target aborted")]
    TargetAbort,
    /// The data arrived with wrong parity.
    #[error("wrong parity")]
    Parity,
    /// The target asked for retry more often than the bridge's limit allows.
    #[error("the target kept asking for retry")]
    RetryLimit,
    /// RST# was asserted before the transaction had ended.
    #[error("the bus was reset")]
    Reset,
}

/// The end of one request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Completion {
    /// The request that has ended.
    pub id: RequestId,
    /// The clock edge at which the bus saw the end.
    pub at: Ps,
    /// The dword of a read; 0 of a write.
    pub result: Result<u32, BusFault>,
}

/// A PCI bus with the NIC on it and the host as its other agent.
pub trait Bus {
    /// Queues a request. The bus performs requests in the order of submission and ends each of them
    /// in one [`Completion`] with the same `id`.
    fn submit(&mut self, id: RequestId, request: Request);

    /// Takes the oldest completion that was not taken yet; `None` if there is none.
    fn take_completion(&mut self) -> Option<Completion>;

    /// One clock: what the NIC has driven since the last edge, and the levels that all see at this
    /// one.
    fn rising_edge(&mut self, at: Ps, nic: &PciDrive) -> PciLines;

    /// Whether INTA# is asserted, as of the last edge.
    fn interrupt(&self) -> bool;

    /// Nothing under way and nothing submitted.
    fn is_idle(&self) -> bool;

    /// What broke the rules of the bus since the last call, in words.
    fn take_violations(&mut self) -> Vec<String>;
}

/// A posted write that failed: its processor went on long ago.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PostedFault {
    /// When the bus saw the failure.
    pub at: Ps,
    /// Address of the first dword of the write.
    pub address: BusAddr,
    /// Why no data moved.
    pub fault: BusFault,
}

/// Where tasks leave requests and find answers.
#[derive(Clone)]
pub struct BusPort(Rc<Port>);

struct Port {
    next_id: Cell<u64>,
    outgoing: RefCell<VecDeque<(RequestId, Request)>>,
    waiting: RefCell<BTreeMap<RequestId, Waiting>>,
    answered: Notify,
    answers: RefCell<BTreeMap<RequestId, Result<u32, BusFault>>>,
    posted: Cell<u32>,
    posted_max: u32,
    room: Notify,
    posted_faults: RefCell<Vec<PostedFault>>,
    log: EventLog,
}

enum Waiting {
    /// A task awaits the answer.
    Answer,
    /// The write was posted; what to note when it has reached the NIC.
    Posted { address: BusAddr, note: Option<Note> },
}

impl BusPort {
    /// `posted_max` writes may be on their way before a processor must wait.
    pub fn new(posted_max: u32, log: EventLog) -> BusPort {
        BusPort(Rc::new(Port {
            next_id: Cell::new(0),
            outgoing: RefCell::default(),
            waiting: RefCell::default(),
            answered: Notify::new(),
            answers: RefCell::default(),
            posted: Cell::new(0),
            posted_max,
            room: Notify::new(),
            posted_faults: RefCell::default(),
            log,
        }))
    }

    fn submit(&self, request: Request, waiting: Waiting) -> RequestId {
        let port = &self.0;
        let id = RequestId(port.next_id.get());
        port.next_id.set(id.0 + 1);
        port.outgoing.borrow_mut().push_back((id, request));
        port.waiting.borrow_mut().insert(id, waiting);
        id
    }

    /// Awaits the end of the transaction.
    pub async fn transact(&self, request: Request) -> Result<u32, BusFault> {
        let id = self.submit(request, Waiting::Answer);
        let port = &self.0;
        port.answered.wait_until(|| port.answers.borrow().contains_key(&id)).await;
        port.answers.borrow_mut().remove(&id).expect("looked at in this instant")
    }

    /// Awaits room for another posted write.
    pub async fn await_room(&self) {
        let port = &self.0;
        port.room.wait_until(|| port.posted.get() < port.posted_max).await;
    }

    /// Posts a write.
    ///
    /// # Panics
    /// If there is no room: a caller awaits it in the same instant ([`Self::await_room`]).
    pub fn post(&self, address: BusAddr, words: Vec<u32>, note: Option<Note>) {
        let port = &self.0;
        assert!(port.posted.get() < port.posted_max, "a write is posted only if there is room");
        port.posted.set(port.posted.get() + 1);
        self.submit(Request::Write { address, words }, Waiting::Posted { address, note });
    }

    /// Posted writes that failed.
    pub fn posted_faults(&self) -> Vec<PostedFault> {
        self.0.posted_faults.borrow().clone()
    }

    /// Requests without an end, in the port or on the bus.
    pub fn under_way(&self) -> usize {
        self.0.waiting.borrow().len()
    }

    #[inline]
    pub(crate) fn has_outgoing(&self) -> bool {
        !self.0.outgoing.borrow().is_empty()
    }

    pub(crate) fn take_outgoing(&self) -> Option<(RequestId, Request)> {
        self.0.outgoing.borrow_mut().pop_front()
    }

    pub(crate) fn complete(&self, completion: Completion) {
        let port = &self.0;
        let waiting = port.waiting.borrow_mut().remove(&completion.id);
        match waiting.expect("the bus ends each request once") {
            Waiting::Answer => {
                port.answers.borrow_mut().insert(completion.id, completion.result);
                port.answered.notify();
            }
            Waiting::Posted { address, note } => {
                port.posted.set(port.posted.get() - 1);
                port.room.notify();
                // A reset is the driver's own wish, and loses what was on its way.
                if let Some(fault) = completion.result.err().filter(|fault| *fault != BusFault::Reset) {
                    port.posted_faults.borrow_mut().push(PostedFault { at: completion.at, address, fault });
                }
                if let Some(note) = note {
                    port.log.record(completion.at, note);
                }
            }
        }
    }
}
