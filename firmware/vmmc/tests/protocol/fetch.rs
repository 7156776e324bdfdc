//! Translations that the NIC reads from the host's tables (M-58), and what may happen during a
//! fetch.

use nic_device::Words;
use nic_layout::boot::ReceiveMiss;
use nic_layout::cbh::Descriptor;
use nic_layout::counter::Counter;
use nic_layout::fetch::{directory_offset, table_slot};
use nic_layout::post::{PostDescriptor, PostError, OP_READ, OP_WRITE};
use nic_layout::ring::{COMMAND_CLOSE, COMMAND_INVALIDATE, DMA_FLAG_EVENT, MAILBOX_COMMAND, MAILBOX_COMMAND_DONE};
use nic_layout::vmh::{key, KEY_STATE_MASK, KEY_VALID, NO_TRANSLATION};

use crate::mock::scene::{self, post, BUFFER, DESCRIPTOR, PID, SOURCE};
use crate::mock::{Node, Random, Settings, World, GEOMETRY, HOST_PAGES, LINE, PAGE, SETTINGS};

const FETCHES: [Counter; 5] = [
    Counter::SendFetches,
    Counter::ReceiveFetches,
    Counter::FetchesFilled,
    Counter::FetchesLost,
    Counter::FetchesUnfilled,
];

/// Two nodes whose drivers serve misses only when the test calls them. The tables of both hosts
/// hold all pages.
fn world(settings: Settings) -> World {
    let two_lines = Descriptor { length_bytes: 16 * 4096, ..DESCRIPTOR };
    let mut world = scene::world_with(Settings { fetches: true, ..settings }, two_lines);
    for node in &mut world.nodes {
        node.publish(PID, SOURCE, 8);
        node.publish(PID, BUFFER, 16);
    }
    world
}

fn quiet(receive_miss: ReceiveMiss) -> World {
    world(Settings { driver_speed: 0, receive_miss, held_frames_max: 2, ..SETTINGS })
}

fn descriptor(op: u8, offset: u32, length_bytes: u32) -> PostDescriptor {
    PostDescriptor { op, buffer_offset: offset, ..post(length_bytes) }
}

/// Takes the table of a page out of the directory.
fn hide_tables(node: &mut Node, page: u32) {
    node.hardware.write(node.map.directories + directory_offset(table_slot(PID), page), 0);
}

fn counts<const N: usize>(node: &Node, counters: [Counter; N]) -> [u32; N] {
    counters.map(|counter| node.counter(counter))
}

fn page_of(node: &Node, page: u32) -> &[u8] {
    let number = node.host.tables[&(PID, page)] as usize;
    &node.host.memory[number * PAGE..][..PAGE]
}

fn end(world: &mut World, posts: u32) {
    world.run(60_000, |world| world.nodes[0].status(0).ended == posts);
    world.settle();
    for node in &world.nodes {
        node.check_sums(true);
        assert_eq!(node.locked_lines(), 0);
    }
}

/// The key word of the line that may hold a page, if one does.
fn line_of(node: &Node, page: u32) -> Option<u32> {
    let wanted = key(PID, GEOMETRY.line_page(page), 0);
    let keys = (0..GEOMETRY.lines()).map(|line| node.hardware.read(node.map.vmh + GEOMETRY.key_offset(line)));
    let mut keys = keys.filter(|found| found & !KEY_STATE_MASK == wanted && found & KEY_STATE_MASK != 0);
    keys.next()
}

fn invalidate(node: &mut Node, page: u32) {
    node.hardware.to_host[MAILBOX_COMMAND_DONE] = 0;
    node.write_mailbox(MAILBOX_COMMAND, key(PID, GEOMETRY.line_page(page), COMMAND_INVALIDATE));
}

fn is_answered(node: &Node, page: u32) -> bool {
    node.hardware.to_host[MAILBOX_COMMAND_DONE] == key(PID, GEOMETRY.line_page(page), COMMAND_INVALIDATE)
}

/// Unpins a page as the driver does. From now on a DMA of the NIC to that page fails the test.
fn unpin(node: &mut Node, page: u32) {
    let number = node.host.tables[&(PID, page)];
    node.host.pinned.remove(&number);
}

