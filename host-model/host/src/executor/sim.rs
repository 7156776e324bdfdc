//! The handle of the executor that tasks keep.

use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::Poll;

use sim_pins::Ps;

use super::sleep::Sleep;
use super::task::{Task, Tasks};
use super::timers::Clock;

/// The handle that tasks keep: time, timers, spawning.
#[derive(Clone)]
pub struct Sim {
    pub(super) clock: Rc<Clock>,
    pub(super) tasks: Rc<Tasks>,
}

impl Sim {
    /// Simulated time.
    pub fn now(&self) -> Ps {
        self.clock.now()
    }

    /// Starts a task. It first runs after the current one awaits. Dropping the returned [`Task`]
    /// leaves it running.
    pub fn spawn<T: 'static>(&self, name: &'static str, future: impl Future<Output = T> + 'static) -> Task<T> {
        self.tasks.spawn(name, future)
    }

    /// Completes at `at`; at once, without giving way, when `at` is not in the future.
    pub fn sleep_until(&self, at: Ps) -> Sleep {
        Sleep::new(self.clock.clone(), at)
    }

    /// Sleeps for this time; a task that sleeps takes no processor.
    pub fn sleep_for(&self, span: Ps) -> Sleep {
        self.sleep_until(self.now() + span)
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
