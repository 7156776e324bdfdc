//! Messages of all kinds, right and wrong, between two processes of each node: the bytes that each
//! may move, and the error that its sender learns.
#![allow(dead_code, reason = "each test binary uses its part")]

use nic_layout::cbh::{cbh, Descriptor};
use nic_layout::key::Key;
use nic_layout::post::{PostDescriptor, PostError, INLINE_BYTES_FIRST, OP_READ, OP_WRITE, POST_FLAG_NOTIFY};
use nic_layout::tables::{PERMIT_READ, PERMIT_WRITE};
use nic_vmmc::Tables;
use proptest::prelude::*;

use crate::mock::{self, NodeOf, Settings, World, WorldOf, PAGE};

/// First source page of each process; others may read the source pages. Page 0x10C is a hole. The
/// buffers, one for each node, begin at [`BUFFER`]; the data that the process reads go to pages
/// from [`INBOX`] on, two for each message.
const SOURCE: u32 = 0x100;
const BUFFER: u32 = 0x200;
const INBOX: u32 = 0x300;
/// More messages than any test with reads posts.
const MESSAGES_MAX: u32 = 20;
const SOURCE_PAGES: u32 = 12;
const BUFFER_PAGES: u32 = 6;
const KEY: [u32; 2] = [0xAB12_CD34, 0x5678_EF90];
const WHOLE_KEY: Key = [KEY[0], KEY[1], mock::UPPER_KEY[0], mock::UPPER_KEY[1]];

/// The buffer into which process `slot` of node `node` writes. The process in the same slot of each
/// other node has such a buffer, and no other process writes into it.
fn buffer_of(node: usize, slot: usize) -> u32 {
    cbh(10 + slot as u32, node as u32)
}

/// The buffer that holds the source pages of a process.
fn readable(slot: usize) -> u32 {
    cbh(10 + slot as u32, 64)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Host,
    Inline,
    Read,
}

/// What is wrong with a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrong {
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
pub struct Message {
    pub from: usize,
    pub slot: usize,
    pub to: usize,
    pub source_offset: u32,
    pub buffer_offset: u32,
    pub length: u32,
    pub form: Form,
    pub notify: bool,
    pub wrong: Wrong,
}

impl Message {
    fn pid(&self) -> u32 {
        10 + self.slot as u32
    }

    /// Entries of the post queue that the message takes.
    fn entries<T: Tables>(&self) -> usize {
        match self.wrong {
            Wrong::Doorbell => 0,
            _ if NodeOf::<T>::IS_WIDE => 2,
            _ => 1 + usize::from(self.form == Form::Inline && self.length > INLINE_BYTES_FIRST),
        }
    }
}

/// A good message from slot 0 of node 0 to node 1.
pub fn one(length: u32) -> Message {
    let (form, notify, wrong) = (Form::Host, false, Wrong::No);
    Message { from: 0, slot: 0, to: 1, source_offset: 4000, buffer_offset: 0, length, form, notify, wrong }
}

pub fn message(nodes: usize) -> impl Strategy<Value = Message> {
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
                // The data of each read go to two pages of its own.
                Form::Read => length % 4097,
            },
            form,
            // Neither a read nor a wrong message notifies.
            notify: notify && form != Form::Read && wrong == Wrong::No,
            wrong: match wrong {
                // An inline post has no source address. With an unknown operation the NIC cannot
                // know that data follow in the queue.
                Wrong::SourceWraps | Wrong::SourceHole | Wrong::Length | Wrong::Operation if form == Form::Inline => {
                    Wrong::Key
                }
                other => other,
            },
        },
    )
}

pub fn world<T: Tables>(settings: Settings, seed: u64) -> WorldOf<T> {
    let mut world = WorldOf::new(settings, seed);
    for node in &mut world.nodes {
        prepare(node, settings.nodes);
    }
    world
}

