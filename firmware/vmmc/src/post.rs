//! Posts: from the doorbell to the status page.

use nic_layout::counter::Counter;
use nic_layout::post::{
    PostError, ProcessStatus, MESSAGE_BYTES_MAX, OP_WRITE, POST_DESCRIPTOR_BYTES, POST_QUEUE_ENTRIES,
};
use nic_layout::tables::PID_MAX;
use nic_layout::trace::Marker;
use nic_layout::{PAGE_BYTES, PROCESS_SLOTS};

use crate::frames::PostId;
use crate::memory_map::PROCESS_ENTRY_BYTES;
use crate::{Device, Machine};

pub(crate) const RECORDS: usize = PROCESS_SLOTS * POST_QUEUE_ENTRIES as usize;

/// How far one post is. Bits 7:0 frames in flight, bit 8 all frames issued, bits 11:9 error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Record(u16);

impl Record {
    pub(crate) const EMPTY: Record = Record(0);
    const ISSUED: u16 = 1 << 8;

    #[inline(always)]
    pub(crate) fn add_frame(&mut self) {
        self.0 += 1;
    }

    #[inline(always)]
    pub(crate) fn end_frame(&mut self) {
        self.0 = self.0.wrapping_sub(1);
    }

    /// No further frame comes.
    #[inline(always)]
    pub(crate) fn issue(&mut self) {
        self.0 |= Self::ISSUED;
    }

    /// Ends badly; the first reason stays.
    pub(crate) fn fail(&mut self, error: PostError) {
        if self.error() == 0 {
            self.0 |= (error as u16) << 9;
        }
    }

    #[inline(always)]
    pub(crate) fn is_complete(self) -> bool {
        self.0 & 0x1FF == Self::ISSUED
    }

    #[inline(always)]
    pub(crate) fn error(self) -> u16 {
        self.0 >> 9
    }
}

/// The descriptor at the head of a queue, while its frames are issued.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Post {
    pub id: PostId,
    pub node: usize,
    pub pid: u32,
    /// What is still to be sent.
    pub remaining_bytes: u32,
    pub source_address: u32,
    pub buffer_offset: u32,
    pub buffer: u32,
    pub key: [u32; 2],
    pub message: u32,
}

/// One process slot. Indices are free-running: `ended <= fetched <= producer <= ended + POST_QUEUE_ENTRIES`.
///
/// 64 bytes, so that finding one takes a shift.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(crate) struct Slot {
    pub producer: u32,
    pub fetched: u32,
    pub ended: u32,
    pub generation: u8,
    /// `post` has frames to be issued.
    pub sending: bool,
    pub post: Post,
}

/// What a status page says before anything was posted.
pub(crate) const NO_STATUS: ProcessStatus = ProcessStatus { refused: 0, last_error: 0, last_error_index: 0, ended: 0 };

impl Slot {
    pub(crate) const EMPTY: Slot = Slot {
        producer: 0,
        fetched: 0,
        ended: 0,
        generation: 0,
        sending: false,
        post: Post {
            id: PostId(0),
            node: 0,
            pid: 0,
            remaining_bytes: 0,
            source_address: 0,
            buffer_offset: 0,
            buffer: 0,
            key: [0; 2],
            message: 0,
        },
    };
}

impl<const E: u32, const L: u32, const W: u32> Machine<E, L, W> {
    #[inline(always)]
    fn process_entry(&self, slot: usize) -> u32 {
        self.config.map.process_table + slot as u32 * PROCESS_ENTRY_BYTES
    }

    #[cfg_attr(target_arch = "riscv32", link_section = ".fast.text")]
    pub fn on_doorbell(&mut self, dev: &mut impl Device) {
        let mut rung = dev.take_doorbells();
        let mut page = 0;
        while rung != 0 {
            if rung & 1 != 0 {
                self.take_doorbell(dev, page);
            }
            rung >>= 1;
            page += 1;
        }
    }

