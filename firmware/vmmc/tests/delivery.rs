//! Messages over bad wires, small caches and slow drivers: bytes exact, once, nothing beside them, every post ends (INV-27, 28, 33, 34, 38).

mod mock;

use mock::{Settings, World, PAGE, SETTINGS};
use nic_layout::boot::ReceiveMiss;
use nic_layout::counter::Counter;
use nic_layout::post::{PostDescriptor, PostError, OP_WRITE};
use nic_layout::tables::{BufferEntry, PERMIT_WRITE};
use proptest::prelude::*;

/// Pages of each process: source pages from virtual page 0x100, one buffer from 0x200. Page 0x10C is a hole.
const SOURCE: u32 = 0x100;
const BUFFER: u32 = 0x200;
const SOURCE_PAGES: u32 = 12;
const BUFFER_PAGES: u32 = 6;
const KEY: [u32; 2] = [0xAB12_CD34, 0x5678_EF90];

/// Process `slot` of a node writes into buffer `node * 8 + slot` of any other node, and no one else does.
fn buffer_id(node: usize, slot: usize) -> u32 {
    (node * 8 + slot) as u32
}

/// How a message is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wrong {
    No,
    Operation,
    Node,
    Length,
    SourceWraps,
    SourceHole,
    Buffer,
    ClosedBuffer,
    Key,
    Bounds,
    Doorbell,
}

#[derive(Clone, Copy, Debug)]
struct Message {
    from: usize,
    slot: usize,
    to: usize,
    source_offset: u32,
    buffer_offset: u32,
    length: u32,
    wrong: Wrong,
}

fn message(nodes: usize) -> impl Strategy<Value = Message> {
    let wrong = prop_oneof![
        12 => Just(Wrong::No),
        1 => Just(Wrong::Operation),
        1 => Just(Wrong::Node),
        1 => Just(Wrong::Length),
        1 => Just(Wrong::SourceWraps),
        1 => Just(Wrong::SourceHole),
        1 => Just(Wrong::Buffer),
        1 => Just(Wrong::ClosedBuffer),
        1 => Just(Wrong::Key),
        1 => Just(Wrong::Bounds),
        1 => Just(Wrong::Doorbell),
    ];
    let length = prop_oneof![2 => 0u32..5, 2 => 1u32..2000, 1 => 1u32..12_000];
    (0..nodes, 0..2usize, 1..nodes, 0u32..(SOURCE_PAGES - 4) * 4096, 0u32..(BUFFER_PAGES - 3) * 4096, length, wrong)
        .prop_map(move |(from, slot, hop, source_offset, buffer_offset, length, wrong)| Message {
            from,
            slot,
            to: (from + hop) % nodes,
            source_offset,
            buffer_offset,
            length,
            wrong,
        })
}

fn receive_miss() -> impl Strategy<Value = ReceiveMiss> {
    prop_oneof![Just(ReceiveMiss::TimeOut), Just(ReceiveMiss::Restart), Just(ReceiveMiss::Hold)]
}

fn world(settings: Settings, seed: u64) -> World {
    let mut world = World::new(settings, seed);
    for index in 0..world.nodes.len() {
        for slot in 0..2 {
            let pid = 10 + slot as u32;
            let node = &mut world.nodes[index];
            node.open(slot, pid);
            node.map_pages(pid, SOURCE, SOURCE_PAGES);
            node.map_pages(pid, BUFFER, BUFFER_PAGES * settings.nodes);
        }
        for from in 0..settings.nodes as usize {
            for slot in 0..2 {
                let entry = BufferEntry {
                    state: 1,
                    pid: 10 + slot as u32,
                    start_address: (BUFFER + BUFFER_PAGES * from as u32) * 4096 + 100,
                    length_bytes: BUFFER_PAGES * 4096 - 200,
                    key: KEY,
                    permissions: PERMIT_WRITE,
                    reserved: 0,
                };
                world.nodes[index].export(buffer_id(from, slot), entry);
            }
        }
    }
    world
}

/// Copies what a message shall copy, in the hosts' memories of the model.
fn apply(world: &World, expected: &mut [Vec<u8>], message: &Message) {
    let pid = 10 + message.slot as u32;
    for offset in 0..message.length {
        let source = SOURCE * 4096 + message.source_offset + offset;
        let page = world.nodes[message.from].host.tables[&(pid, source >> 12)] as usize;
        let byte = expected[message.from][page * PAGE + source as usize % PAGE];
        let target = (BUFFER + BUFFER_PAGES * message.from as u32) * 4096 + 100 + message.buffer_offset + offset;
        let page = world.nodes[message.to].host.tables[&(pid, target >> 12)] as usize;
        expected[message.to][page * PAGE + target as usize % PAGE] = byte;
    }
}

