//! Driving the tasks.

use std::rc::Rc;

use sim_pins::Ps;

use super::sim::Sim;
use super::task::Tasks;
use super::timers::Clock;

/// Drives the tasks. They live in the part that is shared with [`Sim`], so that tasks can spawn
/// tasks.
pub struct Executor {
    clock: Rc<Clock>,
    tasks: Rc<Tasks>,
}

impl Default for Executor {
    fn default() -> Executor {
        Executor::new()
    }
}

impl Executor {
    /// No tasks, at time 0.
    pub fn new() -> Executor {
        Executor { clock: Rc::new(Clock::new()), tasks: Rc::default() }
    }

    /// A handle for tasks: time, sleeping and spawning.
    pub fn sim(&self) -> Sim {
        Sim { clock: self.clock.clone(), tasks: self.tasks.clone() }
    }

    /// When something is due next: now, if a task is ready; `None` when everything waits for
    /// someone outside.
    #[inline]
    pub fn next_deadline(&self) -> Option<Ps> {
        if self.tasks.ready.any() {
            return Some(self.clock.now());
        }
        let first = self.clock.first_timer();
        (first != Ps::MAX).then_some(first)
    }

    /// Serves all that is due up to and at `until`, and sets the time to `until`.
    #[inline]
    pub fn run_until(&mut self, until: Ps) {
        if self.clock.first_timer() > until && !self.tasks.ready.any() {
            self.clock.set_now(until);
            return;
        }
        self.serve_until(until);
    }

    #[cold]
    fn serve_until(&mut self, until: Ps) {
        debug_assert!(until >= self.clock.now(), "time went back");
        self.run_ready();
        while self.clock.first_timer() <= until {
            self.clock.set_now(self.clock.first_timer());
            self.clock.fire();
            self.run_ready();
        }
        self.clock.set_now(until);
    }

    fn run_ready(&self) {
        while let Some(slot) = self.tasks.ready.pop() {
            self.tasks.poll(slot);
        }
    }

    /// The names of the tasks that have not ended, oldest slot first. For the report of a run that
    /// hangs.
    pub fn live_tasks(&self) -> Vec<&'static str> {
        self.tasks.names()
    }
}

impl Drop for Executor {
    /// Tasks hold handles to the executor: without this they would keep each other alive.
    fn drop(&mut self) {
        self.tasks.clear();
    }
}
