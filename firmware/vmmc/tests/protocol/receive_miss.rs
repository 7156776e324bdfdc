//! The cost of a frame that misses at its receiver, for each treatment of such frames (M-20).

use nic_layout::boot::ReceiveMiss;
use nic_layout::cbh::Descriptor;
use nic_layout::counter::Counter;
use nic_layout::frame::rdma::{Body, Repr};
use nic_layout::post::PostDescriptor;
use nic_layout::ring::{COMMAND_CLOSE, COMMAND_FORGET_BUFFER, MAILBOX_ARGUMENT, MAILBOX_COMMAND};
use nic_layout::tables::PERMIT_WRITE;

use crate::mock::scene::{self, bytes_of, post, repr, CBH, DESCRIPTOR};
use crate::mock::{Settings, World, SETTINGS};

/// Nodes whose drivers serve misses only when the test calls them. All other nodes write to the
/// last.
fn world(receive_miss: ReceiveMiss, nodes: u32, held_frames_max: u32) -> World {
    let settings = Settings { nodes, driver_speed: 0, receive_miss, held_frames_max, ..SETTINGS };
    scene::world_with(settings, Descriptor { length_bytes: 16 * 4096, permissions: PERMIT_WRITE, ..DESCRIPTOR })
}

/// Node `from` writes to the last node. Returns once its own line is filled and its first frame has
/// missed at the last node.
fn write(world: &mut World, from: usize, length_bytes: u32) {
    write_at(world, from, 0, length_bytes);
}

fn descriptor(to: usize, buffer_offset: u32, length_bytes: u32) -> PostDescriptor {
    PostDescriptor { destination_node: to as u16, buffer_offset, ..post(length_bytes) }
}

fn write_at(world: &mut World, from: usize, buffer_offset: u32, length_bytes: u32) {
    let to = world.nodes.len() - 1;
    world.nodes[from].post(0, &descriptor(to, buffer_offset, length_bytes));
    world.run(1000, |world| world.nodes[from].misses_waiting() == 1);
    let before = missed(world);
    world.nodes[from].serve_miss();
    world.run(1000, |world| missed(world) > before);
}

/// The number of frames that have missed at the last node, for either treatment.
fn missed(world: &World) -> u32 {
    let last = world.nodes.last().expect("two");
    last.counter(Counter::FramesHeld) + last.counter(Counter::FramesDroppedMiss)
}

/// Serves the miss of the last node after `steps` steps, and runs until the post has ended.
fn serve_after(world: &mut World, steps: u32) {
    (0..steps).for_each(|_| world.step());
    let to = world.nodes.len() - 1;
    world.nodes[to].serve_miss();
    world.run(20_000, |world| world.nodes[0].status(0).ended == 1);
    world.settle();
    world.nodes.iter().for_each(|node| node.check_sums(true));
    assert_eq!(world.nodes[0].status(0).refused, 0);
}

/// The driver of the last node withdraws the buffer.
fn withdraw(world: &mut World) {
    let node = world.nodes.last_mut().expect("two");
    node.host.buffers.remove(&CBH);
    node.write_mailbox(MAILBOX_ARGUMENT, CBH);
    node.write_mailbox(MAILBOX_COMMAND, COMMAND_FORGET_BUFFER);
    (0..10).for_each(|_| world.step());
}

fn counts<const N: usize>(world: &World, node: usize, counters: [Counter; N]) -> [u32; N] {
    counters.map(|counter| world.nodes[node].counter(counter))
}

/// Steps until the driver serves the miss: longer than the sender's time-out of 300 clocks, and
/// shorter than the wait of a sender that knows of the miss.
const SERVICE: u32 = 900;

#[test]
fn a_dropped_frame_is_sent_into_the_void_until_the_miss_is_served() {
    let mut world = world(ReceiveMiss::TimeOut, 2, 0);
    write(&mut world, 0, 4);
    serve_after(&mut world, SERVICE);
    let [again, time_outs] = counts(&world, 0, [Counter::FramesRetransmitted, Counter::Timeouts]);
    assert!(again >= 2 && time_outs >= 2, "{again} times, {time_outs} time-outs");
    assert_eq!(counts(&world, 1, [Counter::MissedSent, Counter::RestartsSent, Counter::FramesHeld]), [0; 3]);
}

