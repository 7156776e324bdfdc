//! How tasks wait for one another.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, VecDeque};
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

/// A condition that tasks wait for. A notification wakes the tasks that wait at that moment, and no
/// task that begins to wait later. So a task looks at the condition and then waits, without another
/// await between the two. Tasks are not interrupted between two awaits, so no notification is lost.
#[derive(Clone, Default)]
pub struct Notify(Rc<Inner>);

#[derive(Default)]
struct Inner {
    generation: Cell<u64>,
    waiters: RefCell<VecDeque<Waker>>,
}

impl Notify {
    /// No task waits.
    pub fn new() -> Notify {
        Notify::default()
    }

    /// Wakes all tasks that wait at this moment.
    pub fn notify(&self) {
        self.0.generation.set(self.0.generation.get() + 1);
        let waiters = std::mem::take(&mut *self.0.waiters.borrow_mut());
        for waker in waiters {
            waker.wake();
        }
    }

    /// Completes at the first [`Notify::notify`] after this call.
    pub fn notified(&self) -> Notified {
        Notified { seen: self.0.generation.get(), inner: self.0.clone() }
    }

    /// Waits until `condition` holds; it is looked at now and after each notification.
    pub async fn wait_until(&self, mut condition: impl FnMut() -> bool) {
        while !condition() {
            self.notified().await;
        }
    }
}

/// The future of [`Notify::notified`].
pub struct Notified {
    seen: u64,
    inner: Rc<Inner>,
}

impl Future for Notified {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if self.inner.generation.get() != self.seen {
            return Poll::Ready(());
        }
        let mut waiters = self.inner.waiters.borrow_mut();
        if !waiters.iter().any(|waker| waker.will_wake(cx.waker())) {
            waiters.push_back(cx.waker().clone());
        }
        Poll::Pending
    }
}

/// An unbounded first-in-first-out queue between tasks.
pub struct Channel<T> {
    queue: Rc<RefCell<VecDeque<T>>>,
    filled: Notify,
}

impl<T> Clone for Channel<T> {
    fn clone(&self) -> Channel<T> {
        Channel { queue: self.queue.clone(), filled: self.filled.clone() }
    }
}

impl<T> Default for Channel<T> {
    fn default() -> Channel<T> {
        Channel { queue: Rc::default(), filled: Notify::new() }
    }
}

impl<T> Channel<T> {
    /// Appends a value and wakes the tasks that wait for one.
    pub fn send(&self, value: T) {
        self.queue.borrow_mut().push_back(value);
        self.filled.notify();
    }

    /// Takes the oldest value; `None` if there is none.
    pub fn try_receive(&self) -> Option<T> {
        self.queue.borrow_mut().pop_front()
    }

    /// Waits until there is something to receive.
    pub async fn filled(&self) {
        self.filled.wait_until(|| !self.queue.borrow().is_empty()).await;
    }

    /// Values that were sent and not taken.
    pub fn len(&self) -> usize {
        self.queue.borrow().len()
    }

    /// Whether no value waits.
    pub fn is_empty(&self) -> bool {
        self.queue.borrow().is_empty()
    }
}

/// At most one task at a time holds it. Tasks that wait get it in the order in which they asked.
#[derive(Clone, Default)]
pub struct Lock(Rc<LockState>);

#[derive(Default)]
struct LockState {
    next_ticket: Cell<u64>,
    serving: Cell<u64>,
    /// Tickets ahead of the served ticket, whose tasks gave up or have had the lock.
    returned: RefCell<BTreeSet<u64>>,
    turn: Notify,
}

impl Lock {
    /// Waits for the lock; dropping the guard releases it.
    pub async fn acquire(&self) -> LockGuard {
        let ticket = self.0.next_ticket.get();
        self.0.next_ticket.set(ticket + 1);
        let guard = LockGuard { lock: self.clone(), ticket };
        self.0.turn.wait_until(|| self.0.serving.get() == ticket).await;
        guard
    }

    /// Takes the lock if no task holds it or waits for it; `None` otherwise.
    pub fn try_acquire(&self) -> Option<LockGuard> {
        let ticket = self.0.next_ticket.get();
        if self.0.serving.get() != ticket {
            return None;
        }
        self.0.next_ticket.set(ticket + 1);
        Some(LockGuard { lock: self.clone(), ticket })
    }
}

/// Gives the lock back when it is dropped.
pub struct LockGuard {
    lock: Lock,
    ticket: u64,
}

impl Drop for LockGuard {
    fn drop(&mut self) {
        let state = &self.lock.0;
        let mut returned = state.returned.borrow_mut();
        returned.insert(self.ticket);
        let before = state.serving.get();
        let mut serving = before;
        while returned.remove(&serving) {
            serving += 1;
        }
        state.serving.set(serving);
        drop(returned);
        if serving != before {
            state.turn.notify();
        }
    }
}
