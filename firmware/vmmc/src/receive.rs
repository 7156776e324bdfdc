//! From arrived frames to host memory.

use nic_layout::counter::Counter;
use nic_layout::frame::word;
use nic_layout::frame::{FrameKind, FLAG_ABORTED, FLAG_LAST, FRAME_BYTES_MIN, HEADER_BYTES};
use nic_layout::ring::Event;
use nic_layout::tables::{BUFFER_TABLE_ENTRIES, PERMIT_WRITE, PID_MAX};
use nic_layout::trace::Marker;
use nic_layout::PAGE_BYTES;
use nic_lookup::Path;
use nic_reliable::Arrival;

use crate::dma::WriteEnd;
use crate::link::NODE_MASK;
use crate::memory_map::BUFFER_ENTRY_BYTES;
use crate::translate::Pages;
use crate::{Device, Machine};

/// Frames that one event serves, before others have their turn.
const FRAMES_PER_EVENT: u32 = 4;

/// Whether the receive buffer is still needed.
#[derive(PartialEq, Eq)]
enum Buffer {
    Free,
    /// A DMA reads it, and gives it back when done.
    Busy,
}

/// Where the data of an allowed frame go.
struct Target {
    pid: u32,
    address: u32,
}

impl<const E: u32, const L: u32, const W: u32> Machine<E, L, W> {
    #[cfg_attr(target_arch = "riscv32", link_section = ".fast.text")]
    pub fn on_receive(&mut self, dev: &mut impl Device) {
        let arrived = dev.receive_consumer();
        let mut budget = FRAMES_PER_EVENT;
        while self.receive_taken != arrived {
            if budget == 0 {
                dev.raise(Event::MacRx);
                return;
            }
            budget -= 1;
            // Without room for its data the frame waits in the ring, not the protocol in a loop: the end of a host write goes on.
            if !self.write_room(dev, 2) {
                self.receive_stalled = true;
                self.count(dev, Counter::ReceiveStalls);
                return;
            }
            let (buffer, length_bytes) = dev.received(self.receive_taken);
            dev.trace(Marker::ReceiveBegin, u32::from(self.receive_taken));
            self.receive_taken = self.receive_taken.wrapping_add(1);
            if self.take_frame(dev, buffer, length_bytes) == Buffer::Free {
                dev.recycle(buffer);
            }
        }
    }

    #[inline(always)]
    fn take_frame(&mut self, dev: &mut impl Device, at: u32, length_bytes: u32) -> Buffer {
        self.count(dev, Counter::FramesReceived);
        let type_word = dev.read(at + word::TYPE);
        let node_length = dev.read(at + word::NODE_LENGTH);
        let data_bytes = word::data_bytes(node_length);
        let kind = type_word & word::KIND_MASK;
        let is_write = kind == word::kind(FrameKind::Write, 0);
        let flags = word::flags(type_word);
        let is_whole = length_bytes >= FRAME_BYTES_MIN as u32
            && HEADER_BYTES as u32 + data_bytes <= length_bytes
            && data_bytes <= self.config.frame_data_bytes_max;
        let is_for_us = dev.read(at + word::ADDRESS_0) == self.address_words[0]
            && dev.read(at + word::ADDRESS_1) & 0xFFFF == self.address_words[1] & 0xFFFF;
        let is_known = is_write || kind == word::kind(FrameKind::Acknowledge, 0);
        if !is_whole || !is_for_us || !is_known || flags & !(FLAG_LAST | FLAG_ABORTED) != 0 {
            return self.drop_frame(dev, Counter::FramesMalformed);
        }
        let node = word::node(node_length);
        if node >= self.config.node_count
            || node == self.config.node
            || word::session(node_length) != self.config.session
        {
            return self.drop_frame(dev, Counter::FramesStrange);
        }
        let node = node as usize & NODE_MASK;
        let acknowledge = dev.read(at + word::ACKNOWLEDGE);
        let buffer = if is_write {
            self.take_write(dev, at, node, flags, data_bytes)
        } else {
            self.count(dev, Counter::FramesAckOnly);
            Buffer::Free
        };
        self.on_acknowledge(dev, node, acknowledge);
        buffer
    }

