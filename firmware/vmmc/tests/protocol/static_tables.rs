//! The personality with static tables. The sending NIC checks imports, and no lookup asks the
//! driver (M-4, M-13; INV-21, 22, 27, 38).

use nic_device::Words;
use nic_layout::cbh::{cbh, entry, valid, Descriptor, STATE_EMPTY};
use nic_layout::counter::Counter;
use nic_layout::post::{PostDescriptor, PostError, OP_READ, OP_WRITE};
use nic_layout::ring::{COMMAND_CLOSE, COMMAND_FENCE, COMMAND_FORGET_BUFFER, COMMAND_INVALIDATE, MAILBOX_COMMAND};
use nic_layout::static_tables::{import, top_shift, TABLE_ENTRIES, UNREGISTERED};
use nic_layout::tables::{PERMIT_READ, PERMIT_WRITE};
use nic_vmmc::StaticTables;
use proptest::prelude::*;

use crate::mock::{self, NodeOf, Settings, WorldOf, PAGE, SETTINGS, STATIC};

type World = WorldOf<StaticTables>;
type Node = NodeOf<StaticTables>;

/// The identifiers of the processes in slots 0 and 1.
const PIDS: [u32; 2] = [8, 17];
const SOURCE: u32 = 0x100;
const BUFFER: u32 = 0x12_345;
const PAGES: u32 = 6;
const KEY: [u32; 2] = [0xAB12_CD34, 0x5678_EF90];

// ---- The driver ----

/// Registers pages. The driver writes the whole second-level table before the table's index.
fn register(node: &mut Node, pid: u32, table: u32, first: u32, count: u32) {
    assert_eq!(first / TABLE_ENTRIES, (first + count - 1) / TABLE_ENTRIES);
    node.map_pages(pid, first, count);
    let base = node.map.vmh;
    for page in 0..TABLE_ENTRIES {
        let number = node.host.tables.get(&(pid, first / TABLE_ENTRIES * TABLE_ENTRIES + page)).copied();
        node.host.pinned.extend(number);
        node.hardware.write(base + STATIC.table_offset(table) + page * 4, number.unwrap_or(UNREGISTERED));
    }
    let at = base + STATIC.top_offset(pid % 8, first);
    let others = node.hardware.read(at);
    node.hardware.write(at, others | table << top_shift(first));
}

fn export(node: &mut Node, pid: u32, id: u32, descriptor: &Descriptor) {
    let Descriptor { start_address, length_bytes, key, permissions } = *descriptor;
    let at = node.map.vmh + STATIC.buffer_offset(id);
    let words = [cbh(pid, id), start_address, length_bytes, key[0], key[1], valid(permissions)];
    words.iter().zip((at..).step_by(4)).for_each(|(word, at)| node.hardware.write(at, *word));
}

fn withdraw(node: &mut Node, id: u32) {
    node.hardware.write(node.map.vmh + STATIC.buffer_offset(id) + entry::STATE, STATE_EMPTY);
}

fn put_import(node: &mut Node, slot: u32, index: u32, owner: u32, buffer: u32, permissions: u32, length: u32) {
    let at = node.map.vmh + STATIC.import_offset(slot, index);
    let words = [length, KEY[0], KEY[1], import::who(owner, buffer, permissions).unwrap()];
    words.iter().zip((at..).step_by(4)).for_each(|(word, at)| node.hardware.write(at, *word));
}

const LENGTH: u32 = PAGES * 4096 - 200;

