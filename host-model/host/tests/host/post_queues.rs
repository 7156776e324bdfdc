//! M-52: more processes than post queues. Every process that posts gets a queue, no process sees
//! what another wrote there, and no process waits for ever.

use host_model::address::NodeId;
use host_model::driver::{DriverError, DriverOptions, DriverPlant};
use host_model::events::EventKind;
use host_model::executor::Task;
use host_model::library::{Access, Export, Process, WriteError};
use host_model::mock::{AssignScript, MockNic};
use nic_layout::key::KeyWidth;
use nic_layout::post::{PostDescriptor, ProcessStatus, OP_WRITE};
use nic_layout::ring::COMMAND_ASSIGN;
use nic_layout::tables::{ProcessEntry, ENTRY_ASSIGNED};
use nic_layout::PAGE_BYTES;
use sim_pins::Ps;

use crate::common::{options, platform, Bench, CLOCK};

const THEIRS: Export = Export {
    node: NodeId(0),
    buffer: 77,
    key: [0x5EC2_0E7A, 0x0BAD_CAFE, 0, 0],
    key_width: KeyWidth::Bits64,
    length_bytes: 4096,
    access: Access::WRITE,
};

fn ready_with(options: DriverOptions, queues: usize, change: fn(&mut MockNic)) -> Bench {
    let mut bench = Bench::with(platform(), options);
    bench.nic.borrow_mut().post_queue_count = queues;
    change(&mut bench.nic.borrow_mut());
    bench.boot().expect("boots");
    bench
}

fn ready(queues: usize) -> Bench {
    ready_with(options(), queues, |_| {})
}

/// Posts so many messages, one after the other, each of a number that no other message has.
async fn posts(process: Process, count: u32) {
    let memory = process.alloc(4096).expect("room");
    for n in 0..count {
        let message = process.pid().0 << 16 | n;
        let handle = process.write(memory, 64, &THEIRS, 0, message).await.expect("a queue");
        assert_eq!(handle.index, n, "indices go on, whichever queue it is");
        process.wait(handle).await.expect("completed");
    }
}

fn start(bench: &Bench, process: &Process, count: u32) -> Task<()> {
    let process = process.clone();
    bench.host.spawn("posts", move |_| posts(process, count))
}

/// Messages that reached the NIC, of one process, in order.
fn arrived(bench: &Bench, process: &Process) -> Vec<u32> {
    let nic = bench.nic.borrow();
    let messages = nic.posts.iter().map(|(_, post)| post.message);
    messages.filter(|message| message >> 16 == process.pid().0).map(|message| message & 0xFFFF).collect()
}

fn us_until(bench: &mut Bench, us: u64, mut done: impl FnMut() -> bool) {
    for _ in 0..us {
        if done() {
            return;
        }
        bench.us(1);
    }
    panic!("not done after {us} us: {:?}", bench.host.live_tasks());
}

#[test]
fn five_processes_share_two_queues_and_every_post_arrives_once() {
    for queues in 1..=2 {
        let mut bench = ready(queues);
        let processes: Vec<Process> = (0..5).map(|_| bench.open()).collect();
        let mapped = processes.iter().filter(|process| process.queue().is_some()).count();
        assert_eq!(mapped, queues, "who comes first gets what is free");
        let tasks: Vec<_> = processes.iter().map(|process| start(&bench, process, 6)).collect();
        us_until(&mut bench, 20_000, || tasks.iter().all(Task::is_ended));
        for process in &processes {
            assert_eq!(arrived(&bench, process), [0, 1, 2, 3, 4, 5]);
        }
        let counts = bench.host.node().driver().counts();
        assert!(counts.queues_taken >= 5 - queues as u64, "{counts:?}");
        assert_eq!(counts.queues_found_free, 0);
        assert!(counts.queue_wait_ps > counts.page_faults * Ps::from_us(3).0, "{counts:?}");
        assert_eq!(bench.host.faults(), Vec::<String>::new());
    }
}

