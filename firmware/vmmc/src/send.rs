//! From a post to frames.

use crate::post::{Form, Post, INLINE_AND_NOTIFY, INLINE_WRITE, LAST_TYPE, NOTIFY, NOTIFY_SHIFT, READ};
use nic_device::rarely;
use nic_layout::counter::Counter;
use nic_layout::frame::word;
use nic_layout::frame::{FrameKind, FLAG_ABORTED, FLAG_LAST};
use nic_layout::post::PostError;
use nic_layout::trace::Marker;
use nic_layout::{PAGE_BYTES, PAGE_SHIFT, PROCESS_SLOTS};
use nic_lookup::Path;

use crate::owner::Owner;
use crate::translate::{count_hits, Untranslated};
use crate::turn::Answer;
use crate::{Machine, Tables};
use nic_device::Device;
use nic_link::{Barrier, NODE_MASK};

/// Host-read transfers that a frame may need: its data on two pages, and its release.
pub(crate) const FRAME_READS: u32 = 3;

/// Why a frame was not issued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The post waits for the driver to fill a line.
    Parked,
    /// It waits for room: in the window, the rings, the buffers, or a set of the cache.
    Blocked,
    /// It ends badly.
    BadAddress,
    Unreachable,
}

impl From<Barrier> for Stop {
    #[inline(always)]
    fn from(barrier: Barrier) -> Stop {
        match barrier {
            Barrier::Full => Stop::Blocked,
            Barrier::Unreachable => Stop::Unreachable,
        }
    }
}

impl From<Untranslated> for Stop {
    fn from(reason: Untranslated) -> Stop {
        match reason {
            Untranslated::Fill => Stop::Parked,
            Untranslated::Way => Stop::Blocked,
            Untranslated::Fault => Stop::BadAddress,
        }
    }
}

/// Of a message: what one frame carries.
pub(crate) struct Part {
    /// The address of its frame.
    pub buffer: u32,
    pub local_address: u32,
    pub data_bytes: u32,
    pub is_last: bool,
    pub last_type: u32,
}

impl<T: Tables> Machine<T> {
    /// Issues one frame of a slot, if it has one, and queues the slot again if it has more to send. `is_new`: none of a post was issued before.
    #[inline(always)]
    pub(crate) fn send_one(&mut self, dev: &mut impl Device, slot_number: usize, is_new: bool) {
        let slot_number = slot_number % PROCESS_SLOTS;
        let slot = &self.slots[slot_number];
        let is_first = is_new || !slot.sending;
        if is_first {
            let index = slot.fetched;
            if index == slot.producer {
                rarely();
                return;
            }
            let at = self.queue_entry(slot_number, index);
            let operation = dev.get(at, 0);
            if operation & 0xFFFF == INLINE_WRITE {
                return self.send_inline(dev, slot_number, at, operation);
            }
            rarely();
            if operation & 0xFFFF == INLINE_AND_NOTIFY {
                return self.send_inline_rarely(dev, slot_number, at, operation, LAST_TYPE | NOTIFY << NOTIFY_SHIFT);
            }
            if operation & 0xFFFF == READ {
                rarely();
                return self.send_request(dev, slot_number, at, operation);
            }
            if !self.fetch(dev, slot_number, at, operation) {
                return;
            }
        }
        let form = self.slots[slot_number].form;
        let issued = if form == Form::Host {
            self.issue_frame::<true>(dev, slot_number)
        } else {
            rarely();
            match form {
                Form::Long => self.issue_pieces(dev, slot_number),
                _ => self.issue_notifying_frame(dev, slot_number),
            }
        };
        // A sum, since a branch would have the compiler lay out the whole path twice.
        dev.count_many(Counter::PostsFetched, u32::from(is_first));
        if let Err(stop) = issued {
            self.stop(dev, slot_number, stop);
        }
    }

    /// A frame of a post from host memory that notifies.
    #[cold]
    #[inline(never)]
    fn issue_notifying_frame(&mut self, dev: &mut impl Device, slot_number: usize) -> Result<(), Stop> {
        self.issue_frame::<false>(dev, slot_number)
    }

