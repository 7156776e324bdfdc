//! Tasks that may run, and the wakers that put them there.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Wake;

/// Slots of tasks that may run, first come first served. The standard library's wakers must be
/// `Send`, hence the lock; there is one thread, so it is never contended.
#[derive(Default)]
pub(super) struct ReadyQueue {
    slots: Mutex<VecDeque<usize>>,
    any: AtomicBool,
}

impl ReadyQueue {
    #[inline]
    pub(super) fn any(&self) -> bool {
        self.any.load(Ordering::Relaxed)
    }

    fn push(&self, slot: usize) {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        slots.push_back(slot);
        self.any.store(true, Ordering::Relaxed);
    }

    pub(super) fn pop(&self) -> Option<usize> {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        let slot = slots.pop_front();
        self.any.store(!slots.is_empty(), Ordering::Relaxed);
        slot
    }
}

pub(super) struct TaskWaker {
    slot: usize,
    ready: Arc<ReadyQueue>,
    /// The task stands in the queue already: being woken twice before it runs is being woken once.
    queued: AtomicBool,
}

impl TaskWaker {
    pub(super) fn new(slot: usize, ready: Arc<ReadyQueue>) -> Arc<TaskWaker> {
        Arc::new(TaskWaker { slot, ready, queued: AtomicBool::new(false) })
    }

    /// From here on a wake-up queues the task again.
    pub(super) fn begin(&self) {
        self.queued.store(false, Ordering::Relaxed);
    }
}

impl Wake for TaskWaker {
    fn wake(self: Arc<Self>) {
        if !self.queued.swap(true, Ordering::Relaxed) {
            self.ready.push(self.slot);
        }
    }
}
