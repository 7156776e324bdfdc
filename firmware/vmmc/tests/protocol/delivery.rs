//! Writes and reads over bad wires, small caches and slow drivers. Every byte is delivered exactly
//! once, no other byte changes, and every post ends (INV-27, 28, 33, 34, 38).

use nic_layout::boot::ReceiveMiss;
use nic_layout::counter::Counter;
use nic_layout::key::KeyWidth;
use nic_layout::post::{inline_bytes_max, PostError};
use proptest::prelude::*;

use crate::messages::{
    apply, check_memory, deliver, deliver_with, descriptor, message, one, world, Form, Message, Wrong,
};
use crate::mock::{self, Settings, World, SETTINGS};

fn total(world: &World, counter: Counter) -> u32 {
    world.nodes.iter().map(|node| node.counter(counter)).sum()
}

/// A copy of the memory of each host.
fn memories(world: &World) -> Vec<Vec<u8>> {
    world.nodes.iter().map(|node| node.host.memory.clone()).collect()
}

fn receive_miss() -> impl Strategy<Value = ReceiveMiss> {
    prop_oneof![Just(ReceiveMiss::TimeOut), Just(ReceiveMiss::Restart), Just(ReceiveMiss::Hold)]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48,
        failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn good_wires_deliver(messages in prop::collection::vec(message(2), 1..20), seed in any::<u64>()) {
        let world = deliver(SETTINGS, &messages, seed);
        prop_assert_eq!(total(&world, Counter::FramesSent), total(&world, Counter::FramesAcknowledged));
    }

    #[test]
    fn bad_wires_and_slow_drivers_deliver_too(
        messages in prop::collection::vec(message(2), 1..16),
        loss in 0u32..300,
        duplication in 0u32..300,
        reordering in 0u32..300,
        garbage in 0u32..200,
        driver_speed in 5u32..200,
        receive_miss in receive_miss(),
        seed in any::<u64>(),
    ) {
        deliver(Settings { loss, duplication, reordering, garbage, driver_speed, receive_miss, ..SETTINGS }, &messages, seed);
    }

    /// The same with keys of 128 bits: posts of two entries, longer headers, and wrong keys that
    /// differ in their upper half.
    #[test]
    fn keys_of_128_bits_deliver(
        messages in prop::collection::vec(message(3), 1..16),
        loss in prop_oneof![Just(0), 0u32..300],
        duplication in 0u32..300,
        reordering in 0u32..300,
        garbage in 0u32..200,
        driver_speed in 5u32..200,
        receive_miss in receive_miss(),
        frame_data_bytes_max in prop_oneof![Just(1466), Just(4096), 40u32..72],
        seed in any::<u64>(),
    ) {
        let inline_max = inline_bytes_max(KeyWidth::Bits128, false);
        let fits = |message: Message| match message.form {
            Form::Inline => Message { length: message.length % (inline_max + 1), ..message },
            // Frames are short here, so a message is limited to the data of 64 of them.
            _ => Message { length: message.length % ((frame_data_bytes_max - 8) * 64), ..message },
        };
        let messages: Vec<Message> = messages.into_iter().map(fits).collect();
        let settings = Settings { nodes: 3, tx_buffers: 24, loss, duplication, reordering, garbage, driver_speed, receive_miss, frame_data_bytes_max, ..SETTINGS };
        deliver_with::<mock::WideCaches>(settings, &messages, seed);
    }

    #[test]
    fn three_nodes_with_few_buffers_deliver(
        messages in prop::collection::vec(message(3), 1..16),
        tx in 1u32..5,
        rx in 1u32..4,
        receive_miss in receive_miss(),
        seed in any::<u64>(),
    ) {
        deliver(Settings { nodes: 3, tx_buffers: tx, rx_buffers: rx, loss: 50, receive_miss, ..SETTINGS }, &messages, seed);
    }

    #[test]
    fn any_frame_size_delivers(messages in prop::collection::vec(message(2), 1..6), data in prop_oneof![32u32..72, 4000u32..=4096], seed in any::<u64>()) {
        let messages: Vec<Message> = messages.into_iter().map(|message| Message { length: message.length % (data * 64), ..message }).collect();
        deliver(Settings { frame_data_bytes_max: data, ..SETTINGS }, &messages, seed);
    }

    /// Where frames hold a page, messages are cut into pieces. The same faults happen to pieces.
    #[test]
    fn messages_in_pieces_deliver(
        messages in prop::collection::vec(message(3), 1..16),
        nodes in 2u32..=3,
        tx in prop_oneof![1u32..24, Just(24)],
        loss in prop_oneof![Just(0), 0u32..200],
        duplication in prop_oneof![Just(0), 0u32..200],
        reordering in prop_oneof![Just(0), 0u32..200],
        driver_speed in 5u32..200,
        receive_miss in receive_miss(),
        seed in any::<u64>(),
    ) {
        let of_nodes = |message: Message| Message { from: message.from % nodes as usize, ..message };
        let messages: Vec<Message> = messages.into_iter().map(of_nodes).map(|message| match message.to {
            to if to == message.from || to >= nodes as usize => Message { to: (message.from + 1) % nodes as usize, ..message },
            _ => message,
        }).collect();
        let pages = Settings { nodes, frame_data_bytes_max: 4096, tx_buffers: tx, rx_buffers: 12, ..SETTINGS };
        deliver(Settings { loss, duplication, reordering, driver_speed, receive_miss, ..pages }, &messages, seed);
    }

    #[test]
    fn bus_errors_end_posts_of_pieces_and_nothing_else(messages in prop::collection::vec(message(2), 1..16), read_errors in 1u32..200, seed in any::<u64>()) {
        let world = deliver(Settings { read_errors, loss: 20, frame_data_bytes_max: 4096, tx_buffers: 24, ..SETTINGS }, &messages, seed);
        prop_assert_eq!(total(&world, Counter::PeersLost), 0);
        prop_assert!(total(&world, Counter::FramesRefusedAborted) <= total(&world, Counter::DmaReadErrors));
    }

    /// Errors of the bus fail posts. They leave no locked line behind, and no peer that waits.
    #[test]
    fn bus_errors_end_posts_and_nothing_else(messages in prop::collection::vec(message(2), 1..16), read_errors in 1u32..200, seed in any::<u64>()) {
        let world = deliver(Settings { read_errors, loss: 20, ..SETTINGS }, &messages, seed);
        prop_assert_eq!(total(&world, Counter::PeersLost), 0);
        prop_assert!(total(&world, Counter::FramesRefusedAborted) <= total(&world, Counter::DmaReadErrors));
    }
}