/// Two nodes with two processes each. Each process exports a buffer. It imports the buffer of the
/// process in the same slot of the other node three times: import 0 with the buffer's permissions,
/// import 1 without any, import 2 with another key.
fn world(settings: Settings, seed: u64) -> World {
    let mut world = World::new(settings, seed);
    for (index, node) in world.nodes.iter_mut().enumerate() {
        for (slot, pid) in PIDS.into_iter().enumerate() {
            node.open(slot, pid);
            let table = 1 + 2 * slot as u32;
            register(node, pid, table, SOURCE, PAGES);
            register(node, pid, table + 1, BUFFER, PAGES);
            let start_address = BUFFER * 4096 + 100;
            let (permissions, key) = (PERMIT_WRITE | PERMIT_READ, [KEY[0], KEY[1], 0, 0]);
            export(node, pid, slot as u32, &Descriptor { start_address, length_bytes: LENGTH, key, permissions });
            let peer = 1 - index as u32;
            let theirs = cbh(pid, slot as u32);
            put_import(node, slot as u32, 0, peer, theirs, permissions, LENGTH);
            put_import(node, slot as u32, 1, peer, theirs, 0, LENGTH);
            put_import(node, slot as u32, 2, peer, theirs, permissions, LENGTH);
            let key = node.map.vmh + STATIC.import_offset(slot as u32, 2) + import::KEY_1;
            node.hardware.write(key, !KEY[1]);
        }
    }
    world
}

/// A post through an import. It names no node and no key, because both are the import's.
fn post(op: u8, import: u32, offset: u32, length: u32) -> PostDescriptor {
    PostDescriptor {
        op,
        destination_node: 99,
        length_bytes: length,
        local_address: SOURCE * 4096,
        buffer: import,
        buffer_offset: offset,
        ..PostDescriptor::default()
    }
}

/// Posts in slot 0 of node 0, and returns the error with which the post ends, if any.
fn end_of(world: &mut World, descriptor: &PostDescriptor) -> Option<u32> {
    let before = world.nodes[0].status(0);
    world.nodes[0].post(0, descriptor);
    world.run(200_000, |world| world.nodes[0].status(0).ended == before.ended + 1);
    world.settle();
    let after = world.nodes[0].status(0);
    world.nodes.iter().for_each(|node| node.check_sums(true));
    (after.refused != before.refused).then_some(after.last_error)
}

fn misses(world: &World) -> u32 {
    let of = |node: &Node| node.counter(Counter::BufferMisses) + node.counter(Counter::SendMisses);
    world.nodes.iter().map(|node| of(node) + node.counter(Counter::ReceiveMisses)).sum()
}

/// The `length` bytes from address `start` of a process on.
fn bytes(node: &Node, pid: u32, start: u32, length: u32) -> Vec<u8> {
    let place = |at: u32| node.host.tables[&(pid, at >> 12)] as usize * PAGE + at as usize % PAGE;
    (start..start + length).map(|at| node.host.memory[place(at)]).collect()
}

// ---- Tests ----

#[test]
fn a_write_and_a_read_through_an_import_ask_no_driver() {
    let mut world = world(Settings { driver_speed: 0, ..SETTINGS }, 1);
    assert_eq!(end_of(&mut world, &post(OP_WRITE, 0, 4000, 5000)), None);
    let sent = bytes(&world.nodes[0], PIDS[0], SOURCE * 4096, 5000);
    assert_eq!(bytes(&world.nodes[1], PIDS[0], BUFFER * 4096 + 4100, 5000), sent);
    let theirs = bytes(&world.nodes[1], PIDS[0], BUFFER * 4096 + 100 + 7000, 3000);
    assert_ne!(bytes(&world.nodes[0], PIDS[0], SOURCE * 4096, 3000), theirs);
    assert_eq!(end_of(&mut world, &post(OP_READ, 0, 7000, 3000)), None);
    assert_eq!(bytes(&world.nodes[0], PIDS[0], SOURCE * 4096, 3000), theirs);
    assert_eq!((misses(&world), world.nodes[0].misses_waiting(), world.nodes[1].misses_waiting()), (0, 0, 0));
}

