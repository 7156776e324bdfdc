//! Posts: from the doorbell to the status page.

use nic_device::{rarely, Place};
use nic_layout::counter::Counter;
use nic_layout::frame::{word, FrameKind, FLAG_LAST, FLAG_NOTIFY};
use nic_layout::plant::{is_planted, Plant};
use nic_layout::post::{
    PostError, ProcessStatus, MESSAGE_BYTES_MAX, NO_POST, OP_READ, OP_WRITE, POST_DESCRIPTOR_BYTES, POST_FLAG_INLINE,
    POST_FLAG_NOTIFY, POST_QUEUE_ENTRIES,
};
use nic_layout::static_tables::import;
use nic_layout::tables::{PERMIT_READ, PERMIT_WRITE};
use nic_layout::trace::Marker;
use nic_layout::{PAGE_BYTES, PROCESS_SLOTS};

use crate::{Machine, Tables};
use nic_device::Device;
use nic_plan::{upper_key, PROCESS_ENTRY_BYTES};

/// Bits that the generation of a slot counts in.
const GENERATION_MASK: u8 = 0x7F;

/// A post under way: bits 9:7 slot, bits 6:0 place in its queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PostId(pub u16);

impl PostId {
    #[inline(always)]
    pub(crate) fn new(slot: usize, index: u32) -> PostId {
        PostId(((slot & 7) << 7) as u16 | (index & 127) as u16)
    }

    #[inline(always)]
    pub(crate) fn slot(self) -> usize {
        (self.0 >> 7) as usize & 7
    }

    #[inline(always)]
    pub(crate) fn record(self) -> usize {
        self.0 as usize & 1023
    }
}

pub(crate) const RECORDS: usize = PROCESS_SLOTS * POST_QUEUE_ENTRIES as usize;

/// How far one post is. Bits 5:0 frames in flight, and one for a read whose data are awaited; bit 6 all frames issued, bit 7 failed: then its error
/// is among those in SRAM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Record(u8);

// And one more.
const _: () = assert!(nic_link::WINDOW_MAX < 63);

impl Record {
    pub(crate) const EMPTY: Record = Record(0);
    const ISSUED: u8 = 1 << 6;
    const FAILED: u8 = 1 << 7;
    /// An entry whose post is that of the next one: it has failed without an error. So it ends as soon as those before it have, and is not counted.
    pub(crate) const FIRST_HALF: Record = Record(Self::ISSUED | Self::FAILED);

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

    #[inline(always)]
    pub(crate) fn is_complete(self) -> bool {
        self.0 & !Self::FAILED == Self::ISSUED
    }

    #[inline(always)]
    pub(crate) fn has_failed(self) -> bool {
        self.0 & Self::FAILED != 0
    }
}

/// Errors of posts that have failed: four bits each, all zero where none is.
const ERRORS_IN_WORD: u32 = 8;
const _: () = assert!(nic_plan::POST_ERROR_BYTES * 2 == POST_QUEUE_ENTRIES && (PostError::ImportTooShort as u32) < 16);

/// The descriptor at the head of a queue, while its frames are issued. One that carries its data, or asks for some, is not kept: inline.rs, request.rs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Post {
    pub node: usize,
    /// What is still to be sent.
    pub remaining_bytes: u32,
    pub local_address: u32,
    pub buffer_offset: u32,
    pub buffer: u32,
    /// Its upper half, if it has 128 bits, is in SRAM: [`upper_key`].
    pub key: [u32; 2],
    pub message: u32,
    /// The type word of its last frame, if it is not [`Form::Host`].
    pub last_type: u32,
}

/// The buffer that a post names, or the one that its import says.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Named {
    pub node: u32,
    pub buffer: u32,
    pub offset: u32,
    pub key: [u32; 2],
    /// Of 128 bits, where the entry that names it has it; zero where it is elsewhere.
    pub upper_key: [u32; 2],
}

/// Where the data of a post's frames come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Form {
    /// From host memory, and nothing else is asked for.
    Host,
    /// The same, in pieces (pieces.rs).
    Long,
    /// The same, but its owner shall be told.
    Notify,
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
    pub form: Form,
    pub post: Post,
}