    #[inline(always)]
    fn take_write(&mut self, dev: &mut impl Device, at: u32, node: usize, flags: u8, data_bytes: u32) -> Buffer {
        let sequence = dev.read(at + word::SEQUENCE);
        dev.trace(Marker::ReceiveHeader, sequence);
        let is_last = flags & FLAG_LAST != 0;
        match self.peers[node].receive.classify(sequence) {
            Arrival::InOrder => {}
            Arrival::Gap => return self.drop_frame(dev, Counter::FramesGap),
            Arrival::Duplicate => {
                self.drop_frame(dev, Counter::FramesDuplicate);
                self.owe_ack(dev, node, is_last);
                return Buffer::Free;
            }
        }
        let target = if flags & FLAG_ABORTED != 0 {
            if data_bytes != 0 {
                return self.drop_frame(dev, Counter::FramesMalformed);
            }
            Err(Counter::FramesRefusedAborted)
        } else {
            self.check_target(dev, at, data_bytes)
        };
        let target = match target {
            Ok(target) => target,
            Err(reason) => return self.refuse_frame(dev, node, is_last, reason),
        };
        dev.trace(Marker::ChecksDone, sequence);

        let mut buffer = Buffer::Free;
        if data_bytes != 0 {
            let in_page = target.address % PAGE_BYTES;
            let first_bytes = data_bytes.min(PAGE_BYTES - in_page);
            let data_at = at + HEADER_BYTES as u32;
            match self.translate(dev, Path::Receive, target.pid, target.address, data_bytes > first_bytes) {
                Pages::Locked { first, second: None } => {
                    self.post_write(dev, first.piece(in_page, data_at, data_bytes), WriteEnd::Recycle(at));
                }
                Pages::Locked { first, second: Some(next) } => {
                    self.post_write(dev, first.piece(in_page, data_at, first_bytes), WriteEnd::Nothing);
                    let rest = next.piece(0, data_at + first_bytes, data_bytes - first_bytes);
                    self.post_write(dev, rest, WriteEnd::Recycle(at));
                }
                Pages::Wait(_) => return self.drop_frame(dev, Counter::FramesDroppedMiss),
                Pages::Fault => return self.refuse_frame(dev, node, is_last, Counter::FramesRefusedPage),
            }
            dev.trace(Marker::DmaWritePosted, sequence);
            buffer = Buffer::Busy;
        }
        self.peers[node].receive.advance();
        self.count(dev, Counter::FramesAccepted);
        dev.trace(Marker::Accepted, sequence);
        self.owe_ack(dev, node, is_last);
        buffer
    }

    /// Key, bounds, direction and owner (INV-21, INV-22), of every frame anew.
    #[inline(always)]
    fn check_target(&mut self, dev: &mut impl Device, at: u32, data_bytes: u32) -> Result<Target, Counter> {
        let buffer = dev.read(at + word::BUFFER);
        if buffer >= BUFFER_TABLE_ENTRIES as u32 {
            return Err(Counter::FramesRefusedBuffer);
        }
        let entry = self.config.map.buffer_table + buffer * BUFFER_ENTRY_BYTES;
        if dev.read(entry) != 1 {
            return Err(Counter::FramesRefusedBuffer);
        }
        // Both words, whatever the first says: a wrong key takes the same time (INV-24).
        let key_0 = dev.read(entry + 16) ^ dev.read(at + word::KEY_0);
        let key_1 = dev.read(entry + 20) ^ dev.read(at + word::KEY_1);
        if key_0 | key_1 != 0 {
            return Err(Counter::FramesRefusedKey);
        }
        if dev.read(entry + 24) & PERMIT_WRITE == 0 {
            return Err(Counter::FramesRefusedPermission);
        }
        let offset = dev.read(at + word::BUFFER_OFFSET);
        let length = dev.read(entry + 12);
        if offset > length || data_bytes > length - offset {
            return Err(Counter::FramesRefusedBounds);
        }
        let start = dev.read(entry + 8);
        let Some(address) = start.checked_add(offset) else {
            return Err(Counter::FramesRefusedBounds);
        };
        if address.checked_add(data_bytes.saturating_sub(1)).is_none() {
            return Err(Counter::FramesRefusedBounds);
        }
        Ok(Target { pid: dev.read(entry + 4) & PID_MAX, address })
    }

    /// As if it had never come.
    #[inline(always)]
    fn drop_frame(&mut self, dev: &mut impl Device, reason: Counter) -> Buffer {
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
