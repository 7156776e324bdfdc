//! The processors of a node: tasks compete for them, and what they use is accounted for.
//!
//! Contract:
//! * Work of a higher [`Priority`] takes a processor from work of a lower one, which goes on later
//!   where it stopped. Within a priority the first to ask is the first to run.
//! * Work that waits for the bus ([`Cpu::stall`]) cannot be interrupted: a load that is under way
//!   must end.
//! * A process that polls its own memory yields to everyone: it is charged for the poll that
//!   succeeds, not for waiting (see `docs/host-model.md`).

use std::cell::{Cell, RefCell};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use indexmap::IndexMap;
use sim_pins::Ps;

use crate::executor::{Sim, Sleep};

/// The priority of a task, in ascending order: a later variant gets a processor before an earlier
/// one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Priority {
    /// Computes, and waits for nothing ([`crate::load`]).
    Background,
    /// A process.
    User,
    /// A thread of the kernel, such as the thread that serves misses.
    KernelThread,
    /// The interrupt handler.
    Interrupt,
}

/// Processor time by (task, label), in the order in which they first appeared.
pub type Usage = IndexMap<(&'static str, &'static str), Ps>;

type Waiting = BTreeMap<(Reverse<Priority>, i64), Rc<Job>>;

/// The processors of one node. Clones are the same.
#[derive(Clone)]
pub struct Processors(Rc<State>);

struct State {
    sim: Sim,
    clock_hz: u64,
    places: RefCell<Vec<Option<Rc<Job>>>>,
    /// Order within a priority: new work counts up, interrupted work goes before all that waits.
    waiting: RefCell<Waiting>,
    next_order: Cell<i64>,
    next_front: Cell<i64>,
    usage: RefCell<Usage>,
    preemptions: Cell<u64>,
}

struct Job {
    priority: Priority,
    preemptible: bool,
    running: Cell<bool>,
    waker: RefCell<Option<Waker>>,
}

impl Processors {
    /// `count` processors of this clock, all free.
    ///
    /// # Panics
    ///
    /// If there is no processor, or the clock is 0 Hz.
    pub fn new(sim: Sim, count: usize, clock_hz: u64) -> Processors {
        assert!(count > 0 && clock_hz > 0, "a node has a processor, and it has a clock");
        Processors(Rc::new(State {
            sim,
            clock_hz,
            places: RefCell::new(vec![None; count]),
            waiting: RefCell::default(),
            next_order: Cell::new(0),
            next_front: Cell::new(-1),
            usage: RefCell::default(),
            preemptions: Cell::new(0),
        }))
    }

    /// The view of one task: its priority, and the name under which its time is accounted for.
    pub fn cpu(&self, task: &'static str, priority: Priority) -> Cpu {
        Cpu { processors: self.clone(), task, priority }
    }

    /// Processor time so far, by task and label.
    pub fn usage(&self) -> Usage {
        self.0.usage.borrow().clone()
    }

    /// How often a task lost its processor to another of higher priority.
    pub fn preemption_count(&self) -> u64 {
        self.0.preemptions.get()
    }

    /// Asks for a processor: at once, or by taking it from the lowest of the lower ones, or by
    /// waiting.
    fn request(&self, priority: Priority, preemptible: bool) -> Rc<Job> {
        let job = Rc::new(Job { priority, preemptible, running: Cell::new(false), waker: RefCell::new(None) });
        let state = &self.0;
        let mut places = state.places.borrow_mut();
        let free = places.iter().position(Option::is_none);
        let place = free.or_else(|| {
            let victims = places.iter().enumerate().filter_map(|(place, job)| {
                let job = job.as_ref()?;
                (job.preemptible && job.priority < priority).then_some((job.priority, place))
            });
            victims.min().map(|(_, place)| place)
        });
        match place {
            Some(place) => {
                job.running.set(true);
                if let Some(victim) = places[place].replace(job.clone()) {
                    state.preemptions.set(state.preemptions.get() + 1);
                    let order = state.next_front.get();
                    state.next_front.set(order - 1);
                    victim.set_running(false);
                    state.waiting.borrow_mut().insert((Reverse(victim.priority), order), victim);
                }
            }
            None => {
                let order = state.next_order.get();
                state.next_order.set(order + 1);
                state.waiting.borrow_mut().insert((Reverse(priority), order), job.clone());
            }
        }
        job
    }

