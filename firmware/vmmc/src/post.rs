//! Posts: from the doorbell to the status page.

use nic_layout::counter::Counter;
use nic_layout::post::{
    PostError, ProcessStatus, MESSAGE_BYTES_MAX, OP_WRITE, POST_DESCRIPTOR_BYTES, POST_QUEUE_ENTRIES,
};
use nic_layout::trace::Marker;
use nic_layout::{PAGE_BYTES, PROCESS_SLOTS};
use nic_lookup::{rarely, Place};

use crate::frames::PostId;
use crate::{Device, Machine};
use nic_plan::PROCESS_ENTRY_BYTES;

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
    pub node: usize,
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
    /// Of the process, as the table said when it rang.
    pub pid: u32,
    pub generation: u8,
    /// `post` has frames to be issued.
    pub sending: bool,
    pub post: Post,
}

/// What a status page says before anything was posted.
pub(crate) const NO_STATUS: ProcessStatus = ProcessStatus { refused: 0, last_error: 0, last_error_index: 0, ended: 0 };

impl Slot {
    /// The post that was fetched last: the one whose frames are issued.
    #[inline(always)]
    pub(crate) fn head(&self, slot_number: usize) -> PostId {
        PostId::new(slot_number, self.fetched.wrapping_sub(1))
    }

