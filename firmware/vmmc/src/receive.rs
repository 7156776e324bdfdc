//! From arrived frames to host memory.

use nic_device::{rarely, Place};
use nic_layout::counter::Counter;
use nic_layout::frame::word;
use nic_layout::frame::{FrameKind, FLAG_ABORTED, FLAG_LAST, FLAG_NOTIFY};
use nic_layout::ring::Event;
use nic_layout::tables::PERMIT_WRITE;
use nic_layout::trace::Marker;
use nic_layout::{PAGE_BYTES, PAGE_SHIFT};
use nic_lookup::Path;
use nic_reliable::Arrival;

use crate::buffer::{NoTarget, Target};
use crate::pieces::LONG_BYTES;
use crate::translate::{count_hit, Untranslated};
use crate::turn::{Answer, SHORT_BYTES};
use crate::{Machine, Tables};
use nic_device::Device;

/// The flag of a message's last frame, in its type word.
const LAST: u32 = (FLAG_LAST as u32) << 24;

/// The flags that exist.
pub(crate) const FLAGS: u8 = FLAG_LAST | FLAG_ABORTED | FLAG_NOTIFY;

/// Whether the receive buffer is still needed.
#[derive(PartialEq, Eq)]
pub(crate) enum Buffer {
    Free,
    /// A DMA reads it, and gives it back when done.
    Busy,
}

impl<T: Tables> Machine<T> {
    /// Takes one frame from the ring. If there are more, the event is raised again: others have their turn between two frames.
    #[inline(always)]
    pub(crate) fn on_receive(&mut self, dev: &mut impl Device) {
        let index = self.receive_taken;
        if index == dev.receive_consumer() {
            rarely();
            return;
        }
        // Without room for its data the frame waits in the ring, not the protocol in a loop: the end of a host write goes on.
        if !self.writes.has_room(2) {
            rarely();
            self.receive_stalled = true;
            dev.count(Counter::ReceiveStalls);
            return;
        }
        let (buffer, length_bytes) = dev.received(index);
        dev.trace(Marker::ReceiveBegin, u32::from(index));
        // Unless data say otherwise: whoever sends other frames, one behind the other, has nobody wait.
        self.answer = Answer::NotAwaited;
        if self.take_frame(dev, buffer, length_bytes) == Buffer::Free {
            dev.recycle(buffer);
        }
        let next = self.receive_taken.wrapping_add(1);
        self.receive_taken = next;
        dev.expect(next);
        if next != dev.receive_consumer() {
            rarely();
            dev.raise(Event::MacRx);
        }
        dev.count(Counter::FramesReceived);
    }

    #[inline(always)]
    fn take_frame(&mut self, dev: &mut impl Device, buffer: u32, length_bytes: u32) -> Buffer {
        let at = dev.place(buffer);
        // A frame of the other width of keys is of no kind that there is.
        let type_word = dev.get(at, word::TYPE) ^ Self::MARK;
        // One comparison for most frames: a write that may be the last of its message, and is nothing else.
        if (type_word ^ word::kind(FrameKind::Write, 0)) & !LAST != 0 {
            rarely();
            return self.take_other(dev, at, buffer, type_word, length_bytes);
        }
        self.take_write_frame::<true>(dev, at, buffer, type_word, length_bytes)
    }

    /// A write. Twice in the image: `IS_PLAIN` without flags but that of the last frame.
    #[inline(always)]
    fn take_write_frame<const IS_PLAIN: bool>(
        &mut self,
        dev: &mut impl Device,
        at: Place,
        buffer: u32,
        type_word: u32,
        length_bytes: u32,
    ) -> Buffer {
        let node_length = dev.get(at, word::NODE_LENGTH);
        let node = match self.link.check_source::<IS_PLAIN>(dev, at, (type_word, FLAGS), node_length, length_bytes) {
            Ok(node) => node,
            Err(reason) => return self.drop_frame(dev, reason),
        };
        let flags = word::flags(type_word) & if IS_PLAIN { FLAG_LAST } else { u8::MAX };
        let kept = self.take_write(dev, at, buffer, node, flags, word::data_bytes(node_length));
        // Nobody takes the buffer away before we give it back.
        let acknowledge = dev.get(at, word::ACKNOWLEDGE);
        self.defer_acknowledge(dev, node, acknowledge);
        kept
    }

