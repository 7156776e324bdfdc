//! Reads of other nodes: a bounded queue, answered a frame at a time (M-23, case 4).
//!
//! A read lies in SRAM as the header of its request, so that the checks of a frame serve it too: they are made anew for each reply (INV-21).

use nic_device::{rarely, Place};
use nic_layout::counter::Counter;
use nic_layout::frame::{word, FrameKind, FLAG_ABORTED, FLAG_LAST, READ_REQUEST_BYTES};
use nic_layout::tables::PERMIT_READ;
use nic_layout::trace::Marker;
use nic_layout::{PAGE_BYTES, PAGE_SHIFT};
use nic_lookup::Path;

use crate::buffer::{NoTarget, Target};
use crate::owner::{Owner, NO_POST};
use crate::post::PostId;
use crate::receive::Buffer;
use crate::send::FRAME_READS;
use crate::translate::{count_hit, count_hits, Untranslated};
use crate::{Machine, Tables};
use nic_device::Device;
use nic_link::NODE_MASK;
use nic_plan::{READS_MAX, READ_BYTES};

/// The bits of reads among those of slots that wait, and of frames that no post asks for.
pub(crate) const READS_MASK: u32 = 0xFFFF_0000;
const READS_SHIFT: u32 = 16;
const _: () = assert!(READS_MAX == 32 - READS_SHIFT);

/// What is kept of a read besides the words of its request that say where the data are.
mod kept {
    pub const NODE: u32 = 0;
    pub const REMAINING: u32 = 4;
    /// Offset of the next byte in what was asked for.
    pub const OFFSET: u32 = 8;
    /// The number that its replies carry.
    pub const ID: u32 = 12;
    /// Host writes of data that were posted before it came: what a process has written it shall read.
    pub const FENCE: u32 = 16;
}

/// Which reads are taken.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Replies {
    taken: u16,
    /// Where the search for the next one begins.
    from: u32,
    /// Counts the reads of each place.
    serials: [u16; READS_MAX as usize],
}

impl Replies {
    pub(crate) const EMPTY: Replies = Replies { taken: 0, from: 0, serials: [0; READS_MAX as usize] };
}

/// A read in the record of a reply: bits 15:4 serial, bits 3:0 place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ReadId(pub u16);

/// No read that still has something to send: of a probe, or of a read that one reply answers. One read of 65536 has that number; a reply of it that
/// fails does not end it, and its requester, who has heard of it, refuses the others.
const NO_READ: ReadId = ReadId(0);

/// What a frame of our own says.
struct Head {
    type_word: u32,
    data_bytes: u32,
    buffer: u32,
    buffer_offset: u32,
    message: u32,
}

impl<T: Tables> Machine<T> {
    fn read_at(&self, dev: &impl Device, read: u32) -> Place {
        dev.place(self.settings.reads + read * READ_BYTES)
    }

    /// A request in its turn: checked, then answered as far as one frame goes, and queued for the rest. Its source and sequence are checked.
    ///
    /// It is dropped while the first translation that it needs is missing, as a write would be (M-21).
    ///
    /// Straight on goes what one reply answers, if that can be sent now: its transfer is posted as soon as the place of the data is known.
    #[inline(always)]
    pub(crate) fn take_read(
        &mut self,
        dev: &mut impl Device,
        at: Place,
        buffer: u32,
        node: usize,
        data_bytes: u32,
    ) -> Buffer {
        if data_bytes != READ_REQUEST_BYTES {
            rarely();
            return self.drop_frame(dev, Counter::FramesMalformed);
        }
        let length = dev.get(at, Self::HEADER_BYTES + word::READ_LENGTH);
        let target = match self.check_target(dev, at, length, PERMIT_READ) {
            Ok(target) => target,
            Err(reason) => return self.turn_away(dev, node, buffer, true, reason),
        };
        if length > self.settings.frame_data_bytes_max || !self.can_reply(dev, node) {
            rarely();
            return self.take_read_in_parts(dev, at, buffer, node, length, target);
        }
        let (frame, address) = (self.link.first_buffer(), self.link.ready_address());
        if length != 0 {
            match self.read_data(dev, target.pid, target.address, length, frame, address) {
                Ok(()) => {}
                Err(reason) => return self.miss_read(dev, node, buffer, reason),
            }
        }
        self.link.advance(node);
        dev.trace(Marker::Accepted, dev.get(at, word::SEQUENCE));
        if self.link.is_refusing(node) {
            // The reply cannot acknowledge the request.
            rarely();
            self.link.owe_ack(dev, node, true);
        }
        let head = Head {
            type_word: word::kind(FrameKind::Reply, FLAG_LAST),
            data_bytes: length,
            buffer: dev.get(at, Self::HEADER_BYTES + word::READ_ID),
            buffer_offset: 0,
            message: dev.get(at, word::MESSAGE),
        };
        self.send_own(dev, node, NO_READ, head);
        count_hits(dev, Path::Send, u32::from(length != 0));
        dev.count(Counter::ReadsTaken);
        dev.count(Counter::ReadsAnswered);
        dev.count(Counter::FramesAccepted);
        Buffer::Free
    }