#[test]
fn a_post_whose_queue_is_taken_before_its_doorbell_begins_again() {
    let mut again = 0;
    for step in 0..120 {
        let mut bench = ready(1);
        let (first, second) = (bench.open(), bench.open());
        let busy = start(&bench, &first, 12);
        bench.clocks(step * 7);
        let late = start(&bench, &second, 3);
        us_until(&mut bench, 20_000, || busy.is_ended() && late.is_ended());
        assert_eq!(arrived(&bench, &first), (0..12).collect::<Vec<_>>(), "step {step}");
        assert_eq!(arrived(&bench, &second), [0, 1, 2], "step {step}");
        let written = bench.host.node().log().take();
        let written = written.iter().filter(|event| event.kind == EventKind::DescriptorWritten).count();
        assert!(written >= 15);
        again += written - 15;
        assert_eq!(bench.host.faults(), Vec::<String>::new(), "step {step}");
    }
    assert!(again > 0, "no step was between a descriptor and its doorbell");
}

/// Words of the queue that are not zero for a process that has just got it, after another one
/// posted there and left more without a doorbell.
fn words_left(plant: Option<DriverPlant>) -> usize {
    let mut bench = ready_with(DriverOptions { plant, ..options() }, 1, |_| {});
    let (first, second) = (bench.open(), bench.open());
    let writer = first.clone();
    bench.run(|_| async move {
        posts(writer.clone(), 3).await;
        let secret = PostDescriptor { op: OP_WRITE, key: [THEIRS.key[0], THEIRS.key[1]], ..PostDescriptor::default() };
        writer.post_raw(90, &secret).await.expect("mapped");
    });
    let looker = second.clone();
    let found = bench.run(|_| async move {
        let mut found = 0;
        for offset in (0..PAGE_BYTES).step_by(4) {
            let word = looker.peek_raw(offset).await.expect("mapped").expect("on the bus");
            found += usize::from(word != 0);
        }
        found
    });
    assert!(first.queue().is_none() && second.queue().is_some());
    found
}

#[test]
fn a_queue_that_changes_hands_is_clear() {
    assert_eq!(words_left(None), 0);
}

#[test]
fn a_queue_that_keeps_its_posts_is_found() {
    assert!(words_left(Some(DriverPlant::KeepQueue)) > 3 * 4);
}

#[test]
fn the_queue_of_a_process_that_ends_is_clear_for_the_next() {
    let mut bench = ready(1);
    let first = bench.open();
    let (writer, slot) = (first.clone(), first.queue().expect("free").post_queue);
    bench.run(|_| async move {
        posts(writer.clone(), 2).await;
        writer.close().await.expect("open");
    });
    assert_eq!(bench.host.node().driver().free_post_queues(), 1);
    let second = bench.open();
    assert_eq!(second.queue().expect("free").post_queue, slot);
    let word = bench.run(|_| async move { second.peek_raw(20).await });
    assert_eq!(word, Ok(Ok(0)), "no key of the first");
}

#[test]
fn the_queue_that_was_not_used_for_longest_is_taken() {
    let mut bench = ready(3);
    let processes: Vec<Process> = (0..4).map(|_| bench.open()).collect();
    // The first look clears the used marks of the queues.
    for (round, (used, loser)) in [([0, 1, 2], 0), ([1, 3, 3], 2)].into_iter().enumerate() {
        for process in used {
            let process = processes[process].clone();
            bench.run(move |_| async move { process.ring_raw(0).await.expect("mapped") });
        }
        let next = processes.iter().position(|process| process.queue().is_none()).expect("one has none");
        let process = processes[next].clone();
        bench.run(|_| async move { process.ring_raw(0).await.expect("mapped") });
        let without = processes.iter().position(|process| process.queue().is_none());
        assert_eq!(without, Some(loser), "round {round}");
    }
}

/// One process has the only queue and a post that does not end; others fault, in order.
fn all_wait(bench: &mut Bench, others: u32) -> (Process, Vec<(Process, Task<()>)>) {
    bench.nic.borrow_mut().completes_posts = false;
    let owner = bench.open();
    let poster = owner.clone();
    bench.run(|_| async move {
        let memory = poster.alloc(4096).expect("room");
        poster.write(memory, 64, &THEIRS, 0, 1).await.expect("mapped");
    });
    let waiting = (0..others).map(|_| {
        let process = bench.open();
        let task = start(bench, &process, 1);
        bench.us(5);
        (process, task)
    });
    let waiting: Vec<_> = waiting.collect();
    bench.us(300);
    assert!(waiting.iter().all(|(process, task)| process.queue().is_none() && !task.is_ended()));
    assert!(owner.queue().is_none(), "no post can come, so that those that are there come to an end");
    (owner, waiting)
}

