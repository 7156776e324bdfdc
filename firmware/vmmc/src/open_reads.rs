//! Reads of own processes (M-5): from the request to the last byte of the replies.
//!
//! A peer can write to memory of a process only what that process has asked it for: a reply counts if it names an open read of that peer, and
//! carries the very bytes that come next (M-23, case 1).

use nic_device::{rarely, Place};
use nic_layout::counter::Counter;
use nic_layout::frame::{word, FLAG_ABORTED};
use nic_layout::post::PostError;
use nic_layout::trace::Marker;
use nic_lookup::Path;

use crate::buffer::Target;
use crate::owner::{Owner, REQUEST};
use crate::post::PostId;
use crate::receive::Buffer;
use crate::translate::{count_hit, Untranslated};
use crate::turn::{Answer, SHORT_BYTES};
use crate::{Machine, Tables};
use nic_device::Device;
use nic_link::NODE_MASK;
use nic_plan::{OPEN_READ_BYTES, READS_MAX};

/// As many as one node answers at a time, so that all nodes together cannot fill its queue: each has its share for each peer.
pub(crate) const OPEN_READS: usize = READS_MAX as usize;

/// In SRAM, which has the room, five words each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct OpenRead {
    /// Where the bytes that come next go, and how many are still to come.
    address: u32,
    remaining_bytes: u32,
    /// Those that have come.
    offset: u32,
    post: PostId,
    /// Counts the reads of this place, so that replies to an older one are told from those to this one.
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

/// What the record of a request's frame says in place of a post: as much of the number as there is room for. That is enough: the reads of a place are those to one
/// peer, whose window holds fewer.
#[inline(always)]
fn request_of(id: u32) -> PostId {
    PostId((id >> SERIAL_SHIFT << PLACE_BITS) as u16 | id as u16)
}

impl<T: Tables> Machine<T> {
    #[inline(always)]
    fn open_read_at(&self, place: usize) -> u32 {
        self.settings.open_reads + (place % OPEN_READS) as u32 * OPEN_READ_BYTES
    }

    #[inline(always)]
    fn load_read(&self, dev: &impl Device, place: usize) -> OpenRead {
        let at = dev.place(self.open_read_at(place));
        OpenRead::from_words(core::array::from_fn(|word| dev.get(at, 4 * word as u32)))
    }

    #[inline(always)]
    fn store_read(&self, dev: &mut impl Device, place: usize, read: &OpenRead) {
        let at = dev.place(self.open_read_at(place));
        for (word, distance) in read.words().into_iter().zip((0..).step_by(4)) {
            dev.put(at, distance, word);
        }
    }

    #[inline(always)]
    fn is_open(&self, place: usize) -> bool {
        self.reads_open >> (place % OPEN_READS) & 1 != 0
    }

    /// The first open read that is as wanted.
    fn find_read(&self, dev: &impl Device, is_wanted: impl Fn(&OpenRead) -> bool) -> Option<usize> {
        (0..OPEN_READS).find(|&place| self.is_open(place) && is_wanted(&self.load_read(dev, place)))
    }

    /// A place for one more read of a peer; `None` if it has as many as it may.
    #[inline(always)]
    pub(crate) fn place_for_read(&self, node: usize) -> Option<usize> {
        let share = self.reads_share;
        let own = ((1 << share) - 1) << (node as u32 * share);
        let place = (own & !self.reads_open).trailing_zeros() as usize;
        (place < OPEN_READS).then_some(place)
    }

    /// The number of the next read of a place, and what the record of its request's frame says: that it belongs to no post, since a post that reads ends with its
    /// data, whenever the request is acknowledged.
    #[inline(always)]
    pub(crate) fn next_read_id(&self, dev: &impl Device, place: usize) -> (u32, Owner) {
        let at = dev.place(self.open_read_at(place));
        let id = id_of((dev.get(at, 4 * SERIAL) as u16).wrapping_add(1), place);
        (id, Owner { post: request_of(id), generation: REQUEST })
    }

    /// Opens a read, whose request was sent.
    #[inline(always)]
    pub(crate) fn open_read(
        &mut self,
        dev: &mut impl Device,
        place: usize,
        id: u32,
        node: usize,
        post: PostId,
        (address, remaining_bytes): (u32, u32),
    ) {
        let serial = (id >> SERIAL_SHIFT) as u16;
        let read = OpenRead { address, remaining_bytes, offset: 0, post, serial, node: node as u8 };
        self.store_read(dev, place, &read);
        self.reads_open |= 1 << (place % OPEN_READS);
        self.open_reads[node & NODE_MASK] += 1;
        dev.count(Counter::ReadsOpened);
    }

