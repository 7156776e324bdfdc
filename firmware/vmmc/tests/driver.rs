//! Commands of the driver, wild words of a hostile host, and rings that are full (INV-18, 19, 35, 36).

mod mock;

use mock::{Node, Settings, World, GEOMETRY, SETTINGS};
use nic_layout::cbh::{cbh, Descriptor};
use nic_layout::counter::Counter;
use nic_layout::frame::{Body, Packet, Read, Reply, Repr, Write};
use nic_layout::key::KeyWidth;
use nic_layout::post::{PostDescriptor, PostError, ProcessStatus, OP_READ, OP_WRITE};
use nic_layout::ring::{
    Event, COMMAND_ASSIGN, COMMAND_CLOSE, COMMAND_FENCE, COMMAND_INVALIDATE, DMA_AHEAD_SHIFT, DMA_FLAG_ASSIST,
    MAILBOX_COMMAND, MAILBOX_COMMAND_DONE, MAILBOX_FILLED, MAILBOX_NOTIFIED, MAILBOX_NOTIFY,
};
use nic_layout::tables::{
    ProcessEntry, ENTRY_ASSIGNED, ENTRY_OPEN, MISS_RING_ENTRIES, NEXT_OWNER, NOTIFY_RING_ENTRIES, PERMIT_READ,
    PERMIT_WRITE,
};
use nic_layout::vmh::key;
use nic_lookup::Words;
use nic_vmmc::{Device, DMA_RING_LOG2};
use zerocopy::{FromBytes, IntoBytes};

const SOURCE: u32 = 0x100;
const BUFFER: u32 = 0x200;
const CBH: u32 = cbh(5, 0);

const DESCRIPTOR: Descriptor = Descriptor {
    start_address: BUFFER * 4096,
    length_bytes: 8 * 4096,
    key: [1, 2, 0, 0],
    permissions: PERMIT_WRITE | PERMIT_READ,
};

fn world(settings: Settings) -> World {
    let mut world = World::new(settings, 1);
    for node in &mut world.nodes {
        node.open(0, 5);
        node.map_pages(5, SOURCE, 8);
        node.map_pages(5, BUFFER, 8);
        node.export(CBH, DESCRIPTOR);
        node.load_buffer(CBH);
    }
    world
}

fn post(length: u32) -> PostDescriptor {
    PostDescriptor {
        op: OP_WRITE,
        flags: 0,
        destination_node: 1,
        length_bytes: length,
        local_address: SOURCE * 4096,
        buffer: CBH,
        buffer_offset: 0,
        key: [1, 2],
        message: 0,
    }
}

/// Makes a good frame bad.
type Change = fn(&mut Repr, &mut Write);

fn frame(sequence: u32, change: impl Fn(&mut Repr, &mut Write)) -> Vec<u8> {
    let mut write = Write {
        last: true,
        aborted: false,
        notify: false,
        sequence,
        data_bytes: 4,
        buffer: CBH,
        buffer_offset: 0,
        key: [1, 2, 0, 0],
        message: 0,
    };
    let mut repr = Repr {
        destination: 1,
        source: 0,
        session: 3,
        key_width: KeyWidth::Bits64,
        acknowledge: 0,
        body: Body::Acknowledge { refusals: 0 },
    };
    change(&mut repr, &mut write);
    repr.body = Body::Write(write);
    bytes_of(&repr)
}

fn bytes_of(repr: &Repr) -> Vec<u8> {
    let mut bytes = vec![0; 60];
    repr.emit(&mut Packet::new_checked(&mut bytes[..]).unwrap());
    bytes
}

