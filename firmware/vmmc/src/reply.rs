//! Reads of other nodes: a bounded queue, answered a frame at a time (M-23, case 4).
//!
//! A read is kept in SRAM as the header of its request, so that the checks of frames can be applied
//! to it. They are made anew for each reply (INV-21).

use nic_device::{rarely, Device, Place};
use nic_engine::Buffer;
use nic_fair::RunQueue;
use nic_layout::counter::Counter;
use nic_layout::frame::link::{FrameKind, FLAG_ABORTED, FLAG_LAST};
use nic_layout::frame::rdma::{word, READ_REQUEST_BYTES};
use nic_layout::tables::PERMIT_READ;
use nic_layout::trace::Marker;
use nic_layout::{PAGE_BYTES, PAGE_SHIFT};
use nic_link::NODE_MASK;
use nic_lookup::Path;
use nic_plan::{READS_MAX, READ_BYTES};
use nic_posts::{Owner, PostId};

use crate::buffer::{NoTarget, Target};
use crate::counts::{count_hit, count_hits};
use crate::data::{read_data, read_data_rarely};
use crate::lookups::Lookups;
use crate::owner::REPLY;
use crate::page::{Crossing, Span, Untranslated};
use crate::receive_miss::ReceiveMisses;
use crate::wire::{Layers, Wire};
use crate::Tables;

/// The bit of the first read in a set of slots and jobs.
const READS_SHIFT: u32 = RunQueue::JOBS_SHIFT;
const _: () = assert!(READS_MAX == 32 - READS_SHIFT);

/// Byte offsets of what is kept of a read, besides the words of its request that name the data.
mod kept {
    pub const NODE: u32 = 0;
    pub const REMAINING: u32 = 4;
    /// Offset of the next byte in the requested range.
    pub const OFFSET: u32 = 8;
    /// The number that the replies carry.
    pub const ID: u32 = 12;
    /// The number behind the last host write of data before the request. The read waits for those
    /// writes, so that a process reads what it has written.
    pub const FENCE: u32 = 16;
}

/// The reads of other nodes that are kept here.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Replies {
    /// SRAM offset of the kept reads.
    at: u32,
    taken: u16,
    /// The place at which the search for the next read begins.
    from: u32,
    /// The number of reads that each place has held.
    serials: [u16; READS_MAX as usize],
}

impl Replies {
    pub(crate) const NONE: Replies = Replies { at: 0, taken: 0, from: 0, serials: [0; READS_MAX as usize] };

    pub(crate) fn new(at: u32) -> Replies {
        Replies { at, ..Replies::NONE }
    }
}

/// A read as the record of a reply names it: bits 15:4 serial, bits 3:0 place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ReadId(pub u16);

/// The owner of a frame after which no further reply follows: a probe, or the only reply to a read.
/// One in 65536 kept reads has the same number. If a reply of such a read fails, the read goes on
/// here; its requester knows of the failure and refuses the further replies.
const NO_READ: ReadId = ReadId(0);

/// The header words of a frame that belongs to no post.
struct Head {
    type_word: u32,
    data_bytes: u32,
    buffer: u32,
    buffer_offset: u32,
    message: u32,
}

impl Replies {
    fn read_at(&self, dev: &impl Device, read: u32) -> Place {
        dev.place(self.at + read * READ_BYTES)
    }

    /// Takes a request whose source and sequence number were checked. The request is checked,
    /// answered by one reply, and queued for the rest.
    ///
    /// While the first translation that the request needs is missing, it is dropped, as a write
    /// would be (M-21).
    ///
    /// The common path is a request that one reply answers and whose reply can be sent now: the
    /// host read is posted as soon as the place of the data is known.
    #[inline(always)]
    pub(crate) fn take_read<T: Tables>(
        &mut self,
        lookups: &mut Lookups<T>,
        receive_misses: &mut ReceiveMisses,
        layers: &mut Layers<T>,
        dev: &mut impl Device,
        (at, buffer, node, data_bytes): (Place, u32, usize, u32),
    ) -> Buffer {
        if data_bytes != READ_REQUEST_BYTES {
            rarely();
            return layers.drop_frame(dev, Counter::FramesMalformed);
        }
        let length = dev.get(at, Wire::<T>::HEADER_BYTES + word::READ_LENGTH);
        let target = match lookups.check_target(dev, at, length, PERMIT_READ) {
            Ok(target) => target,
            Err(reason) => return turn_away(lookups, receive_misses, layers, dev, (node, buffer), true, reason),
        };
        if length > layers.frame_data_bytes_max() || !can_reply(layers, dev, node) {
            rarely();
            return self.take_read_in_parts(lookups, receive_misses, layers, dev, (at, buffer, node), (length, target));
        }
        let (frame, address) = (layers.link.first_buffer(), layers.link.ready_address());
        if length != 0 {
            match read_data(lookups, layers, dev, (target.pid, target.address), length, (frame, address)) {
                Ok(()) => {}
                Err(reason) => return miss_read(lookups, receive_misses, layers, dev, (node, buffer), reason),
            }
        }
        layers.link.advance(node);
        dev.trace(Marker::Accepted, dev.get(at, word::SEQUENCE));
        if layers.link.is_refusing(node) {
            // The reply cannot acknowledge the request, so an acknowledgement is owed.
            rarely();
            layers.link.owe_ack(dev, node, true);
        }
        let head = Head {
            type_word: word::kind(FrameKind::REPLY, FLAG_LAST),
            data_bytes: length,
            buffer: dev.get(at, Wire::<T>::HEADER_BYTES + word::READ_ID),
            buffer_offset: 0,
            message: dev.get(at, word::MESSAGE),
        };
        send_own(layers, dev, node, NO_READ, head);
        count_hits(dev, Path::Send, u32::from(length != 0));
        dev.count(Counter::ReadsTaken);
        dev.count(Counter::ReadsAnswered);
        dev.count(Counter::FramesAccepted);
        Buffer::Free
    }

