//! From arrived frames to host memory.

use nic_layout::counter::Counter;
use nic_layout::frame::word;
use nic_layout::frame::{FrameKind, FLAG_ABORTED, FLAG_LAST, FRAME_BYTES_MIN, HEADER_BYTES};
use nic_layout::ring::Event;
use nic_layout::tables::{BUFFER_TABLE_ENTRIES, PERMIT_WRITE};
use nic_layout::trace::Marker;
use nic_layout::{PAGE_BYTES, PAGE_SHIFT};
use nic_lookup::{rarely, Path, Place};
use nic_reliable::Arrival;

use crate::link::NODE_MASK;
use crate::post::runs_over;
use crate::translate::Untranslated;
use crate::turn::ANSWER_TURNS;
use crate::{Device, Machine};
use nic_plan::BUFFER_ENTRY_BYTES;

/// Whether the receive buffer is still needed.
#[derive(PartialEq, Eq)]
pub(crate) enum Buffer {
    Free,
    /// A DMA reads it, and gives it back when done.
    Busy,
}

/// Where the data of an allowed frame go.
struct Target {
    /// In its low bits, which are those that a key takes.
    pid: u32,
    address: u32,
}

impl<const E: u32, const L: u32, const W: u32> Machine<E, L, W> {
    /// Takes one frame from the ring. If there are more, the event is raised again: others have their turn between two frames.
    #[inline(always)]
    pub(crate) fn on_receive(&mut self, dev: &mut impl Device) {
        let index = self.receive_taken;
        let arrived = dev.receive_consumer();
        if index == arrived {
            rarely();
            return;
        }
        // Without room for its data the frame waits in the ring, not the protocol in a loop: the end of a host write goes on.
        if !self.has_write_room(2) {
            rarely();
            self.receive_stalled = true;
            self.count(dev, Counter::ReceiveStalls);
            return;
        }
        self.receive_taken = index.wrapping_add(1);
        if index.wrapping_add(1) != arrived {
            rarely();
            dev.raise(Event::MacRx);
        }
        let (buffer, length_bytes) = dev.received(index);
        dev.trace(Marker::ReceiveBegin, u32::from(index));
        if self.take_frame(dev, buffer, length_bytes) == Buffer::Free {
            dev.recycle(buffer);
        }
        self.count(dev, Counter::FramesReceived);
    }

    #[inline(always)]
    fn take_frame(&mut self, dev: &mut impl Device, buffer: u32, length_bytes: u32) -> Buffer {
        let at = dev.place(buffer);
        let type_word = dev.get(at, word::TYPE);
        if type_word & word::KIND_MASK != word::kind(FrameKind::Write, 0) {
            rarely();
            self.take_other(dev, at, type_word, length_bytes);
            return Buffer::Free;
        }
        let node_length = dev.get(at, word::NODE_LENGTH);
        let node = match self.check_source(dev, at, type_word, node_length, length_bytes) {
            Ok(node) => node,
            Err(reason) => return self.drop_frame(dev, reason),
        };
        let acknowledge = dev.get(at, word::ACKNOWLEDGE);
        let kept = self.take_write(dev, at, buffer, node, word::flags(type_word), word::data_bytes(node_length));
        self.on_acknowledge(dev, node, acknowledge);
        kept
    }

    /// A frame that writes nothing: an acknowledgement, or another one.
    #[inline(never)]
    #[cfg_attr(target_arch = "riscv32", link_section = ".fast.text")]
    fn take_other(&mut self, dev: &mut impl Device, at: Place, type_word: u32, length_bytes: u32) {
        if type_word & word::KIND_MASK != word::kind(FrameKind::Acknowledge, 0) {
            return self.take_notice(dev, at, type_word, length_bytes);
        }
        let node_length = dev.get(at, word::NODE_LENGTH);
        match self.check_source(dev, at, type_word, node_length, length_bytes) {
            Ok(node) => {
                let acknowledge = dev.get(at, word::ACKNOWLEDGE);
                self.count(dev, Counter::FramesAckOnly);
                self.on_acknowledge(dev, node, acknowledge);
            }
            Err(reason) => {
                self.drop_frame(dev, reason);
            }
        }
    }

    /// Shape, flags, destination, source and session: the node that sent the frame. One after the other, since a branch that is not taken costs least.
    #[inline(always)]
    pub(crate) fn check_source(
        &self,
        dev: &impl Device,
        at: Place,
        type_word: u32,
        node_length: u32,
        length_bytes: u32,
    ) -> Result<usize, Counter> {
        let data_bytes = word::data_bytes(node_length);
        if length_bytes < FRAME_BYTES_MIN as u32
            || HEADER_BYTES as u32 + data_bytes > length_bytes
            || data_bytes > self.config.frame_data_bytes_max
            || word::flags(type_word) & !(FLAG_LAST | FLAG_ABORTED) != 0
            || dev.get(at, word::ADDRESS_0) != self.address_words[0]
            || (dev.get(at, word::ADDRESS_1) ^ self.address_words[1]) << 16 != 0
        {
            return Err(Counter::FramesMalformed);
        }
        let node = word::node(node_length) as usize & NODE_MASK;
        if word::identity(node_length) != self.peers[node].identity {
            return Err(Counter::FramesStrange);
        }
        Ok(node)
    }