#[test]
fn each_bad_frame_ends_in_its_own_counter_and_refused_ones_advance_the_sequence() {
    let mut world = world(SETTINGS);
    // The driver has said that these are none.
    world.nodes[1].load_buffer(cbh(5, 1));
    world.nodes[1].load_buffer(u32::MAX);
    let refused: [(Counter, Change); 7] = [
        (Counter::FramesRefusedBuffer, |_, write| write.buffer = cbh(5, 1)),
        (Counter::FramesRefusedKey, |_, write| write.key = [1, 3, 0, 0]),
        (Counter::FramesRefusedBounds, |_, write| write.buffer_offset = 8 * 4096 - 3),
        (Counter::FramesRefusedBounds, |_, write| write.buffer_offset = u32::MAX),
        (Counter::FramesRefusedAborted, |_, write| (write.aborted, write.data_bytes) = (true, 0)),
        (Counter::FramesAccepted, |_, write| write.data_bytes = 0),
        (Counter::FramesRefusedBuffer, |_, write| write.buffer = u32::MAX),
    ];
    let mut sequence = 0;
    for (counter, change) in refused {
        let before = world.nodes[1].counter(counter);
        world.nodes[1].deliver(&frame(sequence, change));
        world.run(100, |world| world.nodes[1].counter(counter) == before + 1);
        sequence += 1;
    }
    let dropped: [(Counter, Change); 7] = [
        (Counter::FramesMalformed, |repr, _| repr.destination = 0),
        (Counter::FramesMalformed, |_, write| write.data_bytes = 13),
        (Counter::FramesMalformed, |_, write| write.data_bytes = u16::MAX),
        (Counter::FramesStrange, |repr, _| repr.source = 2),
        (Counter::FramesStrange, |repr, _| repr.source = 1),
        (Counter::FramesStrange, |repr, _| repr.session = 4),
        (Counter::FramesGap, |_, write| write.sequence += 1),
    ];
    for (counter, change) in dropped {
        let before = world.nodes[1].counter(counter);
        world.nodes[1].deliver(&frame(sequence, change));
        world.run(100, |world| world.nodes[1].counter(counter) == before + 1);
    }
    world.nodes[1].deliver(&[0; 59]);
    world.nodes[1].deliver(&[0xFF; 64]);
    world.nodes[1].deliver(&frame(0, |_, _| {}));
    world.settle();
    assert_eq!(world.nodes[1].counter(Counter::FramesDuplicate), 1);
    // Nothing was sent: acknowledgements are wild to node 0, and it goes on.
    assert!(world.nodes[0].counter(Counter::AcksWild) > 0);
    world.nodes.iter().for_each(|node| node.check_sums(true));
}

#[test]
fn permission_is_checked() {
    let mut world = world(SETTINGS);
    let read_only = cbh(5, 3);
    world.nodes[1].export(read_only, Descriptor { permissions: PERMIT_READ, ..DESCRIPTOR });
    world.nodes[1].load_buffer(read_only);
    world.nodes[1].deliver(&frame(0, |_, write| write.buffer = cbh(5, 3)));
    world.run(100, |world| world.nodes[1].counter(Counter::FramesRefusedPermission) == 1);
}

#[test]
fn a_page_number_beyond_host_memory_is_refused_on_both_sides() {
    let mut world = world(SETTINGS);
    world.nodes[0].host.tables.insert((5, SOURCE), 0x9_0000);
    world.nodes[0].post(0, &post(4));
    world.run(5000, |world| world.nodes[0].status(0).ended == 1);
    assert_eq!(world.nodes[0].status(0).last_error, PostError::BadLocalAddress as u32);
    assert_eq!(world.nodes[0].counter(Counter::SendWildPages), 1);

    world.nodes[1].host.tables.insert((5, BUFFER), 0x9_0000);
    world.nodes[0].post(0, &PostDescriptor { local_address: SOURCE * 4096 + 4096, ..post(4) });
    world.run(20_000, |world| world.nodes[0].status(0).ended == 2);
    let status = world.nodes[0].status(0);
    assert_eq!((status.refused, status.last_error), (2, PostError::Refused as u32));
    assert_eq!(world.nodes[1].counter(Counter::FramesRefusedPage), 1);
    assert_eq!(world.nodes[1].counter(Counter::ReceiveWildPages), 1);
}

