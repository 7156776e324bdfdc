//! Frames that touch more than two pages (M-7, M-36; INV-15, 27, 38): tables built for jumbo frames
//! of 9000 bytes, whose data lie on up to four pages of either host.

use nic_layout::cbh::Descriptor;
use nic_layout::counter::Counter;
use nic_layout::post::{PostDescriptor, PostError, OP_READ, OP_WRITE, POST_FLAG_NOTIFY};
use nic_vmmc::{pages_max, Mini};

use crate::mock;
use crate::mock::scene::{CBH, DESCRIPTOR, PID};
use crate::mock::{NodeOf, Random, Settings, WorldOf, CBH_ENTRIES, CBH_WAYS, ENTRIES, LINE, PAGE, SETTINGS, WAYS};

/// Data bytes of a jumbo frame.
const JUMBO_BYTES: u32 = 9000;
const SPAN_PAGES: usize = pages_max(JUMBO_BYTES) as usize;

type Jumbo = Mini<ENTRIES, LINE, WAYS, CBH_ENTRIES, CBH_WAYS, 64, SPAN_PAGES>;
type World = WorldOf<Jumbo>;
type Node = NodeOf<Jumbo>;

const JUMBO: Settings = Settings { frame_data_bytes_max: JUMBO_BYTES, tx_buffers: 6, rx_buffers: 6, ..SETTINGS };

/// Own memory, and a buffer: two lines of pages each.
const PAGES: u32 = 2 * LINE;
const SOURCE: u32 = mock::scene::SOURCE;
const BUFFER: u32 = mock::scene::BUFFER;
const BYTES: u32 = PAGES * PAGE as u32;

fn world(settings: Settings) -> World {
    let mut world = World::new(settings, 1);
    for node in &mut world.nodes {
        node.open(0, PID);
        node.map_pages(PID, SOURCE, PAGES);
        node.map_pages(PID, BUFFER, PAGES);
        node.export(CBH, Descriptor { length_bytes: BYTES, ..DESCRIPTOR });
        node.load_buffer(CBH);
    }
    world
}

/// A write that notifies, which is never cut into pieces; or a read.
fn post(op: u8, own_offset: u32, buffer_offset: u32, length_bytes: u32) -> PostDescriptor {
    PostDescriptor {
        op,
        flags: if op == OP_WRITE { POST_FLAG_NOTIFY } else { 0 },
        local_address: SOURCE * PAGE as u32 + own_offset,
        buffer_offset,
        ..mock::scene::post(length_bytes)
    }
}

/// Bytes of a process from a page on.
fn bytes(node: &Node, first_page: u32, offset: u32, length: u32) -> Vec<u8> {
    let byte = |at: u32| {
        let page = node.host.tables[&(PID, first_page + at / PAGE as u32)] as usize;
        node.host.memory[page * PAGE + at as usize % PAGE]
    };
    (offset..offset + length).map(byte).collect()
}

/// Bytes of each transfer of data in a ring of the mock.
fn lengths<'a>(ring: impl Iterator<Item = &'a (u32, u32, u32)>) -> Vec<u32> {
    ring.map(|(_, _, control)| control & 0xFFFF).filter(|bytes| *bytes != 0).collect()
}

/// Serves the misses of a node and lets it go on, without moving data.
fn go_on(node: &mut Node) {
    for _ in 0..20 {
        node.step_firmware();
        node.serve_miss();
    }
}

#[test]
fn a_jumbo_frame_has_a_transfer_for_each_of_its_four_pages() {
    let mut world = world(JUMBO);
    let sent = bytes(&world.nodes[0], SOURCE, 4000, JUMBO_BYTES);
    let node = &mut world.nodes[0];
    node.post(0, &post(OP_WRITE, 4000, 4095, JUMBO_BYTES));
    go_on(node);
    assert_eq!(lengths(node.hardware.reads.iter()), [96, 4096, 4096, 712]);
    assert_eq!(node.counter(Counter::FramesSent), 1);
    assert_eq!(node.counter(Counter::SendHits), 4);
    for _ in 0..5 {
        node.step_read(false);
    }
    let frame = node.step_transmit().unwrap();
    let owner = &mut world.nodes[1];
    owner.deliver(&frame);
    go_on(owner);
    // The frame missed. The retransmitted frame finds its line.
    assert_eq!(lengths(owner.hardware.writes.iter()), []);
    owner.deliver(&frame);
    go_on(owner);
    assert_eq!(lengths(owner.hardware.writes.iter()), [1, 4096, 4096, 807]);
    assert_eq!(owner.counter(Counter::ReceiveHits), 4);
    world.settle();
    assert_eq!(bytes(&world.nodes[1], BUFFER, 4095, JUMBO_BYTES), sent);
    for node in &world.nodes {
        assert_eq!(node.locked_lines(), 0);
        node.check_sums(true);
    }
}

