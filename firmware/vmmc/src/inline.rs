//! Posts that carry their data (M-7): read, checked and made a frame of in one pass.
//!
//! Such a post is never kept. While there is no room for its frame it counts as not read: then all of it is read and checked anew.

use nic_device::{rarely, Place};
use nic_layout::counter::Counter;
use nic_layout::frame::word;
use nic_layout::post::{PostError, INLINE_BYTES_FIRST};
use nic_layout::trace::Marker;
use nic_layout::PROCESS_SLOTS;

use crate::owner::Owner;
use crate::post::PostId;
use crate::post::{ends_beyond, Named, Record, LAST_TYPE};
use crate::turn::Answer;
use crate::{Machine, Tables};
use nic_device::Device;
use nic_link::{Barrier, NODE_MASK};

/// Why a post was not sent.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Unsent {
    /// There is no room.
    Blocked,
    /// It ends badly, and takes so many entries of the queue.
    Refused(PostError, u32),
}

impl Unsent {
    #[cold]
    pub(crate) fn of(barrier: Barrier, entries: u32) -> Unsent {
        match barrier {
            Barrier::Unreachable => Unsent::Refused(PostError::PeerUnreachable, entries),
            Barrier::Full => Unsent::Blocked,
        }
    }
}

impl<T: Tables> Machine<T> {
    /// Sends the frame of the post at `at`, which is the next of a slot and does not notify. Its first word was read.
    #[inline(always)]
    pub(crate) fn send_inline(&mut self, dev: &mut impl Device, slot_number: usize, at: Place, operation: u32) {
        if self.issue_inline::<true>(dev, slot_number, at, operation, LAST_TYPE).is_err() {
            rarely();
            // It may be none of the plain ones: nothing was done yet.
            self.send_inline_rarely(dev, slot_number, at, operation, LAST_TYPE);
        }
    }

    /// The same for all others: a post whose owner shall be told, one to a peer or at a time that needs a closer look, and one that is not sent.
    #[cold]
    #[inline(never)]
    pub(crate) fn send_inline_rarely(
        &mut self,
        dev: &mut impl Device,
        slot_number: usize,
        at: Place,
        operation: u32,
        last_type: u32,
    ) {
        if let Err(unsent) = self.issue_inline::<false>(dev, slot_number, at, operation, last_type) {
            self.stop_inline(dev, slot_number, unsent);
        }
    }