    #[inline(always)]
    fn take_doorbell(&mut self, dev: &mut impl Device, page: usize) {
        dev.trace(Marker::DoorbellTaken, page as u32);
        self.count(dev, Counter::DoorbellsServed);
        if page >= PROCESS_SLOTS || dev.read(self.process_entry(page)) != 1 {
            self.count(dev, Counter::DoorbellsClosed);
            return;
        }
        let producer = dev.doorbell(page);
        let slot = &mut self.slots[page % PROCESS_SLOTS];
        let free = POST_QUEUE_ENTRIES - slot.producer.wrapping_sub(slot.ended);
        if producer.wrapping_sub(slot.producer) > free {
            let status = &mut self.status[page % PROCESS_SLOTS];
            status.last_error = PostError::BadProducerIndex as u32;
            status.last_error_index = producer;
            self.count(dev, Counter::DoorbellsWild);
            self.write_status(dev, page);
            return;
        }
        slot.producer = producer;
        self.count(dev, Counter::DoorbellsAccepted);
        // A slot that waits is woken by what it waits for.
        if (self.parked | self.blocked) & (1 << page) == 0 {
            self.queue.push(page);
        }
    }

    /// Reads the next descriptor of a slot. True when it is legal and has frames to be issued.
    #[inline(always)]
    pub(crate) fn fetch(&mut self, dev: &mut impl Device, slot_number: usize) -> bool {
        let entry = self.process_entry(slot_number);
        if dev.read(entry) != 1 {
            return false;
        }
        let pid = dev.read(entry + 4) & PID_MAX;
        let slot = &mut self.slots[slot_number % PROCESS_SLOTS];
        let index = slot.fetched;
        let at = self.config.map.post_queues
            + slot_number as u32 * PAGE_BYTES
            + (index % POST_QUEUE_ENTRIES) * POST_DESCRIPTOR_BYTES;
        let id = PostId::new(slot_number, index);
        slot.fetched = index.wrapping_add(1);
        self.records[id.record()] = Record::EMPTY;

        // The process can change the descriptor at any time: each word is read once.
        let operation = dev.read(at);
        let length = dev.read(at + 4);
        let source_address = dev.read(at + 8);
        let buffer = dev.read(at + 12);
        let buffer_offset = dev.read(at + 16);
        let key = [dev.read(at + 20), dev.read(at + 24)];
        let message = dev.read(at + 28);
        let node = operation >> 16;
        slot.post = Post {
            id,
            node: node as usize,
            pid,
            remaining_bytes: length,
            source_address,
            buffer_offset,
            buffer,
            key,
            message,
        };
        self.count(dev, Counter::PostsFetched);

        let error = if operation & 0xFF != u32::from(OP_WRITE) {
            PostError::UnknownOperation
        } else if node >= self.config.node_count || node == self.config.node {
            PostError::NoSuchNode
        } else if length > MESSAGE_BYTES_MAX || buffer_offset.checked_add(length).is_none() {
            PostError::LengthOutOfRange
        } else if source_address.checked_add(length.saturating_sub(1)).is_none() {
            PostError::BadSourceAddress
        } else {
            dev.trace(Marker::PostRead, message);
            self.slots[slot_number % PROCESS_SLOTS].sending = true;
            return true;
        };
        self.refuse(dev, slot_number, error);
        false
    }

    /// Ends the post at the head of a slot badly: no further frame of it is issued. It ends when those in flight have.
    #[cold]
    #[inline(never)]
    pub(crate) fn refuse(&mut self, dev: &mut impl Device, slot_number: usize, error: PostError) {
        dev.trace(Marker::PostRefused, error as u32);
        let slot = &mut self.slots[slot_number % PROCESS_SLOTS];
        slot.sending = false;
        let record = &mut self.records[slot.post.id.record()];
        record.fail(error);
        record.issue();
        self.settle(dev, slot_number);
    }

    /// Ends posts from the oldest on, as far as they are complete.
    #[inline(never)]
    #[cfg_attr(target_arch = "riscv32", link_section = ".fast.text")]
    pub(crate) fn settle(&mut self, dev: &mut impl Device, slot_number: usize) {
        let mut ended = 0;
        loop {
            let slot = &mut self.slots[slot_number % PROCESS_SLOTS];
            let record = self.records[PostId::new(slot_number, slot.ended).record()];
            if slot.ended == slot.fetched || !record.is_complete() {
                break;
            }
            let status = &mut self.status[slot_number % PROCESS_SLOTS];
            if record.error() != 0 {
                status.refused = status.refused.wrapping_add(1);
                status.last_error = u32::from(record.error());
                status.last_error_index = slot.ended;
            }
            slot.ended = slot.ended.wrapping_add(1);
            status.ended = slot.ended;
            ended += 1;
            self.count(dev, outcome(record.error()));
        }
        if ended != 0 {
            self.write_status(dev, slot_number);
        }
    }

