//! Where threads meet between windows: microseconds apart, so they spin; sometimes for long, so
//! they park in the end.

use std::hint;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};

/// About 30 us of waiting. A window with some work in it is over by then, and waking from a park
/// costs a few microseconds.
const SPINS: u32 = 1000;

pub(crate) struct Barrier {
    threads: usize,
    spins: u32,
    arrived: AtomicUsize,
    /// Counts the meetings.
    generation: AtomicUsize,
    parked: AtomicUsize,
    broken: AtomicBool,
    lock: Mutex<()>,
    wake: Condvar,
}

/// A thread panicked, and will never arrive.
#[derive(Debug)]
pub(crate) struct Broken;

impl Barrier {
    pub(crate) fn new(threads: usize) -> Barrier {
        let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
        Barrier {
            threads,
            // A thread that spins on the core that another thread needs delays the meeting.
            spins: if threads <= cores { SPINS } else { 0 },
            arrived: AtomicUsize::new(0),
            generation: AtomicUsize::new(0),
            parked: AtomicUsize::new(0),
            broken: AtomicBool::new(false),
            lock: Mutex::new(()),
            wake: Condvar::new(),
        }
    }

    /// Waits for all threads. The last one to arrive runs `between` before any goes on. What a
    /// thread did before it met the others is visible to them afterwards.
    pub(crate) fn meet(&self, between: impl FnOnce()) -> Result<(), Broken> {
        let generation = self.generation.load(Ordering::Acquire);
        if self.arrived.fetch_add(1, Ordering::AcqRel) + 1 == self.threads {
            between();
            self.arrived.store(0, Ordering::Relaxed);
            self.generation.store(generation.wrapping_add(1), Ordering::SeqCst);
            // Either a parking thread is counted by now, or it will see the new generation before
            // it sleeps.
            if self.parked.load(Ordering::SeqCst) != 0 {
                self.wake_all();
            }
        } else {
            self.wait_for_next(generation);
        }
        if self.broken.load(Ordering::Acquire) {
            return Err(Broken);
        }
        Ok(())
    }

    /// Lets everyone go, for good.
    pub(crate) fn break_up(&self) {
        self.broken.store(true, Ordering::SeqCst);
        self.wake_all();
    }

    fn passed(&self, generation: usize) -> bool {
        self.generation.load(Ordering::SeqCst) != generation || self.broken.load(Ordering::SeqCst)
    }

    fn wait_for_next(&self, generation: usize) {
        for _ in 0..self.spins {
            if self.passed(generation) {
                return;
            }
            hint::spin_loop();
        }
        let mut guard = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        self.parked.fetch_add(1, Ordering::SeqCst);
        while !self.passed(generation) {
            guard = self.wake.wait(guard).unwrap_or_else(PoisonError::into_inner);
        }
        self.parked.fetch_sub(1, Ordering::SeqCst);
    }

    fn wake_all(&self) {
        drop(self.lock.lock().unwrap_or_else(PoisonError::into_inner));
        self.wake.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU64;
    use std::thread;

    #[test]
    fn nobody_passes_before_all_have_come() {
        let barrier = Barrier::new(3);
        let (steps, between) = (AtomicU64::new(0), AtomicU64::new(0));
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    for round in 1..=2_000 {
                        steps.fetch_add(1, Ordering::Relaxed);
                        barrier.meet(|| _ = between.fetch_add(1, Ordering::Relaxed)).unwrap();
                        assert_eq!(between.load(Ordering::Relaxed), round);
                        assert_eq!(steps.load(Ordering::Relaxed), 3 * round);
                        barrier.meet(|| ()).unwrap();
                    }
                });
            }
        });
    }

    #[test]
    fn a_broken_barrier_lets_everyone_go() {
        let barrier = Barrier::new(2);
        thread::scope(|scope| {
            let waiting = scope.spawn(|| barrier.meet(|| ()).is_err());
            thread::sleep(std::time::Duration::from_millis(5));
            barrier.break_up();
            assert!(waiting.join().unwrap());
        });
    }
}
