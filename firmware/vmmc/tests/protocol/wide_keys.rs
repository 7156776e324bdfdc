//! Keys of 128 bits (M-48, M-51, INV-21, INV-23). Every bit of a key counts, on each way to a
//! buffer, and a node with keys of 64 bits is not understood.

use nic_device::Words;
use nic_layout::boot::ReceiveMiss;
use nic_layout::cbh::{cbh, entry, valid, Descriptor};
use nic_layout::counter::Counter;
use nic_layout::frame::rdma::{Body, Packet, Repr, Write};
use nic_layout::key::{Key, KeyWidth};
use nic_layout::post::{
    inline_bytes_max, PostDescriptor, PostError, OP_READ, OP_WRITE, POST_FLAG_INLINE, POST_FLAG_NOTIFY,
};
use nic_layout::static_tables::{import, top_shift, StaticGeometry, TABLE_ENTRIES, UNREGISTERED};
use nic_layout::tables::{PERMIT_READ, PERMIT_WRITE};
use nic_vmmc::{StaticTables, Tables};

use crate::mock::{self, NodeOf, Settings, WorldOf, SETTINGS, STATIC, UPPER_KEY};

type Wide = mock::WideCaches;
type WideStatic = StaticTables<128>;

const PID: u32 = 9;
/// First page of own memory, and first page of the buffer of the process on the other node. The
/// number of a process is its slot.
const OWN: u32 = 0x100;
const BUFFER: u32 = 0x104;
const CBH: u32 = cbh(PID, 1);
const KEY: Key = [0xAB12_CD34, 0x5678_EF90, UPPER_KEY[0], UPPER_KEY[1]];
const DESCRIPTOR: Descriptor = Descriptor {
    start_address: BUFFER * 4096 + 4,
    length_bytes: 4000,
    key: KEY,
    permissions: PERMIT_WRITE | PERMIT_READ,
};

/// The ways to a buffer, as operation, flags and length: a write by host read, the same with a
/// notification, a write with its data in the post, and a read.
const WAYS: [(u8, u8, u32); 4] =
    [(OP_WRITE, 0, 900), (OP_WRITE, POST_FLAG_NOTIFY, 900), (OP_WRITE, POST_FLAG_INLINE, 28), (OP_READ, 0, 900)];

fn caches() -> WorldOf<Wide> {
    caches_with(SETTINGS)
}

fn caches_with(settings: Settings) -> WorldOf<Wide> {
    let mut world = WorldOf::<Wide>::new(settings, 1);
    for node in &mut world.nodes {
        node.open(1, PID);
        node.map_pages(PID, OWN, 2);
        node.map_pages(PID, BUFFER, 1);
        node.export(CBH, DESCRIPTOR);
    }
    world
}

fn post_of(op: u8, flags: u8, length_bytes: u32, key: Key) -> PostDescriptor {
    PostDescriptor {
        op,
        flags,
        destination_node: 1,
        length_bytes,
        local_address: OWN * 4096 + 8,
        buffer: CBH,
        buffer_offset: 16,
        key: [key[0], key[1]],
        message: 1,
    }
}

/// Posts on node 0, and returns the error with which the post ends, if any.
fn end_of<T: Tables>(world: &mut WorldOf<T>, descriptor: &PostDescriptor) -> Option<u32> {
    let before = world.nodes[0].status(1);
    match descriptor.flags & POST_FLAG_INLINE {
        0 => world.nodes[0].post(1, descriptor),
        _ => world.nodes[0].post_inline(1, descriptor, &[0xC3; 64][..descriptor.length_bytes as usize]),
    }
    let posted = world.nodes[0].posted[1];
    world.run(200_000, |world| world.nodes[0].status(1).ended == posted);
    world.settle();
    let after = world.nodes[0].status(1);
    world.nodes.iter().for_each(|node| node.check_sums(true));
    (after.refused != before.refused).then_some(after.last_error)
}