    /// [`Self::take_read`] for a request that needs more than one reply, or whose reply cannot be
    /// sent now.
    #[cold]
    #[inline(never)]
    fn take_read_in_parts<T: Tables>(
        &mut self,
        lookups: &mut Lookups<T>,
        receive_misses: &mut ReceiveMisses,
        layers: &mut Layers<T>,
        dev: &mut impl Device,
        (at, buffer, node): (Place, u32, usize),
        (length, target): (u32, Target),
    ) -> Buffer {
        let data_bytes = length.min(layers.frame_data_bytes_max());
        let is_answered = can_reply(layers, dev, node);
        // One frame does not hold all requested bytes, or no frame can be sent. So a part of the
        // read has to wait and needs a place.
        if self.taken == u16::MAX {
            return layers.drop_frame(dev, Counter::FramesDroppedReads);
        }
        let (frame, address) = (layers.link.first_buffer(), layers.link.ready_address());
        let found = match data_bytes {
            0 => Ok(()),
            _ if is_answered => {
                read_data_rarely(lookups, layers, dev, (target.pid, target.address), data_bytes, (frame, address))
            }
            _ => find_source(lookups, layers, dev, &target, data_bytes),
        };
        if let Err(reason) = found {
            return miss_read(lookups, receive_misses, layers, dev, (node, buffer), reason);
        }
        if data_bytes != 0 {
            count_hit(dev, Path::Send);
        }
        dev.count(Counter::ReadsTaken);
        layers.accept(dev, dev.get(at, word::SEQUENCE), node, true);
        if !is_answered {
            self.queue_read(layers, dev, at, node, length, 0);
            return Buffer::Free;
        }
        let id = self.queue_read(layers, dev, at, node, length, data_bytes);
        let head = Head {
            type_word: word::kind(FrameKind::REPLY, 0),
            data_bytes,
            buffer: dev.get(at, Wire::<T>::HEADER_BYTES + word::READ_ID),
            buffer_offset: 0,
            message: dev.get(at, word::MESSAGE),
        };
        send_own_rarely(layers, dev, node, id, head);
        Buffer::Free
    }

    /// Queues a read of which `sent` bytes have been sent. The caller has made sure that a place is
    /// free.
    fn queue_read<T: Tables>(
        &mut self,
        layers: &mut Layers<T>,
        dev: &mut impl Device,
        at: Place,
        node: usize,
        length: u32,
        sent: u32,
    ) -> ReadId {
        let read = self.taken.trailing_ones() % READS_MAX;
        self.taken |= 1 << read;
        let serial = &mut self.serials[read as usize % READS_MAX as usize];
        *serial = serial.wrapping_add(1);
        let to = self.read_at(dev, read);
        for offset in (word::BUFFER..Wire::<T>::HEADER_BYTES).step_by(4) {
            let word = dev.get(at, offset);
            dev.put(to, offset, word);
        }
        let buffer_offset = dev.get(at, word::BUFFER_OFFSET).wrapping_add(sent);
        dev.put(to, word::BUFFER_OFFSET, buffer_offset);
        let id = dev.get(at, Wire::<T>::HEADER_BYTES + word::READ_ID);
        dev.put(to, kept::NODE, node as u32);
        dev.put(to, kept::REMAINING, length - sent);
        dev.put(to, kept::OFFSET, sent);
        dev.put(to, kept::ID, id);
        dev.put(to, kept::FENCE, layers.writes.data_mark());
        layers.run.add_jobs(1 << (READS_SHIFT + read));
        dev.trace(Marker::ReadTaken, read);
        self.read_id(read)
    }