/// The posts of a slot end, as the NIC says.
fn end_posts(bench: &mut Bench, ended: u32) {
    let now = bench.now;
    let mut nic = bench.nic.borrow_mut();
    nic.completes_posts = true;
    nic.write_status(now, 0, ProcessStatus { ended, ..ProcessStatus::default() });
    nic.skip_posts(0, ended);
}

#[test]
fn who_faulted_first_gets_the_first_queue() {
    let mut bench = ready(1);
    let (owner, waiting) = all_wait(&mut bench, 3);
    end_posts(&mut bench, 1);
    us_until(&mut bench, 5000, || waiting.iter().all(|(_, task)| task.is_ended()));
    let order: Vec<u32> = bench.nic.borrow().posts.iter().map(|(_, post)| post.message >> 16).collect();
    let expected: Vec<u32> = waiting.iter().map(|(process, _)| process.pid().0).collect();
    assert_eq!(order, expected);
    // Whose queue was taken learns the end of its post, and goes on.
    let poster = owner.clone();
    bench.run(|_| async move {
        let memory = poster.alloc(4096).expect("room");
        let handle = poster.write(memory, 64, &THEIRS, 0, 2).await.expect("a queue again");
        assert_eq!(handle.index, 1);
        poster.wait(handle).await.expect("completed");
    });
    assert_eq!(bench.host.faults(), Vec::<String>::new());
}

#[test]
fn a_process_that_ends_while_it_waits_leaves_the_line() {
    let mut bench = ready(1);
    let (owner, waiting) = all_wait(&mut bench, 3);
    for (process, task) in &waiting[..2] {
        task.abort();
        let ending = process.clone();
        bench.run(|_| async move { ending.close().await.expect("it is open") });
    }
    // So does the owner, posts or not: the third gets its queue.
    bench.nic.borrow_mut().completes_posts = true;
    let ending = owner.clone();
    bench.run(|_| async move { ending.close().await.expect("it is open") });
    us_until(&mut bench, 2000, || waiting[2].1.is_ended());
    let counts = bench.host.node().driver().counts();
    assert_eq!((counts.page_faults, counts.page_faults_given_up, counts.queues_found_free), (3, 2, 1));
    let (process, _) = &waiting[0];
    let late = process.clone();
    assert_eq!(bench.run(|_| async move { late.ring_raw(1).await }), Err(WriteError::NoPostQueue));
    assert_eq!(bench.host.faults(), Vec::<String>::new());
}

#[test]
fn processes_may_end_at_any_step_of_a_taking() {
    for step in 0..90 {
        let mut bench = ready(1);
        let processes: Vec<Process> = (0..3).map(|_| bench.open()).collect();
        let tasks: Vec<_> = processes.iter().map(|process| start(&bench, process, 3)).collect();
        bench.clocks(Ps(step * 1_237_001).0 / CLOCK.0);
        // The one that has the queue, the one that gets it, or the one behind.
        let victim = step as usize % 3;
        tasks[victim].abort();
        let ending = processes[victim].clone();
        bench.run(|_| async move { ending.close().await.expect("it is open") });
        let others = || (0..3).filter(|other| *other != victim);
        us_until(&mut bench, 5000, || others().all(|other| tasks[other].is_ended()));
        for other in others() {
            assert_eq!(arrived(&bench, &processes[other]), [0, 1, 2], "step {step}");
            let ending = processes[other].clone();
            bench.run(|_| async move { ending.close().await.expect("it is open") });
        }
        assert_eq!(bench.host.node().driver().free_post_queues(), 1, "step {step}");
        assert_eq!(bench.host.accounting().memory.pinned_now, 0, "step {step}");
        assert_eq!(bench.host.faults(), Vec::<String>::new(), "step {step}");
        let nic = bench.nic.borrow();
        let layout = nic.layout();
        assert_eq!(nic.sram_word(layout.process_table), 0, "step {step}");
        let queue = (layout.post_queues..layout.post_queues + PAGE_BYTES).step_by(4);
        assert!(queue.clone().all(|at| nic.sram_word(at) == 0), "step {step}: the queue is clear");
    }
}

/// A fault with a NIC that answers wildly: what the process is told, and the driver.
fn wild(change: fn(&mut MockNic)) -> (Result<(), WriteError>, Option<DriverError>) {
    let mut bench = ready(1);
    let (_first, second) = (bench.open(), bench.open());
    change(&mut bench.nic.borrow_mut());
    bench.us(1100);
    let outcome = bench.run(|_| async move { second.ring_raw(0).await });
    let failure = bench.host.node().driver().failure();
    (outcome, failure)
}