    #[inline(always)]
    fn take_write(
        &mut self,
        dev: &mut impl Device,
        at: Place,
        buffer: u32,
        node: usize,
        flags: u8,
        data_bytes: u32,
    ) -> Buffer {
        let sequence = dev.get(at, word::SEQUENCE);
        dev.trace(Marker::ReceiveHeader, sequence);
        let is_last = flags & FLAG_LAST != 0;
        match self.peers[node].receive.classify(sequence) {
            Arrival::InOrder => {}
            Arrival::Gap => return self.gap_frame(dev, node, buffer, sequence),
            Arrival::Duplicate => {
                self.owe_ack(dev, node, is_last);
                return self.drop_frame(dev, Counter::FramesDuplicate);
            }
        }
        if flags & FLAG_ABORTED != 0 {
            if data_bytes != 0 {
                return self.drop_frame(dev, Counter::FramesMalformed);
            }
            return self.refuse_frame(dev, node, is_last, Counter::FramesRefusedAborted);
        }
        let target = match self.check_target(dev, at, data_bytes) {
            Ok(target) => target,
            Err(reason) => return self.refuse_frame(dev, node, is_last, reason),
        };
        if data_bytes != 0 {
            match self.write_data(dev, target, buffer, data_bytes) {
                Ok(()) => {}
                Err(Untranslated::Fault) => {
                    return self.refuse_frame(dev, node, is_last, Counter::FramesRefusedPage);
                }
                Err(reason) => return self.miss_frame(dev, node, buffer, reason),
            }
            dev.trace(Marker::DmaWritePosted, sequence);
            self.count_hit(dev, Path::Receive);
        }
        self.peers[node].receive.advance();
        self.answer_turns.get_or_insert(ANSWER_TURNS);
        self.count(dev, Counter::FramesAccepted);
        dev.trace(Marker::Accepted, sequence);
        self.owe_ack(dev, node, is_last);
        if data_bytes != 0 {
            Buffer::Busy
        } else {
            Buffer::Free
        }
    }

    /// A frame that was held, as if it had just arrived.
    #[cold]
    #[inline(never)]
    pub(crate) fn take_held(
        &mut self,
        dev: &mut impl Device,
        at: Place,
        buffer: u32,
        node: usize,
        flags: u8,
        data_bytes: u32,
    ) -> Buffer {
        self.take_write(dev, at, buffer, node, flags, data_bytes)
    }

    /// Translates where a frame's data go, and posts their transfer, which gives the buffer back.
    #[inline(always)]
    fn write_data(
        &mut self,
        dev: &mut impl Device,
        target: Target,
        buffer: u32,
        data_bytes: u32,
    ) -> Result<(), Untranslated> {
        let page = target.address >> PAGE_SHIFT;
        let in_page = target.address % PAGE_BYTES;
        let data_at = buffer + HEADER_BYTES as u32;
        let first_bytes = PAGE_BYTES - in_page;
        if data_bytes > first_bytes {
            rarely();
            let (first, second) = self.translate_two(dev, Path::Receive, target.pid, page)?;
            self.post_write(dev, first.piece(in_page, data_at, first_bytes));
            let rest = second.piece(0, data_at + first_bytes, data_bytes - first_bytes);
            self.post_last_write(dev, rest, buffer);
            return Ok(());
        }
        let page = self.translate(dev, Path::Receive, target.pid, page)?;
        self.post_last_write(dev, page.piece(in_page, data_at, data_bytes), buffer);
        Ok(())
    }

    /// Key, bounds, direction and owner (INV-21, INV-22), of every frame anew.
    #[inline(always)]
    fn check_target(&mut self, dev: &mut impl Device, at: Place, data_bytes: u32) -> Result<Target, Counter> {
        let buffer = dev.get(at, word::BUFFER);
        if buffer >= BUFFER_TABLE_ENTRIES as u32 {
            return Err(Counter::FramesRefusedBuffer);
        }
        let entry = self.places.buffer_table.plus(buffer * BUFFER_ENTRY_BYTES);
        if dev.get(entry, 0) != 1 {
            return Err(Counter::FramesRefusedBuffer);
        }
        // Both words, whatever the first says: a wrong key takes the same time (INV-24).
        let key_0 = dev.get(entry, 16) ^ dev.get(at, word::KEY_0);
        let key_1 = dev.get(entry, 20) ^ dev.get(at, word::KEY_1);
        if key_0 | key_1 != 0 {
            return Err(Counter::FramesRefusedKey);
        }
        if dev.get(entry, 24) & PERMIT_WRITE == 0 {
            return Err(Counter::FramesRefusedPermission);
        }
        let offset = dev.get(at, word::BUFFER_OFFSET);
        let length = dev.get(entry, 12);
        if offset > length || data_bytes > length - offset {
            return Err(Counter::FramesRefusedBounds);
        }
        let address = dev.get(entry, 8).wrapping_add(offset);
        if address < offset || runs_over(address, data_bytes) {
            return Err(Counter::FramesRefusedBounds);
        }
        Ok(Target { pid: dev.get(entry, 4), address })
    }

    /// As if it had never come.
    #[cold]
    #[inline(never)]
    pub(crate) fn drop_frame(&mut self, dev: &mut impl Device, reason: Counter) -> Buffer {
        self.count(dev, reason);
        dev.trace(Marker::Dropped, reason as u32);
        Buffer::Free
    }

    /// Refused for good, so the sequence goes on (M-49); the sender is not told why (INV-24).
    #[cold]
    #[inline(never)]
    fn refuse_frame(&mut self, dev: &mut impl Device, node: usize, is_last: bool, reason: Counter) -> Buffer {
        self.count(dev, reason);
        dev.trace(Marker::Refused, reason as u32);
        self.peers[node & NODE_MASK].receive.advance();
        self.owe_ack(dev, node, is_last);
        Buffer::Free
    }
}