#[test]
fn each_miss_of_the_receiver_costs_one_retransmission_and_one_of_the_sender_none() {
    // The driver answers well within the retransmission interval.
    let world = deliver(Settings { driver_speed: 1000, ..SETTINGS }, &[one(4)], 1);
    assert_eq!(world.nodes[0].counter(Counter::SendMisses), 1);
    // The pages are known only once the descriptor of the buffer is cached. So the frame misses
    // first on the buffer, then on the page.
    let misses = [Counter::BufferMisses, Counter::ReceiveMisses].map(|counter| world.nodes[1].counter(counter));
    assert_eq!(misses, [1, 1]);
    let dropped = [Counter::FramesDroppedBuffer, Counter::FramesDroppedMiss];
    assert_eq!(dropped.map(|counter| world.nodes[1].counter(counter)), [1, 1]);
    assert_eq!(world.nodes[0].counter(Counter::FramesRetransmitted), 2);
    assert_eq!(world.nodes[0].counter(Counter::FramesSent), 1);
}

#[test]
fn both_misses_of_a_crossing_frame_are_raised_at_once() {
    // The message crosses from source page 0x107 to 0x108, which are in two lines. At the
    // destination, from offset 100 of the buffer on, it stays in one line.
    let message = Message { source_offset: 7 * 4096 + 4000, ..one(200) };
    let world = deliver(SETTINGS, &[message], 2);
    assert_eq!(world.nodes[0].counter(Counter::SendMisses), 2);
    assert_eq!(world.nodes[0].counter(Counter::SendPending), 1);
    assert_eq!(world.nodes[1].counter(Counter::ReceiveMisses), 1);
}

/// Runs until `ended`, and loses the frame with number `lost`. Numbers count all frames that both
/// nodes send, data and acknowledgements.
fn run_without(world: &mut World, lost: u32, ended: impl Fn(&World) -> bool) {
    let mut seen = 0;
    for _ in 0..200_000 {
        world.step();
        // The wire holds the frames that were sent since the last step.
        let sent: u32 = world.nodes.iter().map(|node| u32::from(node.hardware.transmit_consumer)).sum();
        while seen < sent {
            if seen == lost {
                world.wire.pop_back();
            }
            seen += 1;
        }
        if ended(world) {
            return;
        }
    }
    panic!("frame {lost} was lost, and not all has ended");
}

#[test]
fn every_lost_frame_of_a_message_is_repaired() {
    for lost in 0..40 {
        let mut world: World = world(SETTINGS, 3);
        let mut expected = memories(&world);
        apply(&world, &mut expected, &one(12_000), 0);
        world.nodes[0].post(0, &descriptor(&one(12_000), 0));
        run_without(&mut world, lost, |world| world.nodes[0].status(0).ended == 1);
        world.settle();
        for (index, node) in world.nodes.iter().enumerate() {
            node.check_sums(true);
            check_memory(node, index, &expected[index]);
        }
    }
}