#[test]
fn a_line_that_the_tables_have_is_fetched_and_nobody_is_asked() {
    for mode in [ReceiveMiss::TimeOut, ReceiveMiss::Restart, ReceiveMiss::Hold] {
        for op in [OP_WRITE, OP_READ] {
            let mut world = quiet(mode);
            world.nodes[0].post(0, &descriptor(op, 0, 4000));
            end(&mut world, 1);
            assert_eq!(world.nodes[0].status(0).refused, 0);
            let [from, to] = if op == OP_WRITE { [0, 1] } else { [1, 0] };
            assert_eq!(counts(&world.nodes[from], FETCHES), [1, 0, 1, 0, 0], "{mode:?}");
            assert_eq!(counts(&world.nodes[to], FETCHES), [0, 1, 1, 0, 0], "{mode:?}");
            assert!(world.nodes.iter().all(|node| node.misses_waiting() == 0));
            let [source, target] = if op == OP_WRITE { [SOURCE, BUFFER] } else { [BUFFER, SOURCE] };
            assert_eq!(page_of(&world.nodes[from], source)[..4000], page_of(&world.nodes[to], target)[..4000]);
        }
    }
}

/// A held frame stays in its receive buffer, and its sender has no time-out.
#[test]
fn a_held_frame_goes_on_when_its_line_has_come() {
    let mut world = quiet(ReceiveMiss::Hold);
    world.nodes[0].post(0, &descriptor(OP_WRITE, 0, 1400));
    end(&mut world, 1);
    assert_eq!(counts(&world.nodes[1], [Counter::FramesHeld, Counter::FramesRetaken]), [1, 1]);
    assert_eq!(counts(&world.nodes[0], [Counter::FramesRetransmitted, Counter::Timeouts]), [0, 0]);
}

#[test]
fn what_no_table_has_the_driver_is_asked_for() {
    // Four reasons to ask the driver: no entry, no table, an entry beyond host memory, and no table
    // at the receiver.
    for lack in 0..4 {
        let mut world = quiet(ReceiveMiss::Hold);
        let node = &mut world.nodes[0];
        match lack {
            0 => node.set_entry(PID, SOURCE, NO_TRANSLATION),
            1 => hide_tables(node, SOURCE),
            2 => node.set_entry(PID, SOURCE, HOST_PAGES),
            _ => hide_tables(&mut world.nodes[1], BUFFER),
        }
        world.nodes[0].post(0, &descriptor(OP_WRITE, 0, 4));
        let asked = usize::from(lack == 3);
        world.run(2000, |world| world.nodes[asked].misses_waiting() == 1);
        let [send, receive, filled, lost, unfilled] = counts(&world.nodes[asked], FETCHES);
        let begun = u32::from(lack == 0 || lack == 2);
        assert_eq!([send, receive, filled, lost, unfilled], [begun, 0, 0, 0, begun], "{lack}");
        world.nodes[asked].serve_miss();
        end(&mut world, 1);
        assert_eq!(world.nodes[0].status(0).refused, 0);
    }
}

#[test]
fn an_error_of_the_bus_leaves_the_line_to_the_driver() {
    let mut world = quiet(ReceiveMiss::Hold);
    let node = &mut world.nodes[0];
    node.post(0, &descriptor(OP_WRITE, 0, 4));
    while node.hardware.reads.is_empty() {
        node.step_firmware();
    }
    node.step_read(true);
    world.run(2000, |world| world.nodes[0].misses_waiting() == 1);
    assert_eq!(counts(&world.nodes[0], [Counter::DmaReadErrors, Counter::FetchesUnfilled]), [1, 1]);
    world.nodes[0].serve_miss();
    end(&mut world, 1);
    assert_eq!(world.nodes[0].status(0).refused, 0);
}

/// Every page of a line that is being fetched waits for the same transfer (INV-18).
#[test]
fn a_line_is_fetched_once_however_many_wait() {
    let mut world = world(Settings { driver_speed: 0, ..SETTINGS });
    let node = &mut world.nodes[0];
    node.open(1, 6);
    for page in 0..3 {
        let post = PostDescriptor { local_address: (SOURCE + page) * 4096, ..descriptor(OP_WRITE, 0, 4) };
        node.post(0, &post);
    }
    end(&mut world, 3);
    assert_eq!(counts(&world.nodes[0], FETCHES), [1, 0, 1, 0, 0]);
}