/// The `length` bytes of a node's memory, from `offset` behind the begin of page `page` of its
/// process.
fn place_of<T: Tables>(node: &NodeOf<T>, page: u32, offset: usize, length: u32) -> Vec<u8> {
    let at = node.host.tables[&(PID, page)] as usize * 4096 + offset;
    node.host.memory[at..at + length as usize].to_vec()
}

#[test]
fn each_way_to_a_buffer_is_open_with_the_whole_key() {
    for (op, flags, length) in WAYS {
        let mut world = caches();
        let told = world.nodes[1].host.notified.len();
        assert_eq!(end_of(&mut world, &post_of(op, flags, length, KEY)), None, "{op} {flags}");
        let theirs = place_of(&world.nodes[1], BUFFER, 20, length);
        match flags & POST_FLAG_INLINE {
            0 => assert_eq!(theirs, place_of(&world.nodes[0], OWN, 8, length), "{op} {flags}"),
            _ => assert_eq!(theirs, vec![0xC3; length as usize]),
        }
        let notified = &world.nodes[1].host.notified[told..];
        assert_eq!(notified.len(), usize::from(flags == POST_FLAG_NOTIFY));
        assert!(notified.iter().all(|entry| (entry.buffer, entry.key) == (CBH, KEY[0])));
    }
}

/// A held frame is judged anew as a frame of this key width, and is accepted.
#[test]
fn a_held_frame_is_taken_when_its_miss_is_served() {
    for (op, flags, length) in WAYS {
        let mut world = caches_with(Settings { receive_miss: ReceiveMiss::Hold, ..SETTINGS });
        assert_eq!(end_of(&mut world, &post_of(op, flags, length, KEY)), None, "{op} {flags}");
        let counts = [Counter::FramesHeld, Counter::FramesRetaken, Counter::FramesMalformed, Counter::FramesForeign];
        let [held, retaken, malformed, foreign] = counts.map(|counter| world.nodes[1].counter(counter));
        assert!(
            held > 0 && retaken >= held && malformed + foreign == 0,
            "{op} {flags}: {held}, {retaken}, {malformed}, {foreign}"
        );
    }
}

/// Whichever bit is wrong, no byte is written or read and no process is notified. The post ends
/// with the same error as for any other reason (INV-24).
#[test]
fn each_of_the_128_bits_closes_each_way() {
    let mut world = caches();
    for bit in 0..128 {
        let mut key = KEY;
        key[bit / 32] ^= 1 << (bit % 32);
        for (op, flags, length) in WAYS {
            let before: Vec<_> =
                [0, 1].map(|node: usize| [OWN, BUFFER].map(|page| place_of(&world.nodes[node], page, 0, 4096))).into();
            let told = world.nodes[1].host.notified.len();
            let refused = world.nodes[1].counter(Counter::FramesRefusedKey);
            world.nodes[0].upper_key = [key[2], key[3]];
            let end = end_of(&mut world, &post_of(op, flags, length, key));
            assert_eq!(end, Some(PostError::Refused as u32), "bit {bit}: {op} {flags}");
            assert!(world.nodes[1].counter(Counter::FramesRefusedKey) > refused, "bit {bit}: {op} {flags}");
            let after: Vec<_> =
                [0, 1].map(|node: usize| [OWN, BUFFER].map(|page| place_of(&world.nodes[node], page, 0, 4096))).into();
            assert!(before == after, "bit {bit}: {op} {flags} changed memory");
            assert_eq!(world.nodes[1].host.notified.len(), told);
        }
    }
}