    /// The same for one that needs more than one reply, or whose reply cannot be sent now.
    #[cold]
    #[inline(never)]
    fn take_read_in_parts(
        &mut self,
        dev: &mut impl Device,
        at: Place,
        buffer: u32,
        node: usize,
        length: u32,
        target: Target,
    ) -> Buffer {
        let data_bytes = length.min(self.settings.frame_data_bytes_max);
        let is_answered = self.can_reply(dev, node);
        // All that is asked for is more than one frame takes, or none can be sent: a part of it waits.
        if self.replies.taken == u16::MAX {
            return self.drop_frame(dev, Counter::FramesDroppedReads);
        }
        let (frame, address) = (self.link.first_buffer(), self.link.ready_address());
        let found = match data_bytes {
            0 => Ok(()),
            _ if is_answered => self.read_data_rarely(dev, target.pid, target.address, data_bytes, frame, address),
            _ => self.find_source(dev, &target, data_bytes),
        };
        if let Err(reason) = found {
            return self.miss_read(dev, node, buffer, reason);
        }
        if data_bytes != 0 {
            count_hit(dev, Path::Send);
        }
        dev.count(Counter::ReadsTaken);
        self.accept(dev, at, node, true);
        if !is_answered {
            self.queue_read(dev, at, node, length, 0);
            return Buffer::Free;
        }
        let id = self.queue_read(dev, at, node, length, data_bytes);
        let head = Head {
            type_word: word::kind(FrameKind::Reply, 0),
            data_bytes,
            buffer: dev.get(at, Self::HEADER_BYTES + word::READ_ID),
            buffer_offset: 0,
            message: dev.get(at, word::MESSAGE),
        };
        self.send_own_rarely(dev, node, id, head);
        Buffer::Free
    }

    #[cold]
    #[inline(never)]
    fn miss_read(&mut self, dev: &mut impl Device, node: usize, buffer: u32, reason: Untranslated) -> Buffer {
        match reason {
            Untranslated::Fault => self.refuse_frame(dev, node, true, Counter::FramesRefusedPage),
            reason => self.miss_frame(dev, node, buffer, reason, Counter::FramesDroppedMiss),
        }
    }

    /// Whether a read that has just come can be answered at once: there is a buffer, and what was written before it is in host memory, seen to or not.
    #[inline(always)]
    fn can_reply(&mut self, dev: &mut impl Device, node: usize) -> bool {
        self.can_send(node)
            && self.link.ready_buffer(dev).is_some()
            && (self.writes.has_ended(self.writes.data_mark())
                || dev.dma_write_consumer().wrapping_sub(self.writes.data_mark() as u16) as i16 >= 0)
    }