#[test]
fn what_an_import_does_not_allow_ends_the_post_and_sends_nothing() {
    let mut world = world(SETTINGS, 2);
    let cases = [
        (post(OP_WRITE, 3, 0, 4), PostError::NoSuchImport),
        (post(OP_WRITE, STATIC.import_entries, 0, 4), PostError::NoSuchImport),
        (post(OP_READ, u32::MAX, 0, 4), PostError::NoSuchImport),
        (post(OP_WRITE, 1, 0, 4), PostError::ImportForbids),
        (post(OP_READ, 1, 0, 4), PostError::ImportForbids),
        (post(OP_WRITE, 0, LENGTH - 3, 4), PostError::ImportTooShort),
        (post(OP_READ, 0, LENGTH + 1, 0), PostError::ImportTooShort),
        (post(OP_WRITE, 0, u32::MAX, 4), PostError::ImportTooShort),
    ];
    for (count, (descriptor, error)) in (1..).zip(cases) {
        assert_eq!(end_of(&mut world, &descriptor), Some(error as u32), "{descriptor:?}");
        assert_eq!(world.nodes[0].counter(Counter::PostsRefusedImport), count);
    }
    assert_eq!(world.nodes[0].counter(Counter::FramesSent), 0);
    // A write may end at the end of the buffer.
    assert_eq!(end_of(&mut world, &post(OP_WRITE, 0, LENGTH - 4, 4)), None);
    assert_eq!(end_of(&mut world, &post(OP_WRITE, 0, LENGTH, 0)), None);
}

#[test]
fn an_import_that_permits_one_direction_forbids_the_other() {
    let mut world = world(SETTINGS, 3);
    for (permissions, allowed, forbidden) in [(PERMIT_WRITE, OP_WRITE, OP_READ), (PERMIT_READ, OP_READ, OP_WRITE)] {
        put_import(&mut world.nodes[0], 0, 5, 1, cbh(PIDS[0], 0), permissions, LENGTH);
        assert_eq!(end_of(&mut world, &post(allowed, 5, 0, 40)), None);
        assert_eq!(end_of(&mut world, &post(forbidden, 5, 0, 40)), Some(PostError::ImportForbids as u32));
    }
}

#[test]
fn the_owner_checks_for_itself() {
    let mut world = world(SETTINGS, 4);
    // Four imports that the owner refuses: another key than the buffer's, a buffer that does not
    // exist, a buffer of another process, and a length beyond the buffer's.
    put_import(&mut world.nodes[0], 0, 3, 1, cbh(PIDS[0], 9), PERMIT_WRITE, LENGTH);
    put_import(&mut world.nodes[0], 0, 4, 1, cbh(PIDS[1], 0), PERMIT_WRITE, LENGTH);
    put_import(&mut world.nodes[0], 0, 5, 1, cbh(PIDS[0], 0), PERMIT_WRITE, 2 * LENGTH);
    for descriptor in
        [post(OP_WRITE, 2, 0, 4), post(OP_WRITE, 3, 0, 4), post(OP_WRITE, 4, 0, 4), post(OP_WRITE, 5, LENGTH, 4)]
    {
        assert_eq!(end_of(&mut world, &descriptor), Some(PostError::Refused as u32), "{descriptor:?}");
    }
    assert_eq!(world.nodes[1].counter(Counter::FramesRefusedKey), 1);
    assert_eq!(world.nodes[1].counter(Counter::FramesRefusedBuffer), 2);
    assert_eq!(world.nodes[1].counter(Counter::FramesRefusedBounds), 1);
    assert_eq!(misses(&world), 0);
}