/// The driver clears the entry, takes the line away, and unpins the page after the NIC's answer. It
/// begins at every step of a fetch. The mock fails if DMA touches a page that is not pinned, as it
/// would if the fetch made the line valid again.
#[test]
fn a_fetch_revives_no_line_that_was_taken_away() {
    let mut lost = 0;
    for steps in 0..120 {
        let mut world = quiet(ReceiveMiss::Hold);
        world.nodes[0].post(0, &descriptor(OP_WRITE, 0, 4));
        (0..steps).for_each(|_| world.step());
        let first = GEOMETRY.line_page(SOURCE);
        let node = &mut world.nodes[0];
        for page in first..first + LINE {
            node.set_entry(PID, page, NO_TRANSLATION);
        }
        invalidate(node, SOURCE);
        world.run(2000, |world| is_answered(&world.nodes[0], SOURCE));
        let node = &mut world.nodes[0];
        let is_valid = line_of(node, SOURCE).is_some_and(|key| key & KEY_STATE_MASK == KEY_VALID);
        assert!(!is_valid, "the line is valid {steps} steps after the post");
        lost += node.counter(Counter::FetchesLost);
        for page in first..first + LINE {
            unpin(node, page);
        }
        // A post or frame that tries again finds the entry cleared, and the driver pins the page
        // anew.
        for _ in 0..4000 {
            world.step();
            if world.nodes[0].misses_waiting() != 0 {
                world.nodes[0].serve_miss();
            }
        }
        end(&mut world, 1);
        assert_eq!(world.nodes[0].status(0).refused, 0, "{steps} steps: {:?}", world.nodes[0].status(0));
    }
    assert!(lost > 0, "no invalidation came between");
}

/// The same tag may be fetched again, into another way, while the first transfer is in flight.
#[test]
fn a_line_taken_away_may_be_fetched_again_beside_the_fetch_that_lost_it() {
    let mut world = quiet(ReceiveMiss::Hold);
    let node = &mut world.nodes[0];
    node.post(0, &descriptor(OP_WRITE, 0, 4));
    while node.hardware.reads.is_empty() {
        node.step_firmware();
    }
    invalidate(node, SOURCE);
    (0..20).for_each(|_| node.step_firmware());
    assert_eq!(node.hardware.reads.len(), 2, "the post was woken, and asks again");
    assert_ne!(node.hardware.reads[0].1, node.hardware.reads[1].1, "the way of the first is locked");
    assert!(node.hardware.reads.iter().all(|(_, _, control)| *control == (LINE * 4) | DMA_FLAG_EVENT));
    assert!(!is_answered(node, SOURCE), "the first is under way");
    node.step_read(false);
    (0..4).for_each(|_| node.step_firmware());
    assert!(is_answered(node, SOURCE));
    assert_eq!(counts(node, FETCHES), [2, 0, 0, 1, 0]);
    end(&mut world, 1);
    assert_eq!(counts(&world.nodes[0], FETCHES), [2, 0, 1, 1, 0]);
}

/// More processes wait for lines of a set than the set has ways. The end of the transfers wakes the
/// processes that found no way, before the processes whose lines were fetched.
#[test]
fn posts_that_push_out_each_others_lines_all_go_out() {
    let mut world = quiet(ReceiveMiss::Hold);
    let node = &mut world.nodes[0];
    for slot in 1..4 {
        let pid = PID + slot as u32;
        node.open(slot, pid);
        node.map_pages(pid, SOURCE, 8);
        node.publish(pid, SOURCE, 8);
    }
    for slot in 0..4 {
        node.post(slot, &descriptor(OP_WRITE, 0, 64));
    }
    for _ in 0..100 {
        (0..6).for_each(|_| node.step_firmware());
        while !node.hardware.reads.is_empty() {
            node.step_read(false);
        }
    }
    assert_eq!(node.counter(Counter::FramesSent), 4);
}

#[test]
fn a_process_that_ends_leaves_no_fetch_behind() {
    for steps in 0..80 {
        let mut world = quiet(ReceiveMiss::Hold);
        world.nodes[0].post(0, &descriptor(OP_WRITE, 0, 9000));
        (0..steps).for_each(|_| world.step());
        let node = &mut world.nodes[0];
        hide_tables(node, SOURCE);
        node.close(0);
        world.run(3000, |world| world.nodes[0].answered() == COMMAND_CLOSE);
        let first = GEOMETRY.line_page(SOURCE);
        invalidate(&mut world.nodes[0], SOURCE);
        world.run(3000, |world| is_answered(&world.nodes[0], SOURCE));
        for page in first..first + LINE {
            unpin(&mut world.nodes[0], page);
        }
        world.settle();
        world.nodes[0].check_sums(true);
        assert_eq!(world.nodes[0].locked_lines(), 0);
        assert_eq!(line_of(&world.nodes[0], SOURCE), None);
    }
}