#[test]
fn wild_doorbells_and_mailboxes_are_counted_and_ignored() {
    let mut world = world(SETTINGS);
    world.nodes[0].ring(0, 129);
    world.nodes[0].ring(3, 1);
    world.nodes[0].ring(15, 1);
    world.nodes[0].write_mailbox(MAILBOX_FILLED, 7);
    world.nodes[0].write_mailbox(MAILBOX_COMMAND, 0);
    world.nodes[0].write_mailbox(7, 1);
    world.settle();
    assert_eq!(world.nodes[0].counter(Counter::DoorbellsWild), 1);
    assert_eq!(world.nodes[0].counter(Counter::DoorbellsClosed), 2);
    assert_eq!(world.nodes[0].counter(Counter::MailboxesWild), 3);
    let status = world.nodes[0].status(0);
    assert_eq!((status.last_error, status.last_error_index), (PostError::BadProducerIndex as u32, 129));
    assert_eq!((status.ended, status.refused), (0, 0));
    world.nodes[0].post(0, &post(4));
    world.run(20_000, |world| world.nodes[0].status(0).ended == 1);
    world.settle();
    world.nodes[0].check_sums(true);
}

#[test]
fn a_doorbell_may_not_go_back() {
    let mut world = world(SETTINGS);
    world.nodes[0].post(0, &post(4));
    world.run(20_000, |world| world.nodes[0].status(0).ended == 1);
    world.nodes[0].ring(0, 0);
    world.settle();
    assert_eq!(world.nodes[0].counter(Counter::DoorbellsWild), 1);
}

#[test]
fn an_invalidated_line_is_not_hit_again_and_the_answer_comes_after_its_dma() {
    let mut world = world(SETTINGS);
    world.nodes[0].post(0, &post(4));
    world.run(20_000, |world| world.nodes[0].status(0).ended == 1);
    world.settle();
    // A transfer is under way through the line when the command comes.
    world.nodes[0].post(0, &post(4));
    (0..2).for_each(|_| world.nodes[0].step_firmware());
    assert_eq!(world.nodes[0].hardware.reads.len(), 2, "the data, and what releases the frame");
    let command = key(5, SOURCE, COMMAND_INVALIDATE);
    world.nodes[0].write_mailbox(MAILBOX_COMMAND, command);
    (0..5).for_each(|_| world.nodes[0].step_firmware());
    assert_eq!(world.nodes[0].hardware.to_host[1], 0, "answered while the DMA is under way");
    assert_eq!(world.nodes[0].locked_lines(), 1);
    (0..2).for_each(|_| world.nodes[0].step_read(false));
    (0..5).for_each(|_| world.nodes[0].step_firmware());
    assert_eq!(world.nodes[0].hardware.to_host[1], command);
    // From here on the page may be unpinned and move.
    let misses = world.nodes[0].counter(Counter::SendMisses);
    world.nodes[0].post(0, &post(4));
    world.run(20_000, |world| world.nodes[0].status(0).ended == 3);
    assert_eq!(world.nodes[0].counter(Counter::SendMisses), misses + 1);
}

#[test]
fn a_fence_without_dma_is_answered_at_once_and_a_second_one_waits_its_turn() {
    let mut world = world(SETTINGS);
    world.nodes[0].write_mailbox(MAILBOX_COMMAND, COMMAND_FENCE);
    world.nodes[0].step_firmware();
    assert_eq!(world.nodes[0].hardware.to_host[1], COMMAND_FENCE);
}

#[test]
fn a_closed_slot_forgets_its_posts_and_opens_afresh() {
    let mut world = world(Settings { driver_speed: 0, ..SETTINGS });
    (0..3).for_each(|_| world.nodes[0].post(0, &post(5000)));
    (0..200).for_each(|_| world.step());
    // The first post is parked on its miss, for good.
    let entry = world.nodes[0].map.process_table;
    world.nodes[0].hardware.write(entry, 0);
    world.nodes[0].write_mailbox(MAILBOX_COMMAND, COMMAND_CLOSE);
    (0..200).for_each(|_| world.step());
    assert_eq!(world.nodes[0].hardware.to_host[1], COMMAND_CLOSE);
    assert_eq!(world.nodes[0].counter(Counter::PostsClosed), 1);
    world.settings.driver_speed = 200;
    world.nodes[0].open(0, 5);
    world.nodes[0].posted[0] = 0;
    world.nodes[0].post(0, &post(4));
    world.run(20_000, |world| world.nodes[0].status(0).ended == 1);
    world.settle();
    world.nodes[0].check_sums(true);
}

