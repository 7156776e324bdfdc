//! Writes and reads over bad wires, small caches and slow drivers: bytes exact, once, nothing beside them, every post ends (INV-27, 28, 33, 34, 38).

mod mock;

use mock::{NodeOf, Settings, World, WorldOf, PAGE, SETTINGS};
use nic_layout::boot::ReceiveMiss;
use nic_layout::cbh::{cbh, Descriptor};
use nic_layout::counter::Counter;
use nic_layout::key::{Key, KeyWidth};
use nic_layout::post::{
    inline_bytes_max, PostDescriptor, PostError, INLINE_BYTES_FIRST, OP_READ, OP_WRITE, POST_FLAG_NOTIFY,
};
use nic_layout::tables::{PERMIT_READ, PERMIT_WRITE};
use nic_vmmc::Tables;
use proptest::prelude::*;

/// Pages of each process: source pages from virtual page 0x100, which others may read, a buffer for each node from 0x200, and for the data that it reads two pages for each
/// message from 0x300. Page 0x10C is a hole.
const SOURCE: u32 = 0x100;
const BUFFER: u32 = 0x200;
const INBOX: u32 = 0x300;
/// More than a test posts with reads among them.
const MESSAGES_MAX: u32 = 20;
const SOURCE_PAGES: u32 = 12;
const BUFFER_PAGES: u32 = 6;
const KEY: [u32; 2] = [0xAB12_CD34, 0x5678_EF90];
const WHOLE_KEY: Key = [KEY[0], KEY[1], mock::UPPER_KEY[0], mock::UPPER_KEY[1]];

/// Process `slot` of a node writes into buffer `node` of the process in this slot of any other node, and no one else does.
fn buffer_of(node: usize, slot: usize) -> u32 {
    cbh(10 + slot as u32, node as u32)
}

/// The buffer that holds the source pages of a process.
fn readable(slot: usize) -> u32 {
    cbh(10 + slot as u32, 64)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Host,
    Inline,
    Read,
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
    Permission,
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
    form: Form,
    notify: bool,
    wrong: Wrong,
}

impl Message {
    fn pid(&self) -> u32 {
        10 + self.slot as u32
    }

    /// Entries of the queue that it takes.
    fn entries<T: Tables>(&self) -> usize {
        match self.wrong {
            Wrong::Doorbell => 0,
            _ if NodeOf::<T>::IS_WIDE => 2,
            _ => 1 + usize::from(self.form == Form::Inline && self.length > INLINE_BYTES_FIRST),
        }
    }
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
        1 => Just(Wrong::Permission),
        1 => Just(Wrong::Doorbell),
    ];
    let length = prop_oneof![2 => 0u32..5, 2 => 1u32..2000, 1 => 1u32..12_000];
    let form = prop_oneof![2 => Just(Form::Host), 1 => Just(Form::Inline), 2 => Just(Form::Read)];
    let place = (0u32..(SOURCE_PAGES - 4) * 4096, 0u32..(BUFFER_PAGES - 3) * 4096);
    (0..nodes, 0..2usize, 1..nodes, place, length, form, any::<bool>(), wrong).prop_map(
        move |(from, slot, hop, (source_offset, buffer_offset), length, form, notify, wrong)| Message {
            from,
            slot,
            to: (from + hop) % nodes,
            source_offset,
            buffer_offset,
            length: match form {
                Form::Host => length,
                Form::Inline => length % 33,
                // Its data go to two pages of their own.
                Form::Read => length % 4097,
            },
            form,
            // A read does not notify, nor does what is wrong.
            notify: notify && form != Form::Read && wrong == Wrong::No,
            wrong: match wrong {
                // What an inline post has not got; and of an unknown operation nobody knows that its data follow.
                Wrong::SourceWraps | Wrong::SourceHole | Wrong::Length | Wrong::Operation if form == Form::Inline => {
                    Wrong::Key
                }
                other => other,
            },
        },
    )
}

fn receive_miss() -> impl Strategy<Value = ReceiveMiss> {
    prop_oneof![Just(ReceiveMiss::TimeOut), Just(ReceiveMiss::Restart), Just(ReceiveMiss::Hold)]
}