#[test]
fn memory_that_is_not_registered_is_refused_at_once() {
    let mut world = world(SETTINGS, 5);
    // A page that its second-level table does not hold, and a page without a second-level table.
    for page in [SOURCE + PAGES, 0x8_0000] {
        let descriptor = PostDescriptor { local_address: page * 4096, ..post(OP_WRITE, 0, 0, 100) };
        assert_eq!(end_of(&mut world, &descriptor), Some(PostError::BadLocalAddress as u32));
    }
    // The owner has withdrawn the pages of its buffer.
    let at = world.nodes[1].map.vmh + STATIC.top_offset(PIDS[0] % 8, BUFFER);
    world.nodes[1].hardware.write(at, 0);
    assert_eq!(end_of(&mut world, &post(OP_WRITE, 0, 0, 100)), Some(PostError::Refused as u32));
    assert_eq!(world.nodes[1].counter(Counter::FramesRefusedPage), 1);
    assert_eq!(misses(&world), 0);
}

#[test]
fn after_the_fence_nothing_comes_into_a_buffer_that_was_withdrawn_at_any_step() {
    let mut refused = 0;
    for steps in (0..400).step_by(7) {
        let mut world = world(SETTINGS, 6);
        world.nodes[0].post(0, &post(OP_WRITE, 0, 0, 12_000));
        (0..steps).for_each(|_| world.step());
        withdraw(&mut world.nodes[1], 0);
        world.nodes[1].write_mailbox(MAILBOX_COMMAND, COMMAND_FENCE);
        world.run(10_000, |world| world.nodes[1].answered() == COMMAND_FENCE);
        // From now on a DMA to one of its pages fails the test.
        for page in BUFFER..BUFFER + PAGES {
            let number = world.nodes[1].host.tables[&(PIDS[0], page)];
            assert!(world.nodes[1].host.pinned.remove(&number));
        }
        world.run(200_000, |world| world.nodes[0].status(0).ended == 1);
        world.settle();
        let status = world.nodes[0].status(0);
        assert!(status.refused == 0 || status.last_error == PostError::Refused as u32);
        refused += status.refused;
    }
    assert!((5..57).contains(&refused), "before the last frame, and behind it: {refused}");
}

#[test]
fn commands_about_caches_do_nothing_and_are_answered() {
    let mut world = world(SETTINGS, 7);
    let (tables, bytes) = (world.nodes[0].map.vmh, STATIC.bytes() as usize);
    let before = world.nodes[0].hardware.get(tables, bytes);
    let page = PIDS[0] << 20 | SOURCE;
    // Commands about a page and a buffer of a process, and about those of a process that is not
    // open.
    let commands = [
        page | COMMAND_INVALIDATE,
        (PIDS[0] << 20) | COMMAND_FORGET_BUFFER,
        (3 << 20) | COMMAND_INVALIDATE,
        (3 << 20) | COMMAND_FORGET_BUFFER,
    ];
    for command in commands {
        world.nodes[0].write_mailbox(MAILBOX_COMMAND, command);
        world.run(10_000, |world| world.nodes[0].answered() == command);
        assert!(world.nodes[0].hardware.get(tables, bytes) == before, "{command:#x} changed a table");
    }
    // The commands changed nothing: node 0 translates its page, and node 1 can write to its buffer.
    assert_eq!(end_of(&mut world, &post(OP_WRITE, 0, 0, 100)), None);
    world.nodes[1].post(0, &post(OP_WRITE, 0, 0, 100));
    world.run(200_000, |world| world.nodes[1].status(0).ended == 1);
    assert_eq!(world.nodes[1].status(0).refused, 0);
}

#[test]
fn a_slot_that_is_closed_posts_nothing_through_its_imports() {
    let mut world = world(SETTINGS, 8);
    world.nodes[0].post(0, &post(OP_READ, 0, 0, 9000));
    (0..40).for_each(|_| world.step());
    world.nodes[0].close(0);
    world.run(10_000, |world| world.nodes[0].answered() == COMMAND_CLOSE);
    for page in 0..PAGES {
        let number = world.nodes[0].host.tables[&(PIDS[0], SOURCE + page)];
        world.nodes[0].host.pinned.remove(&number);
    }
    // Frames in flight for the closed process reach no page. The other process goes on.
    world.nodes[0].post(1, &post(OP_WRITE, 0, 0, 9000));
    world.run(200_000, |world| world.nodes[0].status(1).ended == 1);
    world.settle();
    world.nodes.iter().for_each(|node| node.check_sums(true));
}

