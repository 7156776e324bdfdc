//! The executor against a list of wake-ups that is sorted by hand.

use std::cell::RefCell;
use std::rc::Rc;

use host_model::executor::{until, Channel, Executor, Lock, Notify};
use proptest::prelude::*;
use sim_pins::Ps;

type Log = Rc<RefCell<Vec<(u64, usize)>>>;

proptest! {
    /// Task n sleeps through its spans one after another; the dull model sorts (time, order of
    /// setting the timer).
    #[test]
    fn wake_ups_come_in_the_order_of_time_then_sequence(
        spans in prop::collection::vec(prop::collection::vec(0_u64..5, 1..6), 1..8),
        steps in prop::collection::vec(0_u64..4, 1..40),
    ) {
        let log = Log::default();
        let mut executor = Executor::new();
        for (name, spans) in spans.iter().cloned().enumerate() {
            let (sim, log) = (executor.sim(), log.clone());
            executor.sim().spawn("sleeper", async move {
                for span in spans {
                    sim.sleep_for(Ps(span)).await;
                    log.borrow_mut().push((sim.now().0, name));
                }
            });
        }
        let mut now = 0;
        for step in steps {
            now += step;
            executor.run_until(Ps(now));
        }
        executor.run_until(Ps(1_000));
        prop_assert_eq!(&*log.borrow(), &reference(&spans));
        prop_assert_eq!(executor.next_deadline(), None);
    }
}

fn reference(spans: &[Vec<u64>]) -> Vec<(u64, usize)> {
    // (time, sequence, task, next span); a zero span does not give way.
    let mut timers = Vec::new();
    let (mut sequence, mut log) = (0, Vec::new());
    let mut go = |now: u64, task: usize, mut next: usize, timers: &mut Vec<(u64, u64, usize, usize)>, woken: bool| {
        if woken {
            log.push((now, task));
            next += 1;
        }
        while next < spans[task].len() {
            let span = spans[task][next];
            if span > 0 {
                timers.push((now + span, sequence, task, next));
                sequence += 1;
                return;
            }
            log.push((now, task));
            next += 1;
        }
    };
    for task in 0..spans.len() {
        go(0, task, 0, &mut timers, false);
    }
    while let Some(first) = timers.iter().copied().min() {
        timers.retain(|timer| *timer != first);
        go(first.0, first.2, first.3, &mut timers, true);
    }
    log
}

#[test]
fn a_late_call_serves_each_wake_up_at_its_own_time() {
    let mut executor = Executor::new();
    let sim = executor.sim();
    let task = executor.sim().spawn("sleeper", async move {
        sim.sleep_until(Ps(10)).await;
        let first = sim.now();
        sim.sleep_until(Ps(30)).await;
        (first, sim.now())
    });
    executor.run_until(Ps(100));
    assert_eq!(task.take(), Some((Ps(10), Ps(30))));
    assert_eq!(executor.sim().now(), Ps(100));
}

#[test]
fn the_deadline_is_now_when_a_task_is_ready_and_none_when_all_wait() {
    let mut executor = Executor::new();
    assert_eq!(executor.next_deadline(), None);
    let notify = Notify::new();
    let (sim, waited) = (executor.sim(), notify.clone());
    executor.sim().spawn("waiter", async move {
        waited.notified().await;
        sim.sleep_for(Ps(7)).await;
    });
    assert_eq!(executor.next_deadline(), Some(Ps::ZERO));
    executor.run_until(Ps(5));
    assert_eq!(executor.next_deadline(), None);
    assert_eq!(executor.live_tasks(), ["waiter"]);
    notify.notify();
    assert_eq!(executor.next_deadline(), Some(Ps(5)));
    executor.run_until(Ps(5));
    assert_eq!(executor.next_deadline(), Some(Ps(12)));
    executor.run_until(Ps(12));
    assert!(executor.live_tasks().is_empty());
}

