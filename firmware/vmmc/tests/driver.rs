//! Commands of the driver, wild words of a hostile host, and rings that are full (INV-18, 19, 35, 36).

mod mock;

use mock::{Node, Settings, World, GEOMETRY, SETTINGS};
use nic_layout::counter::Counter;
use nic_layout::frame::{Body, Packet, Repr, Write};
use nic_layout::post::{PostDescriptor, PostError, OP_WRITE};
use nic_layout::ring::{
    Event, COMMAND_CLOSE, COMMAND_FENCE, COMMAND_INVALIDATE, DMA_FLAG_ASSIST, MAILBOX_COMMAND, MAILBOX_FILLED,
};
use nic_layout::tables::{BufferEntry, MISS_RING_ENTRIES, PERMIT_WRITE};
use nic_layout::vmh::key;
use nic_lookup::Words;
use nic_vmmc::Device;

const SOURCE: u32 = 0x100;
const BUFFER: u32 = 0x200;

fn world(settings: Settings) -> World {
    let mut world = World::new(settings, 1);
    for node in &mut world.nodes {
        node.open(0, 5);
        node.map_pages(5, SOURCE, 8);
        node.map_pages(5, BUFFER, 8);
        node.export(
            0,
            BufferEntry {
                state: 1,
                pid: 5,
                start_address: BUFFER * 4096,
                length_bytes: 8 * 4096,
                key: [1, 2],
                permissions: PERMIT_WRITE,
                reserved: 0,
            },
        );
    }
    world
}

fn post(length: u32) -> PostDescriptor {
    PostDescriptor {
        op: OP_WRITE,
        flags: 0,
        destination_node: 1,
        length_bytes: length,
        source_address: SOURCE * 4096,
        buffer: 0,
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
        sequence,
        data_bytes: 4,
        buffer: 0,
        buffer_offset: 0,
        key: [1, 2],
        message: 0,
    };
    let mut repr = Repr { destination: 1, source: 0, session: 3, acknowledge: 0, body: Body::Acknowledge };
    change(&mut repr, &mut write);
    repr.body = Body::Write(write);
    let mut bytes = vec![0; 60];
    repr.emit(&mut Packet::new_checked(&mut bytes[..]).unwrap());
    bytes
}

#[test]
fn each_bad_frame_ends_in_its_own_counter_and_refused_ones_advance_the_sequence() {
    let mut world = world(SETTINGS);
    let refused: [(Counter, Change); 8] = [
        (Counter::FramesRefusedBuffer, |_, write| write.buffer = 256),
        (Counter::FramesRefusedBuffer, |_, write| write.buffer = 1),
        (Counter::FramesRefusedKey, |_, write| write.key = [1, 3]),
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
    let at = world.nodes[1].map.buffer_table + 24;
    world.nodes[1].hardware.write(at, 0);
    world.nodes[1].deliver(&frame(0, |_, _| {}));
    world.run(100, |world| world.nodes[1].counter(Counter::FramesRefusedPermission) == 1);
}

#[test]
fn a_page_number_beyond_host_memory_is_refused_on_both_sides() {
    let mut world = world(SETTINGS);
    world.nodes[0].host.tables.insert((5, SOURCE), 0x9_0000);
    world.nodes[0].post(0, &post(4));
    world.run(5000, |world| world.nodes[0].status(0).ended == 1);
    assert_eq!(world.nodes[0].status(0).last_error, PostError::BadSourceAddress as u32);
    assert_eq!(world.nodes[0].counter(Counter::SendWildPages), 1);

    world.nodes[1].host.tables.insert((5, BUFFER), 0x9_0000);
    world.nodes[0].post(0, &PostDescriptor { source_address: SOURCE * 4096 + 4096, ..post(4) });
    world.run(20_000, |world| world.nodes[0].status(0).ended == 2);
    assert_eq!(world.nodes[0].status(0).refused, 1, "the sender is not told what the receiver refused");
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
        node.hardware.write(node.map.vmh_cache + GEOMETRY.key_offset(line), 0);
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
    let mut world = world(Settings { nodes: 3, frame_data_bytes_max: FRAME, tx_buffers: 80, ..SETTINGS });
    let node = &mut world.nodes[0];
    node.open(1, 5);
    node.post(0, &post(8 * 4096));
    node.post(1, &PostDescriptor { destination_node: 2, ..post(8 * 4096) });
    // The host's bus does nothing, so that the ring fills.
    for _ in 0..500 {
        node.step_firmware();
        node.serve_miss();
    }
    assert_eq!(node.hardware.reads.len(), 62);
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

#[test]
fn the_end_of_a_host_write_gives_way_to_an_answer_for_six_turns_and_to_nothing_once_it_was_sent() {
    let mut world = world(SETTINGS);
    let answer = PostDescriptor { destination_node: 0, ..post(4) };
    // No page of these messages is missing any more.
    world.nodes[0].post(0, &post(4));
    world.nodes[1].post(0, &answer);
    world.run(20_000, |world| world.nodes.iter().all(|node| node.status(0).ended == 1));
    world.settle();
    for (message, is_answered, turns) in [(2, false, 7), (3, true, 1), (4, false, 7)] {
        world.nodes[0].post(0, &post(4));
        world.run(20_000, |world| world.nodes[1].counter(Counter::FramesAccepted) == message);
        let node = &mut world.nodes[1];
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
        }
        assert_eq!(taken, turns, "message {message}");
        world.settle();
    }
}