/// A post checks for room in the ring of host reads before its lookup. A frame that arrives does
/// not.
#[test]
fn a_frame_that_finds_the_ring_of_host_reads_full_is_dropped_and_comes_again() {
    let mut world = world(Settings { tx_buffers: 40, driver_speed: 0, receive_miss: ReceiveMiss::Hold, ..SETTINGS });
    let back = PostDescriptor { destination_node: 0, ..descriptor(OP_WRITE, 0, 4) };
    world.nodes[1].post(0, &back);
    world.run(20_000, |world| world.nodes[1].status(0).ended == 1);
    world.settle();
    let node = &mut world.nodes[1];
    // Each of the first posts takes two transfers, a post that crosses a page three: all 32 places.
    for post in 0..15 {
        let crosses = PostDescriptor { local_address: SOURCE * 4096 + 4094, ..back };
        node.post(0, if post < 13 { &back } else { &crosses });
    }
    (0..60).for_each(|_| node.step_firmware());
    assert_eq!(node.hardware.reads.len(), 32);

    let from = &mut world.nodes[0];
    from.post(0, &descriptor(OP_WRITE, 8 * 4096, 4));
    let frame = loop {
        from.step_firmware();
        from.step_read(false);
        if let Some(frame) = from.step_transmit() {
            break frame;
        }
    };
    let node = &mut world.nodes[1];
    node.deliver(&frame);
    (0..4).for_each(|_| node.step_firmware());
    let stalled = [Counter::ReceiveMissRingFull, Counter::FramesDroppedMiss, Counter::ReceiveFetches];
    assert_eq!(counts(node, stalled), [1, 1, 0]);
    end(&mut world, 1);
    assert_eq!(counts(&world.nodes[1], [Counter::ReceiveFetches, Counter::ReceiveMissRingFull]), [1, 1]);
    assert_eq!(world.nodes[1].status(0).ended, 16);
    assert!(world.nodes.iter().all(|node| node.status(0).refused == 0));
}

/// Lines evict each other, frames are lost and duplicated, tables change, and the bus fails. Every
/// post ends, with the right bytes or with its error.
#[test]
fn random_posts_with_changing_tables_all_end() {
    for seed in 0..60 {
        let modes = [ReceiveMiss::TimeOut, ReceiveMiss::Restart, ReceiveMiss::Hold];
        let settings = Settings {
            loss: 20,
            duplication: 20,
            reordering: 20,
            read_errors: 10,
            receive_miss: modes[seed as usize % 3],
            ..SETTINGS
        };
        let mut world = world(settings);
        let mut random = Random::new(seed);
        for node in &mut world.nodes {
            node.map_pages(PID, 0x300, 40);
            node.publish(PID, 0x300, 16);
        }
        for post in 0..60 {
            let page = 0x300 + random.below(38);
            let op = if random.chance(300) { OP_READ } else { OP_WRITE };
            let bytes = 1 + random.below(6000);
            let offset = random.below(16 * 4096 - bytes);
            let post_of = PostDescriptor { local_address: page * 4096, message: post, ..descriptor(op, offset, bytes) };
            world.nodes[0].post(0, &post_of);
            for _ in 0..random.below(200) {
                world.step();
            }
            let which = random.below(2) as usize;
            let line = 0x300 + random.below(5) * LINE;
            let pinned = random.chance(500);
            for page in line..line + LINE {
                let number = world.nodes[which].host.tables[&(PID, page)];
                let entry = if pinned { number } else { NO_TRANSLATION };
                world.nodes[which].host.pinned.insert(number);
                world.nodes[which].set_entry(PID, page, entry);
            }
            // The NIC takes one command at a time.
            invalidate(&mut world.nodes[which], line);
            world.run(20_000, |world| is_answered(&world.nodes[which], line));
        }
        end(&mut world, 60);
        let status = world.nodes[0].status(0);
        let bus = PostError::BusError as u32;
        assert!(status.refused == 0 || [bus, PostError::Refused as u32].contains(&status.last_error), "{status:?}");
        let [send, receive, filled, lost, unfilled] = counts(&world.nodes[0], FETCHES);
        assert_eq!(send + receive, filled + lost + unfilled);
    }
}