#[test]
fn a_sender_that_is_told_sends_once_more_and_no_time_runs_out() {
    let mut world = world(ReceiveMiss::Restart, 2, 0);
    write(&mut world, 0, 4);
    serve_after(&mut world, SERVICE);
    assert_eq!(counts(&world, 0, [Counter::FramesRetransmitted, Counter::Timeouts]), [1, 0]);
    assert_eq!(counts(&world, 0, [Counter::FramesMissed, Counter::FramesRestart]), [1, 1]);
    assert_eq!(counts(&world, 1, [Counter::MissedSent, Counter::RestartsSent]), [1, 1]);
}

/// A new frame would only be dropped as a gap, whatever the form of its post.
#[test]
fn a_sender_that_is_told_sends_nothing_new_until_the_restart() {
    for is_inline in [false, true] {
        let mut world = world(ReceiveMiss::Restart, 2, 0);
        write(&mut world, 0, 4);
        world.run(200, |world| world.nodes[0].counter(Counter::FramesMissed) == 1);
        let next = descriptor(1, 8, 4);
        match is_inline {
            false => world.nodes[0].post(0, &next),
            true => world.nodes[0].post_inline(0, &next, &[1, 2, 3, 4]),
        }
        (0..100).for_each(|_| world.step());
        assert_eq!(counts(&world, 0, [Counter::FramesSent]), [1], "inline: {is_inline}");
        world.nodes[1].serve_miss();
        world.run(1000, |world| world.nodes[0].counter(Counter::FramesSent) == 2);
    }
}

#[test]
fn a_held_frame_is_not_sent_again() {
    let mut world = world(ReceiveMiss::Hold, 2, 1);
    write(&mut world, 0, 4);
    // The miss is served within the time-out. The sender was not told of it.
    serve_after(&mut world, 100);
    assert_eq!(counts(&world, 0, [Counter::FramesRetransmitted, Counter::Timeouts]), [0, 0]);
    assert_eq!(counts(&world, 1, [Counter::FramesHeld, Counter::FramesRetaken, Counter::FramesDroppedMiss]), [1, 1, 0]);
    assert_eq!(world.nodes[1].hardware.receive_free.len() as u32, SETTINGS.rx_buffers);
}

#[test]
fn the_copy_of_a_held_frame_is_dropped() {
    let mut world = world(ReceiveMiss::Hold, 2, 4);
    write(&mut world, 0, 4);
    serve_after(&mut world, SERVICE);
    let [held, dropped] = counts(&world, 1, [Counter::FramesHeld, Counter::FramesDroppedMiss]);
    assert!(held == 1 && dropped >= 1, "{held} held, {dropped} dropped");
}

/// All frames behind the missing frame come once more, in order. So do frames that had not left
/// when the restart came.
#[test]
fn frames_behind_a_miss_follow_at_once() {
    for mode in [ReceiveMiss::Restart, ReceiveMiss::Hold] {
        for service in (0..400).step_by(7) {
            let mut world = world(mode, 2, 1);
            write(&mut world, 0, 8 * 1466);
            serve_after(&mut world, service);
            if service < 200 {
                assert_eq!(counts(&world, 0, [Counter::Timeouts]), [0], "{mode:?}, served after {service} steps");
            }
        }
    }
}

#[test]
fn frames_that_follow_a_held_one_are_held_as_far_as_there_is_room() {
    for most in 1..=10 {
        let mut world = world(ReceiveMiss::Hold, 2, most.min(SETTINGS.rx_buffers - 1));
        let frames = 8;
        write(&mut world, 0, frames * 1466);
        serve_after(&mut world, 250);
        let held = most.min(SETTINGS.rx_buffers - 1).min(frames);
        assert_eq!(counts(&world, 1, [Counter::FramesHeld, Counter::FramesRetaken]), [held, held]);
        assert_eq!(counts(&world, 1, [Counter::FramesAccepted, Counter::FramesDuplicate]), [frames, 0], "{most} held");
        let again = counts(&world, 0, [Counter::FramesRetransmitted]);
        assert_eq!(again, [frames - held], "{most} held");
    }
}

