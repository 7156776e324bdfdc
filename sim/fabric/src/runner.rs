use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use sim_pins::Ps;

use crate::barrier::Barrier;

/// A NIC with its host, or anything else that has link ports and its own clocks.
///
/// A node lives and dies on one thread, so it may hold what cannot change threads.
pub trait Node {
    /// Why a node cannot go on; it ends the run.
    type Error: Send;
    /// What is left of it after the run.
    type Output: Send;

    /// Handles everything before `end`, and ends the window of its transmitters there
    /// (`Transmitter::end_window`).
    fn run_until(&mut self, end: Ps) -> Result<Activity, Self::Error>;

    /// How far it has come, for the message when it fails.
    fn now(&self) -> Ps;

    /// Ends the node and gives what is left of it.
    fn finish(self) -> Self::Output;
}

/// What a node says of itself at the end of a window.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Activity {
    /// It has work of its own left.
    Busy,
    /// It only waits for others. The run ends when all nodes do so; a node may become busy again.
    Finished,
}

/// How to run.
pub struct RunOptions<'a> {
    /// At most the shortest latency of the links.
    pub window: Ps,
    /// The run ends here at the latest.
    pub end: Ps,
    /// 1 runs on the calling thread. More than there are nodes, or cores, is of no use.
    pub threads: usize,
    /// Called between windows with the time; may end the run. For progress and interrupts: what it
    /// decides from anything but the time makes runs differ.
    #[allow(clippy::type_complexity)]
    pub between_windows: Option<&'a mut (dyn FnMut(Ps) -> ControlFlow<()> + Send)>,
}

/// Why a run ended, and when.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ending<E> {
    /// All nodes were finished at the end of the same window.
    AllFinished {
        /// End of that window.
        at: Ps,
    },
    /// [`RunOptions::end`] was reached.
    TimeIsUp {
        /// That time.
        at: Ps,
    },
    /// [`RunOptions::between_windows`] has ended the run.
    Interrupted {
        /// End of the last window.
        at: Ps,
    },
    /// The earliest failure of the window, with the number of its node.
    Failed {
        /// Number of the node.
        node: usize,
        /// How far the node had come.
        at: Ps,
        /// Why it failed.
        error: E,
    },
}

/// A finished run.
#[derive(Debug)]
pub struct Run<E, O> {
    /// Why the run has ended.
    pub ending: Ending<E>,
    /// In the order of the nodes; None for a node that could not be built.
    pub outputs: Vec<Option<O>>,
}

/// Builds node i with `builders[i]`, on thread i mod `threads`, and runs all of them. The result
/// does not depend on `threads`.
///
/// # Panics
/// If a node panics, or the window is zero.
pub fn run<N, B>(builders: Vec<B>, options: RunOptions) -> Run<N::Error, N::Output>
where
    N: Node,
    B: FnOnce() -> Result<N, N::Error> + Send,
{
    assert!(options.window > Ps::ZERO, "a window has a length");
    let node_count = builders.len();
    let thread_count = options.threads.clamp(1, node_count.max(1));
    let course = Course {
        barrier: Barrier::new(thread_count),
        window: options.window,
        end: options.end,
        busy: AtomicBool::new(false),
        shared: Mutex::new(Shared { horizon: Ps::ZERO, ending: None, failure: None, between: options.between_windows }),
    };
    let mut shares: Vec<Vec<(usize, B)>> = (0..thread_count).map(|_| Vec::new()).collect();
    for (i, builder) in builders.into_iter().enumerate() {
        shares[i % thread_count].push((i, builder));
    }

    let mut outputs: Vec<Option<N::Output>> = (0..node_count).map(|_| None).collect();
    let own = shares.remove(0);
    thread::scope(|scope| {
        let course = &course;
        let workers: Vec<_> =
            shares.into_iter().map(|share| scope.spawn(move || work::<N, B>(share, course))).collect();
        let mut finished = work::<N, B>(own, course);
        for worker in workers {
            match worker.join() {
                Ok(more) => finished.extend(more),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        for (i, output) in finished {
            outputs[i] = Some(output);
        }
    });
    let shared = course.shared.into_inner().unwrap_or_else(PoisonError::into_inner);
    Run { ending: shared.ending.expect("threads stop when the ending is known"), outputs }
}

/// What the threads share.
struct Course<'a, E> {
    barrier: Barrier,
    window: Ps,
    end: Ps,
    /// A node said so in this window.
    busy: AtomicBool,
    shared: Mutex<Shared<'a, E>>,
}

struct Shared<'a, E> {
    /// Until when all nodes run next, or have run.
    horizon: Ps,
    ending: Option<Ending<E>>,
    failure: Option<(Ps, usize, E)>,
    between: Option<&'a mut (dyn FnMut(Ps) -> ControlFlow<()> + Send)>,
}

impl<'a, E> Course<'a, E> {
    fn lock(&self) -> MutexGuard<'_, Shared<'a, E>> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps the earliest failure, and of two failures at the same time the failure of the first
    /// node, whichever thread reports first.
    fn fail(&self, at: Ps, node: usize, error: E) {
        let mut shared = self.lock();
        if shared.failure.as_ref().is_none_or(|(time, other, _)| (at, node) < (*time, *other)) {
            shared.failure = Some((at, node, error));
        }
    }

    /// Between windows, on one thread: shall there be another one?
    fn decide(&self) {
        let busy = self.busy.swap(false, Ordering::Relaxed);
        let shared = &mut *self.lock();
        let at = shared.horizon;
        shared.ending = if let Some((at, node, error)) = shared.failure.take() {
            Some(Ending::Failed { node, at, error })
        } else if at > Ps::ZERO && !busy {
            Some(Ending::AllFinished { at })
        } else if at >= self.end {
            Some(Ending::TimeIsUp { at })
        } else {
            match shared.between.as_mut().map(|between| between(at)) {
                Some(ControlFlow::Break(())) => Some(Ending::Interrupted { at }),
                _ => None,
            }
        };
        shared.horizon = self.end.min(at + self.window);
    }
}

/// What one thread does: builds its nodes, runs them window by window, and finishes them.
fn work<N: Node, B: FnOnce() -> Result<N, N::Error>>(
    share: Vec<(usize, B)>,
    course: &Course<N::Error>,
) -> Vec<(usize, N::Output)> {
    let _guard = BreakOnPanic(&course.barrier);
    let mut nodes = Vec::new();
    for (i, build) in share {
        match build() {
            Ok(node) => nodes.push((i, node)),
            Err(error) => course.fail(Ps::ZERO, i, error),
        }
    }
    loop {
        if course.barrier.meet(|| course.decide()).is_err() {
            return Vec::new(); // the panic of the other thread is what counts
        }
        let end = {
            let shared = course.lock();
            if shared.ending.is_some() {
                break;
            }
            shared.horizon
        };
        for (i, node) in &mut nodes {
            match node.run_until(end) {
                Ok(Activity::Busy) => course.busy.store(true, Ordering::Relaxed),
                Ok(Activity::Finished) => {}
                Err(error) => course.fail(node.now(), *i, error),
            }
        }
    }
    nodes.into_iter().map(|(i, node)| (i, node.finish())).collect()
}

/// Breaks the barrier when a node panics, so that the other threads do not wait for ever.
struct BreakOnPanic<'a>(&'a Barrier);

impl Drop for BreakOnPanic<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.break_up();
        }
    }
}