#[test]
fn a_notification_wakes_those_who_wait_and_nobody_later() {
    let mut executor = Executor::new();
    let (notify, log) = (Notify::new(), Log::default());
    for name in 0..3 {
        let (notify, log, sim) = (notify.clone(), log.clone(), executor.sim());
        executor.sim().spawn("waiter", async move {
            if name == 2 {
                sim.sleep_until(Ps(20)).await;
            }
            notify.notified().await;
            log.borrow_mut().push((sim.now().0, name));
        });
    }
    executor.run_until(Ps(10));
    notify.notify();
    executor.run_until(Ps(50));
    assert_eq!(*log.borrow(), [(10, 0), (10, 1)]);
}

#[test]
fn a_channel_delivers_in_the_order_of_sending() {
    let mut executor = Executor::new();
    let channel: Channel<u32> = Channel::default();
    let (receiver, sim) = (channel.clone(), executor.sim());
    let received = executor.sim().spawn("receiver", async move {
        let mut values = Vec::new();
        while values.len() < 3 {
            receiver.filled().await;
            values.extend(receiver.try_receive());
        }
        (values, sim.now())
    });
    executor.run_until(Ps(4));
    channel.send(1);
    channel.send(2);
    executor.run_until(Ps(9));
    channel.send(3);
    executor.run_until(Ps(9));
    assert_eq!(received.take(), Some((vec![1, 2, 3], Ps(9))));
}

#[test]
fn a_task_may_end_another_and_await_its_children() {
    let mut executor = Executor::new();
    let sim = executor.sim();
    let parent = executor.sim().spawn("parent", async move {
        let (sleeper, child) = (sim.clone(), sim.clone());
        let endless = sim.spawn("endless", async move { sleeper.sleep_until(Ps::MAX).await });
        let child = sim.spawn("child", async move {
            child.sleep_for(Ps(3)).await;
            42
        });
        let answer = child.await;
        endless.abort();
        answer
    });
    executor.run_until(Ps(3));
    assert_eq!(parent.take(), Some(42));
    assert!(executor.live_tasks().is_empty());
}

#[test]
fn asking_when_nothing_is_due_costs_almost_nothing() {
    let mut executor = Executor::new();
    let sim = executor.sim();
    executor.sim().spawn("sleeper", async move { sim.sleep_until(Ps::MAX).await });
    executor.run_until(Ps(1));
    let mut now = 1;
    // The best of several batches: other jobs share the machine.
    let batch_ns = (0..10).map(|_| {
        let begin = std::time::Instant::now();
        for _ in 0..500_000 {
            now += 1;
            executor.run_until(std::hint::black_box(Ps(now)));
        }
        begin.elapsed().as_nanos() as f64 / 5e5
    });
    let ns_per_call = batch_ns.fold(f64::INFINITY, f64::min);
    println!("run_until with nothing due: {ns_per_call:.2} ns");
    assert!(ns_per_call < 30.0);
}

#[test]
fn a_lock_is_given_in_the_order_of_asking_also_when_one_gives_up() {
    let mut executor = Executor::new();
    let (lock, log) = (Lock::default(), Log::default());
    let mut tasks = Vec::new();
    for name in 0..4 {
        let (lock, log, sim) = (lock.clone(), log.clone(), executor.sim());
        tasks.push(executor.sim().spawn("holder", async move {
            let guard = lock.acquire().await;
            log.borrow_mut().push((sim.now().0, name));
            sim.sleep_for(Ps(10)).await;
            drop(guard);
        }));
    }
    executor.run_until(Ps(5));
    tasks[1].abort();
    executor.run_until(Ps(100));
    assert_eq!(*log.borrow(), [(0, 0), (10, 2), (20, 3)]);
}

#[test]
fn a_wait_with_a_limit_ends_at_the_event_or_at_the_limit() {
    let mut executor = Executor::new();
    let notify = Notify::new();
    let (sim, waited) = (executor.sim(), notify.clone());
    let both = executor.sim().spawn("waiter", async move {
        let in_time = until(&sim, Ps(50), waited.notified()).await;
        let first = (sim.now(), in_time.is_some());
        let late = until(&sim, Ps(80), waited.notified()).await;
        (first, (sim.now(), late.is_some()))
    });
    executor.run_until(Ps(20));
    notify.notify();
    executor.run_until(Ps(100));
    assert_eq!(both.take(), Some(((Ps(20), true), (Ps(80), false))));
    assert_eq!(executor.next_deadline(), None);
}