#[test]
fn frames_of_a_closed_slot_do_not_end_posts_of_its_successor() {
    let mut world = world(SETTINGS);
    world.unreachable = Some(1);
    world.nodes[0].post(0, &post(5000));
    world.run(20_000, |world| world.nodes[0].counter(Counter::FramesSent) == 4);
    let entry = world.nodes[0].map.process_table;
    world.nodes[0].hardware.write(entry, 0);
    world.nodes[0].write_mailbox(MAILBOX_COMMAND, COMMAND_CLOSE);
    world.run(2000, |world| world.nodes[0].hardware.to_host[1] == COMMAND_CLOSE);
    world.nodes[0].open(0, 5);
    world.nodes[0].posted[0] = 0;
    world.nodes[0].post(0, &post(3000));
    world.unreachable = None;
    world.run(50_000, |world| world.nodes[0].status(0).ended == 1);
    world.settle();
    assert_eq!(world.nodes[1].counter(Counter::FramesAccepted), 4 + 3);
    world.nodes[0].check_sums(true);
}

#[test]
fn a_full_miss_ring_parks_and_drops_and_all_go_on_when_it_drains() {
    // This cache has fewer lines than the miss ring has entries: the ring fills because the driver gives lines back without a word.
    let mut world = world(Settings { driver_speed: 0, ..SETTINGS });
    let node = &mut world.nodes[0];
    node.post(0, &post(4));
    (0..4).for_each(|_| node.step_firmware());
    for raised in 1..=MISS_RING_ENTRIES {
        assert_eq!(node.counter(Counter::SendMisses), raised);
        // The driver gives the line back, but does not say so in the mailbox; an invalidation lets the post try again.
        let line = node.hardware.read(node.map.miss_ring + (raised - 1) * 16 + 4);
        node.hardware.write(node.map.vmh + GEOMETRY.key_offset(line), 0);
        node.write_mailbox(MAILBOX_COMMAND, key(5, 0xF_0000, COMMAND_INVALIDATE));
        (0..4).for_each(|_| node.step_firmware());
    }
    assert_eq!(node.counter(Counter::SendMissRingFull), 1);
    assert_eq!(world.nodes[0].counter(Counter::SendMisses), MISS_RING_ENTRIES);
    // The driver catches up, and all goes on.
    world.settings.driver_speed = 200;
    world.run(20_000, |world| world.nodes[0].status(0).ended == 1);
    world.settle();
    world.nodes[0].check_sums(true);
}

/// The engine's error may be seen while the next frame of the same post looks for room in the ring.
#[test]
fn a_post_that_the_bus_failed_sends_nothing_more_though_the_ring_was_full() {
    const FRAME: u32 = 64;
    let mut world = world(Settings { nodes: 3, frame_data_bytes_max: FRAME, tx_buffers: 64, ..SETTINGS });
    let node = &mut world.nodes[0];
    node.open(1, 5);
    node.post(0, &post(8 * 4096));
    node.post(1, &PostDescriptor { destination_node: 2, ..post(8 * 4096) });
    // The host's bus does nothing, so that the ring fills.
    for _ in 0..500 {
        node.step_firmware();
        node.serve_miss();
    }
    assert_eq!(node.hardware.reads.len(), (1 << DMA_RING_LOG2) - 2);
    // Frames of both posts alternate: the data of one and its release, the data of the other.
    for error in [false, false, true] {
        node.step_read(error);
    }
    // Of the events that come before the engine's, one lets both posts try again.
    node.hardware.raise(Event::DmaWrite);
    node.step_firmware();
    world.run(200_000, |world| (0..2).all(|slot| world.nodes[0].status(slot).ended == 1));
    world.settle();
    let node = &world.nodes[0];
    let mut ends = [0, 1].map(|slot| (node.status(slot).refused, node.status(slot).last_error));
    ends.sort();
    assert_eq!(ends, [(0, 0), (1, PostError::BusError as u32)]);
    let whole = 8 * 4096 / FRAME;
    assert!(node.counter(Counter::FramesSent) <= whole + 32, "{} frames", node.counter(Counter::FramesSent));
    node.check_sums(true);
}

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

