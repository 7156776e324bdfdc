//! Reads of another node's buffer: replies without a request, owners that vanish, full queues, and
//! processes that end (M-5, M-23; INV-32, 36).

use nic_layout::cbh::cbh;
use nic_layout::counter::Counter;
use nic_layout::frame::rdma::{Body, Read, Reply, Repr};
use nic_layout::post::{PostDescriptor, PostError, OP_READ};
use nic_layout::ring::{Event, COMMAND_CLOSE};

use crate::mock::scene::{bytes_of, frame, post, repr, world, CBH, DESCRIPTOR, PID};
use crate::mock::{Node, Settings, World, PAGE, SETTINGS};

fn read(length: u32) -> PostDescriptor {
    PostDescriptor { op: OP_READ, ..post(length) }
}

/// A world whose node 0 has sent a request that never reaches node 1, and the number of the read.
fn asked_in_vain(length: u32) -> (World, u32) {
    let mut world = world(Settings { retransmit_limit: 3, ..SETTINGS });
    world.unreachable = Some(1);
    world.nodes[0].post(0, &read(length));
    world.run(1000, |world| world.nodes[0].counter(Counter::ReadsOpened) == 1);
    // Serial 1, in the first of the places for reads from node 1.
    (world, 1 << 16 | 8)
}

fn reply(id: u32, change: impl Fn(&mut Reply)) -> Vec<u8> {
    let mut reply = Reply { last: true, aborted: false, sequence: 0, data_bytes: 4, id, offset: 0, message: 0 };
    change(&mut reply);
    bytes_of(&repr(1, 0, Body::Reply(reply)))
}

/// A good request of node 0 for bytes of a buffer on node 1.
fn request(sequence: u32, buffer: u32, length: u32) -> Vec<u8> {
    let read = Read { sequence, buffer, buffer_offset: 0, key: DESCRIPTOR.key, message: 0, length, id: sequence };
    bytes_of(&repr(0, 1, Body::Read(read)))
}

/// A frame arrives, and the node takes all received frames.
fn arrives(node: &mut Node, frame: &[u8]) {
    node.deliver(frame);
    while node.hardware.pending & Event::MacRx.bit() != 0 {
        node.step_firmware();
    }
}

fn memory_but_status(node: &Node) -> Vec<u8> {
    let status = |page: usize| node.host.status_pages.contains(&(page as u32));
    node.host
        .memory
        .chunks(PAGE)
        .enumerate()
        .filter(|(page, _)| !status(*page))
        .flat_map(|(_, page)| page.to_vec())
        .collect()
}

#[test]
fn a_reply_counts_only_for_an_open_read_and_with_the_bytes_that_come_next() {
    // Wrong replies: the number of aborted replies that node 0 counts, the change to the reply, and
    // whether the reply ends the read.
    type Change = fn(&mut Reply);
    let wrong: [(u32, Change, bool); 7] = [
        (0, |reply| reply.id ^= 1 << 16, false),
        (0, |reply| reply.id ^= 1, false),
        (0, |reply| reply.id = u32::MAX, false),
        (0, |reply| reply.offset = 4, true),
        (0, |reply| reply.data_bytes = 9, true),
        (0, |reply| reply.data_bytes = 0, true),
        (1, |reply| (reply.aborted, reply.data_bytes) = (true, 0), true),
    ];
    for (aborted, change, ends) in wrong {
        let (mut world, id) = asked_in_vain(8);
        let before = memory_but_status(&world.nodes[0]);
        world.nodes[0].deliver(&reply(id, change));
        let counter = if aborted == 1 { Counter::FramesRefusedAborted } else { Counter::FramesRefusedReply };
        world.run(100, |world| world.nodes[0].counter(counter) == 1);
        assert_eq!(world.nodes[0].counter(Counter::ReadsFailed), u32::from(ends));
        // The request is never acknowledged, so node 0 gives the peer up.
        world.run(100_000, |world| world.nodes[0].status(0).ended == 1);
        world.settle();
        let expected = if ends { PostError::Refused } else { PostError::PeerUnreachable };
        assert_eq!(world.nodes[0].status(0).last_error, expected as u32);
        assert!(memory_but_status(&world.nodes[0]) == before, "a wrong reply was written");
        world.nodes[0].check_sums(true);
    }
}