    /// Queues a read of which `sent` bytes have been sent. There is a place for it.
    fn queue_read(&mut self, dev: &mut impl Device, at: Place, node: usize, length: u32, sent: u32) -> ReadId {
        let read = self.replies.taken.trailing_ones() % READS_MAX;
        self.replies.taken |= 1 << read;
        let serial = &mut self.replies.serials[read as usize % READS_MAX as usize];
        *serial = serial.wrapping_add(1);
        let to = self.read_at(dev, read);
        for offset in (word::BUFFER..Self::HEADER_BYTES).step_by(4) {
            let word = dev.get(at, offset);
            dev.put(to, offset, word);
        }
        let buffer_offset = dev.get(at, word::BUFFER_OFFSET).wrapping_add(sent);
        dev.put(to, word::BUFFER_OFFSET, buffer_offset);
        let id = dev.get(at, Self::HEADER_BYTES + word::READ_ID);
        dev.put(to, kept::NODE, node as u32);
        dev.put(to, kept::REMAINING, length - sent);
        dev.put(to, kept::OFFSET, sent);
        dev.put(to, kept::ID, id);
        dev.put(to, kept::FENCE, self.writes.data_mark());
        self.jobs |= 1 << (READS_SHIFT + read);
        dev.trace(Marker::ReadTaken, read);
        self.read_id(read)
    }

    /// Whether the pages are there from which the first reply is to be sent. The caller counts a hit.
    fn find_source(&mut self, dev: &mut impl Device, target: &Target, bytes: u32) -> Result<(), Untranslated> {
        let page = target.address >> PAGE_SHIFT;
        if bytes > PAGE_BYTES - target.address % PAGE_BYTES {
            let (first, second) = self.translate_two(dev, Path::Send, target.pid, page)?;
            self.unlock_unused(dev, Path::Send, first.line);
            self.unlock_unused(dev, Path::Send, second.line);
        } else {
            let page = self.translate(dev, Path::Send, target.pid, page)?;
            self.unlock_unused(dev, Path::Send, page.line);
        }
        Ok(())
    }

    /// Sends one reply, of the reads that have one to send in turn. A read that misses keeps its turn: what the driver has filled for it is used before
    /// another's miss takes the place. Where more reads wait than a set has ways, none would be answered otherwise (INV-33).
    pub(crate) fn reply_one(&mut self, dev: &mut impl Device) {
        let ready = (self.jobs >> READS_SHIFT) as u16;
        let from = self.replies.from % READS_MAX;
        let read = (from + ready.rotate_right(from).trailing_zeros()) % READS_MAX;
        let bit = 1 << (READS_SHIFT + read);
        self.jobs &= !bit;
        if self.replies.taken >> read & 1 == 0 {
            // It was dropped while it waited.
            return;
        }
        let kept = self.read_at(dev, read);
        let node = dev.get(kept, kept::NODE) as usize & NODE_MASK;
        if self.link.is_lost(node) {
            self.end_read(dev, read, Counter::ReadsGivenUp);
            return;
        }
        let fence = dev.get(kept, kept::FENCE);
        let address = self.link.ready_buffer(dev);
        let (Some(address), true) = (address, self.can_send(node) && self.writes.has_ended(fence)) else {
            self.blocked |= bit;
            return;
        };
        let frame = self.link.first_buffer();
        let remaining = dev.get(kept, kept::REMAINING);
        let data_bytes = remaining.min(self.settings.frame_data_bytes_max);
        let found = match self.check_target_rarely(dev, kept, data_bytes, PERMIT_READ) {
            Ok(target) if data_bytes != 0 => {
                self.read_data_rarely(dev, target.pid, target.address, data_bytes, frame, address)
            }
            Ok(_) => Ok(()),
            Err(NoTarget::Missed(reason)) => Err(reason),
            Err(NoTarget::Refused(_)) => Err(Untranslated::Fault),
        };
        let is_last = data_bytes == remaining;
        let offset = dev.get(kept, kept::OFFSET);
        let (buffer, message) = (dev.get(kept, kept::ID), dev.get(kept, word::MESSAGE));
        let head = |flags, data_bytes| Head {
            type_word: word::kind(FrameKind::Reply, flags),
            data_bytes,
            buffer,
            buffer_offset: offset,
            message,
        };
        let id = self.read_id(read);
        match found {
            Ok(()) => {
                if data_bytes != 0 {
                    count_hit(dev, Path::Send);
                }
                self.send_own_rarely(dev, node, id, head(if is_last { FLAG_LAST } else { 0 }, data_bytes));
            }
            Err(Untranslated::Fill) => self.parked |= bit,
            Err(Untranslated::Way) => self.blocked |= bit,
            // The buffer, its page, or the right to it are gone: the requester learns only that.
            Err(Untranslated::Fault) => {
                self.send_own_rarely(dev, node, id, head(FLAG_LAST | FLAG_ABORTED, 0));
                self.end_read(dev, read, Counter::ReadsGivenUp);
                return;
            }
        }
        if found.is_err() {
            return;
        }
        self.replies.from = read + 1;
        if is_last {
            self.end_read(dev, read, Counter::ReadsAnswered);
            return;
        }
        let buffer_offset = dev.get(kept, word::BUFFER_OFFSET);
        dev.put(kept, word::BUFFER_OFFSET, buffer_offset.wrapping_add(data_bytes));
        dev.put(kept, kept::OFFSET, offset.wrapping_add(data_bytes));
        dev.put(kept, kept::REMAINING, remaining - data_bytes);
        self.jobs |= bit;
    }