#[test]
#[should_panic(expected = "a frame is released before it is placed")]
fn a_release_in_front_of_its_frame_is_found() {
    let hardware = &mut world(SETTINGS).nodes[0].hardware;
    hardware.post_dma_read(0, 0, 0, DMA_FLAG_ASSIST);
}

/// Host reads that a node has posted for data: from where, how many bytes, and how many more its command asks for.
fn data_reads(node: &Node) -> Vec<(u32, u32, u32)> {
    let reads =
        node.hardware.reads.iter().map(|(bus, _, control)| (*bus, control & 0xFFFF, control >> DMA_AHEAD_SHIFT));
    reads.filter(|(_, bytes, _)| *bytes != 0).collect()
}

#[test]
fn a_page_goes_in_pieces_that_one_command_reads() {
    let mut world = world(Settings { frame_data_bytes_max: 4096, tx_buffers: 24, ..SETTINGS });
    // One that misses goes on as the rest of a longer one would; the next one finds what it needs.
    for (lengths, hits) in [
        (&[508, 512, 512, 512, 512, 512, 512, 496, 20][..], 2),
        (&[300, 328, 352, 376, 400, 424, 448, 472, 496, 480, 20], 4),
    ] {
        let node = &mut world.nodes[0];
        let sent = node.counter(Counter::FramesSent);
        // From 20 bytes behind a page's begin on, and a little into the next.
        node.post(0, &PostDescriptor { local_address: SOURCE * 4096 + 20, ..post(4096) });
        for _ in 0..20 {
            node.step_firmware();
            node.serve_miss();
        }
        let reads = data_reads(node);
        assert_eq!(reads[0].0 % 4096, 20);
        assert_eq!(reads.iter().map(|(_, bytes, _)| *bytes).collect::<Vec<_>>(), lengths);
        let ahead: Vec<u32> = reads.iter().map(|(_, _, ahead)| *ahead).collect();
        assert_eq!(ahead[0], 4076 - lengths[0]);
        assert!(ahead[1..].iter().all(|ahead| *ahead == 0));
        assert_eq!(node.counter(Counter::FramesSent), sent + lengths.len() as u32);
        assert_eq!(node.counter(Counter::SendHits), hits, "one lookup for each page");
        assert_eq!(node.locked_lines(), 1);
        world.settle();
        assert_eq!(world.nodes[0].locked_lines(), 0);
    }
    world.nodes[0].check_sums(true);
}

#[test]
fn without_room_for_all_pieces_each_has_a_command_of_its_own() {
    let mut world = world(Settings { frame_data_bytes_max: 4096, tx_buffers: 5, ..SETTINGS });
    let node = &mut world.nodes[0];
    node.post(0, &post(4096));
    for _ in 0..20 {
        node.step_firmware();
        node.serve_miss();
    }
    assert_eq!(data_reads(node).iter().map(|(_, bytes, ahead)| (*bytes, *ahead)).collect::<Vec<_>>(), [(512, 0); 5]);
    world.settle();
    assert_eq!(world.nodes[0].status(0).ended, 1);
}

#[test]
#[should_panic(expected = "does not go on where")]
fn a_host_read_beside_what_was_read_ahead_is_found() {
    let hardware = &mut world(SETTINGS).nodes[0].hardware;
    hardware.read_on(0x1000, 512, 1024);
    hardware.read_on(0x1200, 512, 0);
    hardware.read_on(0x1408, 512, 0);
}

