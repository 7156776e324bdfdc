//! From a post to frames.

use nic_layout::counter::Counter;
use nic_layout::frame::word;
use nic_layout::frame::{FrameKind, FLAG_LAST, HEADER_BYTES};
use nic_layout::post::PostError;
use nic_layout::trace::Marker;
use nic_layout::{PAGE_BYTES, PROCESS_SLOTS};
use nic_lookup::Path;

use crate::frames::FRAME_RECORDS;
use crate::link::{NODE_MASK, WINDOW_MASK};
use crate::machine::RETRANSMIT_TIMER;
use crate::translate::{Pages, Wait};
use crate::{Device, Machine};

/// What became of an attempt to issue a frame.
enum Attempt {
    Issued,
    Refused(PostError),
    /// Waits for the driver to fill a line.
    Parked,
    /// Waits for room: in the window, the rings, the buffers, or a set of the cache.
    Blocked,
}

impl<const E: u32, const L: u32, const W: u32> Machine<E, L, W> {
    /// Issues one frame of a slot, and queues the slot again if it has more to send.
    #[inline(always)]
    pub(crate) fn send_one(&mut self, dev: &mut impl Device, slot_number: usize) {
        if !self.slots[slot_number % PROCESS_SLOTS].sending {
            if self.slots[slot_number % PROCESS_SLOTS].fetched == self.slots[slot_number % PROCESS_SLOTS].producer {
                return;
            }
            let before = self.slots[slot_number % PROCESS_SLOTS].fetched;
            if !self.fetch(dev, slot_number) {
                // Refused: the next one has its turn. Not even read: the slot is closed.
                if self.slots[slot_number % PROCESS_SLOTS].fetched != before {
                    self.queue.push(slot_number);
                }
                return;
            }
        }
        match self.issue_frame(dev, slot_number) {
            Attempt::Issued => self.queue.push(slot_number),
            Attempt::Refused(error) => {
                self.refuse(dev, slot_number, error);
                self.queue.push(slot_number);
            }
            Attempt::Parked => {
                self.parked |= 1 << slot_number;
                dev.trace(Marker::PostParked, slot_number as u32);
            }
            Attempt::Blocked => {
                self.blocked |= 1 << slot_number;
                dev.trace(Marker::PostBlocked, slot_number as u32);
            }
        }
    }

    #[inline(always)]
    fn issue_frame(&mut self, dev: &mut impl Device, slot_number: usize) -> Attempt {
        let post = &self.slots[slot_number % PROCESS_SLOTS].post;
        let node = post.node & NODE_MASK;
        let (pid, source_address, remaining_bytes) = (post.pid, post.source_address, post.remaining_bytes);
        if self.peers[node].is_lost {
            return Attempt::Refused(PostError::PeerUnreachable);
        }
        if self.peers[node].window.in_flight() >= self.config.window_frames || self.resend & (1 << node) != 0 {
            // New frames do not overtake those that go again: the peer would drop them.
            return Attempt::Blocked;
        }
        if !self.has_read_room(2) {
            let has_room = self.read_room(dev, 2);
            // A read that failed may have ended this very post: the next one has its turn.
            if !self.slots[slot_number % PROCESS_SLOTS].sending {
                return Attempt::Issued;
            }
            if !has_room {
                return Attempt::Blocked;
            }
        }
        let Some(frame) = self.free_frame(dev) else {
            return Attempt::Blocked;
        };

        let data_bytes = remaining_bytes.min(self.config.frame_data_bytes_max);
        let in_page = source_address % PAGE_BYTES;
        let first_bytes = data_bytes.min(PAGE_BYTES - in_page);
        let pages = if data_bytes == 0 {
            None
        } else {
            match self.translate(dev, Path::Send, pid, source_address, data_bytes > first_bytes) {
                Pages::Locked { first, second } => Some((first, second)),
                Pages::Wait(Wait::Fill) => return Attempt::Parked,
                Pages::Wait(Wait::Way) => return Attempt::Blocked,
                Pages::Fault => return Attempt::Refused(PostError::BadSourceAddress),
            }
        };

        // Nothing below can fail.
        self.free.take();
        let is_last = data_bytes == remaining_bytes;
        let slot = &mut self.slots[slot_number % PROCESS_SLOTS];
        let post = &mut slot.post;
        let (id, buffer_offset) = (post.id, post.buffer_offset);
        let (buffer, key, message) = (post.buffer, post.key, post.message);
        post.remaining_bytes = remaining_bytes - data_bytes;
        post.source_address = source_address.wrapping_add(data_bytes);
        post.buffer_offset = buffer_offset.wrapping_add(data_bytes);
        slot.sending = !is_last;
        let generation = slot.generation;
        let record = &mut self.records[id.record()];
        record.add_frame();
        if is_last {
            record.issue();
        }

        let peer = &mut self.peers[node];
        let sequence = peer.window.issue();
        peer.in_flight[sequence as usize & WINDOW_MASK] = frame as u8;
        let address_word = peer.address_word;
        let acknowledge = peer.receive.acknowledgement();
        peer.receive.acknowledged();
        self.ack_delay.cancel(node);

        let length_bytes = HEADER_BYTES as u32 + data_bytes;
        let tx = &mut self.frames[frame % FRAME_RECORDS];
        tx.transmit_index = self.transmit_placed;
        tx.length_bytes = length_bytes as u16;
        tx.post = id;
        let at = tx.address;
        self.generations[frame % FRAME_RECORDS] = generation;
        dev.write(at + word::ADDRESS_1, address_word);
        dev.write(at + word::TYPE, word::kind(FrameKind::Write, if is_last { FLAG_LAST } else { 0 }));
        let (node_byte, session) = (self.config.node as u8, self.config.session as u8);
        dev.write(at + word::NODE_LENGTH, word::node_length(node_byte, session, data_bytes as u16));
        dev.write(at + word::SEQUENCE, sequence);
        dev.write(at + word::ACKNOWLEDGE, acknowledge);
        dev.write(at + word::BUFFER, buffer);
        dev.write(at + word::BUFFER_OFFSET, buffer_offset);
        dev.write(at + word::KEY_0, key[0]);
        dev.write(at + word::KEY_1, key[1]);
        dev.write(at + word::MESSAGE, message);
        dev.trace(Marker::HeaderBuilt, sequence);

        self.place(dev, at, length_bytes);
        let data_at = at + HEADER_BYTES as u32;
        match pages {
            Some((page, None)) => {
                self.post_read(dev, page.piece(in_page, data_at, data_bytes), frame, true);
            }
            Some((page, Some(next))) => {
                self.post_read(dev, page.piece(in_page, data_at, first_bytes), frame, false);
                let rest = next.piece(0, data_at + first_bytes, data_bytes - first_bytes);
                self.post_read(dev, rest, frame, true);
            }
            None => self.release(dev),
        }
        dev.trace(Marker::DmaReadPosted, sequence);
        self.count(dev, Counter::FramesSent);

        if !self.retransmit.is_set(node) {
            self.start_retransmit_timer(dev, node);
        }
        Attempt::Issued
    }

