//! What the tasks of a node share, and what the nodes of a case share.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use host_model::address::UserVirt;
use host_model::executor::{Channel, Notify, Sim, Task};
use host_model::library::{Export, Process};
use host_model::processor::Cpu;
use nicscope_run::node::Handle;
use nicscope_scenario::error::Result;
use nicscope_scenario::failed;
use sim_pins::Ps;

use super::model::{self, Buffer, BufferName, Restart, Seen};
use super::operation::{Op, EXPORTS, LANDINGS};
use super::plant::Plant;
use super::turns::{News, Restarts};
use crate::personality::Personality;

/// A buffer, and the time from which posts may name it.
type Published = (Ps, BufferName, Export);

/// The buffers of all nodes, for posts and for the model.
#[derive(Default)]
pub struct Board {
    pub buffers: BTreeMap<BufferName, Buffer>,
    /// Exported buffers by node, process and place, the newest last.
    pub published: BTreeMap<(usize, usize, usize), Vec<Published>>,
    /// Restarts of nodes since the last comparison.
    pub restarts: Vec<Restart>,
    /// New sessions of nodes.
    pub news: Vec<News>,
}

/// A value that the nodes of a cluster share.
pub struct Shared<T>(pub Mutex<T>);

impl<T> Shared<T> {
    pub fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The state that the tasks of a node share.
pub struct State {
    pub node: usize,
    /// The number of nodes of the cluster.
    pub nodes: usize,
    pub handle: Handle,
    pub cpu: Cpu,
    pub board: Arc<Shared<Board>>,
    pub personality: &'static Personality,
    pub plant: Option<Plant>,
    pub seen: RefCell<Seen>,
    pub actors: Vec<Actor>,
    pub restarts: Restarts,
    /// Operations that were handed out and have not ended, and processes that begin.
    pub pending: Cell<u32>,
    /// Posts that have not ended.
    pub open_posts: Cell<u32>,
    pub changed: Notify,
    pub failure: RefCell<Option<String>>,
    pub next_number: Cell<u32>,
}

impl State {
    pub fn sim(&self) -> &Sim {
        self.handle.sim()
    }

    pub fn fail(&self, what: impl std::fmt::Display) {
        self.failure.borrow_mut().get_or_insert(what.to_string());
        self.changed.notify();
    }

    pub fn count_pending(&self, change: i32) {
        self.pending.set(self.pending.get().wrapping_add_signed(change));
        self.changed.notify();
    }

    /// The first failure of a task, if there is one.
    pub fn no_failure(&self) -> Result<()> {
        match &*self.failure.borrow() {
            Some(what) => Err(failed!("{what}")),
            None => Ok(()),
        }
    }
}

/// One place for processes.
#[derive(Default)]
pub struct Actor {
    /// Operations that wait for the process of this place.
    pub inbox: Channel<Op>,
    /// Kills that the process has not met yet.
    pub kills: Cell<u32>,
    /// Wakes the process that is killed.
    pub killed: Notify,
    /// The process that lives; `None` between two processes.
    pub life: RefCell<Option<Life>>,
}

impl Actor {
    /// Kills the process, in whatever step it is.
    pub fn kill(&self) {
        self.kills.set(self.kills.get() + 1);
        self.killed.notify();
    }

    /// Ends the tasks that wait for posts and for notifications of the process.
    pub fn abort_tasks(&self) {
        let life = self.life.borrow();
        life.iter().for_each(|life| life.tasks.borrow().iter().for_each(Task::abort));
    }
}

/// The buffers of a process, by place.
type Exports = [Option<(BufferName, Export)>; EXPORTS];

/// A process that lives. Clones are the same process.
#[derive(Clone)]
pub struct Life {
    /// The name for the model.
    pub name: model::Life,
    /// The process as the library sees it.
    pub process: Process,
    /// Virtual address of the compared memory.
    pub base: UserVirt,
    pub exports: Rc<RefCell<Exports>>,
    pub buffers: Rc<Cell<u32>>,
    /// Tasks that wait for posts and for notifications.
    pub tasks: Rc<RefCell<Vec<Task<()>>>>,
    pub open_posts: Rc<Cell<u32>>,
    /// Whether a read is outstanding, by its destination.
    pub landings: Rc<RefCell<[bool; LANDINGS]>>,
    pub posts: Rc<Cell<u32>>,
}