/// The caller of a turn looks at events for a while where [`Machine::awaits_answer`] says so: of short data at once, of longer ones when they are there.
#[test]
fn the_end_of_a_host_write_gives_way_to_an_answer_once_and_to_nothing_once_it_was_sent() {
    let mut world = world(SETTINGS);
    let answer = PostDescriptor { destination_node: 0, ..post(4) };
    // No page of these messages is missing any more.
    world.nodes[0].post(0, &post(4));
    world.nodes[1].post(0, &answer);
    world.run(20_000, |world| world.nodes.iter().all(|node| node.status(0).ended == 1));
    world.settle();
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
    let mut world = world(SETTINGS);
    let answer = PostDescriptor { destination_node: 0, ..post(4) };
    world.nodes[0].post(0, &post(4));
    world.nodes[1].post(0, &answer);
    world.run(20_000, |world| world.nodes.iter().all(|node| node.status(0).ended == 1));
    world.settle();
    let acknowledged = world.nodes[0].counter(Counter::FramesAcknowledged);
    world.nodes[0].post(0, &post(4));
    world.run(20_000, |world| world.nodes[1].counter(Counter::FramesAccepted) == 2);
    world.nodes[1].post(0, &answer);
    world.run(20_000, |world| world.nodes[0].counter(Counter::FramesAccepted) == 2);
    assert_eq!(world.nodes[0].counter(Counter::FramesAcknowledged), acknowledged, "it was heard before the answer");
    world.settle();
    assert_eq!(world.nodes[0].counter(Counter::FramesAcknowledged), acknowledged + 1);
}

// ---- Reads ----

fn read(length: u32) -> PostDescriptor {
    PostDescriptor { op: OP_READ, ..post(length) }
}

/// A world whose node 0 has asked for bytes that node 1 will never hear of, and the number of the read.
fn asked_in_vain(length: u32) -> (World, u32) {
    let mut world = world(Settings { retransmit_limit: 3, ..SETTINGS });
    world.unreachable = Some(1);
    world.nodes[0].post(0, &read(length));
    world.run(1000, |world| world.nodes[0].counter(Counter::ReadsOpened) == 1);
    // The first serial, in the first place of those for node 1.
    (world, 1 << 16 | 8)
}

fn reply(id: u32, change: impl Fn(&mut Reply)) -> Vec<u8> {
    let mut reply = Reply { last: true, aborted: false, sequence: 0, data_bytes: 4, id, offset: 0, message: 0 };
    change(&mut reply);
    let repr = Repr {
        destination: 0,
        source: 1,
        session: 3,
        key_width: KeyWidth::Bits64,
        acknowledge: 0,
        body: Body::Reply(reply),
    };
    bytes_of(&repr)
}

fn memory_but_status(node: &Node) -> Vec<u8> {
    let status = |page: usize| node.host.status_pages.contains(&(page as u32));
    node.host
        .memory
        .chunks(mock::PAGE)
        .enumerate()
        .filter(|(page, _)| !status(*page))
        .flat_map(|(_, page)| page.to_vec())
        .collect()
}

#[test]
fn a_reply_counts_only_for_an_open_read_and_with_the_bytes_that_come_next() {
    // How a peer answers wrongly, and whether the read ends by it.
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
        // The request itself is never acknowledged: its peer is given up.
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
    world.nodes[0].deliver(&bytes_of(&Repr {
        destination: 0,
        source: 1,
        session: 3,
        key_width: KeyWidth::Bits64,
        acknowledge: 1,
        body,
    }));
    world.run(1000, |world| world.nodes[0].counter(Counter::FramesAcknowledged) == 1);
    world.run(100_000, |world| world.nodes[0].status(0).ended == 1);
    world.settle();
    let status = world.nodes[0].status(0);
    assert_eq!((status.refused, status.last_error), (1, PostError::PeerUnreachable as u32));
    assert_eq!(world.nodes[0].counter(Counter::ProbesSent), 1);
    world.nodes[0].check_sums(true);
    // What it sends now is strange: it must find out by itself.
    world.nodes[0].deliver(&reply(0, |_| {}));
    world.run(100, |world| world.nodes[0].counter(Counter::FramesStrange) == 1);
}