#[test]
fn a_peer_that_does_not_answer_is_given_up_and_everything_comes_back() {
    let mut world: World = world(Settings { retransmit_limit: 3, nodes: 3, ..SETTINGS }, 4);
    world.unreachable = Some(1);
    for number in 0..3 {
        world.nodes[0].post(0, &descriptor(&one(5000), number));
    }
    let other = Message { to: 2, slot: 1, ..one(5000) };
    world.nodes[0].post(1, &descriptor(&other, 9));
    world.run(1_000_000, |world| world.nodes[0].status(0).ended == 3 && world.nodes[0].status(1).ended == 1);
    world.settle();
    let status = world.nodes[0].status(0);
    assert_eq!((status.refused, status.last_error), (3, PostError::PeerUnreachable as u32));
    assert_eq!(world.nodes[0].status(1).refused, 0, "the other peer is as well as ever");
    assert_eq!(world.nodes[0].counter(Counter::PeersLost), 1);
    world.nodes[0].check_sums(true);
    assert_eq!(world.nodes[0].locked_lines(), 0);

    // Later posts to the lost peer end at once. Posts to other nodes go on.
    world.nodes[0].post(0, &descriptor(&one(4), 10));
    world.nodes[0].post(1, &descriptor(&other, 11));
    world.run(50_000, |world| world.nodes[0].status(0).ended == 4 && world.nodes[0].status(1).ended == 2);
    assert_eq!(world.nodes[0].status(1).refused, 0);
}

#[test]
fn a_parked_process_does_not_stop_another() {
    let mut world: World = world(Settings { driver_speed: 0, ..SETTINGS }, 5);
    // The lines for slot 1 are cached, here and at the peer.
    world.nodes[0].post(1, &descriptor(&Message { slot: 1, ..one(4) }, 0));
    for _ in 0..2000 {
        world.nodes[0].serve_miss();
        world.nodes[1].serve_miss();
        world.step();
    }
    assert_eq!(world.nodes[0].status(1).ended, 1);
    // Slot 0 misses, and the driver does not serve the miss.
    world.nodes[0].post(0, &descriptor(&one(4), 1));
    world.nodes[0].post(1, &descriptor(&Message { slot: 1, ..one(4) }, 2));
    world.run(2000, |world| world.nodes[0].status(1).ended == 2);
    assert_eq!(world.nodes[0].status(0).ended, 0);
}

/// INV-27 and INV-28. Each write overwrites a part of the write before it, so the bytes of the
/// buffer show which writes have arrived. These are always the first n of the queue: n never
/// shrinks, and all ended posts are among them.
#[test]
fn a_queue_full_of_posts_ends_in_order() {
    let overlapping =
        |index: u32| Message { source_offset: 29 * index, buffer_offset: index % 3, ..one(1 + index % 5) };
    let messages: Vec<Message> = (0..128).map(overlapping).collect();
    let mut world: World = world(SETTINGS, 6);
    let mut expected = memories(&world);
    let mut after = vec![expected[1].clone()];
    for (number, message) in messages.iter().enumerate() {
        apply(&world, &mut expected, message, number);
        after.push(expected[1].clone());
        world.nodes[0].post(0, &descriptor(message, number));
    }
    let is_same = |node: usize, there: usize| after[node] == after[there];
    let mut arrived = 0;
    for _ in 0..200_000 {
        world.step();
        let node = &world.nodes[1];
        if node.host.memory != after[arrived] {
            arrived += 1;
            check_memory(node, 1, &after[arrived]);
        }
        // A write may leave every byte as it was, so the same bytes may also show one write more.
        while arrived < 128 && is_same(arrived, arrived + 1) {
            arrived += 1;
        }
        let ended = world.nodes[0].status(0).ended as usize;
        assert!(ended <= arrived, "{ended} writes have ended, and {arrived} are there");
        if ended == 128 {
            break;
        }
    }
    world.settle();
    let status = world.nodes[0].status(0);
    assert_eq!((arrived, status.ended, status.refused), (128, 128, 0));
    let ends: Vec<u32> = world.nodes[0].host.statuses.iter().map(|(_, status)| status.ended).collect();
    assert!(ends.is_sorted(), "{ends:?}");
}

/// INV-28 and M-43: the sender learns of a refusal whichever frame is lost, data or
/// acknowledgement. It also does if the peer sends data all the time, although data frames cannot
/// carry refusals.
#[test]
fn a_refusal_is_told_whichever_frame_is_lost() {
    let wrong = Message { wrong: Wrong::Key, ..one(2000) };
    for lost in 0..24 {
        let mut world: World = world(SETTINGS, 8);
        for number in 0..3 {
            let message = if number == 1 { wrong } else { one(2000) };
            world.nodes[0].post(0, &descriptor(&message, number));
            let back = Message { from: 1, to: 0, ..message };
            world.nodes[1].post(0, &descriptor(&back, number));
        }
        run_without(&mut world, lost, |world| world.nodes.iter().all(|node| node.status(0).ended == 3));
        world.settle();
        for node in &world.nodes {
            let status = node.status(0);
            assert_eq!((status.refused, status.last_error, status.last_error_index), (1, PostError::Refused as u32, 1));
            node.check_sums(true);
        }
    }
}