/// The third of the held frames needs another line. It misses when it is judged again, and the
/// frames behind it wait with it.
#[test]
fn held_frames_keep_their_order_when_one_misses_again() {
    let mut world = world(ReceiveMiss::Hold, 2, 6);
    // A line has eight pages: the third frame and those behind it go to the second line.
    write_at(&mut world, 0, 7 * 4096, 6 * 1466);
    (0..250).for_each(|_| world.step());
    assert_eq!(counts(&world, 1, [Counter::FramesHeld, Counter::FramesRetaken]), [6, 0]);
    world.nodes[1].serve_miss();
    world.run(1000, |world| world.nodes[1].misses_waiting() == 1);
    assert!(world.nodes[1].counter(Counter::FramesRetaken) >= 2);
    serve_after(&mut world, 20);
    assert_eq!(counts(&world, 1, [Counter::FramesAccepted, Counter::FramesGap, Counter::FramesDuplicate]), [6, 0, 0]);
    assert_eq!(counts(&world, 0, [Counter::FramesRetransmitted]), [0]);
}

#[test]
fn no_more_frames_are_held_than_allowed_and_the_others_are_asked_for() {
    let mut world = world(ReceiveMiss::Hold, 3, 1);
    write(&mut world, 0, 4);
    write(&mut world, 1, 4);
    let to = 2;
    assert_eq!(counts(&world, to, [Counter::FramesHeld, Counter::FramesDroppedMiss]), [1, 1]);
    world.nodes[to].serve_miss();
    world.run(5000, |world| world.nodes[0].status(0).ended == 1 && world.nodes[1].status(0).ended == 1);
    assert_eq!(counts(&world, to, [Counter::RestartsSent]), [1]);
    assert_eq!(counts(&world, 1, [Counter::FramesRetransmitted, Counter::Timeouts]), [1, 0]);
}

#[test]
fn a_held_frame_is_judged_anew() {
    let mut world = world(ReceiveMiss::Hold, 2, 1);
    write(&mut world, 0, 4);
    withdraw(&mut world);
    world.nodes[1].serve_miss();
    world.run(100, |world| world.nodes[1].counter(Counter::FramesRetaken) == 1);
    // Now the lookup of the buffer misses, and the driver knows no such buffer.
    world.run(100, |world| world.nodes[1].misses_waiting() == 1);
    world.nodes[1].serve_miss();
    world.run(5000, |world| world.nodes[0].status(0).ended == 1);
    assert_eq!(world.nodes[0].status(0).refused, 1);
    assert_eq!(counts(&world, 1, [Counter::FramesRefusedBuffer, Counter::FramesAccepted]), [1, 0]);
}

#[test]
fn a_restart_that_is_lost_is_made_up_for_by_the_time_out() {
    let mut world = world(ReceiveMiss::Restart, 2, 0);
    write(&mut world, 0, 4);
    world.run(200, |world| world.nodes[0].counter(Counter::FramesMissed) == 1);
    world.nodes[1].serve_miss();
    for _ in 0..20 {
        world.step();
        world.wire.clear();
    }
    assert_eq!(counts(&world, 1, [Counter::RestartsSent]), [1]);
    serve_after(&mut world, 0);
    assert_eq!(counts(&world, 0, [Counter::Timeouts, Counter::FramesRestart]), [1, 0]);
}

#[test]
fn what_a_peer_says_of_frames_that_were_never_sent_changes_nothing() {
    let mut world = world(ReceiveMiss::Restart, 2, 0);
    for is_missed in [true, false] {
        for expected in [0, 1, 1000, u32::MAX] {
            let body = if is_missed { Body::Missed { expected } } else { Body::Restart { expected } };
            world.nodes[0].deliver(&bytes_of(&Repr { acknowledge: expected, ..repr(1, 0, body) }));
            (0..30).for_each(|_| world.step());
        }
    }
    write(&mut world, 0, 4);
    serve_after(&mut world, 10);
    assert_eq!(counts(&world, 0, [Counter::FramesRetransmitted, Counter::Timeouts]), [1, 0]);
}

#[test]
fn a_process_that_ends_while_a_frame_is_held_leaves_no_buffer_behind() {
    let mut world = world(ReceiveMiss::Hold, 2, 1);
    write(&mut world, 0, 4);
    withdraw(&mut world);
    world.nodes[1].write_mailbox(MAILBOX_COMMAND, COMMAND_CLOSE);
    for _ in 0..3 {
        world.nodes[1].serve_miss();
        (0..100).for_each(|_| world.step());
    }
    world.run(5000, |world| world.nodes[0].status(0).ended == 1);
    world.settle();
    assert_eq!(world.nodes[1].hardware.receive_free.len() as u32, SETTINGS.rx_buffers);
}
