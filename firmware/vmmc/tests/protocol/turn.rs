//! The order of service: which work goes first, which gives way and for how long, and which is not
//! awaited (INV-37).

use nic_device::Device;
use nic_layout::counter::Counter;
use nic_layout::post::PostDescriptor;
use nic_layout::ring::Event;

use crate::mock::scene::{frame, post, world};
use crate::mock::{Node, Settings, World, SETTINGS};

#[test]
fn events_that_come_again_and_again_keep_no_other_from_its_turn() {
    let mut world = world(SETTINGS);
    let node = &mut world.nodes[0];
    let busy = [Event::MacRx, Event::DmaWrite, Event::DmaRead];
    let others = [Event::Mailbox, Event::DmaError, Event::Timer0, Event::Timer1];
    others.into_iter().for_each(|event| node.hardware.raise(event));
    for _ in 0..6 {
        busy.into_iter().for_each(|event| node.hardware.raise(event));
        node.step_firmware();
    }
    for event in others {
        assert_eq!(node.hardware.pending & event.bit(), 0, "{event:?} waits");
    }
}

/// A world in which each node has received a word from the other, so that such messages hit, and
/// the post by which node 1 answers.
fn after_an_answer() -> (World, PostDescriptor) {
    let mut world = world(SETTINGS);
    let answer = PostDescriptor { destination_node: 0, ..post(4) };
    world.nodes[0].post(0, &post(4));
    world.nodes[1].post(0, &answer);
    world.run(20_000, |world| world.nodes.iter().all(|node| node.status(0).ended == 1));
    world.settle();
    (world, answer)
}

/// While [`Machine::awaits_answer`] holds, the caller of a turn only reads the events. It holds
/// after a short message at once, after a longer one when the data are in host memory.
#[test]
fn the_end_of_a_host_write_gives_way_to_an_answer_once_and_to_nothing_once_it_was_sent() {
    let (mut world, answer) = after_an_answer();
    for (message, bytes, is_answered, turns) in
        [(2, 4, false, 1), (3, 4, true, 1), (4, 400, false, 2), (5, 400, true, 1)]
    {
        world.nodes[0].post(0, &post(bytes));
        world.run(20_000, |world| world.nodes[1].counter(Counter::FramesAccepted) == message);
        let node = &mut world.nodes[1];
        assert_eq!(node.machine.awaits_answer(), bytes == 4, "message {message}");
        node.step_write(false);
        if is_answered {
            node.post(0, &answer);
        }
        let is_pending = |node: &Node| node.hardware.pending & Event::DmaWrite.bit() != 0;
        assert!(is_pending(node));
        let mut taken = 0;
        while is_pending(node) {
            node.step_firmware();
            taken += 1;
            assert_eq!(node.machine.awaits_answer(), !is_answered && taken < turns, "message {message}");
        }
        assert_eq!(taken, turns, "message {message}");
        world.settle();
    }
}

/// A message in pieces waits for its next piece, so other events give way to pieces. No other
/// frame, and no number of pieces, keeps the other events from their turn.
#[test]
fn ends_of_host_writes_and_timers_give_way_to_pieces_for_a_while() {
    const OTHERS: [Event; 2] = [Event::DmaWrite, Event::Timer0];
    let mut world = world(Settings { rx_buffers: 24, ..SETTINGS });
    world.nodes[0].post(0, &post(4));
    world.settle();
    let node = &mut world.nodes[1];
    let piece = |sequence| frame(sequence, |_, write| write.last = false);
    // For each of `OTHERS`: the number of frames of `frames` after which it was served.
    let mut waits = |frames: &[Vec<u8>]| {
        let mut served = OTHERS.map(|_| None);
        OTHERS.into_iter().for_each(|event| node.hardware.raise(event));
        for (before, frame) in frames.iter().enumerate() {
            node.deliver(frame);
            node.step_firmware();
            for (served, event) in served.iter_mut().zip(OTHERS) {
                if node.hardware.pending & event.bit() == 0 {
                    served.get_or_insert(before);
                }
            }
            node.step_write(false);
        }
        served
    };
    assert_eq!(waits(&(1..30).map(piece).collect::<Vec<_>>()), [Some(12), Some(24)]);
    // A piece, then a piece that has come before.
    assert_eq!(waits(&[piece(30), piece(0), piece(0)]), [Some(1), Some(2)]);
}

/// Nothing waits for the end of the last status write. It does not end a sleep, and its event is
/// still pending when the next message comes.
#[test]
fn the_end_of_a_status_that_nobody_awaits_wakes_nobody() {
    let mut world = world(SETTINGS);
    for posts in 1..=2 {
        world.nodes[0].post(0, &post(4));
        world.run(20_000, |world| world.nodes[0].status(0).ended == posts);
        world.settle();
        let hardware = &world.nodes[0].hardware;
        assert_ne!(hardware.pending & Event::DmaWrite.bit(), 0);
        assert_eq!(hardware.wakes & Event::DmaWrite.bit(), 0);
    }
}

/// The acknowledgement in a data frame is processed later, but not without bound, and at once if
/// room is needed.
#[test]
fn what_a_data_frame_acknowledges_is_heard_when_there_is_nothing_else() {
    let (mut world, answer) = after_an_answer();
    let acknowledged = world.nodes[0].counter(Counter::FramesAcknowledged);
    world.nodes[0].post(0, &post(4));
    world.run(20_000, |world| world.nodes[1].counter(Counter::FramesAccepted) == 2);
    world.nodes[1].post(0, &answer);
    world.run(20_000, |world| world.nodes[0].counter(Counter::FramesAccepted) == 2);
    assert_eq!(world.nodes[0].counter(Counter::FramesAcknowledged), acknowledged, "it was heard before the answer");
    world.settle();
    assert_eq!(world.nodes[0].counter(Counter::FramesAcknowledged), acknowledged + 1);
}