fn descriptor(message: &Message, number: usize) -> PostDescriptor {
    let good = PostDescriptor {
        op: OP_WRITE,
        flags: 0,
        destination_node: message.to as u16,
        length_bytes: message.length,
        source_address: SOURCE * 4096 + message.source_offset,
        buffer: buffer_id(message.from, message.slot),
        buffer_offset: message.buffer_offset,
        key: KEY,
        message: number as u32,
    };
    match message.wrong {
        Wrong::No | Wrong::Doorbell => good,
        Wrong::Operation => PostDescriptor { op: 9, ..good },
        Wrong::Node => PostDescriptor { destination_node: message.from as u16, ..good },
        Wrong::Length => PostDescriptor { length_bytes: (1 << 24) + 1, ..good },
        Wrong::SourceWraps => PostDescriptor { source_address: u32::MAX, length_bytes: 2, ..good },
        Wrong::SourceHole => {
            PostDescriptor { source_address: (SOURCE + SOURCE_PAGES) * 4096 + 5, length_bytes: 10, ..good }
        }
        Wrong::Buffer => PostDescriptor { buffer: 0xFFFF_FF00, ..good },
        Wrong::ClosedBuffer => PostDescriptor { buffer: 200, ..good },
        Wrong::Key => PostDescriptor { key: [KEY[0], KEY[1] ^ 1], ..good },
        Wrong::Bounds => PostDescriptor { buffer_offset: BUFFER_PAGES * 4096, ..good },
    }
}

/// What the sender is told.
fn sender_error(wrong: Wrong) -> Option<PostError> {
    match wrong {
        Wrong::Operation => Some(PostError::UnknownOperation),
        Wrong::Node => Some(PostError::NoSuchNode),
        Wrong::Length => Some(PostError::LengthOutOfRange),
        Wrong::SourceWraps | Wrong::SourceHole => Some(PostError::BadSourceAddress),
        _ => None,
    }
}

/// Posts all, runs until all have ended, and compares everything.
fn deliver(settings: Settings, messages: &[Message], seed: u64) -> World {
    let mut world = world(settings, seed);
    let mut expected: Vec<Vec<u8>> = world.nodes.iter().map(|node| node.host.memory.clone()).collect();
    for (number, message) in messages.iter().enumerate() {
        if message.wrong == Wrong::Doorbell {
            // A page holds one value: a wild one on top of a good one would only harm the process itself.
            let is_taken = |world: &World| world.nodes[message.from].hardware.doorbells == 0;
            world.run(1000, is_taken);
            let node = &mut world.nodes[message.from];
            let wild = node.posted[message.slot].wrapping_add(1000);
            node.ring(message.slot, wild);
            world.run(1000, is_taken);
            continue;
        }
        let node = &mut world.nodes[message.from];
        node.post(message.slot, &descriptor(message, number));
        if message.wrong == Wrong::No {
            apply(&world, &mut expected, message);
        }
        for _ in 0..world.random.below(30) {
            world.step();
        }
    }
    world.run(1_000_000, |world| {
        world.nodes.iter().all(|node| (0..2).all(|slot| node.status(slot).ended == node.posted[slot]))
    });
    world.settle();

    for (index, node) in world.nodes.iter().enumerate() {
        node.check_sums(true);
        assert_eq!(node.locked_lines(), 0, "lines stay locked");
        assert_eq!(node.hardware.receive_free.len() as u32, settings.rx_buffers, "receive buffers are missing");
        for slot in 0..2 {
            let mine = || messages.iter().filter(|message| (message.from, message.slot) == (index, slot));
            let refused = mine().filter(|message| sender_error(message.wrong).is_some()).count();
            if settings.read_errors == 0 {
                assert_eq!(node.status(slot).refused as usize, refused);
            }
            assert_eq!(
                node.status(slot).ended as usize,
                mine().filter(|message| message.wrong != Wrong::Doorbell).count()
            );
        }
        // INV-27: every byte of host memory, delivered or not.
        let status: Vec<usize> = node.host.status_pages.iter().map(|&page| page as usize).collect();
        if settings.read_errors == 0 {
            for page in (0..mock::HOST_PAGES as usize).filter(|page| !status.contains(page)) {
                let range = page * PAGE..(page + 1) * PAGE;
                assert!(
                    node.host.memory[range.clone()] == expected[index][range],
                    "node {index}: page {page:#x} differs"
                );
            }
        }
    }
    world
}

fn total(world: &World, counter: Counter) -> u32 {
    world.nodes.iter().map(|node| node.counter(counter)).sum()
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
    fn any_frame_size_delivers(messages in prop::collection::vec(message(2), 1..6), data in prop_oneof![1u32..40, 4000u32..=4096], seed in any::<u64>()) {
        let messages: Vec<Message> = messages.into_iter().map(|message| Message { length: message.length % (data * 64), ..message }).collect();
        deliver(Settings { frame_data_bytes_max: data, ..SETTINGS }, &messages, seed);
    }

    /// A bus that fails ends posts badly, but leaves nothing behind and no peer waiting.
    #[test]
    fn bus_errors_end_posts_and_nothing_else(messages in prop::collection::vec(message(2), 1..16), read_errors in 1u32..200, seed in any::<u64>()) {
        let world = deliver(Settings { read_errors, loss: 20, ..SETTINGS }, &messages, seed);
        prop_assert_eq!(total(&world, Counter::PeersLost), 0);
        prop_assert!(total(&world, Counter::FramesRefusedAborted) <= total(&world, Counter::DmaReadErrors));
    }
}

