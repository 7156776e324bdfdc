//! Timers.

use std::cell::{Cell, RefCell};
use std::cmp::Ordering;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use sim_pins::Ps;

use super::Sim;

/// The part of a timer that the sleeper and the executor share.
#[derive(Default)]
pub(super) struct Alarm {
    waker: RefCell<Option<Waker>>,
    cancelled: Cell<bool>,
}

impl Alarm {
    pub(super) fn ring(&self) {
        if let Some(waker) = self.waker.borrow_mut().take() {
            waker.wake();
        }
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.cancelled.get()
    }
}

/// Ordered by time, then by the order in which timers were set.
pub(super) struct TimerEntry {
    pub(super) at: Ps,
    pub(super) sequence: u64,
    pub(super) alarm: Rc<Alarm>,
}

impl Ord for TimerEntry {
    fn cmp(&self, other: &TimerEntry) -> Ordering {
        (self.at, self.sequence).cmp(&(other.at, other.sequence))
    }
}

impl PartialOrd for TimerEntry {
    fn partial_cmp(&self, other: &TimerEntry) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for TimerEntry {
    fn eq(&self, other: &TimerEntry) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for TimerEntry {}

/// Completes at a point in time. Dropping it cancels the timer.
pub struct Sleep {
    sim: Sim,
    at: Ps,
    alarm: Option<Rc<Alarm>>,
}

impl Sleep {
    pub(super) fn new(sim: Sim, at: Ps) -> Sleep {
        Sleep { sim, at, alarm: None }
    }
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if self.sim.now() >= self.at {
            return Poll::Ready(());
        }
        let first = self.alarm.is_none();
        let alarm = self.alarm.get_or_insert_with(Rc::default).clone();
        *alarm.waker.borrow_mut() = Some(cx.waker().clone());
        if first {
            self.sim.set_timer(self.at, alarm);
        }
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        if let Some(alarm) = &self.alarm {
            alarm.cancelled.set(true);
            alarm.waker.borrow_mut().take();
        }
    }
}

/// The result of `future`, or `None` if it is not there by `at`.
pub async fn until<T>(sim: &Sim, at: Ps, future: impl Future<Output = T>) -> Option<T> {
    let mut future = std::pin::pin!(future);
    let mut sleep = sim.sleep_until(at);
    std::future::poll_fn(|cx| {
        if let Poll::Ready(value) = future.as_mut().poll(cx) {
            return Poll::Ready(Some(value));
        }
        Pin::new(&mut sleep).poll(cx).map(|()| None)
    })
    .await
}
