//! Tasks: the future, its waker, and the handle of whoever started it.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::rc::{Rc, Weak};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

use super::{BoxedFuture, Shared};

/// A task as the executor keeps it.
pub(super) struct Work {
    pub(super) name: &'static str,
    pub(super) future: BoxedFuture,
    pub(super) waker: Arc<TaskWaker>,
    pub(super) aborted: Rc<Cell<bool>>,
}

/// Slots of tasks that may run, first come first served. The standard library's wakers must be `Send`, hence the lock;
/// there is one thread, so it is never contended.
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

/// What the handle and the task share.
struct Outcome<T> {
    value: RefCell<Option<T>>,
    ended: Cell<bool>,
    waiter: RefCell<Option<Waker>>,
}

/// A started task. Awaiting it gives its result; dropping it lets the task go on alone.
pub struct Task<T> {
    outcome: Rc<Outcome<T>>,
    aborted: Rc<Cell<bool>>,
    slot: Cell<usize>,
    executor: Weak<Shared>,
}

impl<T: 'static> Task<T> {
    pub(super) fn wrap(
        executor: Weak<Shared>,
        future: impl Future<Output = T> + 'static,
    ) -> (Task<T>, BoxedFuture, Rc<Cell<bool>>) {
        let outcome =
            Rc::new(Outcome { value: RefCell::new(None), ended: Cell::new(false), waiter: RefCell::new(None) });
        let aborted = Rc::new(Cell::new(false));
        let shared = outcome.clone();
        let future = Box::pin(async move {
            let value = future.await;
            *shared.value.borrow_mut() = Some(value);
            shared.ended.set(true);
            if let Some(waiter) = shared.waiter.borrow_mut().take() {
                waiter.wake();
            }
        });
        let task = Task { outcome, aborted: aborted.clone(), slot: Cell::new(usize::MAX), executor };
        (task, future, aborted)
    }

    pub(super) fn place(&self, slot: usize) {
        self.slot.set(slot);
    }

    pub fn is_ended(&self) -> bool {
        self.outcome.ended.get()
    }

    /// The result, once the task has ended; a second call finds nothing.
    pub fn take(&self) -> Option<T> {
        self.outcome.value.borrow_mut().take()
    }

    /// Ends the task where it stands. What it holds is dropped, now, or when it awaits next if it is the one running.
    pub fn abort(&self) {
        if self.is_ended() || self.aborted.replace(true) {
            return;
        }
        let Some(executor) = self.executor.upgrade() else {
            return;
        };
        let slot = self.slot.get();
        let work = executor.works.borrow_mut().get_mut(slot).and_then(Option::take);
        if let Some(work) = work {
            drop(work);
            // A wake-up of it that still stands in the ready queue is a needless poll of the slot's next task.
            executor.free_slots.borrow_mut().push(slot);
        }
    }
}

impl<T: 'static> Future for Task<T> {
    type Output = T;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<T> {
        match self.take() {
            Some(value) => Poll::Ready(value),
            None => {
                *self.outcome.waiter.borrow_mut() = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }
}