    /// A write with other flags.
    #[cold]
    #[inline(never)]
    fn take_write_rarely(
        &mut self,
        dev: &mut impl Device,
        at: Place,
        buffer: u32,
        type_word: u32,
        length_bytes: u32,
    ) -> Buffer {
        self.take_write_frame::<false>(dev, at, buffer, type_word, length_bytes)
    }

    /// A frame that is no plain write: an acknowledgement, another kind, or none of ours.
    #[inline(never)]
    #[cfg_attr(target_arch = "riscv32", link_section = ".fast.text")]
    fn take_other(
        &mut self,
        dev: &mut impl Device,
        at: Place,
        buffer: u32,
        type_word: u32,
        length_bytes: u32,
    ) -> Buffer {
        if type_word & word::KIND_MASK != word::kind(FrameKind::Acknowledge, 0) {
            return self.take_of_read(dev, at, buffer, type_word, length_bytes);
        }
        let node_length = dev.get(at, word::NODE_LENGTH);
        match self.link.check_source::<false>(dev, at, (type_word, FLAGS), node_length, length_bytes) {
            Ok(node) => {
                let acknowledge = dev.get(at, word::ACKNOWLEDGE);
                let refusals = dev.get(at, word::REFUSALS);
                dev.count(Counter::FramesAckOnly);
                self.on_acknowledge(dev, node, acknowledge, refusals);
                Buffer::Free
            }
            Err(reason) => self.drop_frame(dev, reason),
        }
    }

    /// A frame of a read: its request, or a reply; or another one.
    ///
    /// In SRAM, all that a read needs in one piece: so none of it takes another's place in the instruction cache.
    #[inline(never)]
    #[cfg_attr(target_arch = "riscv32", link_section = ".text.reads")]
    fn take_of_read(
        &mut self,
        dev: &mut impl Device,
        at: Place,
        buffer: u32,
        type_word: u32,
        length_bytes: u32,
    ) -> Buffer {
        const READ: u32 = word::kind(FrameKind::Read, FLAG_LAST);
        const REPLY: u32 = word::kind(FrameKind::Reply, 0);
        const REPLY_LAST: u32 = word::kind(FrameKind::Reply, FLAG_LAST);
        const REPLY_ABORTED: u32 = word::kind(FrameKind::Reply, FLAG_LAST | FLAG_ABORTED);
        if !matches!(type_word, READ | REPLY | REPLY_LAST | REPLY_ABORTED) {
            rarely();
            return self.take_rare(dev, at, buffer, type_word, length_bytes);
        }
        let node_length = dev.get(at, word::NODE_LENGTH);
        let node = match self.link.check_source::<true>(dev, at, (type_word, FLAGS), node_length, length_bytes) {
            Ok(node) => node,
            Err(reason) => return self.drop_frame(dev, reason),
        };
        let acknowledge = dev.get(at, word::ACKNOWLEDGE);
        let data_bytes = word::data_bytes(node_length);
        let kept = match self.check_sequence(dev, at, buffer, node, true) {
            Ok(()) if type_word == READ => self.take_read(dev, at, buffer, node, data_bytes),
            Ok(()) => self.take_reply(dev, at, buffer, node, word::flags(type_word), data_bytes),
            Err(kept) => kept,
        };
        // It counts whatever becomes of the data.
        self.defer_acknowledge(dev, node, acknowledge);
        kept
    }