    /// The buffer for a frame to a peer, if it can be sent now.
    #[inline(always)]
    pub(crate) fn room_to(&mut self, dev: &mut impl Device, node: usize) -> Result<usize, Stop> {
        self.link.check_room(&self.reads, node, FRAME_READS)?;
        self.link.ready_buffer(dev).ok_or(Stop::Blocked)?;
        Ok(self.link.first_buffer())
    }

    /// Sends the frame in the next free buffer: the words of its header that say what it is, and its data, are there, or on their way.
    #[inline(always)]
    pub(crate) fn send_frame(&mut self, dev: &mut impl Device, node: usize, data_bytes: u32, owner: Owner) {
        self.link.send(dev, &mut self.reads, node, data_bytes, owner);
        self.answer = Answer::NotAwaited;
    }

    /// The frame of the slot's post was not issued.
    #[cold]
    #[inline(never)]
    fn stop(&mut self, dev: &mut impl Device, slot_number: usize, stop: Stop) {
        let slot = &mut self.slots[slot_number % PROCESS_SLOTS];
        slot.sending = true;
        match stop {
            Stop::Parked => {
                self.parked |= 1 << slot_number;
                dev.trace(Marker::PostParked, slot_number as u32);
            }
            Stop::Blocked => {
                self.blocked |= 1 << slot_number;
                dev.trace(Marker::PostBlocked, slot_number as u32);
                self.process_deferred(dev);
            }
            Stop::BadAddress => {
                self.refuse(dev, slot_number, PostError::BadLocalAddress);
                self.queue.push(slot_number);
            }
            Stop::Unreachable => {
                self.refuse(dev, slot_number, PostError::PeerUnreachable);
                self.queue.push(slot_number);
            }
        }
    }

    /// Issues the next frame of the post at the head of a slot: what the frame needs first, what only we need behind it.
    ///
    /// The transfer of its data begins as soon as their place on the host is known. Header and transmit entry follow while it is under way, and
    /// behind them an empty transfer, which releases the frame when the data and they are in place.
    ///
    /// Twice in the image: plain posts are those of [`Form::Host`].
    #[inline(always)]
    fn issue_frame<const IS_PLAIN: bool>(&mut self, dev: &mut impl Device, slot_number: usize) -> Result<(), Stop> {
        let node = self.slots[slot_number].post.node & NODE_MASK;
        let frame = self.room_to(dev, node)?;
        let address = self.link.ready_address();
        let post = &self.slots[slot_number].post;
        let data_bytes = post.remaining_bytes.min(self.settings.frame_data_bytes_max);
        let is_last = data_bytes == post.remaining_bytes;
        let local_address = post.local_address;
        if data_bytes != 0 {
            let pid = self.slots[slot_number].pid;
            if IS_PLAIN {
                self.read_data(dev, pid, local_address, data_bytes, frame, address)?;
            } else {
                self.read_data_rarely(dev, pid, local_address, data_bytes, frame, address)?;
            }
        }

        // Nothing below can fail.
        let last_type = if IS_PLAIN { LAST_TYPE } else { self.slots[slot_number].post.last_type };
        let part = Part { buffer: address, local_address, data_bytes, is_last, last_type };
        self.send_part(dev, slot_number, node, frame, part);
        self.link.find_ready_buffer(dev);
        count_hits(dev, Path::Send, u32::from(data_bytes != 0));
        Ok(())
    }