    /// Twice in the image: `IS_PLAIN` where nothing but room for the frame is to be asked for, since no host read is under way and there is nothing to know of its
    /// peer. Any error of that one means that the other is to decide.
    #[inline(always)]
    fn issue_inline<const IS_PLAIN: bool>(
        &mut self,
        dev: &mut impl Device,
        slot_number: usize,
        at: Place,
        operation: u32,
        last_type: u32,
    ) -> Result<(), Unsent> {
        // The process can change the descriptor at any time: each word is read once.
        let length = dev.get(at, 4);
        let data = dev.get(at, 8);
        let mut named = Named {
            node: operation >> 16,
            buffer: dev.get(at, 12),
            offset: dev.get(at, 16),
            key: [dev.get(at, 20), dev.get(at, 24)],
            upper_key: [0; 2],
        };
        let message = dev.get(at, 28);
        let slot_number = slot_number % PROCESS_SLOTS;
        let first_index = self.slots[slot_number].fetched;
        let has_second = Self::HAS_SECOND_ENTRY || length > INLINE_BYTES_FIRST;
        let refused = |error, has_second| Err(Unsent::Refused(error, 1 + u32::from(has_second)));
        if !IS_PLAIN && has_second {
            self.check_second(slot_number, length)?;
        }
        if T::HAS_IMPORTS {
            match self.take_import(dev, slot_number, operation, length, named) {
                Ok(of_import) => named = of_import,
                Err(reason) => return refused(reason, has_second),
            }
        }
        let node = if IS_PLAIN {
            if self.link.is_special(named.node) || !self.reads.is_idle() {
                return refused(PostError::NoSuchNode, has_second);
            }
            named.node as usize & NODE_MASK
        } else {
            if !self.link.is_peer(named.node) {
                return refused(PostError::NoSuchNode, has_second);
            }
            named.node as usize & NODE_MASK
        };
        if ends_beyond(named.offset, length) {
            return refused(PostError::LengthOutOfRange, has_second);
        }
        if !IS_PLAIN {
            self.link
                .check_room(&self.reads, node, 1)
                .map_err(|barrier| Unsent::of(barrier, 1 + u32::from(has_second)))?;
        } else if !self.link.has_window(node, 1) {
            return Err(Unsent::Blocked);
        }
        let address = self.link.ready_buffer(dev).ok_or(Unsent::Blocked)?;
        let to = dev.place(address);
        dev.put(to, word::TYPE, last_type ^ Self::MARK);
        dev.put(to, Self::HEADER_BYTES, data);
        dev.put(to, word::BUFFER, named.buffer);
        dev.put(to, word::BUFFER_OFFSET, named.offset);
        dev.put(to, word::KEY_0, named.key[0]);
        dev.put(to, word::KEY_1, named.key[1]);
        if Self::IS_WIDE && T::HAS_IMPORTS {
            dev.put(to, word::KEY_2, named.upper_key[0]);
            dev.put(to, word::KEY_3, named.upper_key[1]);
        }
        dev.put(to, word::MESSAGE, message);
        let mut last_index = first_index;
        if has_second {
            rarely();
            if IS_PLAIN {
                self.check_second(slot_number, length)?;
            }
            last_index = first_index.wrapping_add(1);
            self.copy_second(dev, slot_number, last_index, length, to);
        }
        // Nothing below can fail.
        let is_refusing = !IS_PLAIN && self.link.is_refusing(node);
        let acknowledge = if is_refusing { self.link.ack_before_refusals(node) } else { self.link.expected(node) };
        let sequence = self.link.number(dev, node, to, length, acknowledge);
        let length_bytes = Self::HEADER_BYTES + length;
        let transmit_index = self.link.place(dev, address, length_bytes);
        if IS_PLAIN {
            dev.release_transmit();
        } else {
            self.reads.release(dev);
        }
        dev.trace(Marker::TransmitPosted, sequence);

        if !is_refusing {
            self.link.owe_no_ack(node);
        }
        let buffer = self.link.first_buffer();
        self.link.take_buffer();
        self.answer = Answer::NotAwaited;
        let slot = &mut self.slots[slot_number];
        slot.fetched = last_index.wrapping_add(1);
        let id = PostId::new(slot_number, last_index);
        let owner = Owner { post: id, generation: slot.generation };
        self.link.note_sent(node, sequence, buffer, transmit_index, length_bytes, owner);
        if slot.fetched != slot.producer {
            self.queue.push(slot_number);
        }
        if has_second {
            self.records[PostId::new(slot_number, last_index.wrapping_sub(1)).record()] = Record::FIRST_HALF;
        }
        let record = &mut self.records[id.record()];
        record.add_frame();
        record.issue();
        dev.count(Counter::FramesSent);
        dev.count(Counter::PostsFetched);
        self.link.keep_retransmit_timer(dev, node);
        self.link.find_ready_buffer(dev);
        Ok(())
    }

    /// Whether the second entry of a post is there, and holds its data.
    #[inline(always)]
    fn check_second(&self, slot_number: usize, length: u32) -> Result<(), Unsent> {
        let slot = &self.slots[slot_number];
        if slot.fetched.wrapping_add(1) == slot.producer {
            return Err(Unsent::Refused(PostError::LengthOutOfRange, 1));
        }
        if length > Self::INLINE_BYTES_MAX {
            return Err(Unsent::Refused(PostError::LengthOutOfRange, 1 + u32::from(Self::HAS_SECOND_ENTRY)));
        }
        Ok(())
    }

    /// What a frame has of the second entry of its post, each word read once: the upper half of the key, and data behind the first word.
    #[inline(always)]
    fn copy_second(&self, dev: &mut impl Device, slot_number: usize, index: u32, bytes: u32, to: Place) {
        let from = self.queue_entry(slot_number, index);
        if Self::HAS_SECOND_ENTRY {
            let upper = [dev.get(from, 0), dev.get(from, 4)];
            dev.put(to, word::KEY_2, upper[0]);
            dev.put(to, word::KEY_3, upper[1]);
        }
        let to = to.plus(Self::HEADER_BYTES);
        let mut at = INLINE_BYTES_FIRST;
        while at < bytes {
            let word = dev.get(from, at - INLINE_BYTES_FIRST + Self::UPPER_KEY_BYTES);
            dev.put(to, at, word);
            at += 4;
        }
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn stop_inline(&mut self, dev: &mut impl Device, slot_number: usize, unsent: Unsent) {
        let slot_number = slot_number % PROCESS_SLOTS;
        let Unsent::Refused(error, entries) = unsent else {
            self.blocked |= 1 << slot_number;
            dev.trace(Marker::PostBlocked, slot_number as u32);
            self.process_deferred(dev);
            return;
        };
        let slot = &mut self.slots[slot_number];
        if entries != 1 {
            slot.fetched = slot.fetched.wrapping_add(1);
            let first = slot.head(slot_number);
            self.records[first.record()] = Record::FIRST_HALF;
        }
        let slot = &mut self.slots[slot_number];
        slot.fetched = slot.fetched.wrapping_add(1);
        self.refuse_fetched(dev, slot_number, error);
    }
}
