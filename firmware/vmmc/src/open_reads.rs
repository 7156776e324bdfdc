//! Reads of own processes (M-5): from the request to the last byte of the replies.
//!
//! A peer can write to memory of a process only what that process has asked it for: a reply counts
//! if it names an open read of that peer, and carries the very bytes that come next (M-23, case 1).

use nic_device::Device;
use nic_layout::boot::MAX_NODES;
use nic_layout::counter::Counter;
use nic_layout::post::PostError;
use nic_link::NODE_MASK;
use nic_plan::{OPEN_READ_BYTES, READS_MAX};
use nic_posts::{Owner, PostId};

use crate::owner::REQUEST;
use crate::wire::Layers;
use crate::Tables;

/// As many as one node answers at a time, so that all nodes together cannot fill its queue: each
/// has its share for each peer.
pub(crate) const OPEN_READS: usize = READS_MAX as usize;

/// In SRAM, which has the room, five words each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OpenRead {
    /// Where the bytes that come next go, and how many are still to come.
    pub address: u32,
    pub remaining_bytes: u32,
    /// Those that have come.
    pub offset: u32,
    pub post: PostId,
    /// Counts the reads of this place, so that replies to an older one are told from those to this
    /// one.
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

/// The number that travels: serial and place.
#[inline(always)]
fn id_of(serial: u16, place: usize) -> u32 {
    u32::from(serial) << SERIAL_SHIFT | place as u32
}

/// What the record of a request's frame says in place of a post: as much of the number as there is
/// room for. That is enough: the reads of a place are those to one peer, whose window holds fewer.
#[inline(always)]
fn request_of(id: u32) -> PostId {
    PostId((id >> SERIAL_SHIFT << PLACE_BITS) as u16 | id as u16)
}

/// The reads of own processes that are open.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenReads {
    /// Where they are kept in SRAM.
    at: u32,
    /// Places that are taken, one bit each, and how many places each peer has.
    open: u32,
    share: u32,
    /// Reads that each peer has not answered.
    count: [u8; MAX_NODES],
}

impl OpenReads {
    pub(crate) const NONE: OpenReads = OpenReads { at: 0, open: 0, share: 0, count: [0; MAX_NODES] };

    pub(crate) fn new(at: u32, node_count: u32) -> OpenReads {
        OpenReads { at, share: READS_MAX / node_count.max(1), ..OpenReads::NONE }
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

    /// The open read that a reply of a peer names, and its place.
    #[inline(always)]
    pub(crate) fn named(&self, dev: &impl Device, id: u32, node: usize) -> Option<(usize, OpenRead)> {
        let place = id as usize % OPEN_READS;
        let read = self.load(dev, place);
        if !self.is_open(place) || usize::from(read.node) != node || id_of(read.serial, place) != id {
            return None;
        }
        Some((place, read))
    }

    /// The first open read that is as wanted.
    fn find(&self, dev: &impl Device, is_wanted: impl Fn(&OpenRead) -> bool) -> Option<usize> {
        (0..OPEN_READS).find(|&place| self.is_open(place) && is_wanted(&self.load(dev, place)))
    }

    /// A place for one more read of a peer; `None` if it has as many as it may.
    #[inline(always)]
    pub(crate) fn place_for(&self, node: usize) -> Option<usize> {
        let share = self.share;
        let own = ((1 << share) - 1) << (node as u32 * share);
        let place = (own & !self.open).trailing_zeros() as usize;
        (place < OPEN_READS).then_some(place)
    }

    /// The number of the next read of a place, and the owner of its request's frame: no post, since
    /// a post that reads ends with its data, whenever the request is acknowledged.
    #[inline(always)]
    pub(crate) fn next_id(&self, dev: &impl Device, place: usize) -> (u32, Owner) {
        let at = dev.place(self.place_of(place));
        let id = id_of((dev.get(at, 4 * SERIAL) as u16).wrapping_add(1), place);
        (id, Owner { post: request_of(id), generation: REQUEST })
    }

    /// Opens a read, whose request was sent.
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

    /// The last data of a read have come.
    #[inline(always)]
    pub(crate) fn complete<T: Tables>(&mut self, layers: &mut Layers<T>, place: usize, node: usize) {
        self.open &= !(1 << (place % OPEN_READS));
        let count = &mut self.count[node & NODE_MASK];
        *count -= 1;
        layers.set_owing(node, *count != 0);
    }

    /// The request of a read was refused, or given up.
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

    /// Ends the open read of a place badly, with its post.
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
        // Another read may have waited for its place.
        layers.run.wake_blocked();
    }

    fn forget<T: Tables>(&mut self, layers: &mut Layers<T>, dev: &mut impl Device, place: usize, read: &OpenRead) {
        self.complete(layers, place, usize::from(read.node));
        dev.count(Counter::ReadsFailed);
    }

    /// The peer is lost.
    pub(crate) fn close_to<T: Tables>(&mut self, layers: &mut Layers<T>, dev: &mut impl Device, node: usize) {
        while let Some(place) = self.find(dev, |read| usize::from(read.node) == node) {
            self.close(layers, dev, place, PostError::PeerUnreachable);
        }
    }

    /// The slot is closed: what still comes for it is refused.
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