#[test]
fn wild_answers_of_the_nic_end_the_driver_and_map_nothing() {
    for state in [0, ENTRY_ASSIGNED + 1, u32::MAX] {
        let (outcome, failure) = match state {
            0 => wild(|nic| nic.assigns = AssignScript::State(0)),
            u32::MAX => wild(|nic| nic.assigns = AssignScript::State(u32::MAX)),
            _ => wild(|nic| nic.assigns = AssignScript::State(ENTRY_ASSIGNED + 1)),
        };
        assert_eq!(outcome, Err(WriteError::NoPostQueue));
        assert_eq!(failure, Some(DriverError::BadAssignment { slot: 0, state }));
    }
    let (outcome, failure) = wild(|nic| nic.command_answer = None);
    assert_eq!(outcome, Err(WriteError::NoPostQueue));
    assert!(matches!(failure, Some(DriverError::CommandTimeout { command: COMMAND_ASSIGN, .. })), "{failure:?}");
}

#[test]
fn a_nic_whose_queues_are_never_drained_makes_a_process_wait_and_not_the_driver() {
    let mut bench = ready_with(options(), 1, |nic| nic.assigns = AssignScript::Never);
    let (first, second) = (bench.open(), bench.open());
    bench.us(1100);
    let task = start(&bench, &second, 1);
    bench.us(500);
    assert!(!task.is_ended() && first.queue().is_none());
    // The driver serves others meanwhile.
    let third = bench.open();
    bench.run(|_| async move { third.close().await.expect("open") });
    bench.nic.borrow_mut().assigns = AssignScript::IfDrained;
    us_until(&mut bench, 500, || task.is_ended());
    assert_eq!(bench.host.faults(), Vec::<String>::new());
}

#[test]
fn status_words_of_a_wild_nic_go_to_their_process_only() {
    let mut bench = ready(1);
    let (first, second) = (bench.open(), bench.open());
    let (a, b) = (first.clone(), second.clone());
    bench.run(|_| async move { posts(a, 2).await });
    // What the NIC will say of the first process's status.
    bench.nic.borrow_mut().skip_posts(0, 0xDEAD_BEEF);
    bench.run(|_| async move { posts(b, 2).await });
    assert_eq!(arrived(&bench, &second), [0, 1]);
    let a = first.clone();
    bench.run(|_| async move { a.ring_raw(0xDEAD_BEEF).await.expect("mapped") });
    let entry: ProcessEntry = bench.nic.borrow().sram_read(bench.nic.borrow().layout().process_table);
    assert_eq!((entry.pid, entry.status.ended), (first.pid().0, 0xDEAD_BEEF));
    assert_eq!(bench.host.faults(), Vec::<String>::new());
}

#[test]
fn there_may_be_as_many_processes_as_the_driver_has_room_for() {
    let mut bench = ready_with(DriverOptions { processes_max: 20, ..options() }, 2, |_| {});
    let processes: Vec<Process> = (0..20).map(|_| bench.open()).collect();
    let full = bench.run(|node| async move { node.open("late").await.err() });
    assert_eq!(full, Some(DriverError::NoSlot { slots: 20 }));
    let tasks: Vec<_> = processes.iter().map(|process| start(&bench, process, 1)).collect();
    us_until(&mut bench, 20_000, || tasks.iter().all(Task::is_ended));
    assert_eq!(bench.host.faults(), Vec::<String>::new());
}

#[test]
fn a_boot_reply_with_no_queues_or_too_many_is_refused() {
    for count in [0, 9, u32::MAX] {
        let mut bench = Bench::new();
        bench.nic.borrow_mut().spoil_reply = Some(match count {
            0 => |reply| reply.post_queue_count = 0,
            9 => |reply| reply.post_queue_count = 9,
            _ => |reply| reply.post_queue_count = u32::MAX,
        });
        let refused = bench.boot();
        assert_eq!(refused, Err(DriverError::BadLayout { what: "post_queue_count", value: count }));
    }
}

#[test]
fn a_queue_that_stays_with_a_process_that_has_ended_is_a_fault() {
    let mut bench = ready_with(DriverOptions { plant: Some(DriverPlant::QueueStays), ..options() }, 1, |_| {});
    let process = bench.open();
    let pid = process.pid().0;
    bench.run(|_| async move { process.close().await.expect("open") });
    assert_eq!(bench.host.faults(), [format!("INV-36: post queue 0 belongs to process {pid}, which has ended")]);
}
