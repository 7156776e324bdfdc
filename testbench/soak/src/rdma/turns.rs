//! Turns of restarts and of changes of processes, and the news of restarts.

use std::cell::Cell;

use host_model::executor::{Lock, Notify};
use sim_pins::Ps;

/// A new session of a node, and the peers that know of it.
#[derive(Debug)]
pub struct News {
    /// The node.
    pub node: usize,
    /// Its session.
    pub session: u32,
    /// The time from which other nodes see it.
    pub visible: Ps,
    /// For each peer that has told its driver, the time from which the node sees that.
    pub heeded: Vec<Ps>,
}

/// The turns of restarts and of changes of processes on one node.
///
/// While a process begins or is closed, no restart begins; and while a node starts again, no
/// process begins.
#[derive(Default)]
pub struct Restarts {
    /// Held by the restart that goes on.
    pub turn: Lock,
    /// Processes that begin or are closed.
    changes: Cell<u32>,
    no_ends: Cell<bool>,
    no_begins: Cell<bool>,
}

impl Restarts {
    /// Waits until a killed or ended process may be closed.
    pub async fn may_retire(&self, changed: &Notify) {
        changed.wait_until(|| !self.no_ends.get()).await;
        self.changes.set(self.changes.get() + 1);
    }

    /// A process has been closed. Waits until its successor may begin.
    pub async fn may_begin(&self, changed: &Notify) {
        self.has_begun(changed);
        changed.wait_until(|| !self.no_begins.get()).await;
        self.changes.set(self.changes.get() + 1);
    }

    /// Whether no process begins and none is closed.
    pub fn is_still(&self) -> bool {
        self.changes.get() == 0
    }

    /// A successor has begun.
    pub fn has_begun(&self, changed: &Notify) {
        self.changes.set(self.changes.get() - 1);
        changed.notify();
    }

    /// Holds back ends and begins of processes, or lets them go on.
    pub fn hold(&self, changed: &Notify, ends: bool, begins: bool) {
        self.no_ends.set(ends);
        self.no_begins.set(begins);
        changed.notify();
    }
}
