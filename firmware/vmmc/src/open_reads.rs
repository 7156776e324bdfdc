//! Reads of own processes (M-5): from the request to the last byte of the replies.
//!
//! A peer can write to memory of a process only the bytes that the process has requested from it.
//! So a reply counts only if it names an open read from that peer and carries the bytes that come
//! next (M-23, case 1).

use nic_device::Device;
use nic_layout::counter::Counter;
use nic_layout::nodes::{NodeSet, IMAGE_NODES};
use nic_layout::post::PostError;
use nic_link::NODE_MASK;
use nic_plan::{open_reads_max, OPEN_READ_BYTES};
use nic_posts::{Owner, PostId};

use crate::owner::REQUEST;
use crate::wire::Layers;
use crate::Tables;

/// Largest number of open reads. Each node has a share of them for each peer. Among at most
/// [`READS_MAX`] nodes they are as many as one node answers at a time, so all nodes together cannot
/// overflow the queue of one. Among more nodes a node still has a read for each peer, and a request
/// that overflows the queue of its owner is dropped and sent again.
pub(crate) const OPEN_READS: usize = open_reads_max(IMAGE_NODES) as usize;

/// A read of an own process. It is kept in SRAM, in five words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OpenRead {
    /// Virtual address of the bytes that come next.
    pub address: u32,
    /// Bytes that are still to come.
    pub remaining_bytes: u32,
    /// Bytes that have come.
    pub offset: u32,
    pub post: PostId,
    /// The number of the read among all reads of its place. It tells replies to this read from
    /// replies to older reads.
    serial: u16,
    node: u8,
}

impl OpenRead {
    fn from_words([who, address, remaining_bytes, offset, serial]: [u32; 5]) -> OpenRead {
        OpenRead {
            address,
            remaining_bytes,
            offset,
            post: PostId(who as u16),
            serial: serial as u16,
            node: (who >> 24) as u8,
        }
    }

    fn words(&self) -> [u32; 5] {
        let who = u32::from(self.post.0) | u32::from(self.node) << 24;
        [who, self.address, self.remaining_bytes, self.offset, u32::from(self.serial)]
    }
}

/// The word of a read that holds its serial.
const SERIAL: u32 = 4;
const SERIAL_SHIFT: u32 = 16;
const PLACE_BITS: u32 = OPEN_READS.ilog2();

/// The number of a read in frames: serial and place.
#[inline(always)]
fn id_of(serial: u16, place: usize) -> u32 {
    u32::from(serial) << SERIAL_SHIFT | place as u32
}

/// The bits of a read's number that the record of its request keeps in place of a post. They
/// suffice: all reads of a place go to one peer, and its window holds fewer frames than there are
/// such numbers.
#[inline(always)]
fn request_of(id: u32) -> PostId {
    PostId((id >> SERIAL_SHIFT << PLACE_BITS) as u16 | id as u16)
}

/// A set of places: `u32` if they fit, as the nodes of the image do, else `u64`.
type OpenSet = NodeSet;
const _: () = assert!(OPEN_READS <= OpenSet::BITS as usize);

/// The reads of own processes that are open.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenReads {
    /// SRAM offset of the places.
    at: u32,
    /// Places that are taken, one bit each.
    open: OpenSet,
    /// Number of places for each peer.
    share: u32,
    /// Number of open reads from each peer.
    count: [u8; IMAGE_NODES],
}

impl OpenReads {
    pub(crate) const NONE: OpenReads = OpenReads { at: 0, open: 0, share: 0, count: [0; IMAGE_NODES] };

    pub(crate) fn new(at: u32, node_count: u32) -> OpenReads {
        OpenReads { at, share: OPEN_READS as u32 / node_count.max(1), ..OpenReads::NONE }
    }

    #[inline(always)]
    fn place_of(&self, place: usize) -> u32 {
        self.at + (place % OPEN_READS) as u32 * OPEN_READ_BYTES
    }

    #[inline(always)]
    fn load(&self, dev: &impl Device, place: usize) -> OpenRead {
        let at = dev.place(self.place_of(place));
        OpenRead::from_words(core::array::from_fn(|word| dev.get(at, 4 * word as u32)))
    }

    #[inline(always)]
    pub(crate) fn store(&self, dev: &mut impl Device, place: usize, read: &OpenRead) {
        let at = dev.place(self.place_of(place));
        for (word, distance) in read.words().into_iter().zip((0..).step_by(4)) {
            dev.put(at, distance, word);
        }
    }

    #[inline(always)]
    fn is_open(&self, place: usize) -> bool {
        self.open >> (place % OPEN_READS) & 1 != 0
    }