#[test]
fn reads_beyond_the_queue_are_dropped_and_those_in_it_are_answered() {
    let mut world = world(SETTINGS);
    // The owner has the line that the reads need.
    world.nodes[0].post(0, &read(4));
    world.run(10_000, |world| world.nodes[0].status(0).ended == 1);
    world.settle();
    // Of a hostile node: more reads than its share, none of which can be answered, since nothing leaves.
    let node = &mut world.nodes[1];
    let request = |sequence| {
        let read = Read {
            sequence,
            buffer: CBH,
            buffer_offset: 0,
            key: [1, 2, 0, 0],
            message: 0,
            length: 8 * 4096,
            id: sequence,
        };
        bytes_of(&Repr {
            destination: 1,
            source: 0,
            session: 3,
            key_width: KeyWidth::Bits64,
            acknowledge: 0,
            body: Body::Read(read),
        })
    };
    for sequence in 1..=17 {
        node.deliver(&request(sequence));
        while node.hardware.pending & Event::MacRx.bit() != 0 {
            node.step_firmware();
        }
    }
    assert_eq!(node.counter(Counter::ReadsTaken), 1 + 16);
    assert_eq!(node.counter(Counter::FramesDroppedReads), 1);
    // Node 0 never asked, and refuses what it gets: so the owner stops.
    world.settle();
    assert_eq!(world.nodes[1].counter(Counter::ReadsGivenUp), 16);
    assert_eq!(world.nodes[0].locked_lines() + world.nodes[1].locked_lines(), 0);
    world.nodes.iter().for_each(|node| node.check_sums(true));
}

