//! The service of the personality `echo`: what the driver does for a NIC that sends every frame
//! back, and what it refuses.

use std::rc::Rc;

use host_model::driver::echo::Echo;
use host_model::driver::DriverError;
use host_model::library::Process;
use nic_layout::personality::echo::{COUNTERS, MAILBOX_ECHOED, OP_ECHO, PERSONALITY};
use nic_layout::post::PostDescriptor;
use nic_layout::registers::mailbox;
use nic_layout::PROCESS_SLOTS;

use crate::common::Bench;

/// A host whose NIC has answered that it serves `echo`.
fn bench() -> Bench {
    let mut bench = Bench::new();
    bench.nic.borrow_mut().spoil_reply = Some(|reply| reply.personality = PERSONALITY);
    bench.boot().expect("a personality of the table");
    bench
}

fn echo(bench: &Bench) -> Rc<Echo> {
    bench.host.node().driver().service::<Echo>().expect("the firmware says so")
}

fn open(bench: &mut Bench) -> Result<Process<()>, DriverError> {
    bench.run(|node| async move { node.open_with("app").await })
}

#[test]
fn posts_of_each_process_go_to_the_queue_of_its_slot() {
    let mut bench = bench();
    let mut slots = Vec::new();
    for message in 0..3 {
        let process = open(&mut bench).expect("a free slot");
        slots.push(process.pid().0 as usize % PROCESS_SLOTS);
        let descriptor = PostDescriptor {
            op: OP_ECHO,
            destination_node: 0,
            length_bytes: 8,
            local_address: 0x0102_0304,
            buffer: message,
            message,
            ..PostDescriptor::default()
        };
        bench.run(|_| async move {
            let post = process.post_entries(&descriptor, &[], 8).await.expect("room");
            process.wait(post).await.expect("the mock NIC ends it well");
        });
    }
    let nic = bench.nic.borrow();
    let posts: Vec<_> = nic.posts.iter().map(|(queue, post)| (*queue, post.op, post.buffer, post.message)).collect();
    assert_eq!(posts, [0, 1, 2].map(|message| (slots[message as usize], OP_ECHO, message, message)));
    assert_eq!(bench.host.faults(), Vec::<String>::new());
}

#[test]
fn a_slot_is_free_again_only_when_its_process_has_ended() {
    let mut bench = bench();
    let processes: Vec<_> = (0..PROCESS_SLOTS).map(|_| open(&mut bench).expect("a free slot")).collect();
    assert!(matches!(open(&mut bench), Err(DriverError::NoSlot { .. })));
    let last = processes[PROCESS_SLOTS - 1].clone();
    bench.run(|_| async move { last.close().await.expect("open") });
    open(&mut bench).expect("the slot of the process that has ended");
}

#[test]
fn the_nic_says_how_many_frames_have_come_back_and_no_other_cause_is_enabled() {
    let mut bench = bench();
    for count in [5, 7] {
        bench.nic.borrow_mut().set_register(mailbox::TO_HOST.at(MAILBOX_ECHOED), count);
        bench.nic.borrow_mut().raise(MAILBOX_ECHOED as u32);
        bench.nic.borrow_mut().raise(0);
        bench.us(50);
        assert_eq!(echo(&bench).echoed(), count);
    }
    let driver = bench.host.node().driver();
    assert_eq!((driver.counts().interrupts, driver.counts().misses, driver.counts().unknown_causes), (2, 0, 0));
    assert_eq!(driver.counter_sets(), COUNTERS);
}

#[test]
fn there_is_no_remote_memory() {
    let mut bench = bench();
    let refused = bench.run(|node| async move { node.open("app").await.err() });
    assert_eq!(refused, Some(DriverError::NoRemoteMemory));
    assert_eq!(bench.host.accounting().memory.pinned_now, 0);
}