    /// Writes the status page, or remembers to.
    #[inline(never)]
    #[cfg_attr(target_arch = "riscv32", link_section = ".fast.text")]
    pub(crate) fn write_status(&mut self, dev: &mut impl Device, slot_number: usize) {
        let bit = 1 << (slot_number % PROCESS_SLOTS);
        self.status_dirty |= bit;
        // The engine reads the words in SRAM: they change only between two transfers.
        if self.status_busy & bit != 0 || !self.write_room(dev, 1) {
            return;
        }
        self.status_dirty &= !bit;
        let entry = self.process_entry(slot_number);
        if dev.read(entry) != 1 {
            return;
        }
        let page = dev.read(entry + 8) & !15;
        let status = self.status[slot_number % PROCESS_SLOTS];
        dev.write(entry + 16, status.refused);
        dev.write(entry + 20, status.last_error);
        dev.write(entry + 24, status.last_error_index);
        dev.write(entry + 28, status.ended);
        self.status_busy |= bit;
        self.post_status(dev, page, entry + 16, slot_number);
        self.count(dev, Counter::StatusWrites);
        dev.trace(Marker::StatusWritten, (slot_number as u32) << 20 | (status.ended & 0xF_FFFF));
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn write_all_status(&mut self, dev: &mut impl Device) {
        for slot in 0..PROCESS_SLOTS {
            if self.status_dirty & !self.status_busy & (1 << slot) != 0 {
                self.write_status(dev, slot);
            }
        }
    }

    /// Forgets everything about a slot that the driver has closed. Frames in flight still reach their peer, and mean nothing here.
    pub(crate) fn close_slot(&mut self, dev: &mut impl Device, slot_number: usize) {
        if slot_number >= PROCESS_SLOTS {
            self.count(dev, Counter::MailboxesWild);
            return;
        }
        let slot = &mut self.slots[slot_number % PROCESS_SLOTS];
        let open = slot.fetched.wrapping_sub(slot.ended);
        let generation = slot.generation.wrapping_add(1);
        *slot = Slot { generation, ..Slot::EMPTY };
        self.status[slot_number % PROCESS_SLOTS] = NO_STATUS;
        let bit = 1 << slot_number;
        self.parked &= !bit;
        self.blocked &= !bit;
        self.status_dirty &= !bit;
        dev.add(self.config.map.counters + Counter::PostsClosed.offset(), open);
    }
}

/// The counter of an ended post.
#[inline(always)]
fn outcome(error: u16) -> Counter {
    const BASE: u16 = PostError::UnknownOperation as u16;
    const _: () = assert!(BASE == 1);
    match error {
        0 => Counter::PostsCompleted,
        1 => Counter::PostsRefusedOperation,
        2 => Counter::PostsRefusedNode,
        3 => Counter::PostsRefusedLength,
        4 => Counter::PostsRefusedSource,
        5 => Counter::PostsRefusedPeer,
        _ => Counter::PostsRefusedBus,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_post_is_complete_when_issued_and_all_its_frames_have_ended() {
        let mut record = Record::EMPTY;
        record.add_frame();
        record.add_frame();
        record.end_frame();
        assert!(!record.is_complete());
        record.issue();
        assert!(!record.is_complete());
        record.end_frame();
        assert!(record.is_complete());
        assert_eq!(record.error(), 0);
    }

    #[test]
    fn the_first_error_of_a_post_stays() {
        let mut record = Record::EMPTY;
        record.fail(PostError::BusError);
        record.fail(PostError::PeerUnreachable);
        record.issue();
        assert_eq!(record.error(), PostError::BusError as u16);
        assert!(record.is_complete());
    }

    #[test]
    fn every_post_error_has_its_counter() {
        assert_eq!(outcome(PostError::UnknownOperation as u16), Counter::PostsRefusedOperation);
        assert_eq!(outcome(PostError::NoSuchNode as u16), Counter::PostsRefusedNode);
        assert_eq!(outcome(PostError::LengthOutOfRange as u16), Counter::PostsRefusedLength);
        assert_eq!(outcome(PostError::BadSourceAddress as u16), Counter::PostsRefusedSource);
        assert_eq!(outcome(PostError::PeerUnreachable as u16), Counter::PostsRefusedPeer);
        assert_eq!(outcome(PostError::BusError as u16), Counter::PostsRefusedBus);
    }
}