/// More reads wait than a set has ways, and each miss is served before another read is looked at: what was filled for one is used before it is pushed out.
#[test]
fn reads_that_push_out_each_others_buffers_are_all_answered() {
    let mut world = world(SETTINGS);
    // The owner has the line that they need.
    world.nodes[0].post(0, &read(4));
    world.run(10_000, |world| world.nodes[0].status(0).ended == 1);
    world.settle();
    let node = &mut world.nodes[1];
    let deliver = |node: &mut Node, frame: Vec<u8>| {
        node.deliver(&frame);
        while node.hardware.pending & Event::MacRx.bit() != 0 {
            node.step_firmware();
        }
    };
    // They wait for a write that came before them.
    deliver(node, frame(1, |_, _| {}));
    let others = [6, 8].map(|id| cbh(5, id));
    for (sequence, buffer) in (2..).zip([0, 2, 4].map(|id| cbh(5, id))) {
        if buffer != CBH {
            node.export(buffer, DESCRIPTOR);
            node.load_buffer(buffer);
        }
        let (id, length, buffer_offset, key, message) = (sequence, 4, 0, [1, 2, 0, 0], 0);
        let body = Body::Read(Read { sequence, buffer, buffer_offset, key, message, length, id });
        let (key_width, acknowledge) = (KeyWidth::Bits64, 0);
        deliver(node, bytes_of(&Repr { destination: 1, source: 0, session: 3, key_width, acknowledge, body }));
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
    let at = world.nodes[0].map.process_table;
    world.nodes[0].hardware.write(at, 0);
    world.nodes[0].write_mailbox(MAILBOX_COMMAND, COMMAND_CLOSE);
    world.run(1000, |world| world.nodes[0].hardware.to_host[1] == COMMAND_CLOSE);
    let after = world.nodes[0].host.memory.clone();
    world.settle();
    assert!(world.nodes[0].host.memory == after, "a reply was written after the process's end");
    assert!(world.nodes[0].counter(Counter::ReadsFailed) > 0);
    world.nodes.iter().for_each(|node| node.check_sums(true));
}

// ---- Notifications ----

#[test]
fn a_notification_waits_for_its_data() {
    let mut world = world(SETTINGS);
    world.nodes[1].deliver(&frame(0, |_, write| write.data_bytes = 0));
    world.settle();
    // With the translation there.
    world.nodes[1].deliver(&frame(1, |_, _| {}));
    world.settle();
    world.nodes[1].deliver(&frame(1, |_, write| write.notify = true));
    for _ in 0..50 {
        world.nodes[1].step_firmware();
    }
    let node = &mut world.nodes[1];
    assert_eq!(node.counter(Counter::NotificationsTaken), 1);
    assert_eq!(node.hardware.to_host[MAILBOX_NOTIFY], 0, "the data are not in memory");
    node.step_write(false);
    for _ in 0..50 {
        node.step_firmware();
    }
    assert_eq!(node.hardware.to_host[MAILBOX_NOTIFY], 1);
    node.read_notification();
    let told = node.host.notified[0];
    assert_eq!((told.buffer, told.key, told.end_offset, told.source_node), (CBH, 1, 4, 0));
}

#[test]
fn a_full_ring_of_notifications_drops_the_next_until_one_is_read() {
    let mut world = world(SETTINGS);
    let notify = |sequence| frame(sequence, |_, write| (write.notify, write.data_bytes) = (true, 0));
    let node = &mut world.nodes[1];
    for sequence in 0..=NOTIFY_RING_ENTRIES {
        node.deliver(&notify(sequence));
        node.step_firmware();
    }
    assert_eq!(node.counter(Counter::NotificationsRaised), NOTIFY_RING_ENTRIES);
    assert_eq!(node.counter(Counter::FramesDroppedNotify), 1);
    // More than was raised: ignored.
    node.write_mailbox(MAILBOX_NOTIFIED, NOTIFY_RING_ENTRIES + 1);
    node.step_firmware();
    assert_eq!(node.counter(Counter::MailboxesWild), 1);
    node.read_notification();
    node.step_firmware();
    node.deliver(&notify(NOTIFY_RING_ENTRIES));
    node.step_firmware();
    assert_eq!(node.counter(Counter::NotificationsRaised), NOTIFY_RING_ENTRIES + 1);
}

// ---- Post queues that change hands -----------------------------------------------------------

/// Asks for the queue of slot 0 for process 6; what the entry says then.
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
    // An index that is about to wrap, and an error that the process knows already.
    let status = ProcessStatus { refused: 7, last_error: 8, last_error_index: 5, ended: u32::MAX };
    let entry = assign(&mut world, status);
    assert_eq!((entry.state, entry.status), (ENTRY_ASSIGNED, left), "the driver learns where the other one was");
    let node = &mut world.nodes[0];
    node.posted[0] = u32::MAX;
    node.post(0, &bad);
    // The pages of the one before are not its own.
    node.post(0, &post(4));
    world.run(20_000, |world| world.nodes[0].status(0).ended == 1);
    let now = world.nodes[0].status(0);
    assert_eq!((now.refused, now.last_error, now.last_error_index), (9, PostError::BadLocalAddress as u32, 0));
    let told = &world.nodes[0].host.statuses;
    let first = told.iter().rev().map(|(_, status)| *status).find(|status| status.ended == 0).unwrap();
    assert_eq!((first.refused, first.last_error, first.last_error_index), (8, PostError::NoSuchNode as u32, u32::MAX));
    // And back again, with its error.
    assert_eq!(assign(&mut world, left).status, now);
    world.settle();
    world.nodes[0].check_sums(true);
}

#[test]
fn a_queue_with_posts_under_way_stays_with_its_process() {
    let mut world = world(Settings { driver_speed: 0, ..SETTINGS });
    world.nodes[0].post(0, &post(5000));
    let mut stayed = 0;
    // Parked on its miss, blocked, sent and not acknowledged, ended and not told.
    for step in 0..400 {
        if step == 60 {
            world.settings.driver_speed = 200;
        }
        let before = world.nodes[0].counter(Counter::PostsCompleted);
        let entry = assign(&mut world, ProcessStatus::default());
        match entry.state {
            ENTRY_OPEN => {
                stayed += 1;
                assert_eq!(world.nodes[0].hardware.read(world.nodes[0].map.process_table + 4), 5);
            }
            state => {
                assert_eq!(state, ENTRY_ASSIGNED);
                assert_eq!((before, entry.status.ended), (1, 1), "step {step}");
                // Its process has been told.
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
    // The command is looked at in a turn that did not see the doorbell.
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