    /// The host bus did not deliver a frame's data: the frame keeps its number, says so, and carries none; its post ends badly.
    #[cold]
    #[inline(never)]
    pub(crate) fn abort_frame(&mut self, dev: &mut impl Device, frame: usize) {
        use nic_layout::frame::FLAG_ABORTED;
        let tx = &mut self.frames[frame % FRAME_RECORDS];
        tx.length_bytes = HEADER_BYTES as u16;
        let tx = *tx;
        let (node_byte, session) = (self.config.node as u8, self.config.session as u8);
        dev.write(tx.address + word::TYPE, word::kind(FrameKind::Write, FLAG_LAST | FLAG_ABORTED));
        dev.write(tx.address + word::NODE_LENGTH, word::node_length(node_byte, session, 0));
        dev.shorten_transmit(tx.transmit_index as u16, HEADER_BYTES as u32);
        let slot_number = tx.post.slot();
        let slot = &self.slots[slot_number % PROCESS_SLOTS];
        if slot.generation != self.generations[frame % FRAME_RECORDS] {
            return;
        }
        if slot.sending && slot.post.id == tx.post {
            self.refuse(dev, slot_number, PostError::BusError);
            self.queue.push(slot_number);
        } else {
            self.records[tx.post.record()].fail(PostError::BusError);
        }
    }

    /// The free buffer that has rested longest, if the MAC is done with it. It stays free until it is taken.
    #[inline(always)]
    fn free_frame(&mut self, dev: &mut impl Device) -> Option<usize> {
        let frame = self.free.first()?;
        if self.is_in_transmit_ring(dev, frame) {
            return None;
        }
        Some(frame)
    }

    /// Whether the transmit ring holds a copy of the frame that was not sent yet.
    #[inline(always)]
    pub(crate) fn is_in_transmit_ring(&mut self, dev: &mut impl Device, frame: usize) -> bool {
        let age = self.transmit_placed.wrapping_sub(self.frames[frame % FRAME_RECORDS].transmit_index);
        if age > self.transmit_placed.wrapping_sub(self.transmit_done) {
            return false;
        }
        self.update_transmit_done(dev);
        age <= self.transmit_placed.wrapping_sub(self.transmit_done)
    }

    #[inline(always)]
    pub(crate) fn update_transmit_done(&mut self, dev: &mut impl Device) {
        let advance = dev.transmit_consumer().wrapping_sub(self.transmit_done as u16);
        self.transmit_done = self.transmit_done.wrapping_add(u32::from(advance));
    }

    /// Puts a frame at the end of the transmit ring.
    #[inline(always)]
    pub(crate) fn place(&mut self, dev: &mut impl Device, address: u32, length_bytes: u32) {
        dev.place_transmit(address, length_bytes);
        self.transmit_placed = self.transmit_placed.wrapping_add(1);
    }

    #[inline(always)]
    pub(crate) fn start_retransmit_timer(&mut self, dev: &mut impl Device, node: usize) {
        let interval = self.peers[node & NODE_MASK].window.interval(self.config.retransmit_cycles);
        if let Some(due) = self.retransmit.set(node, dev.now().wrapping_add(interval)) {
            dev.set_timer(RETRANSMIT_TIMER, due);
        }
    }
}