    /// Header and release of a frame whose data are on their way, and what we keep of it. The caller looks for the next buffer.
    #[inline(always)]
    pub(crate) fn send_part(
        &mut self,
        dev: &mut impl Device,
        slot_number: usize,
        node: usize,
        frame: usize,
        part: Part,
    ) {
        let Part { buffer: address, local_address, data_bytes, is_last, last_type } = part;
        let acknowledge = self.link.acknowledge_with(node);
        let (sequence, address_word) = self.link.issue(node);
        dev.trace(Marker::DmaReadPosted, sequence);
        let Post { buffer, buffer_offset, key, message, .. } = self.slots[slot_number].post;
        let at = dev.place(address);
        dev.put(at, word::ADDRESS_1, address_word);
        let type_word = if is_last { last_type } else { word::kind(FrameKind::Write, 0) };
        dev.put(at, word::TYPE, type_word ^ Self::MARK);
        dev.put(at, word::NODE_LENGTH, self.link.node_length(data_bytes));
        dev.put(at, word::SEQUENCE, sequence);
        dev.put(at, word::ACKNOWLEDGE, acknowledge);
        dev.put(at, word::BUFFER, buffer);
        dev.put(at, word::BUFFER_OFFSET, buffer_offset);
        dev.put(at, word::KEY_0, key[0]);
        dev.put(at, word::KEY_1, key[1]);
        self.put_upper_key(dev, slot_number, at);
        dev.put(at, word::MESSAGE, message);
        dev.trace(Marker::HeaderBuilt, sequence);
        let length_bytes = Self::HEADER_BYTES + data_bytes;
        let transmit_index = self.link.place(dev, address, length_bytes);
        self.reads.release(dev);
        dev.trace(Marker::TransmitPosted, sequence);

        self.link.take_buffer();
        self.answer = Answer::NotAwaited;
        let slot = &mut self.slots[slot_number];
        let id = slot.head(slot_number);
        let owner = Owner { post: id, generation: slot.generation };
        self.link.note_sent(node, sequence, frame, transmit_index, length_bytes, owner);
        let record = &mut self.records[id.record()];
        record.add_frame();
        slot.sending = !is_last;
        if is_last {
            record.issue();
        } else {
            slot.post.remaining_bytes -= data_bytes;
            slot.post.local_address = local_address.wrapping_add(data_bytes);
            slot.post.buffer_offset = slot.post.buffer_offset.wrapping_add(data_bytes);
        }
        if !is_last || slot.fetched != slot.producer {
            self.queue.push(slot_number);
        }
        dev.count(Counter::FramesSent);
        self.link.keep_retransmit_timer(dev, node);
    }

    /// Translates where a frame's data are, and posts their transfer.
    #[inline(always)]
    pub(crate) fn read_data(
        &mut self,
        dev: &mut impl Device,
        pid: u32,
        local_address: u32,
        data_bytes: u32,
        frame: usize,
        address: u32,
    ) -> Result<(), Untranslated> {
        let page = local_address >> PAGE_SHIFT;
        let in_page = local_address % PAGE_BYTES;
        let data_at = address + Self::HEADER_BYTES;
        let first_bytes = PAGE_BYTES - in_page;
        if data_bytes > first_bytes {
            rarely();
            let (first, second) = self.translate_two(dev, Path::Send, pid, page)?;
            self.post_read(dev, first.piece(in_page, data_at, first_bytes), frame);
            let rest = second.piece(0, data_at + first_bytes, data_bytes - first_bytes);
            self.post_read(dev, rest, frame);
            return Ok(());
        }
        let page = self.translate(dev, Path::Send, pid, page)?;
        self.post_read(dev, page.piece(in_page, data_at, data_bytes), frame);
        Ok(())
    }

    /// [`Self::read_data`] as a function of its own.
    #[cold]
    #[inline(never)]
    pub(crate) fn read_data_rarely(
        &mut self,
        dev: &mut impl Device,
        pid: u32,
        local_address: u32,
        data_bytes: u32,
        frame: usize,
        address: u32,
    ) -> Result<(), Untranslated> {
        self.read_data(dev, pid, local_address, data_bytes, frame, address)
    }

    /// The host bus did not deliver a frame's data: the frame keeps its number, says so, and carries none; its post ends badly.
    #[cold]
    #[inline(never)]
    pub(crate) fn abort_frame(&mut self, dev: &mut impl Device, frame: usize) {
        let owner = self.link.abort(dev, frame, FLAG_LAST | FLAG_ABORTED);
        self.fail_frame(dev, owner, PostError::BusError);
    }
}
