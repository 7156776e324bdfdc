//! Reads of own processes (M-5): from the request to the last byte of the replies.
//!
//! A peer can write to memory of a process only what that process has asked it for: a reply counts if it names an open read of that peer, and
//! carries the very bytes that come next (M-23, case 1).

use nic_layout::counter::Counter;
use nic_layout::frame::{word, FLAG_ABORTED};
use nic_layout::post::PostError;
use nic_layout::trace::Marker;
use nic_layout::PROCESS_SLOTS;
use nic_lookup::{Path, Place};

use crate::buffer::Target;
use crate::frames::{PostId, TxFrame};
use crate::link::NODE_MASK;
use crate::post::Slot;
use crate::receive::Buffer;
use crate::translate::Untranslated;
use crate::{Device, Machine, Tables};
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
    /// Of the post's slot.
    generation: u8,
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
            generation: (who >> 16) as u8,
            node: (who >> 24) as u8,
        }
    }

    fn words(&self) -> [u32; 5] {
        let who = u32::from(self.post.0) | u32::from(self.generation) << 16 | u32::from(self.node) << 24;
        [who, self.address, self.remaining_bytes, self.offset, u32::from(self.serial)]
    }
}

/// The number that travels: serial and place.
fn id_of(serial: u16, place: usize) -> u32 {
    u32::from(serial) << 16 | place as u32
}

impl<T: Tables> Machine<T> {
    fn open_read_at(&self, place: usize) -> u32 {
        self.config.map.open_reads + (place % OPEN_READS) as u32 * OPEN_READ_BYTES
    }

    fn load_read(&self, dev: &impl Device, place: usize) -> OpenRead {
        let at = self.open_read_at(place);
        OpenRead::from_words(core::array::from_fn(|word| dev.read(at + 4 * word as u32)))
    }

    fn store_read(&self, dev: &mut impl Device, place: usize, read: &OpenRead) {
        for (word, at) in read.words().into_iter().zip((self.open_read_at(place)..).step_by(4)) {
            dev.write(at, word);
        }
    }

    fn is_open(&self, place: usize) -> bool {
        self.reads_open >> (place % OPEN_READS) & 1 != 0
    }

    /// The first open read that is as wanted.
    fn find_read(&self, dev: &impl Device, is_wanted: impl Fn(&OpenRead) -> bool) -> Option<usize> {
        (0..OPEN_READS).find(|&place| self.is_open(place) && is_wanted(&self.load_read(dev, place)))
    }

    /// Opens the read at the head of a slot, whose request is about to be sent. Its number; `None` if the peer has as many as it may.
    #[inline(never)]
    pub(crate) fn open_read(&mut self, dev: &mut impl Device, slot_number: usize) -> Option<u32> {
        let slot: &Slot = &self.slots[slot_number % PROCESS_SLOTS];
        let (post, node) = (slot.head(slot_number), slot.post.node & NODE_MASK);
        let (address, remaining_bytes, generation) = (slot.post.local_address, slot.post.read_bytes, slot.generation);
        let share = self.reads_share;
        let own = ((1 << share) - 1) << (node as u32 * share);
        let place = (own & !self.reads_open).trailing_zeros() as usize;
        if place >= OPEN_READS {
            return None;
        }
        let serial = self.load_read(dev, place).serial.wrapping_add(1);
        let read = OpenRead { address, remaining_bytes, offset: 0, post, serial, generation, node: node as u8 };
        self.store_read(dev, place, &read);
        self.reads_open |= 1 << place;
        self.open_reads[node] += 1;
        // Besides its request, the post waits for its data.
        self.records[post.record()].add_frame();
        self.count(dev, Counter::ReadsOpened);
        Some(id_of(serial, place))
    }

    /// The open read whose request a frame is.
    pub(crate) fn open_read_of(&self, dev: &impl Device, tx: &TxFrame) -> Option<usize> {
        if self.reads_open == 0 {
            return None;
        }
        self.find_read(dev, |read| read.post == tx.post && read.generation == tx.generation)
    }

    /// A reply in its turn. Its source and sequence are checked.
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
            return self.refuse_frame(dev, node, true, Counter::FramesRefusedReply);
        }
        if flags & FLAG_ABORTED != 0 {
            self.end_read_of_post(dev, place, &read, Some(PostError::Refused));
            return self.refuse_frame(dev, node, true, Counter::FramesRefusedAborted);
        }
        let is_next = dev.get(at, word::BUFFER_OFFSET) == read.offset && data_bytes <= read.remaining_bytes;
        if !is_next || (data_bytes == 0 && read.remaining_bytes != 0) {
            self.end_read_of_post(dev, place, &read, Some(PostError::Refused));
            return self.refuse_frame(dev, node, true, Counter::FramesRefusedReply);
        }
        if data_bytes != 0 {
            let pid = self.slots[read.post.slot()].pid;
            let target = Target { pid, address: read.address };
            match self.write_data(dev, target, buffer, data_bytes) {
                Ok(()) => {}
                Err(Untranslated::Fault) => {
                    self.end_read_of_post(dev, place, &read, Some(PostError::BadLocalAddress));
                    return self.refuse_frame(dev, node, true, Counter::FramesRefusedPage);
                }
                Err(reason) => return self.miss_frame(dev, node, buffer, reason, Counter::FramesDroppedMiss),
            }
            dev.trace(Marker::DmaWritePosted, dev.get(at, word::SEQUENCE));
            self.count_hit(dev, Path::Receive);
        }
        read.address = read.address.wrapping_add(data_bytes);
        read.offset = read.offset.wrapping_add(data_bytes);
        read.remaining_bytes -= data_bytes;
        let is_last = read.remaining_bytes == 0;
        if is_last {
            // The status page is written behind the data, by the same engine.
            self.end_read_of_post(dev, place, &read, None);
            self.settle(dev, read.post.slot());
        } else {
            self.store_read(dev, place, &read);
        }
        self.accept(dev, at, node, is_last);
        if data_bytes != 0 {
            Buffer::Busy
        } else {
            Buffer::Free
        }
    }

    /// Ends the open read of a place, with its post.
    #[cold]
    #[inline(never)]
    pub(crate) fn close_read(&mut self, dev: &mut impl Device, place: usize, error: PostError) {
        let read = self.load_read(dev, place);
        self.end_read_of_post(dev, place, &read, Some(error));
    }

    /// Nothing more comes for a read: all its data have, or it fails.
    fn end_read_of_post(&mut self, dev: &mut impl Device, place: usize, read: &OpenRead, error: Option<PostError>) {
        self.forget_read(dev, place, read, error.is_some());
        if let Some(error) = error {
            self.fail_record(dev, read.post, error as u32);
        }
        let record = &mut self.records[read.post.record()];
        record.end_frame();
        if record.is_complete() {
            self.unsettled.add(1 << read.post.slot());
        }
        // Another read may have waited for its place.
        self.wake(self.blocked);
    }

    fn forget_read(&mut self, dev: &mut impl Device, place: usize, read: &OpenRead, has_failed: bool) {
        self.reads_open &= !(1 << (place % OPEN_READS));
        self.open_reads[usize::from(read.node) & NODE_MASK] -= 1;
        self.count(dev, if has_failed { Counter::ReadsFailed } else { Counter::ReadsCompleted });
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
            self.forget_read(dev, place, &read, true);
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
            generation: 0x7F,
            node: 15,
        };
        assert_eq!(OpenRead::from_words(read.words()), read);
    }
}