    /// A write with other flags, a probe, or none of ours.
    #[cold]
    #[inline(never)]
    fn take_rare(
        &mut self,
        dev: &mut impl Device,
        at: Place,
        buffer: u32,
        type_word: u32,
        length_bytes: u32,
    ) -> Buffer {
        const PROBE: u32 = word::kind(FrameKind::Probe, FLAG_LAST);
        const MISSED: u32 = word::kind(FrameKind::Missed, 0);
        const RESTART: u32 = word::kind(FrameKind::Restart, 0);
        if matches!(type_word, MISSED | RESTART) {
            self.take_notice(dev, at, type_word, length_bytes);
            return Buffer::Free;
        }
        if type_word & word::KIND_MASK == word::kind(FrameKind::Write, 0) {
            return self.take_write_rarely(dev, at, buffer, type_word, length_bytes);
        }
        if type_word != PROBE {
            return self.drop_frame(dev, Counter::FramesMalformed);
        }
        let node_length = dev.get(at, word::NODE_LENGTH);
        let node = match self.link.check_source::<false>(dev, at, (type_word, FLAGS), node_length, length_bytes) {
            Ok(node) => node,
            Err(reason) => return self.drop_frame(dev, reason),
        };
        let acknowledge = dev.get(at, word::ACKNOWLEDGE);
        self.on_acknowledge(dev, node, acknowledge, 0);
        if let Err(kept) = self.check_sequence(dev, at, buffer, node, true) {
            return kept;
        }
        self.accept(dev, at, node, true)
    }

    /// Whether the frame is the next of its node; otherwise it is dropped, and acknowledged again if it was taken before.
    #[inline(always)]
    fn check_sequence(
        &mut self,
        dev: &mut impl Device,
        at: Place,
        buffer: u32,
        node: usize,
        is_last: bool,
    ) -> Result<(), Buffer> {
        let sequence = dev.get(at, word::SEQUENCE);
        dev.trace(Marker::ReceiveHeader, sequence);
        match self.link.classify(node, sequence) {
            Arrival::InOrder => Ok(()),
            Arrival::Gap => Err(self.gap_frame(dev, node, buffer, sequence)),
            Arrival::Duplicate => {
                self.link.owe_ack(dev, node, is_last);
                Err(self.drop_frame(dev, Counter::FramesDuplicate))
            }
        }
    }

    /// The frame counts, and is acknowledged. Its receive buffer is free.
    pub(crate) fn accept(&mut self, dev: &mut impl Device, at: Place, node: usize, is_last: bool) -> Buffer {
        self.link.advance(node);
        dev.count(Counter::FramesAccepted);
        dev.trace(Marker::Accepted, dev.get(at, word::SEQUENCE));
        self.link.owe_ack(dev, node, is_last);
        Buffer::Free
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
        match self.link.classify(node, sequence) {
            Arrival::InOrder => {}
            Arrival::Gap => return self.gap_frame(dev, node, buffer, sequence),
            Arrival::Duplicate => {
                self.link.owe_ack(dev, node, is_last);
                return self.drop_frame(dev, Counter::FramesDuplicate);
            }
        }
        if flags & (FLAG_ABORTED | FLAG_NOTIFY) != 0 {
            rarely();
            if let Some(ending) = self.check_flags(flags, data_bytes) {
                return match ending {
                    Counter::FramesRefusedAborted => self.refuse_frame(dev, node, is_last, ending),
                    _ => self.drop_frame(dev, ending),
                };
            }
        }
        let target = match self.check_target(dev, at, data_bytes, PERMIT_WRITE) {
            Ok(target) => target,
            Err(reason) => return self.turn_away(dev, node, buffer, is_last, reason),
        };
        if data_bytes != 0 {
            match self.write_data(dev, target, buffer, data_bytes) {
                Ok(()) => {}
                Err(Untranslated::Fault) => {
                    return self.refuse_frame(dev, node, is_last, Counter::FramesRefusedPage);
                }
                Err(reason) => return self.miss_frame(dev, node, buffer, reason, Counter::FramesDroppedMiss),
            }
            dev.trace(Marker::DmaWritePosted, sequence);
            if is_last {
                self.answer = if data_bytes <= SHORT_BYTES { Answer::Awaited } else { Answer::NotYet };
            } else if data_bytes < LONG_BYTES {
                // The next piece comes before anything else can be done.
                self.answer = Answer::Awaited;
            }
            count_hit(dev, Path::Receive);
        }
        self.link.advance(node);
        dev.count(Counter::FramesAccepted);
        dev.trace(Marker::Accepted, sequence);
        self.link.owe_ack(dev, node, is_last);
        if flags & FLAG_NOTIFY != 0 {
            rarely();
            self.notify(dev, at, node, data_bytes);
        }
        if data_bytes != 0 {
            Buffer::Busy
        } else {
            Buffer::Free
        }
    }