    /// The open read that a reply of a peer names, with its place. `None` if it names none.
    #[inline(always)]
    pub(crate) fn named(&self, dev: &impl Device, id: u32, node: usize) -> Option<(usize, OpenRead)> {
        let place = id as usize % OPEN_READS;
        let read = self.load(dev, place);
        if !self.is_open(place) || usize::from(read.node) != node || id_of(read.serial, place) != id {
            return None;
        }
        Some((place, read))
    }

    /// The place of the first open read for which `is_wanted` holds.
    fn find(&self, dev: &impl Device, is_wanted: impl Fn(&OpenRead) -> bool) -> Option<usize> {
        (0..OPEN_READS).find(|&place| self.is_open(place) && is_wanted(&self.load(dev, place)))
    }

    /// A free place for a read from a peer. `None` if all places of that peer are taken.
    #[inline(always)]
    pub(crate) fn place_for(&self, node: usize) -> Option<usize> {
        let share = self.share;
        let own = ((1 << share) - 1) << (node as u32 * share);
        let place = (own & !self.open).trailing_zeros() as usize;
        (place < OPEN_READS).then_some(place)
    }

    /// The number of the next read of a place, and the owner of its request's frame. The owner is
    /// no post, because a read ends with its data, whenever the request is acknowledged.
    #[inline(always)]
    pub(crate) fn next_id(&self, dev: &impl Device, place: usize) -> (u32, Owner) {
        let at = dev.place(self.place_of(place));
        let id = id_of((dev.get(at, 4 * SERIAL) as u16).wrapping_add(1), place);
        (id, Owner { post: request_of(id), generation: REQUEST })
    }

    /// Opens a read. Its request was sent.
    #[inline(always)]
    pub(crate) fn open<T: Tables>(
        &mut self,
        layers: &mut Layers<T>,
        dev: &mut impl Device,
        (place, id): (usize, u32),
        node: usize,
        post: PostId,
        (address, remaining_bytes): (u32, u32),
    ) {
        let serial = (id >> SERIAL_SHIFT) as u16;
        let read = OpenRead { address, remaining_bytes, offset: 0, post, serial, node: node as u8 };
        self.store(dev, place, &read);
        self.open |= 1 << (place % OPEN_READS);
        self.count[node & NODE_MASK] += 1;
        layers.set_owing(node, true);
        dev.count(Counter::ReadsOpened);
    }

    /// Closes a read whose last data have come.
    #[inline(always)]
    pub(crate) fn complete<T: Tables>(&mut self, layers: &mut Layers<T>, place: usize, node: usize) {
        self.open &= !(1 << (place % OPEN_READS));
        let count = &mut self.count[node & NODE_MASK];
        *count -= 1;
        layers.set_owing(node, *count != 0);
    }

    /// Fails the read of a request that was refused or given up.
    #[cold]
    #[inline(never)]
    pub(crate) fn fail_request<T: Tables>(
        &mut self,
        layers: &mut Layers<T>,
        dev: &mut impl Device,
        request: PostId,
        error: PostError,
    ) {
        let place = usize::from(request.0) % OPEN_READS;
        let serial = self.load(dev, place).serial;
        if self.is_open(place) && request_of(id_of(serial, place)) == request {
            self.close(layers, dev, place, error);
        }
    }

    /// Fails the open read of a place, and its post.
    #[cold]
    #[inline(never)]
    pub(crate) fn close<T: Tables>(
        &mut self,
        layers: &mut Layers<T>,
        dev: &mut impl Device,
        place: usize,
        error: PostError,
    ) {
        let read = self.load(dev, place);
        self.forget(layers, dev, place, &read);
        layers.fail_awaited(dev, read.post, error);
        // Another read may wait for this place.
        layers.run.wake_blocked();
    }

    fn forget<T: Tables>(&mut self, layers: &mut Layers<T>, dev: &mut impl Device, place: usize, read: &OpenRead) {
        self.complete(layers, place, usize::from(read.node));
        dev.count(Counter::ReadsFailed);
    }

    /// Fails all reads from a peer that is lost.
    pub(crate) fn close_to<T: Tables>(&mut self, layers: &mut Layers<T>, dev: &mut impl Device, node: usize) {
        while let Some(place) = self.find(dev, |read| usize::from(read.node) == node) {
            self.close(layers, dev, place, PostError::PeerUnreachable);
        }
    }

    /// Closes all reads of a slot that is closed. Further replies to them are refused.
    pub(crate) fn forget_slot<T: Tables>(&mut self, layers: &mut Layers<T>, dev: &mut impl Device, slot: usize) {
        while let Some(place) = self.find(dev, |read| read.post.slot() == slot) {
            let read = self.load(dev, place);
            self.forget(layers, dev, place, &read);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_open_read_survives_its_words() {
        let read = OpenRead {
            address: 0x1234_5678,
            remaining_bytes: 9,
            offset: 8,
            post: PostId::new(7, 127),
            serial: 0xFFFF,
            node: 15,
        };
        assert_eq!(OpenRead::from_words(read.words()), read);
    }
}