    pub(crate) const EMPTY: Slot = Slot {
        producer: 0,
        fetched: 0,
        ended: 0,
        pid: 0,
        generation: 0,
        sending: false,
        post: Post {
            node: 0,
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
    fn process_entry(&self, slot: usize) -> Place {
        self.places.process_table.plus(slot as u32 * PROCESS_ENTRY_BYTES)
    }

    /// Takes one doorbell. Returns whether it was accepted, to be counted when the first frame is under way, and the slot that is to send that frame:
    /// the one that rang, if no other is in the queue.
    #[inline(always)]
    pub(crate) fn on_doorbell(&mut self, dev: &mut impl Device) -> (bool, Option<usize>) {
        let Some(page) = dev.take_doorbell() else {
            return (false, None);
        };
        dev.trace(Marker::DoorbellTaken, page as u32);
        let entry = self.process_entry(page);
        if page >= PROCESS_SLOTS || dev.get(entry, 0) != 1 {
            self.ignore_doorbell(dev, Counter::DoorbellsClosed);
            return (false, None);
        }
        let producer = dev.doorbell(page);
        let slot = &mut self.slots[page % PROCESS_SLOTS];
        let free = POST_QUEUE_ENTRIES - slot.producer.wrapping_sub(slot.ended);
        if producer.wrapping_sub(slot.producer) > free {
            self.refuse_doorbell(dev, page, producer);
            return (false, None);
        }
        slot.producer = producer;
        slot.pid = dev.get(entry, 4);
        // A slot that waits is woken by what it waits for.
        if (self.parked | self.blocked) >> page & 1 != 0 {
            rarely();
            return (true, None);
        }
        if !self.queue.is_empty() {
            rarely();
            self.queue.push(page);
            return (true, None);
        }
        (true, Some(page))
    }

    #[cold]
    #[inline(never)]
    fn refuse_doorbell(&mut self, dev: &mut impl Device, page: usize, producer: u32) {
        let status = &mut self.status[page % PROCESS_SLOTS];
        status.last_error = PostError::BadProducerIndex as u32;
        status.last_error_index = producer;
        self.ignore_doorbell(dev, Counter::DoorbellsWild);
        self.write_status(dev, page);
    }

    #[cold]
    #[inline(never)]
    fn ignore_doorbell(&mut self, dev: &mut impl Device, outcome: Counter) {
        self.count(dev, Counter::DoorbellsServed);
        self.count(dev, outcome);
    }

    /// Reads the next descriptor of a slot. False if there is none, or it is not legal.
    #[inline(always)]
    pub(crate) fn fetch(&mut self, dev: &mut impl Device, slot_number: usize) -> bool {
        let slot = &mut self.slots[slot_number % PROCESS_SLOTS];
        let index = slot.fetched;
        if index == slot.producer {
            rarely();
            return false;
        }
        slot.fetched = index.wrapping_add(1);
        let queue = self.places.post_queues.plus(slot_number as u32 * PAGE_BYTES);
        let at = queue.plus(index % POST_QUEUE_ENTRIES * POST_DESCRIPTOR_BYTES);

        // The process can change the descriptor at any time: each word is read once.
        let operation = dev.get(at, 0);
        let length = dev.get(at, 4);
        let source_address = dev.get(at, 8);
        let buffer_offset = dev.get(at, 16);
        let node = operation >> 16;
        slot.post = Post {
            node: node as usize,
            remaining_bytes: length,
            source_address,
            buffer_offset,
            buffer: dev.get(at, 12),
            key: [dev.get(at, 20), dev.get(at, 24)],
            message: dev.get(at, 28),
        };

        let error = if operation & 0xFF != u32::from(OP_WRITE) {
            PostError::UnknownOperation
        } else if node >= self.config.node_count || node == self.config.node {
            PostError::NoSuchNode
        } else if length > MESSAGE_BYTES_MAX || ends_beyond(buffer_offset, length) {
            PostError::LengthOutOfRange
        } else if runs_over(source_address, length) {
            PostError::BadSourceAddress
        } else {
            dev.trace(Marker::PostRead, slot.post.message);
            return true;
        };
        self.refuse_fetched(dev, slot_number, error);
        false
    }

    #[cold]
    #[inline(never)]
    fn refuse_fetched(&mut self, dev: &mut impl Device, slot_number: usize, error: PostError) {
        self.count(dev, Counter::PostsFetched);
        self.refuse(dev, slot_number, error);
        // The next one has its turn.
        self.queue.push(slot_number);
    }

    /// Ends the post at the head of a slot badly: no further frame of it is issued. It ends when those in flight have.
    #[cold]
    #[inline(never)]
    pub(crate) fn refuse(&mut self, dev: &mut impl Device, slot_number: usize, error: PostError) {
        dev.trace(Marker::PostRefused, error as u32);
        let slot = &mut self.slots[slot_number % PROCESS_SLOTS];
        slot.sending = false;
        let record = &mut self.records[slot.head(slot_number).record()];
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
            let place = PostId::new(slot_number, slot.ended).record();
            let record = self.records[place];
            if !record.is_complete() {
                break;
            }
            // The next post of this place begins afresh.
            self.records[place] = Record::EMPTY;
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
        if self.status_busy & bit != 0 || !self.has_write_room(1) {
            return;
        }
        self.status_dirty &= !bit;
        let entry = self.process_entry(slot_number);
        if dev.get(entry, 0) != 1 {
            return;
        }
        let page = dev.get(entry, 8) & !15;
        let status = self.status[slot_number % PROCESS_SLOTS];
        dev.put(entry, 16, status.refused);
        dev.put(entry, 20, status.last_error);
        dev.put(entry, 24, status.last_error_index);
        dev.put(entry, 28, status.ended);
        self.status_busy |= bit;
        let in_sram = self.config.map.process_table + slot_number as u32 * PROCESS_ENTRY_BYTES + 16;
        self.post_status(dev, page, in_sram, slot_number);
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
        for index in 0..POST_QUEUE_ENTRIES {
            self.records[PostId::new(slot_number, index).record()] = Record::EMPTY;
        }
        self.status[slot_number % PROCESS_SLOTS] = NO_STATUS;
        let bit = 1 << slot_number;
        self.parked &= !bit;
        self.blocked &= !bit;
        self.status_dirty &= !bit;
        self.count_many(dev, Counter::PostsClosed, open);
    }
}

/// Whether `start + bytes` is no offset.
#[inline(always)]
fn ends_beyond(start: u32, bytes: u32) -> bool {
    start.wrapping_add(bytes) < start
}

/// Whether the last byte of a range lies beyond the end of the address space. It may be the last byte there is.
#[inline(always)]
pub(crate) fn runs_over(start: u32, bytes: u32) -> bool {
    let end = start.wrapping_add(bytes);
    if end < start {
        rarely();
        return end != 0;
    }
    false
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
    fn a_range_may_end_with_the_address_space_but_not_run_over_it() {
        assert!(!runs_over(0xFFFF_FFFC, 4) && !runs_over(0xFFFF_FFFF, 0) && !runs_over(0, 0));
        assert!(runs_over(0xFFFF_FFFC, 5) && runs_over(0xFFFF_FFFF, 2));
        assert!(!ends_beyond(0xFFFF_FFFB, 4) && ends_beyond(0xFFFF_FFFC, 4));
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