    /// Ends the work of `job`, wherever it is, and gives its processor to the first job that waits.
    fn release(&self, job: &Rc<Job>) {
        let state = &self.0;
        let mut waiting = state.waiting.borrow_mut();
        if !job.running.get() {
            waiting.retain(|_, other| !Rc::ptr_eq(other, job));
            return;
        }
        job.running.set(false);
        let mut places = state.places.borrow_mut();
        let place = places.iter().position(|other| other.as_ref().is_some_and(|other| Rc::ptr_eq(other, job)));
        let place = place.expect("running work has a processor");
        places[place] = waiting.pop_first().map(|(_, next)| {
            next.set_running(true);
            next
        });
    }

    fn account(&self, task: &'static str, label: &'static str, span: Ps) {
        *self.0.usage.borrow_mut().entry((task, label)).or_default() += span;
    }
}

impl Job {
    fn set_running(&self, running: bool) {
        self.running.set(running);
        if let Some(waker) = self.waker.borrow_mut().take() {
            waker.wake();
        }
    }

    fn listen(&self, cx: &Context<'_>) {
        *self.waker.borrow_mut() = Some(cx.waker().clone());
    }
}

/// One task's way to the processors.
#[derive(Clone)]
pub struct Cpu {
    processors: Processors,
    task: &'static str,
    priority: Priority,
}

impl Cpu {
    /// Simulated time and tasks.
    pub fn sim(&self) -> &Sim {
        &self.processors.0.sim
    }

    /// Computes for `span`: completes when this task has had a processor for so long.
    pub fn charge(&self, label: &'static str, span: Ps) -> Charge {
        Charge { cpu: self.clone(), label, remaining: span, job: None, started: Ps::ZERO, sleep: None }
    }

    /// Takes a processor for so many clock cycles, accounted for under `label`.
    pub fn charge_cycles(&self, label: &'static str, cycles: u64) -> Charge {
        self.charge(label, cycles_to_ps(cycles, self.processors.0.clock_hz))
    }

    /// Keeps a processor until `future` completes, as an uncached load does.
    pub async fn stall<T>(&self, label: &'static str, future: impl Future<Output = T>) -> T {
        let held = Held::acquire(self, label).await;
        let value = future.await;
        drop(held);
        value
    }
}

/// The time of a number of clock cycles, rounded down to picoseconds.
pub fn cycles_to_ps(cycles: u64, clock_hz: u64) -> Ps {
    let ps = u128::from(cycles) * 1_000_000_000_000 / u128::from(clock_hz);
    Ps(u64::try_from(ps).expect("a span of less than half a year"))
}

/// Work of a known length. Dropped before its end, it gives the processor back.
pub struct Charge {
    cpu: Cpu,
    label: &'static str,
    remaining: Ps,
    job: Option<Rc<Job>>,
    started: Ps,
    /// Set while the work has a processor.
    sleep: Option<Sleep>,
}

impl Charge {
    fn stop_clock(&mut self) {
        if self.sleep.take().is_some() {
            let ran = self.cpu.sim().now() - self.started;
            self.remaining = self.remaining.saturating_sub(ran);
            self.cpu.processors.account(self.cpu.task, self.label, ran);
        }
    }
}

impl Future for Charge {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let this = &mut *self;
        if this.remaining == Ps::ZERO && this.job.is_none() {
            return Poll::Ready(());
        }
        let cpu = &this.cpu;
        let job = this.job.get_or_insert_with(|| cpu.processors.request(cpu.priority, true)).clone();
        job.listen(cx);
        if !job.running.get() {
            this.stop_clock();
            return Poll::Pending;
        }
        if this.sleep.is_none() {
            this.started = this.cpu.sim().now();
            this.sleep = Some(this.cpu.sim().sleep_for(this.remaining));
        }
        let sleep = this.sleep.as_mut().expect("set above");
        if Pin::new(sleep).poll(cx).is_pending() {
            return Poll::Pending;
        }
        this.stop_clock();
        this.cpu.processors.release(&job);
        this.job = None;
        Poll::Ready(())
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.stop_clock();
        if let Some(job) = self.job.take() {
            self.cpu.processors.release(&job);
        }
    }
}

/// A processor that is held until this is dropped.
struct Held {
    cpu: Cpu,
    label: &'static str,
    job: Rc<Job>,
    started: Option<Ps>,
}