/// Opens the processes of a node that has just started, and registers their buffers.
pub fn prepare<T: Tables>(node: &mut NodeOf<T>, nodes: u32) {
    for slot in 0..2 {
        let pid = 10 + slot as u32;
        node.open(slot, pid);
        node.map_pages(pid, SOURCE, SOURCE_PAGES);
        node.map_pages(pid, BUFFER, BUFFER_PAGES * nodes);
        // All pages are mapped before the run, because a filled line keeps its holes.
        node.map_pages(pid, INBOX, 2 * MESSAGES_MAX);
    }
    for from in 0..nodes as usize {
        for slot in 0..2 {
            let descriptor = Descriptor {
                start_address: (BUFFER + BUFFER_PAGES * from as u32) * 4096 + 100,
                length_bytes: BUFFER_PAGES * 4096 - 200,
                key: WHOLE_KEY,
                permissions: PERMIT_WRITE,
            };
            node.export(buffer_of(from, slot), descriptor);
        }
    }
    for slot in 0..2 {
        let descriptor = Descriptor {
            start_address: SOURCE * 4096,
            length_bytes: SOURCE_PAGES * 4096,
            key: WHOLE_KEY,
            permissions: PERMIT_READ,
        };
        node.export(readable(slot), descriptor);
    }
}

/// Does in the model's copies of the hosts' memories what a message has to do.
pub fn apply<T: Tables>(world: &WorldOf<T>, expected: &mut [Vec<u8>], message: &Message, number: usize) {
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

/// The virtual address to which a read puts its data.
fn inbox(message: &Message, number: usize) -> u32 {
    (INBOX + 2 * number as u32) * 4096 + message.buffer_offset % 4096
}

pub fn descriptor(message: &Message, number: usize) -> PostDescriptor {
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

/// Posts a message. An inline message carries its data as they are now.
pub fn post<T: Tables>(world: &mut WorldOf<T>, message: &Message, number: usize) {
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

/// The error that the sender of a wrong message learns, if any.
fn sender_error(wrong: Wrong) -> Option<PostError> {
    match wrong {
        Wrong::Operation => Some(PostError::UnknownOperation),
        Wrong::Node => Some(PostError::NoSuchNode),
        Wrong::Length => Some(PostError::LengthOutOfRange),
        Wrong::SourceWraps | Wrong::SourceHole => Some(PostError::BadLocalAddress),
        // The owner gives the same error for each of these reasons (INV-24).
        Wrong::Buffer | Wrong::ClosedBuffer | Wrong::Key | Wrong::Bounds | Wrong::Permission => {
            Some(PostError::Refused)
        }
        _ => None,
    }
}

/// Posts all messages, runs until all have ended, and compares memories, statuses and notifications
/// with the model.
pub fn deliver(settings: Settings, messages: &[Message], seed: u64) -> World {
    deliver_with(settings, messages, seed)
}

pub fn deliver_with<T: Tables>(settings: Settings, messages: &[Message], seed: u64) -> WorldOf<T> {
    let mut world = world::<T>(settings, seed);
    let mut expected: Vec<Vec<u8>> = world.nodes.iter().map(|node| node.host.memory.clone()).collect();
    for (number, message) in messages.iter().enumerate() {
        if message.wrong == Wrong::Doorbell {
            // A doorbell page holds one value. A wild value before the NIC has taken a good one
            // would only harm the process itself.
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
        if settings.read_errors == 0 {
            check_memory(node, index, &expected[index]);
        }
    }
    world
}

/// INV-27: compares every byte of a host's memory with the model, except the status pages.
pub fn check_memory<T: Tables>(node: &NodeOf<T>, index: usize, expected: &[u8]) {
    let status: Vec<usize> = node.host.status_pages.iter().map(|&page| page as usize).collect();
    for page in (0..mock::HOST_PAGES as usize).filter(|page| !status.contains(page)) {
        let range = page * PAGE..(page + 1) * PAGE;
        assert!(node.host.memory[range.clone()] == expected[range], "node {index}: page {page:#x} differs");
    }
}

/// Checks the statuses that a process got: each error belongs to the post that it names, and errors
/// come in the order of the posts.
fn check_outcomes<'a, T: Tables>(node: &NodeOf<T>, slot: usize, messages: impl Iterator<Item = &'a Message>) {
    let mut expected = Vec::new();
    let mut entries = 0;
    for message in messages {
        entries += message.entries::<T>() as u32;
        // A status names a post by its last entry.
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
