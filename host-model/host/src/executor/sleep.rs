//! Waiting for a point in time.

use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use sim_pins::Ps;

use super::timers::{Alarm, Clock};

/// Completes at a point in time. Dropping it cancels the timer.
pub struct Sleep {
    clock: Rc<Clock>,
    at: Ps,
    alarm: Option<Rc<Alarm>>,
}

impl Sleep {
    pub(super) fn new(clock: Rc<Clock>, at: Ps) -> Sleep {
        Sleep { clock, at, alarm: None }
    }
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if self.clock.now() >= self.at {
            return Poll::Ready(());
        }
        let first = self.alarm.is_none();
        let alarm = self.alarm.get_or_insert_with(Rc::default).clone();
        *alarm.waker.borrow_mut() = Some(cx.waker().clone());
        if first {
            self.clock.set_timer(self.at, alarm);
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