fn world<T: Tables>(settings: Settings, seed: u64) -> WorldOf<T> {
    let mut world = WorldOf::new(settings, seed);
    for index in 0..world.nodes.len() {
        for slot in 0..2 {
            let pid = 10 + slot as u32;
            let node = &mut world.nodes[index];
            node.open(slot, pid);
            node.map_pages(pid, SOURCE, SOURCE_PAGES);
            node.map_pages(pid, BUFFER, BUFFER_PAGES * settings.nodes);
            // At once: a line that is filled keeps the holes that it had then.
            node.map_pages(pid, INBOX, 2 * MESSAGES_MAX);
        }
        for from in 0..settings.nodes as usize {
            for slot in 0..2 {
                let descriptor = Descriptor {
                    start_address: (BUFFER + BUFFER_PAGES * from as u32) * 4096 + 100,
                    length_bytes: BUFFER_PAGES * 4096 - 200,
                    key: WHOLE_KEY,
                    permissions: PERMIT_WRITE,
                };
                world.nodes[index].export(buffer_of(from, slot), descriptor);
            }
        }
        for slot in 0..2 {
            let descriptor = Descriptor {
                start_address: SOURCE * 4096,
                length_bytes: SOURCE_PAGES * 4096,
                key: WHOLE_KEY,
                permissions: PERMIT_READ,
            };
            world.nodes[index].export(readable(slot), descriptor);
        }
    }
    world
}

/// Copies what a message shall copy, in the hosts' memories of the model.
fn apply<T: Tables>(world: &WorldOf<T>, expected: &mut [Vec<u8>], message: &Message, number: usize) {
    let (source_node, target_node, target_start) = match message.form {
        Form::Read => (message.to, message.from, inbox(message, number)),
        _ => {
            let start = (BUFFER + BUFFER_PAGES * message.from as u32) * 4096 + 100 + message.buffer_offset;
            (message.from, message.to, start)
        }
    };
    let place = |node: usize, address: u32| {
        let page = world.nodes[node].host.tables[&(message.pid(), address >> 12)] as usize;
        page * PAGE + address as usize % PAGE
    };
    for offset in 0..message.length {
        let byte = expected[source_node][place(source_node, SOURCE * 4096 + message.source_offset + offset)];
        expected[target_node][place(target_node, target_start + offset)] = byte;
    }
}

/// Where a read puts its data.
fn inbox(message: &Message, number: usize) -> u32 {
    (INBOX + 2 * number as u32) * 4096 + message.buffer_offset % 4096
}

fn descriptor(message: &Message, number: usize) -> PostDescriptor {
    let is_read = message.form == Form::Read;
    let good = PostDescriptor {
        op: if is_read { OP_READ } else { OP_WRITE },
        flags: if message.notify { POST_FLAG_NOTIFY } else { 0 },
        destination_node: message.to as u16,
        length_bytes: message.length,
        local_address: if is_read { inbox(message, number) } else { SOURCE * 4096 + message.source_offset },
        buffer: if is_read { readable(message.slot) } else { buffer_of(message.from, message.slot) },
        buffer_offset: if is_read { message.source_offset } else { message.buffer_offset },
        key: KEY,
        message: number as u32,
    };
    match message.wrong {
        Wrong::No | Wrong::Doorbell => good,
        Wrong::Operation => PostDescriptor { op: 9, ..good },
        Wrong::Node => PostDescriptor { destination_node: message.from as u16, ..good },
        Wrong::Length => PostDescriptor { length_bytes: (1 << 24) + 1, ..good },
        Wrong::SourceWraps => PostDescriptor { local_address: u32::MAX, length_bytes: 2, ..good },
        Wrong::SourceHole => {
            PostDescriptor { local_address: (SOURCE + SOURCE_PAGES) * 4096 + 5, length_bytes: 10, ..good }
        }
        Wrong::Buffer => PostDescriptor { buffer: 0xFFFF_FF00, ..good },
        Wrong::ClosedBuffer => PostDescriptor { buffer: buffer_of(7, message.slot), ..good },
        Wrong::Key => PostDescriptor { key: [KEY[0], KEY[1] ^ 1], ..good },
        Wrong::Bounds => PostDescriptor { buffer_offset: SOURCE_PAGES * 4096 + 1, ..good },
        Wrong::Permission if is_read => PostDescriptor { buffer: buffer_of(message.from, message.slot), ..good },
        Wrong::Permission => PostDescriptor { buffer: readable(message.slot), ..good },
    }
}

