//! The order of service: what goes first, what gives way to it and for how long, what nobody waits for (INV-37).

mod mock;

use mock::scene::{frame, post, world};
use mock::{Node, Settings, World, SETTINGS};
use nic_device::Device;
use nic_layout::counter::Counter;
use nic_layout::post::PostDescriptor;
use nic_layout::ring::Event;

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

/// Each node has had a word of the other, so that no page of such messages is missing; and the post of node 1 that answers.
fn after_an_answer() -> (World, PostDescriptor) {
    let mut world = world(SETTINGS);
    let answer = PostDescriptor { destination_node: 0, ..post(4) };
    world.nodes[0].post(0, &post(4));
    world.nodes[1].post(0, &answer);
    world.run(20_000, |world| world.nodes.iter().all(|node| node.status(0).ended == 1));
    world.settle();
    (world, answer)
}

/// The caller of a turn looks at events for a while where [`Machine::awaits_answer`] says so: of short data at once, of longer ones when they are there.
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

/// Pieces come one behind the other, and the next one is what the message waits for. No other frame, and no number of pieces, keeps the others from their turn.
#[test]
fn ends_of_host_writes_and_timers_give_way_to_pieces_for_a_while() {
    const OTHERS: [Event; 2] = [Event::DmaWrite, Event::Timer0];
    let mut world = world(Settings { rx_buffers: 24, ..SETTINGS });
    world.nodes[0].post(0, &post(4));
    world.settle();
    let node = &mut world.nodes[1];
    let piece = |sequence| frame(sequence, |_, write| write.last = false);
    // After how many of some frames each of the others was served.
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
    // A piece, then one that came before.
    assert_eq!(waits(&[piece(30), piece(0), piece(0)]), [Some(1), Some(2)]);
}

/// Nothing waits for the end of the last status: it does not end a sleep, and the next message finds it still pending.
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

/// What a data frame acknowledges waits, but not for ever, and not where room is needed.
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
