//! Posts that ask for data (M-5): read, checked and made a frame of in one pass, as those that carry their data are (inline.rs).
//!
//! Such a post is never kept either. While there is no room for its frame, or for one more read of its peer, it counts as not read.

use nic_device::{rarely, Place};
use nic_layout::counter::Counter;
use nic_layout::frame::{word, FrameKind, FLAG_LAST, READ_REQUEST_BYTES};
use nic_layout::post::{PostError, MESSAGE_BYTES_MAX};
use nic_layout::trace::Marker;
use nic_layout::PROCESS_SLOTS;

use crate::inline::Unsent;
use crate::post::PostId;
use crate::post::{ends_beyond, runs_over, Named, Record};
use crate::{Machine, Tables};
use nic_device::Device;
use nic_link::NODE_MASK;

impl<T: Tables> Machine<T> {
    /// Sends the request of the post at `at`, which is the next of a slot. Its first word was read.
    #[inline(never)]
    #[cfg_attr(target_arch = "riscv32", link_section = ".text.requests")]
    pub(crate) fn send_request(&mut self, dev: &mut impl Device, slot_number: usize, at: Place, operation: u32) {
        if let Err(unsent) = self.issue_request(dev, slot_number, at, operation) {
            rarely();
            self.stop_inline(dev, slot_number, unsent);
        }
    }

    #[inline(always)]
    fn issue_request(
        &mut self,
        dev: &mut impl Device,
        slot_number: usize,
        at: Place,
        operation: u32,
    ) -> Result<(), Unsent> {
        // The process can change the descriptor at any time: each word is read once.
        let length = dev.get(at, 4);
        let local_address = dev.get(at, 8);
        let mut named = Named {
            node: operation >> 16,
            buffer: dev.get(at, 12),
            offset: dev.get(at, 16),
            key: [dev.get(at, 20), dev.get(at, 24)],
            upper_key: [0; 2],
        };
        let message = dev.get(at, 28);
        let slot_number = slot_number % PROCESS_SLOTS;
        let slot = &self.slots[slot_number];
        let mut last_index = slot.fetched;
        if Self::HAS_SECOND_ENTRY {
            last_index = last_index.wrapping_add(1);
            if last_index == slot.producer {
                rarely();
                return Err(Unsent::Refused(PostError::LengthOutOfRange, 1));
            }
            let second = self.queue_entry(slot_number, last_index);
            named.upper_key = [dev.get(second, 0), dev.get(second, 4)];
        }
        let entries = 1 + u32::from(Self::HAS_SECOND_ENTRY);
        if T::HAS_IMPORTS {
            match self.take_import(dev, slot_number, operation, length, named) {
                Ok(of_import) => named = of_import,
                Err(reason) => return Err(Unsent::Refused(reason, entries)),
            }
        }
        if !self.link.is_peer(named.node) {
            rarely();
            return Err(Unsent::Refused(PostError::NoSuchNode, entries));
        }
        if length > MESSAGE_BYTES_MAX || ends_beyond(named.offset, length) {
            rarely();
            return Err(Unsent::Refused(PostError::LengthOutOfRange, entries));
        }
        if runs_over(local_address, length) {
            rarely();
            return Err(Unsent::Refused(PostError::BadLocalAddress, entries));
        }
        dev.trace(Marker::PostRead, message);

        let node = named.node as usize & NODE_MASK;
        if let Err(barrier) = self.link.check_room(&self.reads, node, 1) {
            return Err(Unsent::of(barrier, entries));
        }
        let Some(address) = self.link.ready_buffer(dev) else {
            return Err(Unsent::Blocked);
        };
        let Some(place) = self.place_for_read(node) else {
            rarely();
            return Err(Unsent::Blocked);
        };
        // Nothing below can fail.
        let (id, owner) = self.next_read_id(dev, place);
        let to = dev.place(address);
        dev.put(to, Self::HEADER_BYTES + word::READ_LENGTH, length);
        dev.put(to, Self::HEADER_BYTES + word::READ_ID, id);
        dev.put(to, word::TYPE, word::kind(FrameKind::Read, FLAG_LAST) ^ Self::MARK);
        dev.put(to, word::BUFFER, named.buffer);
        dev.put(to, word::BUFFER_OFFSET, named.offset);
        dev.put(to, word::KEY_0, named.key[0]);
        dev.put(to, word::KEY_1, named.key[1]);
        if Self::IS_WIDE {
            dev.put(to, word::KEY_2, named.upper_key[0]);
            dev.put(to, word::KEY_3, named.upper_key[1]);
        }
        dev.put(to, word::MESSAGE, message);
        self.send_frame(dev, node, READ_REQUEST_BYTES, owner);

        let slot = &mut self.slots[slot_number];
        slot.fetched = last_index.wrapping_add(1);
        let post = PostId::new(slot_number, last_index);
        if slot.fetched != slot.producer {
            self.queue.push(slot_number);
        }
        if Self::HAS_SECOND_ENTRY {
            self.records[PostId::new(slot_number, last_index.wrapping_sub(1)).record()] = Record::FIRST_HALF;
        }
        // The post waits for its data: they cannot come before its frame has arrived.
        let record = &mut self.records[post.record()];
        record.add_frame();
        record.issue();
        self.open_read(dev, place, id, node, post, (local_address, length));
        dev.count(Counter::PostsFetched);
        self.process_deferred_one(dev, node);
        Ok(())
    }
}