impl Held {
    async fn acquire(cpu: &Cpu, label: &'static str) -> Held {
        let job = cpu.processors.request(cpu.priority, false);
        let mut held = Held { cpu: cpu.clone(), label, job, started: None };
        std::future::poll_fn(|cx| {
            if held.job.running.get() {
                return Poll::Ready(());
            }
            held.job.listen(cx);
            Poll::Pending
        })
        .await;
        held.started = Some(cpu.sim().now());
        held
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if let Some(started) = self.started {
            let ran = self.cpu.sim().now() - started;
            self.cpu.processors.account(self.cpu.task, self.label, ran);
        }
        self.cpu.processors.release(&self.job);
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;
    use crate::executor::Executor;

    type Log = Rc<RefCell<Vec<(u64, &'static str)>>>;

    struct Bench {
        executor: Executor,
        processors: Processors,
        log: Log,
    }

    impl Bench {
        fn new(count: usize) -> Bench {
            let executor = Executor::new();
            let processors = Processors::new(executor.sim(), count, 1_000_000_000);
            Bench { executor, processors, log: Log::default() }
        }

        /// At `at_ns` the task asks for `span_ns`; the log tells when it had them.
        fn work(&self, name: &'static str, priority: Priority, at_ns: u64, span_ns: u64) {
            let (sim, cpu) = (self.executor.sim(), self.processors.cpu(name, priority));
            let log = self.log.clone();
            self.executor.sim().spawn(name, async move {
                sim.sleep_until(Ps::from_ns(at_ns)).await;
                cpu.charge("work", Ps::from_ns(span_ns)).await;
                log.borrow_mut().push((sim.now().0 / 1000, name));
            });
        }

        fn run(&mut self) -> Vec<(u64, &'static str)> {
            self.executor.run_until(Ps::from_us(100));
            self.log.borrow().clone()
        }
    }

    #[test]
    fn two_tasks_on_one_processor_take_turns_in_the_order_in_which_they_asked() {
        let mut bench = Bench::new(1);
        bench.work("a", Priority::User, 0, 100);
        bench.work("b", Priority::User, 0, 50);
        assert_eq!(bench.run(), [(100, "a"), (150, "b")]);
    }

    #[test]
    fn two_tasks_on_two_processors_do_not_disturb_each_other() {
        let mut bench = Bench::new(2);
        bench.work("a", Priority::User, 0, 100);
        bench.work("b", Priority::User, 0, 50);
        assert_eq!(bench.run(), [(50, "b"), (100, "a")]);
    }

    #[test]
    fn an_interrupt_takes_the_processor_and_the_interrupted_work_goes_on_before_others() {
        let mut bench = Bench::new(1);
        bench.work("user", Priority::User, 0, 100);
        bench.work("other", Priority::User, 10, 10);
        bench.work("interrupt", Priority::Interrupt, 40, 30);
        assert_eq!(bench.run(), [(70, "interrupt"), (130, "user"), (140, "other")]);
        let usage = bench.processors.usage();
        assert_eq!(usage[&("user", "work")], Ps::from_ns(100));
        assert_eq!(bench.processors.preemption_count(), 1);
    }

    #[test]
    fn the_kernel_thread_yields_to_the_interrupt_and_not_to_the_user() {
        let mut bench = Bench::new(1);
        bench.work("thread", Priority::KernelThread, 0, 100);
        bench.work("user", Priority::User, 1, 10);
        bench.work("interrupt", Priority::Interrupt, 50, 20);
        assert_eq!(bench.run(), [(70, "interrupt"), (120, "thread"), (130, "user")]);
    }

    #[test]
    fn a_load_that_waits_for_the_bus_is_not_interrupted() {
        let mut bench = Bench::new(1);
        let (sim, cpu) = (bench.executor.sim(), bench.processors.cpu("load", Priority::User));
        bench.executor.sim().spawn("load", async move {
            cpu.stall("pio", sim.sleep_for(Ps::from_ns(100))).await;
        });
        bench.work("interrupt", Priority::Interrupt, 10, 5);
        assert_eq!(bench.run(), [(105, "interrupt")]);
        assert_eq!(bench.processors.usage()[&("load", "pio")], Ps::from_ns(100));
    }

    #[test]
    fn a_task_that_is_ended_gives_its_processor_back() {
        let mut bench = Bench::new(1);
        let cpu = bench.processors.cpu("doomed", Priority::User);
        let doomed = bench.executor.sim().spawn("doomed", async move {
            cpu.charge("work", Ps::from_us(50)).await;
        });
        bench.work("heir", Priority::User, 1, 10);
        let sim = bench.executor.sim();
        bench.executor.sim().spawn("killer", async move {
            sim.sleep_until(Ps::from_ns(20)).await;
            doomed.abort();
        });
        assert_eq!(bench.run(), [(30, "heir")]);
        assert_eq!(bench.processors.usage()[&("doomed", "work")], Ps::from_ns(20));
    }

    #[test]
    fn cycles_become_time_by_the_clock() {
        assert_eq!(cycles_to_ps(933, 933_000_000), Ps::from_us(1));
        assert_eq!(cycles_to_ps(3, 800_000_000), Ps(3_750));
    }
}
