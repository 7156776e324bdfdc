//! The ends of host writes.

use nic_device::{rarely, Device};
use nic_layout::counter::Counter;
use nic_layout::personality::emp::descriptor::{stat, Failure};
use nic_layout::personality::emp::frame::word;
use nic_layout::ring::Event;
use nic_layout::trace::Marker;
use nic_lookup::Path;

use super::state::Receiver;
use super::tag::Tag;
use crate::frame::Frame;
use crate::messages::{Answer, ReceiverToSorter};
use crate::neighbours::{Sorts, Transmits};
use crate::pages::Pages;
use crate::places::receive_record as record;

/// How often a receiver looks whether the data of a short message have arrived, before it leaves
/// the end of the message to a later turn.
const WRITE_LOOKS: u32 = 8;

impl<A: Pages> Receiver<A> {
    /// Handles the ends of host writes. The event of host writes, or the event of DMA errors, was
    /// pending, or somebody waits for room.
    #[inline(always)]
    pub fn on_writes<T: Transmits, S: Sorts>(&mut self, dev: &mut impl Device, to: &mut T, sorter: &mut S) {
        let is_apart = !T::IS_HERE || !S::IS_HERE;
        let mut consumer = dev.dma_write_consumer();
        let is_halted = dev.dma_write_halted();
        if is_halted {
            consumer = dev.dma_write_consumer();
        }
        while let Some(tag) = self.writes.oldest_ended(consumer) {
            if is_halted && self.writes.is_last_ended(consumer) || tag.ends() {
                if (is_apart || self.is_stirred) && !self.has_room(dev) {
                    // The event comes again, so that this is not forgotten.
                    rarely();
                    return dev.raise(Event::DmaWrite);
                }
                if is_halted && self.writes.is_last_ended(consumer) {
                    self.on_error(dev, tag);
                } else {
                    self.complete(dev, to, sorter, tag.record());
                }
            }
            if tag.buffer() != 0 {
                dev.recycle(tag.buffer());
            }
            self.pages.ended(dev, Path::Receive, self.writes.ended());
            self.writes.retire();
        }
        if is_halted {
            dev.resume_dma_write();
        }
        if self.failing != 0 {
            rarely();
            self.settle_all(dev);
            self.look_again(dev);
        }
    }

    /// Ends a message of one frame, whose data were handed to the engine in this turn, if they are
    /// in host memory by now. False: nothing was done. Its books were not kept, and need not be.
    #[inline(always)]
    pub(crate) fn end_whole(
        &mut self,
        dev: &mut impl Device,
        to: &mut impl Transmits,
        record: u32,
        frame: &Frame,
        length: u32,
    ) -> bool {
        let receive = self.record(record);
        let at = dev.place(dev.get(receive, record::DESCRIPTOR));
        let tag_word = dev.get(frame.at, word::TAG);
        // The index is read before the flag: so the transfer has succeeded, or the flag is set.
        if self.writes.under_way() != 1 || !self.has_written(dev) || dev.dma_write_halted() {
            rarely();
            return false;
        }
        dev.put(at, 8, length);
        dev.put(at, 4, tag_word & 0xFFFF);
        dev.put(at, 0, u32::from(stat::DONE) | frame.node() << 16);
        dev.trace(Marker::MessageReceived, record);
        dev.put(receive, record::STATE, record::FREE);
        self.answer(dev, to, Answer::Ack, frame.node(), frame.numbers);
        // Nothing else is under way, so no other end is missed.
        dev.clear(Event::DmaWrite);
        dev.recycle(frame.buffer);
        self.pages.ended(dev, Path::Receive, self.writes.ended());
        self.writes.retire();
        self.count_placed(dev);
        self.done = self.done.wrapping_add(1);
        dev.put(dev.counters(), Counter::ReceivesDone.offset(), self.done);
        true
    }

    /// Whether all transfers have ended. They take a few clocks more than the books of the sorter.
    #[inline(always)]
    fn has_written(&self, dev: &impl Device) -> bool {
        (0..WRITE_LOOKS).any(|_| dev.dma_write_consumer() == self.writes.next_number() as u16)
    }

    /// The message of a record is in host memory.
    #[inline(always)]
    fn complete<S: Sorts>(&mut self, dev: &mut impl Device, to: &mut impl Transmits, sorter: &mut S, record: u32) {
        dev.step::<{ Marker::MessagePlaced as u8 }>();
        let receive = self.record(record);
        if dev.get(receive, record::STATE) != record::ENDING {
            // It was given up meanwhile.
            rarely();
            return;
        }
        let message = dev.get(receive, record::MESSAGE);
        let (node, number) = (record::node(message), record::number(message));
        let (offset, length) = (dev.get(receive, record::DESCRIPTOR), dev.get(receive, record::LENGTH));
        let tag_word = dev.get(receive, record::TAG);
        if !S::IS_HERE {
            // Before the host can post the receive again.
            dev.put(receive, record::STATE, record::FREE);
            self.to_sorter.push(dev, ReceiverToSorter::Complete { node, number }.words());
            dev.tell();
        }
        let at = dev.place(offset);
        dev.put(at, 8, length);
        dev.put(at, 4, tag_word & 0xFFFF);
        dev.put(at, 0, u32::from(stat::DONE) | node << 16);
        dev.trace(Marker::MessageReceived, record);
        if S::IS_HERE {
            dev.put(receive, record::STATE, record::FREE);
            sorter.completed(dev, node, number);
        }
        let numbers = dev.get(receive, record::LAST);
        self.answer(dev, to, Answer::Ack, node, numbers);
        self.done = self.done.wrapping_add(1);
        // As many as are done since the start.
        dev.put(dev.counters(), Counter::ReceivesDone.offset(), self.done);
    }

    /// A write of a message has failed.
    #[cold]
    fn on_error(&mut self, dev: &mut impl Device, tag: Tag) {
        dev.count(Counter::DmaWriteErrors);
        let receive = self.record(tag.record());
        let state = dev.get(receive, record::STATE);
        if state == record::RECEIVING || state == record::ENDING {
            self.fail(dev, tag.record(), Failure::BusError, true);
        }
    }
}