    #[inline(always)]
    fn can_send(&self, node: usize) -> bool {
        !self.link.is_barred(node) && self.link.has_window(node, 1) && self.reads.has_room(FRAME_READS)
    }

    fn read_id(&self, read: u32) -> ReadId {
        ReadId(self.replies.serials[read as usize % READS_MAX as usize] << 4 | read as u16)
    }

    /// The read of a frame that failed here, or that its requester refused, needs no further reply.
    pub(crate) fn drop_read(&mut self, dev: &mut impl Device, id: ReadId) {
        let read = u32::from(id.0) % READS_MAX;
        if id != NO_READ && self.replies.taken >> read & 1 != 0 && self.read_id(read) == id {
            self.end_read(dev, read, Counter::ReadsGivenUp);
        }
    }

    fn end_read(&mut self, dev: &mut impl Device, read: u32, outcome: Counter) {
        self.replies.taken &= !(1 << read);
        let bit = 1 << (READS_SHIFT + read);
        self.jobs &= !bit;
        self.parked &= !bit;
        self.blocked &= !bit;
        dev.count(outcome);
    }

    /// [`Self::send_own`] as a function of its own.
    #[cold]
    #[inline(never)]
    fn send_own_rarely(&mut self, dev: &mut impl Device, node: usize, read: ReadId, head: Head) {
        self.send_own(dev, node, read, head);
    }

    /// Sends a frame that belongs to no post; its data are being read into the next free buffer, and the caller has seen that it can be sent.
    #[inline(always)]
    fn send_own(&mut self, dev: &mut impl Device, node: usize, read: ReadId, head: Head) {
        let buffer = self.link.first_buffer();
        let at = dev.place(self.link.buffer_address(buffer));
        dev.put(at, word::TYPE, head.type_word ^ Self::MARK);
        dev.put(at, word::BUFFER, head.buffer);
        dev.put(at, word::BUFFER_OFFSET, head.buffer_offset);
        dev.put(at, word::KEY_0, 0);
        dev.put(at, word::KEY_1, 0);
        if Self::IS_WIDE {
            dev.put(at, word::KEY_2, 0);
            dev.put(at, word::KEY_3, 0);
        }
        dev.put(at, word::MESSAGE, head.message);
        let owner = Owner { post: PostId(read.0), generation: NO_POST };
        self.send_frame(dev, node, head.data_bytes, owner);
    }

    /// Nothing is in flight to a peer that owes replies, for as long as a frame may go unanswered: is it there? It is given up if it does not
    /// acknowledge that either (INV-32).
    #[cold]
    #[inline(never)]
    pub(crate) fn probe(&mut self, dev: &mut impl Device, node: usize) {
        if self.open_reads[node & NODE_MASK] == 0 {
            return;
        }
        if self.link.ready_buffer(dev).is_none() || !self.can_send(node) {
            self.link.start_retransmit_timer(dev, node);
            return;
        }
        let type_word = word::kind(FrameKind::Probe, FLAG_LAST);
        dev.count(Counter::ProbesSent);
        let head = Head { type_word, data_bytes: 0, buffer: 0, buffer_offset: 0, message: 0 };
        self.send_own_rarely(dev, node, NO_READ, head);
    }
}
