//! The set-up of most tests: one process on each node, which writes into a buffer of the process on
//! the other node.

use nic_layout::cbh::{cbh, Descriptor};
use nic_layout::frame::rdma::{word, Body, Packet, Repr, Write};
use nic_layout::key::KeyWidth;
use nic_layout::post::{PostDescriptor, OP_WRITE};
use nic_layout::tables::{PERMIT_READ, PERMIT_WRITE};

use super::{Settings, World, SESSION};

/// The process in slot 0 of each node.
pub const PID: u32 = 5;
/// First virtual page of the eight pages of own memory. The buffer begins at page [`BUFFER`].
pub const SOURCE: u32 = 0x100;
pub const BUFFER: u32 = 0x200;
pub const CBH: u32 = cbh(PID, 0);
/// The buffer: as long as the pages of one line of the translation cache.
pub const DESCRIPTOR: Descriptor = Descriptor {
    start_address: BUFFER * 4096,
    length_bytes: 8 * 4096,
    key: [1, 2, 0, 0],
    permissions: PERMIT_WRITE | PERMIT_READ,
};

/// Two nodes. All pages are mapped and each NIC has its buffer's descriptor; no translation is
/// cached.
pub fn world(settings: Settings) -> World {
    world_with(settings, DESCRIPTOR)
}

/// [`world`] with another buffer, which also begins at page [`BUFFER`].
pub fn world_with(settings: Settings, descriptor: Descriptor) -> World {
    let mut world = World::new(settings, 1);
    for node in &mut world.nodes {
        node.open(0, PID);
        node.map_pages(PID, SOURCE, 8);
        node.map_pages(PID, BUFFER, descriptor.length_bytes / 4096);
        node.export(CBH, descriptor);
        node.load_buffer(CBH);
    }
    world
}

/// A post of node 0 that writes the begin of its memory to the begin of the buffer on node 1.
pub fn post(length_bytes: u32) -> PostDescriptor {
    PostDescriptor {
        op: OP_WRITE,
        flags: 0,
        destination_node: 1,
        length_bytes,
        local_address: SOURCE * 4096,
        buffer: CBH,
        buffer_offset: 0,
        key: [DESCRIPTOR.key[0], DESCRIPTOR.key[1]],
        message: 0,
    }
}

/// The bytes of a good frame of node 0 that writes to the buffer on node 1, after `change`.
pub fn frame(sequence: u32, change: impl Fn(&mut Repr, &mut Write)) -> Vec<u8> {
    let mut write = Write {
        last: true,
        aborted: false,
        notify: false,
        sequence,
        data_bytes: 4,
        buffer: CBH,
        buffer_offset: 0,
        key: DESCRIPTOR.key,
        message: 0,
    };
    let mut repr = repr(0, 1, Body::Write(write));
    change(&mut repr, &mut write);
    repr.body = Body::Write(write);
    bytes_of(&repr)
}

/// A frame from one node to another, whose sender has not received any frame yet.
pub fn repr(source: u16, destination: u16, body: Body) -> Repr {
    let [destination, source] = [destination, source].map(|node| word::station(node as u8, SESSION));
    Repr { destination, source, session: SESSION, key_width: KeyWidth::Bits64, acknowledge: 0, body }
}

/// The bytes of a frame as it arrives, padded to the shortest Ethernet frame.
pub fn bytes_of(repr: &Repr) -> Vec<u8> {
    let mut bytes = vec![0; 60];
    repr.emit(&mut Packet::new_checked(&mut bytes[..]).unwrap());
    bytes
}