/// Posts a message, with its data as they are now if it carries them.
fn post<T: Tables>(world: &mut WorldOf<T>, message: &Message, number: usize) {
    let node = &mut world.nodes[message.from];
    let mut descriptor = descriptor(message, number);
    node.upper_key = mock::UPPER_KEY;
    if NodeOf::<T>::IS_WIDE && message.wrong == Wrong::Key {
        descriptor.key = KEY;
        node.upper_key[number % 2] ^= 1 << (number % 32);
    }
    if message.form != Form::Inline {
        return node.post(message.slot, &descriptor);
    }
    let start = SOURCE * 4096 + message.source_offset;
    let byte = |address: u32| {
        node.host.memory[node.host.tables[&(message.pid(), address >> 12)] as usize * PAGE + address as usize % PAGE]
    };
    let data: Vec<u8> = (start..start + message.length).map(byte).collect();
    node.post_inline(message.slot, &descriptor, &data);
}

/// What the sender is told.
fn sender_error(wrong: Wrong) -> Option<PostError> {
    match wrong {
        Wrong::Operation => Some(PostError::UnknownOperation),
        Wrong::Node => Some(PostError::NoSuchNode),
        Wrong::Length => Some(PostError::LengthOutOfRange),
        Wrong::SourceWraps | Wrong::SourceHole => Some(PostError::BadLocalAddress),
        // One error, whatever the reason (INV-24).
        Wrong::Buffer | Wrong::ClosedBuffer | Wrong::Key | Wrong::Bounds | Wrong::Permission => {
            Some(PostError::Refused)
        }
        _ => None,
    }
}

/// Posts all, runs until all have ended, and compares everything.
fn deliver(settings: Settings, messages: &[Message], seed: u64) -> World {
    deliver_with(settings, messages, seed)
}