const INLINE: u32 = (POST_FLAG_INLINE as u32) << 8;
/// A write that carries its data.
pub(crate) const INLINE_WRITE: u32 = OP_WRITE as u32 | INLINE;
/// The same, and its owner shall be told.
pub(crate) const INLINE_AND_NOTIFY: u32 = INLINE_WRITE | NOTIFY;
/// That its owner shall be told: in the descriptor's first word, and where it is in the type word of a frame.
pub(crate) const NOTIFY: u32 = (POST_FLAG_NOTIFY as u32) << 8;
pub(crate) const NOTIFY_SHIFT: u32 = 16;
const _: () = assert!(NOTIFY << NOTIFY_SHIFT == (FLAG_NOTIFY as u32) << 24);

/// A read.
pub(crate) const READ: u32 = OP_READ as u32;

/// Of a write that does not notify.
pub(crate) const LAST_TYPE: u32 = word::kind(FrameKind::Write, FLAG_LAST);

/// What a status page says before anything was posted.
pub(crate) const NO_STATUS: ProcessStatus =
    ProcessStatus { refused: 0, last_error: 0, last_error_index: NO_POST, ended: 0 };

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
        form: Form::Host,
        post: Post {
            node: 0,
            remaining_bytes: 0,
            local_address: 0,
            buffer_offset: 0,
            buffer: 0,
            key: [0; 2],
            message: 0,
            last_type: 0,
        },
    };
}

impl<T: Tables> Machine<T> {
    #[inline(always)]
    fn process_entry(&self, slot: usize) -> Place {
        self.places.process_table.plus(slot as u32 * PROCESS_ENTRY_BYTES)
    }

    /// Takes one doorbell. Returns whether it was accepted, to be counted when the first frame is under way, and the slot that is to send that frame:
    /// the one that rang, if nobody else has something to send or waits. None of its posts is at work then.
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
        if self.parked | self.blocked | self.jobs | self.link.resending() != 0 || !self.queue.is_empty() {
            rarely();
            // A slot that waits is woken by what it waits for.
            if (self.parked | self.blocked) >> page & 1 == 0 {
                self.queue.push(page);
            }
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
        dev.count(Counter::DoorbellsServed);
        dev.count(outcome);
    }

    /// Where an entry of a slot's queue begins.
    #[inline(always)]
    pub(crate) fn queue_entry(&self, slot_number: usize, index: u32) -> Place {
        let queue = self.places.post_queues.plus(slot_number as u32 * PAGE_BYTES);
        queue.plus(index % POST_QUEUE_ENTRIES * POST_DESCRIPTOR_BYTES)
    }

    /// Reads the next descriptor of a slot, whose first word was read. False if it is not legal.
    #[inline(always)]
    pub(crate) fn fetch(&mut self, dev: &mut impl Device, slot_number: usize, at: Place, operation: u32) -> bool {
        let slot = &mut self.slots[slot_number % PROCESS_SLOTS];
        slot.fetched = slot.fetched.wrapping_add(1);

        // The process can change the descriptor at any time: each word is read once.
        let length = dev.get(at, 4);
        let local_address = dev.get(at, 8);
        let named = Named {
            node: operation >> 16,
            buffer: dev.get(at, 12),
            offset: dev.get(at, 16),
            key: [dev.get(at, 20), dev.get(at, 24)],
            upper_key: [0; 2],
        };
        slot.post = Post {
            node: named.node as usize,
            remaining_bytes: length,
            local_address,
            buffer_offset: named.offset,
            buffer: named.buffer,
            key: named.key,
            message: dev.get(at, 28),
            ..slot.post
        };
        slot.form = if length > self.whole_bytes_max { Form::Long } else { Form::Host };

        let mut error = None;
        if operation & 0xFFFF != u32::from(OP_WRITE) {
            rarely();
            error = self.set_form(slot_number, operation);
        }
        if Self::HAS_SECOND_ENTRY {
            error = self.take_second_entry(dev, slot_number, error);
        }
        let mut node = named.node;
        if T::HAS_IMPORTS && error.is_none() {
            match self.take_import(dev, slot_number, operation, length, named) {
                Ok(named) => {
                    node = named.node;
                    let post = &mut self.slots[slot_number % PROCESS_SLOTS].post;
                    (post.node, post.buffer, post.key) = (named.node as usize, named.buffer, named.key);
                    if Self::IS_WIDE {
                        self.keep_upper_key(dev, slot_number, named.upper_key);
                    }
                }
                Err(reason) => error = Some(reason),
            }
        }
        let error = if let Some(error) = error {
            error
        } else if !self.link.is_peer(node) {
            PostError::NoSuchNode
        } else if length > MESSAGE_BYTES_MAX || ends_beyond(named.offset, length) {
            PostError::LengthOutOfRange
        } else if runs_over(local_address, length) {
            PostError::BadLocalAddress
        } else {
            dev.trace(Marker::PostRead, self.slots[slot_number % PROCESS_SLOTS].post.message);
            return true;
        };
        self.refuse_fetched(dev, slot_number, error);
        false
    }

