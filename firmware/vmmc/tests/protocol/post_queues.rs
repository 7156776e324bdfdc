//! Post queues that change hands: only when drained, and with the indices of the next process
//! (M-52, INV-39).

use nic_device::Words;
use nic_layout::counter::Counter;
use nic_layout::post::{PostDescriptor, PostError, ProcessStatus};
use nic_layout::ring::{Event, COMMAND_ASSIGN, MAILBOX_COMMAND, MAILBOX_COMMAND_DONE};
use nic_layout::tables::{ProcessEntry, ENTRY_ASSIGNED, ENTRY_OPEN, NEXT_OWNER};
use zerocopy::{FromBytes, IntoBytes};

use crate::mock::scene::{post, world, PID};
use crate::mock::{Settings, World, SETTINGS};

/// Commands node 0 to give the queue of slot 0 to process 6. Returns the entry of the next owner.
fn assign(world: &mut World, status: ProcessStatus) -> ProcessEntry {
    let node = &mut world.nodes[0];
    let page = node.new_page();
    node.host.pinned.insert(page);
    node.host.status_pages.insert(page);
    let next = ProcessEntry { state: ENTRY_OPEN, pid: 6, status_address: page << 12, reserved: 0, status };
    let at = node.map.process_table + NEXT_OWNER as u32 * 32;
    node.hardware.put(at, next.as_bytes());
    node.hardware.to_host[MAILBOX_COMMAND_DONE] = 0;
    node.write_mailbox(MAILBOX_COMMAND, COMMAND_ASSIGN);
    world.run(5000, |world| world.nodes[0].hardware.to_host[MAILBOX_COMMAND_DONE] == COMMAND_ASSIGN);
    ProcessEntry::read_from_bytes(&world.nodes[0].hardware.get(at, 32)).unwrap()
}

#[test]
fn a_drained_queue_goes_to_the_next_process_with_its_indices() {
    let mut world = world(SETTINGS);
    let bad = PostDescriptor { destination_node: 9, ..post(4) };
    world.nodes[0].post(0, &post(3000));
    world.nodes[0].post(0, &bad);
    world.settle();
    let left = world.nodes[0].status(0);
    assert_eq!((left.ended, left.refused, left.last_error_index), (2, 1, 1));
    // The next process has an index that is about to wrap, and an error that it knows already.
    let status = ProcessStatus { refused: 7, last_error: 8, last_error_index: 5, ended: u32::MAX };
    let entry = assign(&mut world, status);
    assert_eq!((entry.state, entry.status), (ENTRY_ASSIGNED, left), "the driver learns where the other one was");
    let node = &mut world.nodes[0];
    node.posted[0] = u32::MAX;
    node.post(0, &bad);
    // The translations of the process before are not those of the new process.
    node.post(0, &post(4));
    world.run(20_000, |world| world.nodes[0].status(0).ended == 1);
    let now = world.nodes[0].status(0);
    assert_eq!((now.refused, now.last_error, now.last_error_index), (9, PostError::BadLocalAddress as u32, 0));
    let told = &world.nodes[0].host.statuses;
    let first = told.iter().rev().map(|(_, status)| *status).find(|status| status.ended == 0).unwrap();
    assert_eq!((first.refused, first.last_error, first.last_error_index), (8, PostError::NoSuchNode as u32, u32::MAX));
    // The queue goes back to the first process, with the error of that process.
    assert_eq!(assign(&mut world, left).status, now);
    world.settle();
    world.nodes[0].check_sums(true);
}

#[test]
fn a_queue_with_posts_under_way_stays_with_its_process() {
    let mut world = world(Settings { driver_speed: 0, ..SETTINGS });
    world.nodes[0].post(0, &post(5000));
    let mut stayed = 0;
    // The queue must stay while its post is parked on a miss, blocked, sent and not acknowledged,
    // or ended without a status in host memory.
    for step in 0..400 {
        if step == 60 {
            world.settings.driver_speed = 200;
        }
        let before = world.nodes[0].counter(Counter::PostsCompleted);
        let entry = assign(&mut world, ProcessStatus::default());
        match entry.state {
            ENTRY_OPEN => {
                stayed += 1;
                assert_eq!(world.nodes[0].hardware.read(world.nodes[0].map.process_table + 4), PID);
            }
            state => {
                assert_eq!(state, ENTRY_ASSIGNED);
                assert_eq!((before, entry.status.ended), (1, 1), "step {step}");
                // The status is in the memory of its process.
                let told: Vec<_> = world.nodes[0].host.statuses.iter().map(|(_, status)| status.ended).collect();
                assert_eq!(told, [1]);
                assert!(stayed > 60);
                world.settle();
                return world.nodes[0].check_sums(true);
            }
        }
        (0..3).for_each(|_| world.step());
    }
    panic!("the queue is never drained");
}

#[test]
fn a_doorbell_that_is_not_taken_yet_is_a_post_under_way() {
    let mut world = world(SETTINGS);
    let node = &mut world.nodes[0];
    node.post(0, &post(4));
    // The command is served in a turn that has not seen the doorbell.
    let at = node.map.process_table + NEXT_OWNER as u32 * 32;
    let next = ProcessEntry { state: ENTRY_OPEN, pid: 6, ..ProcessEntry::default() };
    node.hardware.put(at, next.as_bytes());
    node.write_mailbox(MAILBOX_COMMAND, COMMAND_ASSIGN);
    node.machine.turn(&mut node.hardware, Event::Mailbox.bit());
    assert_eq!(node.hardware.read(at), ENTRY_OPEN);
    world.settle();
    assert_eq!(world.nodes[0].counter(Counter::PostsCompleted), 1);
    assert_eq!(assign(&mut world, ProcessStatus::default()).state, ENTRY_ASSIGNED);
}

#[test]
fn a_queue_that_does_not_exist_is_given_to_nobody() {
    let mut world = world(SETTINGS);
    let node = &mut world.nodes[0];
    node.write_mailbox(MAILBOX_COMMAND, COMMAND_ASSIGN | 8 << 4);
    node.step_firmware();
    assert_eq!(node.hardware.to_host[MAILBOX_COMMAND_DONE], COMMAND_ASSIGN | 8 << 4);
    assert_eq!(node.counter(Counter::MailboxesWild), 1);
}
