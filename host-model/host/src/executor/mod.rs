//! A deterministic executor in simulated time, for one thread.
//!
//! Contract:
//! * Tasks run in the order of their wake-ups: by time, and among wake-ups of one instant in the order in which they
//!   were asked for (timers) or given (notifications).
//! * Between two wake-ups no time passes: what a task does is instantaneous, until it awaits.
//! * [`Executor::run_until`] is called with times that do not go back. It serves each wake-up at its own time, also
//!   when it is called later.
//! * There is no wall clock and no hash order in it: the same calls give the same order.

mod sleep;
mod sync;
mod task;

use std::cell::{Cell, RefCell};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Waker};

use sim_pins::Ps;

pub use sleep::{until, Sleep};
pub use sync::{Channel, Lock, LockGuard, Notified, Notify};
pub use task::Task;

use sleep::{Alarm, TimerEntry};
use task::{ReadyQueue, TaskWaker, Work};

/// A task's code, its result stored away.
type BoxedFuture = Pin<Box<dyn Future<Output = ()>>>;

/// Drives the tasks. They live in the part that is shared with [`Sim`], so that tasks can spawn tasks.
pub struct Executor {
    sim: Sim,
}

/// The handle that tasks keep: time, timers, spawning.
#[derive(Clone)]
pub struct Sim(Rc<Shared>);

struct Shared {
    now: Cell<Ps>,
    next_sequence: Cell<u64>,
    /// The time of the first entry of `timers`, so that asking costs one comparison.
    first_timer: Cell<Ps>,
    timers: RefCell<BinaryHeap<Reverse<TimerEntry>>>,
    ready: Arc<ReadyQueue>,
    works: RefCell<Vec<Option<Work>>>,
    free_slots: RefCell<Vec<usize>>,
}

impl Default for Executor {
    fn default() -> Executor {
        Executor::new()
    }
}

impl Executor {
    pub fn new() -> Executor {
        Executor {
            sim: Sim(Rc::new(Shared {
                now: Cell::new(Ps::ZERO),
                next_sequence: Cell::new(0),
                first_timer: Cell::new(Ps::MAX),
                timers: RefCell::default(),
                ready: Arc::default(),
                works: RefCell::default(),
                free_slots: RefCell::default(),
            })),
        }
    }

    pub fn sim(&self) -> Sim {
        self.sim.clone()
    }

    /// When something is due next: now, if a task is ready; `None` when everything waits for someone outside.
    #[inline]
    pub fn next_deadline(&self) -> Option<Ps> {
        let shared = &self.sim.0;
        if shared.ready.any() {
            return Some(shared.now.get());
        }
        let first = shared.first_timer.get();
        (first != Ps::MAX).then_some(first)
    }

    /// Serves all that is due up to and at `until`, and sets the time to `until`.
    #[inline]
    pub fn run_until(&mut self, until: Ps) {
        let shared = &self.sim.0;
        if shared.first_timer.get() > until && !shared.ready.any() {
            shared.now.set(until);
            return;
        }
        self.serve_until(until);
    }

    #[cold]
    fn serve_until(&mut self, until: Ps) {
        let shared = &self.sim.0;
        debug_assert!(until >= shared.now.get(), "time went back");
        self.run_ready();
        while shared.first_timer.get() <= until {
            shared.now.set(shared.first_timer.get());
            shared.fire_timers();
            self.run_ready();
        }
        shared.now.set(until);
    }

    fn run_ready(&self) {
        while let Some(slot) = self.sim.0.ready.pop() {
            self.sim.0.poll(slot);
        }
    }

    /// The names of the tasks that have not ended, oldest slot first. For the report of a run that hangs.
    pub fn live_tasks(&self) -> Vec<&'static str> {
        let works = self.sim.0.works.borrow();
        works.iter().flatten().map(|work| work.name).collect()
    }
}

impl Drop for Executor {
    /// Tasks hold handles to the executor: without this they would keep each other alive.
    fn drop(&mut self) {
        let works = std::mem::take(&mut *self.sim.0.works.borrow_mut());
        drop(works);
    }
}

impl Shared {
    fn sequence(&self) -> u64 {
        let sequence = self.next_sequence.get();
        self.next_sequence.set(sequence + 1);
        sequence
    }

    /// Wakes every timer of the earliest instant, in the order in which they were set.
    fn fire_timers(&self) {
        let mut timers = self.timers.borrow_mut();
        let instant = self.first_timer.get();
        while let Some(Reverse(entry)) = timers.peek() {
            if entry.at != instant {
                break;
            }
            let Some(Reverse(entry)) = timers.pop() else {
                break;
            };
            entry.alarm.ring();
        }
        // Cancelled timers at the head are forgotten here, so that nobody wakes up for them.
        while timers.peek().is_some_and(|Reverse(entry)| entry.alarm.is_cancelled()) {
            timers.pop();
        }
        let first = timers.peek().map_or(Ps::MAX, |Reverse(entry)| entry.at);
        self.first_timer.set(first);
    }

    fn poll(&self, slot: usize) {
        // The future leaves its slot while it runs: it may spawn, or end other tasks.
        let Some(mut work) = self.works.borrow_mut()[slot].take() else {
            return;
        };
        work.waker.begin();
        let waker = Waker::from(work.waker.clone());
        if work.future.as_mut().poll(&mut Context::from_waker(&waker)).is_ready() || work.aborted.get() {
            self.free_slots.borrow_mut().push(slot);
        } else {
            self.works.borrow_mut()[slot] = Some(work);
        }
    }
}

impl Sim {
    pub fn now(&self) -> Ps {
        self.0.now.get()
    }

    /// Starts a task. It first runs after the current one awaits. Dropping the returned [`Task`] leaves it running.
    pub fn spawn<T: 'static>(&self, name: &'static str, future: impl Future<Output = T> + 'static) -> Task<T> {
        let shared = &self.0;
        let (task, future, aborted) = Task::wrap(Rc::downgrade(shared), future);
        let slot = shared.free_slots.borrow_mut().pop();
        let slot = slot.unwrap_or_else(|| {
            let mut works = shared.works.borrow_mut();
            works.push(None);
            works.len() - 1
        });
        task.place(slot);
        let waker = TaskWaker::new(slot, shared.ready.clone());
        let first_run = Waker::from(waker.clone());
        let work = Work { name, future, waker, aborted };
        shared.works.borrow_mut()[slot] = Some(work);
        first_run.wake();
        task
    }

    /// Completes at `at`; at once, without giving way, when `at` is not in the future.
    pub fn sleep_until(&self, at: Ps) -> Sleep {
        Sleep::new(self.clone(), at)
    }

    pub fn sleep_for(&self, span: Ps) -> Sleep {
        self.sleep_until(self.now() + span)
    }

    fn set_timer(&self, at: Ps, alarm: Rc<Alarm>) {
        let shared = &self.0;
        let sequence = shared.sequence();
        shared.timers.borrow_mut().push(Reverse(TimerEntry { at, sequence, alarm }));
        if at < shared.first_timer.get() {
            shared.first_timer.set(at);
        }
    }
}
