//! The time, and the timers that are set.

use std::cell::{Cell, RefCell};
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::rc::Rc;
use std::task::Waker;

use sim_pins::Ps;

/// The part of a timer that the sleeper and the executor share.
#[derive(Default)]
pub(super) struct Alarm {
    pub(super) waker: RefCell<Option<Waker>>,
    pub(super) cancelled: Cell<bool>,
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

/// The time of an executor.
pub(super) struct Clock {
    now: Cell<Ps>,
    next_sequence: Cell<u64>,
    /// The time of the first entry of `timers`, so that asking costs one comparison.
    first_timer: Cell<Ps>,
    timers: RefCell<BinaryHeap<Reverse<TimerEntry>>>,
}

impl Clock {
    pub(super) fn new() -> Clock {
        Clock {
            now: Cell::new(Ps::ZERO),
            next_sequence: Cell::new(0),
            first_timer: Cell::new(Ps::MAX),
            timers: RefCell::default(),
        }
    }

    #[inline]
    pub(super) fn now(&self) -> Ps {
        self.now.get()
    }

    #[inline]
    pub(super) fn set_now(&self, now: Ps) {
        self.now.set(now);
    }

    /// `Ps::MAX` if no timer is set.
    #[inline]
    pub(super) fn first_timer(&self) -> Ps {
        self.first_timer.get()
    }

    pub(super) fn set_timer(&self, at: Ps, alarm: Rc<Alarm>) {
        let sequence = self.next_sequence.get();
        self.next_sequence.set(sequence + 1);
        self.timers.borrow_mut().push(Reverse(TimerEntry { at, sequence, alarm }));
        if at < self.first_timer.get() {
            self.first_timer.set(at);
        }
    }

    /// Wakes every timer of the earliest instant, in the order in which they were set.
    pub(super) fn fire(&self) {
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
        // Cancelled timers at the head are forgotten here, so that they wake nothing up.
        while timers.peek().is_some_and(|Reverse(entry)| entry.alarm.is_cancelled()) {
            timers.pop();
        }
        let first = timers.peek().map_or(Ps::MAX, |Reverse(entry)| entry.at);
        self.first_timer.set(first);
    }
}
