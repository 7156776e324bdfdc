//! Commands of the driver, wild words of a hostile host, and full rings (M-22; INV-18, 19, 36).

use nic_device::Words;
use nic_device::{Device, DMA_RING_LOG2};
use nic_layout::counter::Counter;
use nic_layout::post::{PostDescriptor, PostError, POST_QUEUE_ENTRIES};
use nic_layout::ring::{
    restart_peer, Event, COMMAND_CLOSE, COMMAND_FENCE, COMMAND_INVALIDATE, MAILBOX_COMMAND, MAILBOX_FILLED,
};
use nic_layout::tables::MISS_RING_ENTRIES;
use nic_layout::vmh::key;

use crate::mock::scene::{post, world, BUFFER, PID, SOURCE};
use crate::mock::{Settings, World, GEOMETRY, SESSION, SETTINGS};

#[test]
fn a_page_number_beyond_host_memory_is_refused_on_both_sides() {
    let mut world = world(SETTINGS);
    world.nodes[0].host.tables.insert((PID, SOURCE), 0x9_0000);
    world.nodes[0].post(0, &post(4));
    world.run(5000, |world| world.nodes[0].status(0).ended == 1);
    assert_eq!(world.nodes[0].status(0).last_error, PostError::BadLocalAddress as u32);
    assert_eq!(world.nodes[0].counter(Counter::SendWildPages), 1);

    world.nodes[1].host.tables.insert((PID, BUFFER), 0x9_0000);
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

/// A world in which node 0 has a host read in flight. Its line was filled for the post before.
fn with_dma_under_way() -> World {
    let mut world = world(SETTINGS);
    world.nodes[0].post(0, &post(4));
    world.run(20_000, |world| world.nodes[0].status(0).ended == 1);
    world.settle();
    world.nodes[0].post(0, &post(4));
    (0..2).for_each(|_| world.nodes[0].step_firmware());
    assert_eq!(world.nodes[0].hardware.reads.len(), 2, "the data, and what releases the frame");
    world
}

#[test]
fn an_invalidated_line_is_not_hit_again_and_the_answer_comes_after_its_dma() {
    let mut world = with_dma_under_way();
    let command = key(PID, SOURCE, COMMAND_INVALIDATE);
    world.nodes[0].write_mailbox(MAILBOX_COMMAND, command);
    (0..5).for_each(|_| world.nodes[0].step_firmware());
    assert_eq!(world.nodes[0].answered(), 0, "answered while the DMA is under way");
    assert_eq!(world.nodes[0].locked_lines(), 1);
    (0..2).for_each(|_| world.nodes[0].step_read(false));
    (0..5).for_each(|_| world.nodes[0].step_firmware());
    assert_eq!(world.nodes[0].answered(), command);
    // The command is answered, so the driver may now unpin the page: the next post must miss.
    let misses = world.nodes[0].counter(Counter::SendMisses);
    world.nodes[0].post(0, &post(4));
    world.run(20_000, |world| world.nodes[0].status(0).ended == 3);
    assert_eq!(world.nodes[0].counter(Counter::SendMisses), misses + 1);
}

#[test]
fn a_fence_without_dma_is_answered_at_once() {
    let mut world = world(SETTINGS);
    world.nodes[0].write_mailbox(MAILBOX_COMMAND, COMMAND_FENCE);
    world.nodes[0].step_firmware();
    assert_eq!(world.nodes[0].answered(), COMMAND_FENCE);
}

#[test]
fn a_command_before_the_answer_to_the_last_one_is_wild() {
    let mut world = with_dma_under_way();
    for command in [COMMAND_FENCE, key(PID, SOURCE, COMMAND_INVALIDATE)] {
        world.nodes[0].write_mailbox(MAILBOX_COMMAND, command);
        (0..5).for_each(|_| world.nodes[0].step_firmware());
        assert_eq!(world.nodes[0].answered(), 0, "answered while the DMA is under way");
    }
    assert_eq!([Counter::Commands, Counter::MailboxesWild].map(|counter| world.nodes[0].counter(counter)), [1, 1]);
    world.settle();
    assert_eq!(world.nodes[0].answered(), COMMAND_FENCE);
    // The command was not obeyed: the line that it named is still cached.
    let misses = world.nodes[0].counter(Counter::SendMisses);
    world.nodes[0].post(0, &post(4));
    world.run(20_000, |world| world.nodes[0].status(0).ended == 3);
    assert_eq!(world.nodes[0].counter(Counter::SendMisses), misses);
}

#[test]
fn a_closed_slot_forgets_its_posts_and_opens_afresh() {
    let mut world = world(Settings { driver_speed: 0, ..SETTINGS });
    (0..3).for_each(|_| world.nodes[0].post(0, &post(5000)));
    (0..200).for_each(|_| world.step());
    // The first post is parked on its miss, which no driver serves.
    world.nodes[0].close(0);
    (0..200).for_each(|_| world.step());
    assert_eq!(world.nodes[0].answered(), COMMAND_CLOSE);
    assert_eq!(world.nodes[0].counter(Counter::PostsClosed), 1);
    world.settings.driver_speed = 200;
    world.nodes[0].open(0, PID);
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
    world.nodes[0].close(0);
    world.run(2000, |world| world.nodes[0].answered() == COMMAND_CLOSE);
    world.nodes[0].open(0, PID);
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
    // This cache has fewer lines than the miss ring has entries. The ring fills because the driver
    // gives lines back without moving its consumer index.
    let mut world = world(Settings { driver_speed: 0, ..SETTINGS });
    let node = &mut world.nodes[0];
    node.post(0, &post(4));
    (0..4).for_each(|_| node.step_firmware());
    for raised in 1..=MISS_RING_ENTRIES {
        assert_eq!(node.counter(Counter::SendMisses), raised);
        // The driver gives the line back but does not write the mailbox. The invalidation lets the
        // post try again.
        let line = node.hardware.read(node.map.miss_ring + (raised - 1) * 16 + 4);
        node.hardware.write(node.map.vmh + GEOMETRY.key_offset(line), 0);
        node.write_mailbox(MAILBOX_COMMAND, key(PID, 0xF_0000, COMMAND_INVALIDATE));
        (0..4).for_each(|_| node.step_firmware());
    }
    assert_eq!(node.counter(Counter::SendMissRingFull), 1);
    assert_eq!(world.nodes[0].counter(Counter::SendMisses), MISS_RING_ENTRIES);
    // The driver serves the ring, and the post goes on.
    world.settings.driver_speed = 200;
    world.run(20_000, |world| world.nodes[0].status(0).ended == 1);
    world.settle();
    world.nodes[0].check_sums(true);
}

/// The firmware may see an error of the DMA engine while the next frame of the same post waits for
/// room in the ring.
#[test]
fn a_post_that_the_bus_failed_sends_nothing_more_though_the_ring_was_full() {
    const FRAME: u32 = 64;
    let mut world = world(Settings { nodes: 3, frame_data_bytes_max: FRAME, tx_buffers: 64, ..SETTINGS });
    let node = &mut world.nodes[0];
    node.open(1, PID);
    node.post(0, &post(8 * 4096));
    node.post(1, &PostDescriptor { destination_node: 2, ..post(8 * 4096) });
    // The host's bus serves no transfer, so the ring fills.
    for _ in 0..500 {
        node.step_firmware();
        node.serve_miss();
    }
    assert_eq!(node.hardware.reads.len(), (1 << DMA_RING_LOG2) - 2);
    // Frames of the two posts alternate. Three transfers end: the data of the first frame, its
    // release, and the data of the second frame, which fail.
    for error in [false, false, true] {
        node.step_read(error);
    }
    // The end of a host write is served before the error, and it lets both posts try again.
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

/// How a frame ends before the host's bus has served its data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TakenBack {
    PeerRestarts,
    PeerIsGivenUp,
}

/// The data of a frame fail when no peer waits for the frame any more. Its post has ended with the
/// error of its peer, and the posts that come to its place of the queue end well.
fn data_fail_after_their_frame_was_taken_back(how: TakenBack) {
    const LIMIT: u32 = 2;
    let mut world = world(Settings { nodes: 3, retransmit_limit: LIMIT, ..SETTINGS });
    world.unreachable = Some(1);
    let unreachable = PostError::PeerUnreachable as u32;
    if how == TakenBack::PeerIsGivenUp {
        // A frame that was sent for the last time. It has left, and no peer acknowledges it.
        world.nodes[0].post(0, &post(4));
        world.run(100_000, |world| {
            let node = &world.nodes[0];
            node.counter(Counter::FramesRetransmitted) == LIMIT && node.hardware.transmit.is_empty()
        });
    }
    let node = &mut world.nodes[0];
    node.post(0, &post(3000));
    for _ in 0..100 {
        node.step_firmware();
        node.serve_miss();
    }
    assert!(!node.hardware.reads.is_empty(), "the data were not asked for");
    if how == TakenBack::PeerRestarts {
        node.write_mailbox(MAILBOX_COMMAND, restart_peer(1, SESSION + 1));
    }
    // The host's bus still serves no read.
    for _ in 0..2_000 {
        node.hardware.now = node.hardware.now.wrapping_add(1);
        node.step_firmware();
        node.step_write(false);
        node.step_transmit();
    }
    assert_eq!(node.counter(Counter::PeersLost), u32::from(how == TakenBack::PeerIsGivenUp));
    assert_eq!(node.status(0).ended, node.posted[0], "the posts wait for their data");
    assert_eq!(node.status(0).last_error, unreachable);
    while !node.hardware.reads.is_empty() {
        node.step_read(true);
        node.step_firmware();
    }
    assert!(node.counter(Counter::DmaReadErrors) > 0);

    let refused = node.status(0).refused;
    for _ in 0..POST_QUEUE_ENTRIES {
        let node = &mut world.nodes[0];
        node.post(0, &PostDescriptor { destination_node: 2, ..post(4) });
        world.run(50_000, |world| world.nodes[0].status(0).ended == world.nodes[0].posted[0]);
        let status = world.nodes[0].status(0);
        assert_eq!((status.refused, status.last_error), (refused, unreachable), "post {}", status.ended);
    }
    world.settle();
    world.nodes[0].check_sums(true);
}

#[test]
fn data_that_fail_after_their_peer_has_started_again_fail_no_later_post() {
    data_fail_after_their_frame_was_taken_back(TakenBack::PeerRestarts);
}

#[test]
fn data_that_fail_after_their_peer_was_given_up_fail_no_later_post() {
    data_fail_after_their_frame_was_taken_back(TakenBack::PeerIsGivenUp);
}
