//! Buffers that the NIC has to ask the driver for: each outcome of a lookup in the CBH cache (M-42
//! to M-45, M-49, INV-18, 19).

use nic_device::Words;
use nic_layout::cbh::{cbh, entry, Descriptor, STATE_EMPTY, STATE_INVALID, STATE_MASK, STATE_VALID};
use nic_layout::counter::Counter;
use nic_layout::ring::{COMMAND_FORGET_BUFFER, MAILBOX_ARGUMENT, MAILBOX_COMMAND, MAILBOX_COMMAND_DONE};
use nic_layout::tables::{MISS_BUFFER, MISS_RING_ENTRIES, PERMIT_WRITE};

use crate::mock::scene::{self, frame, BUFFER, PID};
use crate::mock::{Settings, World, CBH_GEOMETRY, SETTINGS};

/// A registered buffer. It falls into the same set of the cache as [`ABSENT`].
const CBH: u32 = cbh(PID, 0xF_FFF0);
const ABSENT: u32 = cbh(PID, 2);
const DESCRIPTOR: Descriptor = Descriptor { length_bytes: 4096, permissions: PERMIT_WRITE, ..scene::DESCRIPTOR };

/// A world whose drivers serve a miss only when the test calls them.
fn world() -> World {
    let mut world = World::new(Settings { driver_speed: 0, ..SETTINGS }, 1);
    world.nodes[1].open(0, PID);
    world.nodes[1].map_pages(PID, BUFFER, 1);
    world.nodes[1].export(CBH, DESCRIPTOR);
    world
}

/// A frame of node 0 arrives at node 1, and node 1 takes it in a turn.
fn arrives(world: &mut World, sequence: u32, cbh: u32) {
    let node = &mut world.nodes[1];
    node.deliver(&frame(sequence, |_, write| write.buffer = cbh));
    (0..4).for_each(|_| node.step_firmware());
    node.check_sums(false);
}

/// Counters of node 1: lookups that found no descriptor, and the same lookups by outcome: negative
/// entry, miss, pending, no way, miss ring full.
fn lookups(world: &World) -> [u32; 6] {
    use Counter::*;
    [BuffersNotFound, BufferDenials, BufferMisses, BufferPending, BufferNoWay, BufferMissRingFull]
        .map(|counter| world.nodes[1].counter(counter))
}

fn state(world: &World, number: u32) -> u32 {
    let at = world.nodes[1].map.cbh + CBH_GEOMETRY.entry_offset(number);
    world.nodes[1].hardware.read(at + entry::STATE) & STATE_MASK
}

/// The driver of node 1 commands its NIC to forget a buffer, and waits for the answer.
fn forget(world: &mut World, cbh: u32) {
    let node = &mut world.nodes[1];
    node.hardware.to_host[MAILBOX_COMMAND_DONE] = 0;
    node.write_mailbox(MAILBOX_ARGUMENT, cbh);
    node.write_mailbox(MAILBOX_COMMAND, COMMAND_FORGET_BUFFER);
    (0..3).for_each(|_| node.step_firmware());
    assert_eq!(node.hardware.to_host[MAILBOX_COMMAND_DONE], COMMAND_FORGET_BUFFER);
    assert_eq!(node.counter(Counter::MailboxesWild), 0);
}

#[test]
fn a_miss_tells_the_driver_once_drops_the_frame_and_is_served_for_the_next() {
    let mut world = world();
    arrives(&mut world, 0, CBH);
    let node = &world.nodes[1];
    let at = node.map.miss_ring;
    let number = CBH_GEOMETRY.set_of(CBH) * CBH_GEOMETRY.ways;
    let told = [0, 4, 8].map(|offset| node.hardware.read(at + offset));
    assert_eq!((told[0], told[2]), (CBH, MISS_BUFFER));
    assert_eq!(told[1] / CBH_GEOMETRY.ways * CBH_GEOMETRY.ways, number, "an entry of its set");
    // The frame comes again while the driver serves the miss: the NIC does not ask a second time.
    arrives(&mut world, 0, CBH);
    assert_eq!(lookups(&world), [2, 0, 1, 1, 0, 0]);
    assert_eq!(world.nodes[1].misses_waiting(), 1);
    assert_eq!(world.nodes[1].counter(Counter::FramesDroppedBuffer), 2);
    assert_eq!(world.nodes[1].counter(Counter::AcksSent), 0, "M-20");
    world.nodes[1].serve_miss();
    arrives(&mut world, 0, CBH);
    assert_eq!(lookups(&world), [2, 0, 1, 1, 0, 0]);
    assert_eq!(world.nodes[1].counter(Counter::ReceiveMisses), 1, "now its page is missing");
    world.nodes[1].serve_miss();
    arrives(&mut world, 0, CBH);
    assert_eq!(world.nodes[1].counter(Counter::FramesAccepted), 1);
    assert_eq!(lookups(&world), [2, 0, 1, 1, 0, 0]);
}