fn one(length: u32) -> Message {
    Message { from: 0, slot: 0, to: 1, source_offset: 4000, buffer_offset: 0, length, wrong: Wrong::No }
}

#[test]
fn a_miss_on_either_side_costs_one_retransmission_at_most() {
    // A driver that answers well within the retransmission interval.
    let world = deliver(Settings { driver_speed: 1000, ..SETTINGS }, &[one(4)], 1);
    assert_eq!(world.nodes[0].counter(Counter::SendMisses), 1);
    assert_eq!(world.nodes[1].counter(Counter::FramesDroppedMiss), 1);
    assert_eq!(world.nodes[0].counter(Counter::FramesRetransmitted), 1);
    assert_eq!(world.nodes[0].counter(Counter::FramesSent), 1);
}

#[test]
fn both_misses_of_a_crossing_frame_are_raised_at_once() {
    // Source pages 0x107 and 0x108 are in two lines; so are, by the buffer's offset of 100 bytes, none of the destination's.
    let message = Message { source_offset: 7 * 4096 + 4000, ..one(200) };
    let world = deliver(SETTINGS, &[message], 2);
    assert_eq!(world.nodes[0].counter(Counter::SendMisses), 2);
    assert_eq!(world.nodes[0].counter(Counter::SendPending), 1);
    assert_eq!(world.nodes[1].counter(Counter::ReceiveMisses), 1);
}

#[test]
fn every_lost_frame_of_a_message_is_repaired() {
    // Loss of exactly the k-th frame, for every k, data and acknowledgements alike.
    let messages = [one(12_000)];
    let frames = 40;
    for lost in 0..frames {
        let mut world = world(SETTINGS, 3);
        world.nodes[0].post(0, &descriptor(&messages[0], 0));
        let mut seen = 0;
        for _ in 0..200_000 {
            world.step();
            // The wire holds what was sent since the last step; take the k-th out.
            while seen
                < world.nodes[0].hardware.transmit_consumer as usize
                    + world.nodes[1].hardware.transmit_consumer as usize
            {
                if seen == lost {
                    world.wire.pop_back();
                }
                seen += 1;
            }
            if world.nodes[0].status(0).ended == 1 {
                break;
            }
        }
        assert_eq!(world.nodes[0].status(0).ended, 1, "frame {lost} lost");
        world.settle();
        world.nodes.iter().for_each(|node| node.check_sums(true));
    }
}

#[test]
fn a_peer_that_does_not_answer_is_given_up_and_everything_comes_back() {
    let mut world = world(Settings { retransmit_limit: 3, nodes: 3, ..SETTINGS }, 4);
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

    // Later posts to it end at once, and others go on.
    world.nodes[0].post(0, &descriptor(&one(4), 10));
    world.nodes[0].post(1, &descriptor(&other, 11));
    world.run(50_000, |world| world.nodes[0].status(0).ended == 4 && world.nodes[0].status(1).ended == 2);
    assert_eq!(world.nodes[0].status(1).refused, 0);
}

#[test]
fn a_parked_process_does_not_stop_another() {
    let mut world = world(Settings { driver_speed: 0, ..SETTINGS }, 5);
    // Slot 1 has its lines, and the peer too.
    world.nodes[0].post(1, &descriptor(&Message { slot: 1, ..one(4) }, 0));
    for _ in 0..2000 {
        world.nodes[0].serve_miss();
        world.nodes[1].serve_miss();
        world.step();
    }
    assert_eq!(world.nodes[0].status(1).ended, 1);
    // Slot 0 misses, and its driver sleeps.
    world.nodes[0].post(0, &descriptor(&one(4), 1));
    world.nodes[0].post(1, &descriptor(&Message { slot: 1, ..one(4) }, 2));
    world.run(2000, |world| world.nodes[0].status(1).ended == 2);
    assert_eq!(world.nodes[0].status(0).ended, 0);
}

#[test]
fn a_queue_full_of_posts_ends_in_order() {
    let messages: Vec<Message> = (0..128).map(|index| Message { buffer_offset: index, ..one(index % 3) }).collect();
    let mut world = world(SETTINGS, 6);
    for (number, message) in messages.iter().enumerate() {
        world.nodes[0].post(0, &descriptor(message, number));
    }
    world.run(200_000, |world| world.nodes[0].status(0).ended == 128);
    assert_eq!(world.nodes[0].status(0).refused, 0);
}