#[derive(Clone, Copy, Debug)]
struct Message {
    from: usize,
    slot: usize,
    is_read: bool,
    source_offset: u32,
    offset: u32,
    length: u32,
    import: u32,
}

fn message() -> impl Strategy<Value = Message> {
    let place = (0u32..2 * 4096, 0u32..LENGTH);
    let length = prop_oneof![0u32..5, 1u32..2000, 1u32..3 * 4096];
    let import = prop_oneof![6 => Just(0u32), 1 => Just(1u32), 1 => Just(2u32), 1 => Just(3u32), 1 => any::<u32>()];
    (0..2usize, 0..2usize, any::<bool>(), place, length, import).prop_map(
        |(from, slot, is_read, (source_offset, offset), length, import)| Message {
            from,
            slot,
            is_read,
            source_offset,
            offset,
            length,
            import,
        },
    )
}

impl Message {
    fn error(&self) -> Option<PostError> {
        match self.import {
            1 => Some(PostError::ImportForbids),
            0 | 2 if self.offset + self.length > LENGTH => Some(PostError::ImportTooShort),
            0 => None,
            2 => Some(PostError::Refused),
            _ => Some(PostError::NoSuchImport),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    /// Messages are sent one after the other, so that the model needs no order. Each byte of both
    /// hosts' memories is where a copy would put it.
    #[test]
    fn bad_wires_deliver_what_imports_allow_and_nothing_else(
        messages in prop::collection::vec(message(), 1..12),
        loss in 0u32..300,
        duplication in 0u32..300,
        reordering in 0u32..300,
        garbage in 0u32..200,
        seed in any::<u64>(),
    ) {
        let settings = Settings { loss, duplication, reordering, garbage, driver_speed: 0, ..SETTINGS };
        let mut world = world(settings, seed);
        let mut expected: Vec<Vec<u8>> = world.nodes.iter().map(|node| node.host.memory.clone()).collect();
        for message in &messages {
            let Message { from, slot, is_read, source_offset, offset, length, import } = *message;
            let before = world.nodes[from].status(slot);
            let op = if is_read { OP_READ } else { OP_WRITE };
            let local_address = SOURCE * 4096 + source_offset;
            world.nodes[from].post(slot, &PostDescriptor { local_address, ..post(op, import, offset, length) });
            world.run(1_000_000, |world| world.nodes[from].status(slot).ended == before.ended + 1);
            world.settle();
            let after = world.nodes[from].status(slot);
            let error = (after.refused != before.refused).then_some(after.last_error);
            prop_assert_eq!(error, message.error().map(|error| error as u32), "{:?}", message);
            if error.is_some() {
                continue;
            }
            let place = |node: usize, at: u32| {
                world.nodes[node].host.tables[&(PIDS[slot], at >> 12)] as usize * PAGE + at as usize % PAGE
            };
            let (mine, theirs) = (local_address, BUFFER * 4096 + 100 + offset);
            for byte in 0..length {
                let (mine, theirs) = (place(from, mine + byte), place(1 - from, theirs + byte));
                match is_read {
                    true => expected[from][mine] = expected[1 - from][theirs],
                    false => expected[1 - from][theirs] = expected[from][mine],
                }
            }
        }
        for (node, expected) in world.nodes.iter().zip(&expected) {
            node.check_sums(true);
            for page in (0..mock::HOST_PAGES).filter(|page| !node.host.status_pages.contains(page)) {
                let range = page as usize * PAGE..(page as usize + 1) * PAGE;
                prop_assert!(node.host.memory[range.clone()] == expected[range], "page {:#x} differs", page);
            }
        }
        prop_assert_eq!(misses(&world), 0);
    }
}
