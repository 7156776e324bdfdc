//! A peer that starts again while messages go both ways: what was under way ends, nothing of the
//! dead incarnation is taken, and all later messages arrive (INV-27, 31, 33, 34, 38).

use nic_layout::boot::ReceiveMiss;
use nic_layout::counter::Counter;
use nic_layout::post::PostError;
use nic_layout::ring::{restart_peer, MAILBOX_COMMAND};
use proptest::prelude::*;

use crate::messages::{apply, check_memory, message, one, post, prepare, world, Message, Wrong};
use crate::mock::{NodeOf, Settings, World, SESSION, SETTINGS};

const STEPS_MAX: u32 = 1_000_000;
const NEXT: u8 = SESSION + 1;

/// The driver of a node tells its NIC of a peer, and waits for the answer.
fn tell(world: &mut World, node: usize, peer: u8, session: u8) {
    let command = restart_peer(peer, session);
    world.nodes[node].write_mailbox(MAILBOX_COMMAND, command);
    world.run(STEPS_MAX, |world| world.nodes[node].answered() == command);
}

fn all_have_ended(world: &World) -> bool {
    world.nodes.iter().all(|node| (0..2).all(|slot| node.status(slot).ended == node.posted[slot]))
}

fn post_all(world: &mut World, messages: &[Message], first: usize) {
    for (number, message) in (first..).zip(messages) {
        if message.wrong != Wrong::Doorbell {
            post(world, message, number);
        }
        for _ in 0..world.random.below(30) {
            world.step();
        }
    }
}

/// The process at the other end is another one: it must not find the end of a message that was
/// begun for the one before.
#[test]
fn the_rest_of_a_message_does_not_go_to_the_next_incarnation() {
    let mut reached = 0;
    for seed in 0..200 {
        let settings = Settings { driver_speed: 5, ..SETTINGS };
        let mut world: World = world(settings, seed);
        // From the last pages of one line into the next line, which is missing then.
        post(&mut world, &Message { source_offset: 6 * 4096, ..one(20_000) }, 0);
        let waits = |world: &World| {
            let node = &world.nodes[0];
            let sent = node.counter(Counter::FramesSent);
            (1..10).contains(&sent) && sent == node.counter(Counter::FramesAcknowledged)
        };
        while !waits(&world) && !all_have_ended(&world) {
            world.step();
        }
        if all_have_ended(&world) {
            continue;
        }
        reached += 1;
        world.nodes[1] = NodeOf::of_session(1, &settings, NEXT);
        prepare(&mut world.nodes[1], 2);
        let before = world.nodes[1].host.memory.clone();
        tell(&mut world, 1, 0, SESSION);
        tell(&mut world, 0, 1, NEXT);
        world.run(STEPS_MAX, all_have_ended);
        world.settle();
        let status = world.nodes[0].status(0);
        let unreachable = PostError::PeerUnreachable as u32;
        assert_eq!((status.refused, status.last_error), (1, unreachable), "seed {seed}");
        check_memory(&world.nodes[1], 1, &before);
    }
    assert!(reached > 0, "no post waited with nothing in flight");
}

fn receive_miss() -> impl Strategy<Value = ReceiveMiss> {
    prop_oneof![Just(ReceiveMiss::TimeOut), Just(ReceiveMiss::Restart), Just(ReceiveMiss::Hold)]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_was_under_way_ends_and_the_rest_arrives(
        before in prop::collection::vec(message(2), 1..8),
        after in prop::collection::vec(message(2), 1..8),
        steps in 0u32..400,
        loss in prop_oneof![Just(0), 0u32..200],
        duplication in 0u32..300,
        reordering in 0u32..300,
        driver_speed in 5u32..200,
        receive_miss in receive_miss(),
        seed in any::<u64>(),
    ) {
        let settings = Settings { loss, duplication, reordering, driver_speed, receive_miss, ..SETTINGS };
        let mut world: World = world(settings, seed);
        post_all(&mut world, &before, 0);
        for _ in 0..steps {
            world.step();
        }

        // The frames on the wire stay.
        world.nodes[1] = NodeOf::of_session(1, &settings, NEXT);
        prepare(&mut world.nodes[1], 2);
        for _ in 0..steps {
            world.step();
        }
        tell(&mut world, 1, 0, SESSION);
        tell(&mut world, 0, 1, NEXT);
        world.run(STEPS_MAX, all_have_ended);
        world.settings.loss = 0;
        world.settle();

        let mut expected: Vec<Vec<u8>> = world.nodes.iter().map(|node| node.host.memory.clone()).collect();
        let after: Vec<Message> = after.into_iter().filter(|message| message.wrong == Wrong::No).collect();
        let refused: Vec<u32> = world.nodes.iter().map(|node| node.status(0).refused + node.status(1).refused).collect();
        post_all(&mut world, &after, before.len());
        for (number, message) in (before.len()..).zip(&after) {
            apply(&world, &mut expected, message, number);
        }
        world.run(STEPS_MAX, all_have_ended);
        world.settle();
        for (index, node) in world.nodes.iter().enumerate() {
            node.check_sums(true);
            prop_assert_eq!(node.locked_lines(), 0);
            prop_assert_eq!(node.hardware.receive_free.len() as u32, settings.rx_buffers);
            prop_assert_eq!(node.status(0).refused + node.status(1).refused, refused[index], "node {}", index);
            prop_assert_eq!(node.counter(Counter::AcksWild), 0);
            check_memory(node, index, &expected[index]);
        }
    }
}