    /// Sends one reply. Ready reads are served round robin. A read that misses keeps its turn, so
    /// that it uses the line filled for it before the miss of another read evicts that line.
    /// Otherwise no read would be answered if more reads wait than a set has ways (INV-33).
    #[inline(never)]
    pub(crate) fn reply_one<T: Tables>(
        &mut self,
        lookups: &mut Lookups<T>,
        layers: &mut Layers<T>,
        dev: &mut impl Device,
    ) {
        let ready = (layers.run.jobs() >> READS_SHIFT) as u16;
        let from = self.from % READS_MAX;
        let read = (from + ready.rotate_right(from).trailing_zeros()) % READS_MAX;
        let bit = 1 << (READS_SHIFT + read);
        layers.run.take_job(bit);
        if self.taken >> read & 1 == 0 {
            // The read was dropped while it waited.
            return;
        }
        let kept = self.read_at(dev, read);
        let node = dev.get(kept, kept::NODE) as usize & NODE_MASK;
        if layers.link.is_lost(node) {
            self.end_read(layers, dev, read, Counter::ReadsGivenUp);
            return;
        }
        let fence = dev.get(kept, kept::FENCE);
        let address = layers.link.ready_buffer(dev);
        let (Some(address), true) = (address, layers.can_send(node) && layers.writes.has_ended(fence)) else {
            layers.run.block(bit);
            return;
        };
        let frame = layers.link.first_buffer();
        let remaining = dev.get(kept, kept::REMAINING);
        let data_bytes = remaining.min(layers.frame_data_bytes_max());
        let found = match lookups.check_target_rarely(dev, kept, data_bytes, PERMIT_READ) {
            Ok(target) if data_bytes != 0 => {
                read_data_rarely(lookups, layers, dev, (target.pid, target.address), data_bytes, (frame, address))
            }
            Ok(_) => Ok(()),
            Err(NoTarget::Missed(reason)) => Err(reason),
            Err(NoTarget::Refused(_)) => Err(Untranslated::Fault),
        };
        let is_last = data_bytes == remaining;
        let offset = dev.get(kept, kept::OFFSET);
        let (buffer, message) = (dev.get(kept, kept::ID), dev.get(kept, word::MESSAGE));
        let head = |flags, data_bytes| Head {
            type_word: word::kind(FrameKind::REPLY, flags),
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
                send_own_rarely(layers, dev, node, id, head(if is_last { FLAG_LAST } else { 0 }, data_bytes));
            }
            Err(Untranslated::Fill) => layers.run.park(bit),
            Err(Untranslated::Way) => layers.run.block(bit),
            // The buffer, its page, or the right to it is gone. The requester learns only that the
            // read has failed.
            Err(Untranslated::Fault) => {
                send_own_rarely(layers, dev, node, id, head(FLAG_LAST | FLAG_ABORTED, 0));
                self.end_read(layers, dev, read, Counter::ReadsGivenUp);
                return;
            }
        }
        if found.is_err() {
            return;
        }
        self.from = read + 1;
        if is_last {
            self.end_read(layers, dev, read, Counter::ReadsAnswered);
            return;
        }
        let buffer_offset = dev.get(kept, word::BUFFER_OFFSET);
        dev.put(kept, word::BUFFER_OFFSET, buffer_offset.wrapping_add(data_bytes));
        dev.put(kept, kept::OFFSET, offset.wrapping_add(data_bytes));
        dev.put(kept, kept::REMAINING, remaining - data_bytes);
        layers.run.add_jobs(bit);
    }

    fn read_id(&self, read: u32) -> ReadId {
        ReadId(self.serials[read as usize % READS_MAX as usize] << 4 | read as u16)
    }

    /// Drops the read of a reply that failed here or that the requester refused: it needs no
    /// further reply.
    pub(crate) fn drop_read<T: Tables>(&mut self, layers: &mut Layers<T>, dev: &mut impl Device, id: ReadId) {
        let read = u32::from(id.0) % READS_MAX;
        if id != NO_READ && self.taken >> read & 1 != 0 && self.read_id(read) == id {
            self.end_read(layers, dev, read, Counter::ReadsGivenUp);
        }
    }

    /// A peer has started again: its new incarnation has asked for none of these.
    pub(crate) fn drop_reads_of<T: Tables>(&mut self, layers: &mut Layers<T>, dev: &mut impl Device, node: usize) {
        for read in 0..READS_MAX {
            let is_of = dev.get(self.read_at(dev, read), kept::NODE) as usize == node;
            if self.taken >> read & 1 != 0 && is_of {
                self.end_read(layers, dev, read, Counter::ReadsGivenUp);
            }
        }
    }

    fn end_read<T: Tables>(&mut self, layers: &mut Layers<T>, dev: &mut impl Device, read: u32, outcome: Counter) {
        self.taken &= !(1 << read);
        let bit = 1 << (READS_SHIFT + read);
        layers.run.forget(bit);
        dev.count(outcome);
    }
}