#[test]
fn all_missing_lines_of_a_frame_are_asked_for_at_once_and_nothing_stays_locked() {
    let mut world = world(JUMBO);
    let node = &mut world.nodes[0];
    // Two pages of the first line and two of the second.
    node.post(0, &post(OP_WRITE, 6 * 4096 + 4000, 0, JUMBO_BYTES));
    for _ in 0..20 {
        node.step_firmware();
    }
    // The second page of each line finds its line asked for.
    assert_eq!(node.misses_waiting(), 2);
    assert_eq!((node.counter(Counter::SendMisses), node.counter(Counter::SendPending)), (2, 2));
    node.serve_miss();
    for _ in 0..20 {
        node.step_firmware();
    }
    // With one line only, its pages are locked and given back.
    assert_eq!((node.counter(Counter::SendHits), node.locked_lines()), (2, 0));
    assert_eq!(lengths(node.hardware.reads.iter()), []);
    go_on(node);
    assert_eq!(lengths(node.hardware.reads.iter()), [96, 4096, 4096, 712]);
    assert_eq!(node.counter(Counter::SendHits), 6);
    world.settle();
    assert_eq!(world.nodes[0].status(0).refused, 0);
    world.nodes[0].check_sums(true);
}

#[test]
fn a_hole_in_the_third_page_ends_the_post_and_nothing_stays_locked() {
    let mut world = world(JUMBO);
    world.nodes[0].host.tables.remove(&(PID, SOURCE + 2));
    let before = world.nodes[1].host.memory.clone();
    world.nodes[0].post(0, &post(OP_WRITE, 4000, 0, JUMBO_BYTES));
    world.settle();
    let node = &world.nodes[0];
    assert_eq!((node.status(0).refused, node.status(0).last_error), (1, PostError::BadLocalAddress as u32));
    assert_eq!((node.counter(Counter::SendHits), node.counter(Counter::SendFaults)), (2, 1));
    assert_eq!((node.counter(Counter::FramesSent), node.locked_lines()), (0, 0));
    node.check_sums(true);
    assert!(world.nodes[1].host.memory == before);
}

#[test]
fn a_jumbo_reply_has_a_transfer_for_each_of_its_pages() {
    let mut world = world(JUMBO);
    let asked = bytes(&world.nodes[1], BUFFER, 4095, JUMBO_BYTES);
    world.nodes[0].post(0, &post(OP_READ, 4000, 4095, JUMBO_BYTES));
    world.settle();
    let [asker, owner] = &world.nodes[..] else { panic!("two nodes") };
    assert_eq!(asker.status(0).refused, 0);
    assert_eq!(owner.counter(Counter::FramesSent), 1, "the reply is one frame");
    assert_eq!(bytes(asker, SOURCE, 4000, JUMBO_BYTES), asked);
    assert_eq!((asker.counter(Counter::ReceiveHits), asker.locked_lines()), (4, 0));
    assert_eq!(owner.locked_lines(), 0);
    world.nodes.iter().for_each(|node| node.check_sums(true));
}

#[test]
fn frames_of_any_length_and_place_arrive_whole_over_a_bad_wire() {
    let mut world = world(Settings { loss: 50, duplication: 50, reordering: 50, ..JUMBO });
    let mut random = Random::new(7);
    for _ in 0..300 {
        let op = if random.chance(500) { OP_WRITE } else { OP_READ };
        let length = 1 + random.below(2 * JUMBO_BYTES);
        let [own, remote] = [(); 2].map(|()| random.below(BYTES - length));
        let [mut own_bytes, mut buffer] =
            [(0, SOURCE), (1, BUFFER)].map(|(node, first)| bytes(&world.nodes[node], first, 0, BYTES));
        let of_own = own as usize..(own + length) as usize;
        let of_buffer = remote as usize..(remote + length) as usize;
        match op {
            OP_WRITE => buffer[of_buffer].copy_from_slice(&own_bytes[of_own]),
            _ => own_bytes[of_own].copy_from_slice(&buffer[of_buffer]),
        }
        world.nodes[0].post(0, &post(op, own, remote, length));
        world.settle();
        assert!(bytes(&world.nodes[0], SOURCE, 0, BYTES) == own_bytes, "{own} {remote} {length}");
        assert!(bytes(&world.nodes[1], BUFFER, 0, BYTES) == buffer, "{own} {remote} {length}");
    }
    for node in &world.nodes {
        assert_eq!((node.status(0).refused, node.locked_lines()), (0, 0));
        node.check_sums(true);
    }
}