    /// Where the buffer is that a post names by its import, and the check of what it asks there (M-4).
    #[inline(always)]
    pub(crate) fn take_import(
        &self,
        dev: &impl Device,
        slot_number: usize,
        operation: u32,
        bytes: u32,
        named: Named,
    ) -> Result<Named, PostError> {
        let Some(record) = self.tables.import(slot_number, named.buffer) else {
            rarely();
            return Err(PostError::NoSuchImport);
        };
        // Read before the rest: whatever the driver writes meanwhile, the rest belongs to it.
        let who = dev.get(record, import::WHO);
        let is_stale = is_planted(Plant::StaleImport);
        if who & import::VALID == 0 && !is_stale {
            rarely();
            return Err(PostError::NoSuchImport);
        }
        const { assert!(PERMIT_WRITE == OP_WRITE as u32 && PERMIT_READ == OP_READ as u32) };
        if who >> import::PERMISSIONS_SHIFT & operation & (PERMIT_WRITE | PERMIT_READ) == 0 && !is_stale {
            rarely();
            return Err(PostError::ImportForbids);
        }
        let length = dev.get(record, import::LENGTH);
        if (named.offset > length || bytes > length - named.offset) && !is_planted(Plant::UncheckedBound) {
            rarely();
            return Err(PostError::ImportTooShort);
        }
        Ok(Named {
            node: import::node(who),
            buffer: import::cbh(who),
            offset: named.offset,
            key: [dev.get(record, import::KEY_0), dev.get(record, import::KEY_1)],
            upper_key: match Self::IS_WIDE {
                true => [dev.get(record, import::KEY_2), dev.get(record, import::KEY_3)],
                false => [0; 2],
            },
        })
    }

    /// The second entry of a post, whatever becomes of it: the upper half of its key. What is wrong with the post: that it has none, or `error`.
    #[inline(never)]
    fn take_second_entry(
        &mut self,
        dev: &mut impl Device,
        slot_number: usize,
        error: Option<PostError>,
    ) -> Option<PostError> {
        let slot = &mut self.slots[slot_number % PROCESS_SLOTS];
        let index = slot.fetched;
        if index == slot.producer {
            rarely();
            return Some(PostError::LengthOutOfRange);
        }
        let first = slot.head(slot_number);
        slot.fetched = index.wrapping_add(1);
        self.records[first.record()] = Record::FIRST_HALF;
        let queue = self.places.post_queues.plus(slot_number as u32 * PAGE_BYTES);
        let at = queue.plus(index % POST_QUEUE_ENTRIES * POST_DESCRIPTOR_BYTES);
        let upper = [dev.get(at, 0), dev.get(at, 4)];
        self.keep_upper_key(dev, slot_number, upper);
        error
    }

    /// The slot in the scratchpad has no room for it.
    #[inline(always)]
    fn keep_upper_key(&self, dev: &mut impl Device, slot_number: usize, upper: [u32; 2]) {
        let at = self.places.process_table.plus(upper_key(slot_number as u32));
        dev.put(at, 0, upper[0]);
        dev.put(at, 4, upper[1]);
    }

    /// Into a frame of the slot's post.
    #[inline(always)]
    pub(crate) fn put_upper_key(&self, dev: &mut impl Device, slot_number: usize, frame: Place) {
        if Self::IS_WIDE {
            let at = self.places.process_table.plus(upper_key(slot_number as u32));
            let upper = [dev.get(at, 0), dev.get(at, 4)];
            dev.put(frame, word::KEY_2, upper[0]);
            dev.put(frame, word::KEY_3, upper[1]);
        }
    }