    /// A frame that was held, as if it had just arrived.
    #[cold]
    #[inline(never)]
    pub(crate) fn take_held(&mut self, dev: &mut impl Device, buffer: u32, length_bytes: u32) -> Buffer {
        let at = dev.place(buffer);
        let type_word = dev.get(at, word::TYPE) ^ Self::MARK;
        if type_word & word::KIND_MASK == word::kind(FrameKind::Write, 0) {
            return self.take_write_rarely(dev, at, buffer, type_word, length_bytes);
        }
        self.take_other(dev, at, buffer, type_word, length_bytes)
    }

    /// What becomes of an aborted frame, or of one that notifies if it cannot.
    #[cold]
    #[inline(never)]
    fn check_flags(&self, flags: u8, data_bytes: u32) -> Option<Counter> {
        if flags & FLAG_ABORTED != 0 {
            let is_whole = data_bytes == 0 && flags & FLAG_NOTIFY == 0;
            return Some(if is_whole { Counter::FramesRefusedAborted } else { Counter::FramesMalformed });
        }
        if flags & FLAG_LAST == 0 {
            return Some(Counter::FramesMalformed);
        }
        self.notifications.is_full().then_some(Counter::FramesDroppedNotify)
    }

    /// Translates where a frame's data go, and posts their transfer, which gives the buffer back.
    #[inline(always)]
    pub(crate) fn write_data(
        &mut self,
        dev: &mut impl Device,
        target: Target,
        buffer: u32,
        data_bytes: u32,
    ) -> Result<(), Untranslated> {
        let page = target.address >> PAGE_SHIFT;
        let in_page = target.address % PAGE_BYTES;
        let data_at = buffer + Self::HEADER_BYTES;
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

    /// A frame without a target.
    #[cold]
    #[inline(never)]
    pub(crate) fn turn_away(
        &mut self,
        dev: &mut impl Device,
        node: usize,
        buffer: u32,
        is_last: bool,
        reason: NoTarget,
    ) -> Buffer {
        match reason {
            NoTarget::Missed(reason) => self.miss_frame(dev, node, buffer, reason, Counter::FramesDroppedBuffer),
            NoTarget::Refused(reason) => self.refuse_frame(dev, node, is_last, reason),
        }
    }

    /// As if it had never come.
    #[cold]
    #[inline(never)]
    pub(crate) fn drop_frame(&mut self, dev: &mut impl Device, reason: Counter) -> Buffer {
        dev.count(reason);
        dev.trace(Marker::Dropped, reason as u32);
        Buffer::Free
    }

    /// Refused for good, so the sequence goes on (M-49); the sender is told that it was, not why (INV-24).
    #[cold]
    #[inline(never)]
    pub(crate) fn refuse_frame(
        &mut self,
        dev: &mut impl Device,
        node: usize,
        is_last: bool,
        reason: Counter,
    ) -> Buffer {
        dev.count(reason);
        dev.trace(Marker::Refused, reason as u32);
        self.link.refuse(dev, node, is_last);
        Buffer::Free
    }
}