/// Sends a frame that belongs to no post. Its data are being read into the next free buffer. The
/// caller has made sure that the frame can be sent.
#[inline(always)]
fn send_own<T: Tables>(layers: &mut Layers<T>, dev: &mut impl Device, node: usize, read: ReadId, head: Head) {
    let buffer = layers.link.first_buffer();
    let at = dev.place(layers.link.buffer_address(buffer));
    dev.put(at, word::TYPE, head.type_word ^ Wire::<T>::MARK);
    dev.put(at, word::BUFFER, head.buffer);
    dev.put(at, word::BUFFER_OFFSET, head.buffer_offset);
    dev.put(at, word::KEY_0, 0);
    dev.put(at, word::KEY_1, 0);
    if Wire::<T>::IS_WIDE {
        dev.put(at, word::KEY_2, 0);
        dev.put(at, word::KEY_3, 0);
    }
    dev.put(at, word::MESSAGE, head.message);
    let owner = Owner { post: PostId(read.0), generation: REPLY };
    layers.send_frame(dev, node, head.data_bytes, owner);
}

#[cold]
#[inline(never)]
fn miss_read<T: Tables>(
    lookups: &Lookups<T>,
    receive_misses: &mut ReceiveMisses,
    layers: &mut Layers<T>,
    dev: &mut impl Device,
    (node, buffer): (usize, u32),
    reason: Untranslated,
) -> Buffer {
    match reason {
        Untranslated::Fault => layers.refuse_frame(dev, node, true, Counter::FramesRefusedPage),
        reason => {
            receive_misses.miss_frame(lookups.misses(), layers, dev, (node, buffer), reason, Counter::FramesDroppedMiss)
        }
    }
}

/// Whether a request can be answered at once: there is a transmit buffer, and all data that were
/// written before the request are in host memory, whether the ends of those writes were handled or
/// not.
#[inline(always)]
fn can_reply<T: Tables>(layers: &mut Layers<T>, dev: &mut impl Device, node: usize) -> bool {
    layers.can_send(node)
        && layers.link.ready_buffer(dev).is_some()
        && (layers.writes.has_ended(layers.writes.data_mark())
            || dev.dma_write_consumer().wrapping_sub(layers.writes.data_mark() as u16) as i16 >= 0)
}

/// Checks that the pages of the first reply have translations. No line stays locked. The caller
/// counts a hit.
fn find_source<T: Tables>(
    lookups: &mut Lookups<T>,
    layers: &mut Layers<T>,
    dev: &mut impl Device,
    target: &Target,
    bytes: u32,
) -> Result<(), Untranslated> {
    let page = target.address >> PAGE_SHIFT;
    let in_page = target.address % PAGE_BYTES;
    if bytes > PAGE_BYTES - in_page {
        let crossing = Crossing { page, in_page, bytes };
        let span = lookups.translate_span(layers, dev, Path::Send, target.pid, crossing)?;
        for nth in 0..crossing.pages::<T::Span>() {
            lookups.unlock_unused(dev, Path::Send, span.page(nth as usize).line);
        }
    } else {
        let page = lookups.translate(layers, dev, Path::Send, target.pid, page)?;
        lookups.unlock_unused(dev, Path::Send, page.line);
    }
    Ok(())
}

/// [`send_own`] as a function of its own.
#[cold]
#[inline(never)]
fn send_own_rarely<T: Tables>(layers: &mut Layers<T>, dev: &mut impl Device, node: usize, read: ReadId, head: Head) {
    send_own(layers, dev, node, read, head);
}

/// A frame without a target.
#[cold]
#[inline(never)]
pub(crate) fn turn_away<T: Tables>(
    lookups: &Lookups<T>,
    receive_misses: &mut ReceiveMisses,
    layers: &mut Layers<T>,
    dev: &mut impl Device,
    (node, buffer): (usize, u32),
    is_last: bool,
    reason: NoTarget,
) -> Buffer {
    match reason {
        NoTarget::Missed(reason) => {
            let dropped = Counter::FramesDroppedBuffer;
            receive_misses.miss_frame(lookups.misses(), layers, dev, (node, buffer), reason, dropped)
        }
        NoTarget::Refused(reason) => layers.refuse_frame(dev, node, is_last, reason),
    }
}