fn deliver_with<T: Tables>(settings: Settings, messages: &[Message], seed: u64) -> WorldOf<T> {
    let mut world = world::<T>(settings, seed);
    let mut expected: Vec<Vec<u8>> = world.nodes.iter().map(|node| node.host.memory.clone()).collect();
    for (number, message) in messages.iter().enumerate() {
        if message.wrong == Wrong::Doorbell {
            // A page holds one value: a wild one on top of a good one would only harm the process itself.
            let is_taken = |world: &WorldOf<T>| world.nodes[message.from].hardware.doorbells == 0;
            world.run(1000, is_taken);
            let node = &mut world.nodes[message.from];
            let wild = node.posted[message.slot].wrapping_add(1000);
            node.ring(message.slot, wild);
            world.run(1000, is_taken);
            continue;
        }
        post(&mut world, message, number);
        if message.wrong == Wrong::No {
            apply(&world, &mut expected, message, number);
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
                assert_eq!(
                    node.status(slot).refused as usize,
                    refused,
                    "node {index} slot {slot}: {:?}",
                    node.status(slot)
                );
            }
            assert_eq!(node.status(slot).ended as usize, mine().map(Message::entries::<T>).sum::<usize>());
            if settings.read_errors == 0 {
                check_outcomes(node, slot, mine());
            }
        }
        if settings.read_errors == 0 {
            let mut told: Vec<u32> = node.host.notified.iter().map(|entry| entry.message).collect();
            told.sort();
            let asked = messages.iter().enumerate().filter(|(_, message)| message.notify && message.to == index);
            assert_eq!(told, asked.map(|(number, _)| number as u32).collect::<Vec<_>>());
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

/// Each error that a process was told of is that of the post that it names, and those errors are told in the order of the posts.
fn check_outcomes<'a, T: Tables>(node: &NodeOf<T>, slot: usize, messages: impl Iterator<Item = &'a Message>) {
    let mut expected = Vec::new();
    let mut entries = 0;
    for message in messages {
        entries += message.entries::<T>() as u32;
        // Known by its last entry.
        expected.extend(sender_error(message.wrong).map(|error| (entries - 1, error as u32)));
    }
    let page = node.status_address(slot) >> 12;
    let mut before = 0;
    for (_, status) in node.host.statuses.iter().filter(|(of, _)| *of == page) {
        if status.refused != before && status.last_error != PostError::BadProducerIndex as u32 {
            let last = expected[status.refused as usize - 1];
            assert_eq!((status.last_error_index, status.last_error), last);
        }
        before = status.refused;
    }
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

    /// The same with keys of 128 bits: posts of two entries, longer headers, wrong keys that are wrong in their upper half.
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
            // Of a frame as short as this no more than the window and its records take.
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

    /// Frames that hold a page are cut, whatever else goes wrong.
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

    /// A bus that fails ends posts badly, but leaves nothing behind and no peer waiting.
    #[test]
    fn bus_errors_end_posts_and_nothing_else(messages in prop::collection::vec(message(2), 1..16), read_errors in 1u32..200, seed in any::<u64>()) {
        let world = deliver(Settings { read_errors, loss: 20, ..SETTINGS }, &messages, seed);
        prop_assert_eq!(total(&world, Counter::PeersLost), 0);
        prop_assert!(total(&world, Counter::FramesRefusedAborted) <= total(&world, Counter::DmaReadErrors));
    }
}

fn one(length: u32) -> Message {
    let (form, notify, wrong) = (Form::Host, false, Wrong::No);
    Message { from: 0, slot: 0, to: 1, source_offset: 4000, buffer_offset: 0, length, form, notify, wrong }
}

#[test]
fn each_miss_of_the_receiver_costs_one_retransmission_and_one_of_the_sender_none() {
    // A driver that answers well within the retransmission interval.
    let world = deliver(Settings { driver_speed: 1000, ..SETTINGS }, &[one(4)], 1);
    assert_eq!(world.nodes[0].counter(Counter::SendMisses), 1);
    // First the buffer, then its page: where that is only the descriptor says.
    let misses = [Counter::BufferMisses, Counter::ReceiveMisses].map(|counter| world.nodes[1].counter(counter));
    assert_eq!(misses, [1, 1]);
    let dropped = [Counter::FramesDroppedBuffer, Counter::FramesDroppedMiss];
    assert_eq!(dropped.map(|counter| world.nodes[1].counter(counter)), [1, 1]);
    assert_eq!(world.nodes[0].counter(Counter::FramesRetransmitted), 2);
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
        let mut world: World = world(SETTINGS, 3);
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

    // Later posts to it end at once, and others go on.
    world.nodes[0].post(0, &descriptor(&one(4), 10));
    world.nodes[0].post(1, &descriptor(&other, 11));
    world.run(50_000, |world| world.nodes[0].status(0).ended == 4 && world.nodes[0].status(1).ended == 2);
    assert_eq!(world.nodes[0].status(1).refused, 0);
}

#[test]
fn a_parked_process_does_not_stop_another() {
    let mut world: World = world(Settings { driver_speed: 0, ..SETTINGS }, 5);
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
    let mut world: World = world(SETTINGS, 6);
    for (number, message) in messages.iter().enumerate() {
        world.nodes[0].post(0, &descriptor(message, number));
    }
    world.run(200_000, |world| world.nodes[0].status(0).ended == 128);
    assert_eq!(world.nodes[0].status(0).refused, 0);
}

/// INV-28 and M-43: the sender learns of a refusal whichever frame is lost on the way, data and acknowledgements alike, and also when the peer has
/// data to send all the while, on which no word of it can ride.
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
        let mut seen = 0;
        let ended = |world: &World| world.nodes.iter().all(|node| node.status(0).ended == 3);
        for _ in 0..200_000 {
            world.step();
            let sent: u32 = world.nodes.iter().map(|node| u32::from(node.hardware.transmit_consumer)).sum();
            while seen < sent {
                if seen == lost {
                    world.wire.pop_back();
                }
                seen += 1;
            }
            if ended(&world) {
                break;
            }
        }
        assert!(ended(&world), "frame {lost} lost");
        world.settle();
        for node in &world.nodes {
            let status = node.status(0);
            assert_eq!((status.refused, status.last_error, status.last_error_index), (1, PostError::Refused as u32, 1));
            node.check_sums(true);
        }
    }
}