#[test]
fn an_owner_that_acknowledges_and_vanishes_is_asked_and_given_up() {
    let (mut world, _) = asked_in_vain(8);
    let body = Body::Acknowledge { refusals: 0 };
    world.nodes[0].deliver(&bytes_of(&Repr { acknowledge: 1, ..repr(1, 0, body) }));
    world.run(1000, |world| world.nodes[0].counter(Counter::FramesAcknowledged) == 1);
    world.run(100_000, |world| world.nodes[0].status(0).ended == 1);
    world.settle();
    let status = world.nodes[0].status(0);
    assert_eq!((status.refused, status.last_error), (1, PostError::PeerUnreachable as u32));
    assert_eq!(world.nodes[0].counter(Counter::ProbesSent), 1);
    world.nodes[0].check_sums(true);
    // The lost peer is no peer any more: its frames are strange.
    world.nodes[0].deliver(&reply(0, |_| {}));
    world.run(100, |world| world.nodes[0].counter(Counter::FramesStrange) == 1);
}

/// A world after one read: the owner has the line that further reads need.
fn after_a_read() -> World {
    let mut world = world(SETTINGS);
    world.nodes[0].post(0, &read(4));
    world.run(10_000, |world| world.nodes[0].status(0).ended == 1);
    world.settle();
    world
}

#[test]
fn reads_beyond_the_queue_are_dropped_and_those_in_it_are_answered() {
    let mut world = after_a_read();
    // A hostile node requests more reads than its share. None can be answered, since no frame
    // leaves.
    let node = &mut world.nodes[1];
    for sequence in 1..=17 {
        arrives(node, &request(sequence, CBH, 8 * 4096));
    }
    assert_eq!(node.counter(Counter::ReadsTaken), 1 + 16);
    assert_eq!(node.counter(Counter::FramesDroppedReads), 1);
    // Node 0 has no such read and refuses the replies, so the owner gives the reads up.
    world.settle();
    assert_eq!(world.nodes[1].counter(Counter::ReadsGivenUp), 16);
    assert_eq!(world.nodes[0].locked_lines() + world.nodes[1].locked_lines(), 0);
    world.nodes.iter().for_each(|node| node.check_sums(true));
}

/// More reads wait than a set has ways, and each miss is served before the next read has its turn.
/// So the line that was filled for a read is used before it is evicted.
#[test]
fn reads_that_push_out_each_others_buffers_are_all_answered() {
    let mut world = after_a_read();
    let node = &mut world.nodes[1];
    // The reads wait for a write that came before them.
    arrives(node, &frame(1, |_, _| {}));
    let others = [6, 8].map(|id| cbh(PID, id));
    for (sequence, buffer) in (2..).zip([0, 2, 4].map(|id| cbh(PID, id))) {
        if buffer != CBH {
            node.export(buffer, DESCRIPTOR);
            node.load_buffer(buffer);
        }
        arrives(node, &request(sequence, buffer, 4));
    }
    for buffer in others {
        node.export(buffer, DESCRIPTOR);
        node.load_buffer(buffer);
    }
    assert_eq!((node.counter(Counter::ReadsTaken), node.counter(Counter::ReadsAnswered)), (1 + 3, 1));
    node.step_write(false);
    for _ in 0..200 {
        node.step_firmware();
        node.serve_miss();
    }
    assert_eq!(node.counter(Counter::ReadsAnswered), 1 + 3);
}

#[test]
fn replies_to_a_closed_slot_write_nothing() {
    let mut world = world(SETTINGS);
    for _ in 0..3 {
        world.nodes[0].post(0, &read(8 * 4096));
    }
    world.run(50_000, |world| world.nodes[0].counter(Counter::FramesAccepted) > 3);
    world.nodes[0].close(0);
    world.run(1000, |world| world.nodes[0].answered() == COMMAND_CLOSE);
    let after = world.nodes[0].host.memory.clone();
    world.settle();
    assert!(world.nodes[0].host.memory == after, "a reply was written after the process's end");
    assert!(world.nodes[0].counter(Counter::ReadsFailed) > 0);
    world.nodes.iter().for_each(|node| node.check_sums(true));
}
