//! Tasks: the future, and the handle of the task that started it.

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::pin::Pin;
use std::rc::{Rc, Weak};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use super::ready::{ReadyQueue, TaskWaker};

/// A task's code, its result stored away.
type BoxedFuture = Pin<Box<dyn Future<Output = ()>>>;

/// A task as the executor keeps it.
struct Work {
    name: &'static str,
    future: BoxedFuture,
    waker: Arc<TaskWaker>,
    aborted: Rc<Cell<bool>>,
}

/// All tasks of an executor.
#[derive(Default)]
pub(super) struct Tasks {
    pub(super) ready: Arc<ReadyQueue>,
    works: RefCell<Vec<Option<Work>>>,
    free_slots: RefCell<Vec<usize>>,
}

impl Tasks {
    /// Starts a task. It first runs after the current one awaits. Dropping the returned [`Task`]
    /// leaves it running.
    pub(super) fn spawn<T: 'static>(
        self: &Rc<Self>,
        name: &'static str,
        future: impl Future<Output = T> + 'static,
    ) -> Task<T> {
        let (task, future, aborted) = Task::wrap(Rc::downgrade(self), future);
        let slot = self.free_slots.borrow_mut().pop();
        let slot = slot.unwrap_or_else(|| {
            let mut works = self.works.borrow_mut();
            works.push(None);
            works.len() - 1
        });
        task.place(slot);
        let waker = TaskWaker::new(slot, self.ready.clone());
        let first_run = Waker::from(waker.clone());
        let work = Work { name, future, waker, aborted };
        self.works.borrow_mut()[slot] = Some(work);
        first_run.wake();
        task
    }

    pub(super) fn poll(&self, slot: usize) {
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

    /// The names of tasks that have not ended.
    pub(super) fn names(&self) -> Vec<&'static str> {
        self.works.borrow().iter().flatten().map(|work| work.name).collect()
    }

    /// Forgets all tasks.
    pub(super) fn clear(&self) {
        let works = std::mem::take(&mut *self.works.borrow_mut());
        drop(works);
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
    executor: Weak<Tasks>,
}

impl<T: 'static> Task<T> {
    fn wrap(
        executor: Weak<Tasks>,
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

    fn place(&self, slot: usize) {
        self.slot.set(slot);
    }

    /// Whether the task has run to its end.
    pub fn is_ended(&self) -> bool {
        self.outcome.ended.get()
    }

    /// The result, once the task has ended; a second call finds nothing.
    pub fn take(&self) -> Option<T> {
        self.outcome.value.borrow_mut().take()
    }

    /// Ends the task where it stands. What it holds is dropped, now, or when it awaits next if it
    /// is the one running.
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
            // If a wake-up of the ended task is still in the ready queue, the next task of the slot
            // is polled needlessly, which does no harm.
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