/// The owner checks the key of a read for each of its many replies (INV-21): the buffer gets a new
/// key in between.
#[test]
fn a_new_upper_half_closes_a_read_under_way() {
    let mut world = WorldOf::<Wide>::new(Settings { frame_data_bytes_max: 72, ..SETTINGS }, 1);
    for node in &mut world.nodes {
        node.open(1, PID);
        node.map_pages(PID, OWN, 2);
        node.map_pages(PID, BUFFER, 1);
        node.export(CBH, DESCRIPTOR);
    }
    world.nodes[0].post(1, &post_of(OP_READ, 0, 3000, KEY));
    world.run(200_000, |world| world.nodes[0].counter(Counter::FramesAccepted) >= 3);
    let entry_bytes = 32;
    let sets_bytes = 2 * 4;
    for number in 0..mock::CBH_ENTRIES {
        let at = world.nodes[1].map.cbh + sets_bytes + number * entry_bytes + entry::KEY_3;
        let word = world.nodes[1].hardware.read(at);
        world.nodes[1].hardware.write(at, word ^ 0x8000_0000);
    }
    world.run(200_000, |world| world.nodes[0].status(1).ended == 2);
    world.settle();
    assert_eq!((world.nodes[0].status(1).refused, world.nodes[0].status(1).last_error), (1, PostError::Refused as u32));
    assert_eq!(world.nodes[1].counter(Counter::ReadsGivenUp), 1);
}

#[test]
fn a_post_whose_second_entry_was_not_rung_ends_badly_and_alone() {
    let mut world = caches();
    let descriptor = post_of(OP_WRITE, 0, 100, KEY);
    use zerocopy::IntoBytes;
    let node = &mut world.nodes[0];
    node.enqueue(1, descriptor.as_bytes());
    node.ring(1, 1);
    world.run(10_000, |world| world.nodes[0].status(1).ended == 1);
    let status = world.nodes[0].status(1);
    assert_eq!((status.last_error, status.last_error_index), (PostError::LengthOutOfRange as u32, 0));
    assert_eq!(end_of(&mut world, &descriptor), None, "the next one is whole");
}

#[test]
fn an_upper_half_leaves_28_bytes_for_data_in_a_post() {
    assert_eq!(inline_bytes_max(KeyWidth::Bits128, false), 28);
    assert_eq!((inline_bytes_max(KeyWidth::Bits64, false), inline_bytes_max(KeyWidth::Bits128, true)), (32, 32));
    let mut world = caches();
    for (length, end) in [(28, None), (0, None), (4, None), (5, None), (29, Some(PostError::LengthOutOfRange as u32))] {
        let descriptor = PostDescriptor { length_bytes: length, ..post_of(OP_WRITE, 0, length, KEY) };
        let data: Vec<u8> = (0..length.min(28) as u8).collect();
        world.nodes[0].post_inline(1, &descriptor, &data);
        let (posted, before) = (world.nodes[0].posted[1], world.nodes[0].status(1).refused);
        world.run(10_000, |world| world.nodes[0].status(1).ended == posted);
        world.settle();
        let after = world.nodes[0].status(1);
        assert_eq!((after.refused != before).then_some(after.last_error), end, "{length}");
        if end.is_none() {
            assert_eq!(place_of(&world.nodes[1], BUFFER, 20, length), data);
        }
    }
}

/// The headers of the two widths have different lengths. A node drops every frame of the other
/// width, whatever its content.
#[test]
fn nodes_with_different_keys_do_not_understand_each_other() {
    let write = Write {
        last: true,
        notify: false,
        aborted: false,
        sequence: 0,
        data_bytes: 4,
        buffer: CBH,
        buffer_offset: 0,
        key: KEY,
        message: 0,
    };
    let bytes_of = |key_width, body| {
        let repr = Repr { key_width, ..mock::scene::repr(0, 1, body) };
        let mut bytes = vec![0; 72];
        repr.emit(&mut Packet::new_checked(&mut bytes[..]).unwrap());
        bytes
    };
    let bodies = [
        Body::Write(write),
        Body::Acknowledge { refusals: 0 },
        Body::Probe { sequence: 0 },
        Body::Missed { expected: 0 },
        Body::Restart { expected: 0 },
    ];
    fn foreign<T: Tables>(frame: &[u8]) -> u32 {
        let mut world = WorldOf::<T>::new(SETTINGS, 1);
        world.nodes[1].deliver(frame);
        (0..4).for_each(|_| world.nodes[1].step_firmware());
        world.nodes[1].counter(Counter::FramesForeign)
    }
    for body in bodies {
        let (narrow, wide) = (bytes_of(KeyWidth::Bits64, body), bytes_of(KeyWidth::Bits128, body));
        assert_eq!([foreign::<Wide>(&narrow), foreign::<Wide>(&wide)], [1, 0], "{body:?}");
        assert_eq!([foreign::<mock::Caches>(&wide), foreign::<mock::Caches>(&narrow)], [1, 0], "{body:?}");
    }
}