#[test]
fn a_frame_that_finds_a_negative_entry_is_refused_and_acknowledged() {
    let mut world = world();
    arrives(&mut world, 0, ABSENT);
    world.nodes[1].serve_miss();
    for sequence in 0..2 {
        arrives(&mut world, sequence, ABSENT);
    }
    assert_eq!(lookups(&world), [3, 2, 1, 0, 0, 0]);
    assert_eq!(world.nodes[1].counter(Counter::FramesRefusedBuffer), 2);
    (0..100).for_each(|_| world.nodes[1].step_firmware());
    assert!(world.nodes[1].counter(Counter::AcksSent) > 0, "M-49");
}

/// M-45: a registration replaces the negative entry of its buffer.
#[test]
fn a_buffer_that_is_registered_over_a_negative_entry_is_found() {
    let mut world = world();
    arrives(&mut world, 0, ABSENT);
    let number = world.nodes[1].hardware.read(world.nodes[1].map.miss_ring + 4);
    world.nodes[1].serve_miss();
    assert_eq!(state(&world, number), STATE_INVALID);
    world.nodes[1].export(ABSENT, DESCRIPTOR);
    forget(&mut world, ABSENT);
    assert_eq!(state(&world, number), STATE_EMPTY);
    arrives(&mut world, 0, ABSENT);
    world.nodes[1].serve_miss();
    arrives(&mut world, 0, ABSENT);
    assert_eq!(lookups(&world), [2, 0, 2, 0, 0, 0]);
    assert_eq!(world.nodes[1].counter(Counter::ReceiveMisses), 1, "found, and its page is missing");
}

/// M-44: the NIC answers the command to forget a buffer after the DMA to that buffer has ended.
#[test]
fn a_buffer_that_was_forgotten_is_not_hit_again_and_the_answer_comes_after_its_dma() {
    let mut world = world();
    for _ in 0..2 {
        arrives(&mut world, 0, CBH);
        world.nodes[1].serve_miss();
    }
    arrives(&mut world, 0, CBH);
    assert_eq!(world.nodes[1].hardware.writes.len(), 1, "its data are on their way");
    let node = &mut world.nodes[1];
    node.host.buffers.remove(&CBH);
    node.write_mailbox(MAILBOX_ARGUMENT, CBH);
    node.write_mailbox(MAILBOX_COMMAND, COMMAND_FORGET_BUFFER);
    (0..10).for_each(|_| node.step_firmware());
    assert_eq!(node.hardware.to_host[MAILBOX_COMMAND_DONE], 0, "answered while the DMA is under way");
    while !node.hardware.writes.is_empty() {
        node.step_write(false);
    }
    (0..10).for_each(|_| node.step_firmware());
    assert_eq!(node.hardware.to_host[MAILBOX_COMMAND_DONE], COMMAND_FORGET_BUFFER);
    // The translation of its page is still cached. Without the buffer no frame may use it.
    for _ in 0..2 {
        arrives(&mut world, 1, CBH);
        world.nodes[1].serve_miss();
    }
    assert_eq!(world.nodes[1].counter(Counter::FramesAccepted), 1);
    assert_eq!(world.nodes[1].counter(Counter::FramesRefusedBuffer), 1);
}

#[test]
fn with_every_way_reserved_a_frame_is_dropped_and_the_driver_not_told() {
    let mut world = world();
    for id in [0, 2, 4] {
        arrives(&mut world, 0, cbh(PID, id));
    }
    assert_eq!(lookups(&world), [3, 0, 2, 0, 1, 0]);
    assert_eq!(world.nodes[1].misses_waiting(), 2);
    assert_eq!(world.nodes[1].counter(Counter::FramesDroppedBuffer), 3);
}

#[test]
fn with_the_miss_ring_full_a_frame_is_dropped_and_nothing_reserved() {
    let mut world = world();
    for miss in 0..MISS_RING_ENTRIES {
        arrives(&mut world, 0, ABSENT);
        assert_eq!(lookups(&world)[2], miss + 1);
        // The driver has served no miss. It makes the NIC forget the reserved entry.
        forget(&mut world, ABSENT);
    }
    arrives(&mut world, 0, ABSENT);
    assert_eq!(lookups(&world)[5], 1);
    assert!((0..CBH_GEOMETRY.entries).all(|number| state(&world, number) == STATE_EMPTY));
    while world.nodes[1].misses_waiting() != 0 {
        world.nodes[1].serve_miss();
    }
    (0..4).for_each(|_| world.nodes[1].step_firmware());
    world.nodes[1].check_sums(true);
}

/// After its first frame a stream only hits the way that was used last.
#[test]
fn a_buffer_in_use_stays_while_others_come_and_go() {
    let mut world = world();
    world.nodes[1].load_buffer(CBH);
    arrives(&mut world, 0, CBH);
    world.nodes[1].serve_miss();
    for other in 0..8 {
        arrives(&mut world, other, CBH);
        arrives(&mut world, other + 1, cbh(PID, 2 * other));
        world.nodes[1].serve_miss();
        world.nodes[1].step_write(false);
        world.nodes[1].step_write(false);
    }
    assert_eq!(world.nodes[1].counter(Counter::FramesAccepted), 8);
    let set = CBH_GEOMETRY.set_of(CBH) * CBH_GEOMETRY.ways;
    assert!((set..set + CBH_GEOMETRY.ways).any(|number| state(&world, number) == STATE_VALID));
}