    /// What a post is that is not a mere write: one that notifies, or nothing that exists.
    #[cold]
    #[inline(never)]
    fn set_form(&mut self, slot_number: usize, operation: u32) -> Option<PostError> {
        let slot = &mut self.slots[slot_number % PROCESS_SLOTS];
        if operation & 0xFFFF != u32::from(OP_WRITE) | NOTIFY {
            return Some(PostError::UnknownOperation);
        }
        slot.post.last_type = LAST_TYPE | NOTIFY << NOTIFY_SHIFT;
        slot.form = Form::Notify;
        None
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn refuse_fetched(&mut self, dev: &mut impl Device, slot_number: usize, error: PostError) {
        dev.count(Counter::PostsFetched);
        self.refuse(dev, slot_number, error);
        // The next one has its turn.
        self.queue.push(slot_number);
    }

    /// Ends the post at the head of a slot badly: no further frame of it is issued. It ends when those in flight have.
    #[cold]
    #[inline(never)]
    pub(crate) fn refuse(&mut self, dev: &mut impl Device, slot_number: usize, error: PostError) {
        dev.trace(Marker::PostRefused, error as u32 | (slot_number as u32) << 8);
        let slot = &mut self.slots[slot_number % PROCESS_SLOTS];
        slot.sending = false;
        let id = slot.head(slot_number);
        self.fail_record(dev, id, error as u32);
        self.records[id.record()].issue();
        self.settle(dev, slot_number);
    }

    /// A post shall end badly; the first reason stays.
    #[cold]
    #[inline(never)]
    pub(crate) fn fail_record(&mut self, dev: &mut impl Device, id: PostId, error: u32) {
        let record = &mut self.records[id.record()];
        if !record.has_failed() {
            record.0 |= Record::FAILED;
            let (at, shift) = self.error_place(id);
            let others = dev.read(at);
            dev.write(at, others | error << shift);
        }
    }

    fn error_place(&self, id: PostId) -> (u32, u32) {
        let place = id.record() as u32;
        (self.settings.post_errors + place / ERRORS_IN_WORD * 4, place % ERRORS_IN_WORD * 4)
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
            let index = slot.ended;
            slot.ended = index.wrapping_add(1);
            self.status[slot_number % PROCESS_SLOTS].ended = index.wrapping_add(1);
            ended += 1;
            if record.has_failed() {
                rarely();
                self.end_badly(dev, slot_number, index);
            } else {
                dev.count(Counter::PostsCompleted);
            }
        }
        if ended != 0 {
            self.write_status(dev, slot_number);
        }
    }

    /// Ends a post that has just become complete, and those behind it. Straight on goes the oldest of its slot with none behind it that is complete too.
    #[inline(always)]
    pub(crate) fn settle_post(&mut self, dev: &mut impl Device, id: PostId) {
        let slot_number = id.slot();
        let slot = &mut self.slots[slot_number];
        let index = slot.ended;
        let behind = PostId::new(slot_number, index.wrapping_add(1));
        let is_oldest = PostId::new(slot_number, index) == id;
        if !is_oldest || self.records[id.record()].has_failed() || self.records[behind.record()].is_complete() {
            rarely();
            return self.settle(dev, slot_number);
        }
        self.records[id.record()] = Record::EMPTY;
        slot.ended = index.wrapping_add(1);
        self.status[slot_number].ended = index.wrapping_add(1);
        self.write_status(dev, slot_number);
        dev.count(Counter::PostsCompleted);
    }

    #[cold]
    #[inline(never)]
    fn end_badly(&mut self, dev: &mut impl Device, slot_number: usize, index: u32) {
        let (at, shift) = self.error_place(PostId::new(slot_number, index));
        let errors = dev.read(at);
        dev.write(at, errors & !(0xF << shift));
        let error = errors >> shift & 0xF;
        if error == 0 {
            return;
        }
        let status = &mut self.status[slot_number % PROCESS_SLOTS];
        status.refused = status.refused.wrapping_add(1);
        status.last_error = error;
        status.last_error_index = index;
        dev.count(outcome(error));
    }