    /// The request of a read was refused, or given up.
    #[cold]
    #[inline(never)]
    pub(crate) fn fail_request(&mut self, dev: &mut impl Device, request: PostId, error: PostError) {
        let place = usize::from(request.0) % OPEN_READS;
        let serial = self.load_read(dev, place).serial;
        if self.is_open(place) && request_of(id_of(serial, place)) == request {
            self.close_read(dev, place, error);
        }
    }

    /// A reply in its turn. Its source and sequence are checked. The status of a read that ends goes behind its data at once; what only we need comes last.
    #[inline(always)]
    pub(crate) fn take_reply(
        &mut self,
        dev: &mut impl Device,
        at: Place,
        buffer: u32,
        node: usize,
        flags: u8,
        data_bytes: u32,
    ) -> Buffer {
        let id = dev.get(at, word::BUFFER);
        let place = id as usize % OPEN_READS;
        let mut read = self.load_read(dev, place);
        if !self.is_open(place) || usize::from(read.node) != node || id_of(read.serial, place) != id {
            rarely();
            return self.refuse_frame(dev, node, true, Counter::FramesRefusedReply);
        }
        if flags & FLAG_ABORTED != 0 {
            rarely();
            self.close_read(dev, place, PostError::Refused);
            return self.refuse_frame(dev, node, true, Counter::FramesRefusedAborted);
        }
        let is_next = dev.get(at, word::BUFFER_OFFSET) == read.offset && data_bytes <= read.remaining_bytes;
        if !is_next || (data_bytes == 0 && read.remaining_bytes != 0) {
            rarely();
            self.close_read(dev, place, PostError::Refused);
            return self.refuse_frame(dev, node, true, Counter::FramesRefusedReply);
        }
        let slot_number = read.post.slot();
        if data_bytes != 0 {
            let pid = self.slots[slot_number].pid;
            let target = Target { pid, address: read.address };
            match self.write_data(dev, target, buffer, data_bytes) {
                Ok(()) => {}
                Err(Untranslated::Fault) => {
                    self.close_read(dev, place, PostError::BadLocalAddress);
                    return self.refuse_frame(dev, node, true, Counter::FramesRefusedPage);
                }
                Err(reason) => return self.miss_frame(dev, node, buffer, reason, Counter::FramesDroppedMiss),
            }
            dev.trace(Marker::DmaWritePosted, dev.get(at, word::SEQUENCE));
        }
        let is_last = data_bytes == read.remaining_bytes;
        if is_last {
            self.reads_open &= !(1 << place);
            self.open_reads[node & NODE_MASK] -= 1;
            self.records[read.post.record()].end_frame();
            // The status page is written behind the data, by the same engine.
            self.settle_post(dev, read.post);
            self.answer = if data_bytes <= SHORT_BYTES { Answer::Awaited } else { Answer::NotYet };
            dev.count(Counter::ReadsCompleted);
            // Another read may have waited for its place.
            self.wake(self.blocked);
        } else {
            read.address = read.address.wrapping_add(data_bytes);
            read.offset = read.offset.wrapping_add(data_bytes);
            read.remaining_bytes -= data_bytes;
            self.store_read(dev, place, &read);
        }
        if data_bytes != 0 {
            count_hit(dev, Path::Receive);
        }
        self.accept(dev, at, node, is_last);
        if data_bytes != 0 {
            Buffer::Busy
        } else {
            Buffer::Free
        }
    }

    /// Ends the open read of a place badly, with its post.
    #[cold]
    #[inline(never)]
    pub(crate) fn close_read(&mut self, dev: &mut impl Device, place: usize, error: PostError) {
        let read = self.load_read(dev, place);
        self.forget_read(dev, place, &read);
        self.fail_record(dev, read.post, error as u32);
        let record = &mut self.records[read.post.record()];
        record.end_frame();
        if record.is_complete() {
            self.unsettled.add(1 << read.post.slot());
        }
        // Another read may have waited for its place.
        self.wake(self.blocked);
    }

    fn forget_read(&mut self, dev: &mut impl Device, place: usize, read: &OpenRead) {
        self.reads_open &= !(1 << (place % OPEN_READS));
        self.open_reads[usize::from(read.node) & NODE_MASK] -= 1;
        dev.count(Counter::ReadsFailed);
    }

    /// The peer is lost.
    pub(crate) fn close_reads_to(&mut self, dev: &mut impl Device, node: usize) {
        while let Some(place) = self.find_read(dev, |read| usize::from(read.node) == node) {
            self.close_read(dev, place, PostError::PeerUnreachable);
        }
    }

    /// The slot is closed: what still comes for it is refused.
    pub(crate) fn forget_reads_of(&mut self, dev: &mut impl Device, slot_number: usize) {
        while let Some(place) = self.find_read(dev, |read| read.post.slot() == slot_number) {
            let read = self.load_read(dev, place);
            self.forget_read(dev, place, &read);
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