// ---- Static tables ----

const WIDE_STATIC: StaticGeometry = StaticGeometry { key: KeyWidth::Bits128, ..STATIC };

fn write_words(node: &mut NodeOf<WideStatic>, at: u32, words: &[u32]) {
    words.iter().zip((at..).step_by(4)).for_each(|(word, at)| node.hardware.write(at, *word));
}

/// Two nodes. Each has a process with one second-level table, a buffer, and an import of the other
/// node's buffer.
fn tables() -> WorldOf<WideStatic> {
    let mut world = WorldOf::<WideStatic>::new(SETTINGS, 1);
    for (index, node) in world.nodes.iter_mut().enumerate() {
        node.open(1, PID);
        node.map_pages(PID, OWN, 2);
        node.map_pages(PID, BUFFER, 1);
        let base = node.map.vmh;
        for page in 0..TABLE_ENTRIES {
            let number = node.host.tables.get(&(PID, page)).copied();
            node.host.pinned.extend(number);
            node.hardware.write(base + WIDE_STATIC.table_offset(1) + page * 4, number.unwrap_or(UNREGISTERED));
        }
        node.hardware.write(base + WIDE_STATIC.top_offset(PID % 8, OWN), 1 << top_shift(OWN));
        let at = base + WIDE_STATIC.buffer_offset(1);
        write_words(node, at + entry::KEY_2, &KEY[2..]);
        let Descriptor { start_address, length_bytes, permissions, .. } = DESCRIPTOR;
        write_words(node, at, &[CBH, start_address, length_bytes, KEY[0], KEY[1], valid(permissions)]);
        put_import(node, 1 - index as u32, KEY);
    }
    world
}

fn put_import(node: &mut NodeOf<WideStatic>, owner: u32, key: Key) {
    let at = node.map.vmh + WIDE_STATIC.import_offset(1, 0);
    let who = import::who(owner, CBH, DESCRIPTOR.permissions).unwrap();
    write_words(node, at + import::KEY_2, &key[2..]);
    write_words(node, at, &[DESCRIPTOR.length_bytes, key[0], key[1], who]);
}

#[test]
fn an_import_carries_the_whole_key_and_each_bit_of_it_counts() {
    let post = |(op, flags, length): (u8, u8, u32)| PostDescriptor {
        buffer: 0,
        destination_node: 99,
        ..post_of(op, flags, length, [0; 4])
    };
    let mut world = tables();
    for way in WAYS {
        let before = world.nodes[0].posted[1];
        assert_eq!(end_of(&mut world, &post(way)), None, "{way:?}");
        let entries = world.nodes[0].posted[1].wrapping_sub(before);
        assert_eq!(entries, if way.1 == POST_FLAG_INLINE { 2 } else { 1 }, "an import needs no key in its post");
    }
    for bit in 0..128 {
        let mut key = KEY;
        key[bit / 32] ^= 1 << (bit % 32);
        put_import(&mut world.nodes[0], 1, key);
        for way in WAYS {
            let before = place_of(&world.nodes[1], BUFFER, 0, 4096);
            assert_eq!(end_of(&mut world, &post(way)), Some(PostError::Refused as u32), "bit {bit}: {way:?}");
            assert!(place_of(&world.nodes[1], BUFFER, 0, 4096) == before, "bit {bit}: {way:?}");
        }
    }
    put_import(&mut world.nodes[0], 1, KEY);
    assert_eq!(end_of(&mut world, &post(WAYS[0])), None);
}