    /// Writes the status page, or remembers to.
    #[inline(never)]
    #[cfg_attr(target_arch = "riscv32", link_section = ".fast.text")]
    pub(crate) fn write_status(&mut self, dev: &mut impl Device, slot_number: usize) {
        let bit = 1 << (slot_number % PROCESS_SLOTS);
        self.status_dirty |= bit;
        // The engine reads the words in SRAM: they change only between two transfers. One that has ended may not have been seen to.
        let mark = self.status_marks[slot_number % PROCESS_SLOTS];
        let is_busy = self.status_busy & bit != 0 && (dev.dma_write_consumer().wrapping_sub(mark) as i16) < 0;
        if is_busy || !self.writes.has_room(1) {
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
        let in_sram = self.settings.process_table + slot_number as u32 * PROCESS_ENTRY_BYTES + 16;
        self.post_status(dev, page, in_sram, slot_number);
        self.status_marks[slot_number % PROCESS_SLOTS] = self.writes.next_number() as u16;
        dev.count(Counter::StatusWrites);
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
            dev.count(Counter::MailboxesWild);
            return;
        }
        let slot = &self.slots[slot_number % PROCESS_SLOTS];
        let (first, behind) = (slot.ended, slot.fetched);
        let generation = slot.generation.wrapping_add(1) & GENERATION_MASK;
        self.forget_reads_of(dev, slot_number);
        self.slots[slot_number % PROCESS_SLOTS] = Slot { generation, ..Slot::EMPTY };
        let entries = (0..behind.wrapping_sub(first)).map(|n| PostId::new(slot_number, first.wrapping_add(n)));
        let is_half = |id: PostId| {
            let (at, shift) = self.error_place(id);
            self.records[id.record()].has_failed() && dev.read(at) >> shift & 0xF == 0
        };
        let open = entries.filter(|&id| !is_half(id)).count() as u32;
        let (errors, _) = self.error_place(PostId::new(slot_number, 0));
        for at in (errors..errors + POST_QUEUE_ENTRIES / 2).step_by(4) {
            dev.write(at, 0);
        }
        for index in 0..POST_QUEUE_ENTRIES {
            self.records[PostId::new(slot_number, index).record()] = Record::EMPTY;
        }
        self.status[slot_number % PROCESS_SLOTS] = NO_STATUS;
        let bit = 1 << slot_number;
        self.parked &= !bit;
        self.blocked &= !bit;
        self.status_dirty &= !bit;
        dev.count_many(Counter::PostsClosed, open);
    }
}

/// Whether `start + bytes` is no offset.
#[inline(always)]
pub(crate) fn ends_beyond(start: u32, bytes: u32) -> bool {
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

/// The counter of a post that ended badly.
fn outcome(error: u32) -> Counter {
    match error {
        1 => Counter::PostsRefusedOperation,
        2 => Counter::PostsRefusedNode,
        3 => Counter::PostsRefusedLength,
        4 => Counter::PostsRefusedLocal,
        5 => Counter::PostsRefusedPeer,
        7 => Counter::PostsRefusedBus,
        9..=11 => Counter::PostsRefusedImport,
        _ => Counter::PostsRefusedOwner,
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
        assert!(!record.has_failed());
    }

    #[test]
    fn a_post_id_keeps_slot_and_place() {
        let id = PostId::new(5, 0xFFFF_FFFF);
        assert_eq!((id.slot(), id.record()), (5, 5 * 128 + 127));
    }

    #[test]
    fn a_range_may_end_with_the_address_space_but_not_run_over_it() {
        assert!(!runs_over(0xFFFF_FFFC, 4) && !runs_over(0xFFFF_FFFF, 0) && !runs_over(0, 0));
        assert!(runs_over(0xFFFF_FFFC, 5) && runs_over(0xFFFF_FFFF, 2));
        assert!(!ends_beyond(0xFFFF_FFFB, 4) && ends_beyond(0xFFFF_FFFC, 4));
    }

    #[test]
    fn every_post_error_has_its_counter() {
        assert_eq!(outcome(PostError::UnknownOperation as u32), Counter::PostsRefusedOperation);
        assert_eq!(outcome(PostError::NoSuchNode as u32), Counter::PostsRefusedNode);
        assert_eq!(outcome(PostError::LengthOutOfRange as u32), Counter::PostsRefusedLength);
        assert_eq!(outcome(PostError::BadLocalAddress as u32), Counter::PostsRefusedLocal);
        assert_eq!(outcome(PostError::PeerUnreachable as u32), Counter::PostsRefusedPeer);
        assert_eq!(outcome(PostError::BusError as u32), Counter::PostsRefusedBus);
        assert_eq!(outcome(PostError::Refused as u32), Counter::PostsRefusedOwner);
        for error in [PostError::NoSuchImport, PostError::ImportForbids, PostError::ImportTooShort] {
            assert_eq!(outcome(error as u32), Counter::PostsRefusedImport);
        }
    }
}
