//! The ends of host writes, and of receives.

use nic_device::{rarely, Device};
use nic_dma::Transfer;
use nic_layout::counter::Counter;
use nic_layout::personality::emp::descriptor::{stat, Failure, RECEIVE_DESCRIPTORS};
use nic_layout::personality::emp::frame::word;
use nic_layout::ring::{restarted_peer, Event, DMA_FLAG_EVENT};
use nic_layout::trace::Marker;

use super::Receiver;
use crate::command::{is_close, is_restart};
use crate::messages::{Answer, ReceiverToSorter};
use crate::places::receive_record as record;

/// What a host write is for: the receive buffer that it frees, if it is the last of a frame, and
/// whether it ends its message.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tag(u32);

impl Tag {
    pub const UNUSED: Tag = Tag(0);
    const ENDS: u32 = 1;
    const BUFFER_MASK: u32 = 0xF_FFF8;

    /// `buffer`: a multiple of 8 below 2^20; 0: none.
    #[inline(always)]
    pub const fn new(record: u32, buffer: u32, ends: bool) -> Tag {
        Tag(record << 20 | buffer & Tag::BUFFER_MASK | ends as u32)
    }

    const fn buffer(self) -> u32 {
        self.0 & Tag::BUFFER_MASK
    }

    const fn record(self) -> u32 {
        self.0 >> 20
    }

    const fn ends(self) -> bool {
        self.0 & Tag::ENDS != 0
    }
}

impl Receiver {
    /// Handles the ends of host writes. The event of host writes, or that of DMA errors, was
    /// pending, or somebody waits for room.
    #[inline(always)]
    pub fn on_writes(&mut self, dev: &mut impl Device) {
        let mut consumer = dev.dma_write_consumer();
        let is_halted = dev.dma_write_halted();
        if is_halted {
            consumer = dev.dma_write_consumer();
        }
        while let Some(tag) = self.writes.oldest_ended(consumer) {
            if is_halted && self.writes.is_last_ended(consumer) || tag.ends() {
                if !self.has_room(dev) {
                    // The event comes again, so that this is not forgotten.
                    rarely();
                    return dev.raise(Event::DmaWrite);
                }
                if is_halted && self.writes.is_last_ended(consumer) {
                    self.on_error(dev, tag);
                } else {
                    self.complete(dev, tag.record());
                }
            }
            if tag.buffer() != 0 {
                dev.recycle(tag.buffer());
            }
            self.writes.retire();
        }
        if is_halted {
            dev.resume_dma_write();
        }
        if self.failing != 0 {
            rarely();
            self.settle_all(dev);
        }
    }

    /// The message of a record is in host memory.
    #[inline(always)]
    fn complete(&mut self, dev: &mut impl Device, record: u32) {
        let receive = self.record(dev, record);
        if dev.get(receive, record::STATE) != record::ENDING {
            // It was given up meanwhile.
            rarely();
            return;
        }
        let (message, numbers) = (dev.get(receive, record::MESSAGE), dev.get(receive, record::LAST));
        let (node, number) = (record::node(message), word::message(numbers));
        let (offset, length) = (dev.get(receive, record::DESCRIPTOR), dev.get(receive, record::LENGTH));
        let tag_word = dev.get(receive, record::TAG);
        dev.put(receive, record::STATE, record::FREE);
        // Before the host can post the receive again.
        self.to_sorter.push(dev, ReceiverToSorter::Complete { node, number }.words());
        let at = dev.place(offset);
        dev.put(at, 8, length);
        dev.put(at, 4, tag_word & 0xFFFF);
        dev.put(at, 0, u32::from(stat::DONE) | node << 16);
        self.answer(dev, Answer::Ack, node, numbers);
        dev.count(Counter::ReceivesDone);
        dev.trace(Marker::MessageReceived, record);
    }

    /// A write of a message has failed.
    #[cold]
    fn on_error(&mut self, dev: &mut impl Device, tag: Tag) {
        dev.count(Counter::DmaWriteErrors);
        let receive = self.record(dev, tag.record());
        let state = dev.get(receive, record::STATE);
        if state == record::RECEIVING || state == record::ENDING {
            self.fail(dev, tag.record(), Failure::BusError, true);
        }
    }

    /// Gives up the message of a record. The host gets its descriptor when no transfer of the
    /// message is in flight. There is room in the queues. `tells`: whether the peer hears of it.
    #[cold]
    #[inline(never)]
    pub(super) fn fail(&mut self, dev: &mut impl Device, record: u32, failure: Failure, tells: bool) {
        let receive = self.record(dev, record);
        let message = dev.get(receive, record::MESSAGE);
        let (node, number) = (record::node(message), record::number(message));
        self.to_sorter.push(dev, ReceiverToSorter::Failed { node, number }.words());
        if tells {
            self.answer(dev, Answer::Aborted, node, word::numbers(number, 0));
        }
        dev.count(Counter::ReceivesFailed);
        if self.writes.under_way() != 0 && self.writes.has_room(1) {
            // The event of its end comes when nothing of the message is in flight.
            let nothing = Transfer { bus_address: 0, sram_address: 0, bytes: 0 };
            self.writes.post(dev, nothing, DMA_FLAG_EVENT, Tag::UNUSED);
        }
        dev.put(receive, record::STATE, record::FAILING);
        dev.put(receive, record::LAST, u32::from(failure.stat()) | self.writes.next_number() << 8);
        self.failing += 1;
        self.settle(dev, record);
    }

    /// Gives failed records back to the host.
    #[cold]
    fn settle_all(&mut self, dev: &mut impl Device) {
        for record in 0..RECEIVE_DESCRIPTORS {
            self.settle(dev, record);
        }
    }

    /// Gives a failed record back to the host, if no transfer of its message is in flight.
    #[cold]
    fn settle(&mut self, dev: &mut impl Device, record: u32) {
        let receive = self.record(dev, record);
        if dev.get(receive, record::STATE) != record::FAILING {
            return;
        }
        let last = dev.get(receive, record::LAST);
        // 24 bits of the number, and far fewer transfers are in the queue.
        let ended = self.writes.ended() << 8;
        if (ended.wrapping_sub(last & !0xFF) as i32) < 0 {
            return;
        }
        dev.put(receive, record::STATE, record::FREE);
        self.failing -= 1;
        let offset = dev.get(receive, record::DESCRIPTOR);
        let at = dev.place(offset);
        let head = dev.get(at, 0);
        dev.put(at, 0, head & !0xFF | last & 0xFF);
    }

    /// The node that sends a message has given it up.
    pub(super) fn on_abort(&mut self, dev: &mut impl Device, record: u32, node: u32, numbers: u32) {
        let receive = self.record(dev, record);
        let is_it = dev.get(receive, record::MESSAGE) == record::message(node, word::message(numbers));
        match dev.get(receive, record::STATE) {
            record::RECEIVING if is_it => self.fail(dev, record, Failure::Aborted, true),
            // All frames have come: it ends well.
            record::ENDING if is_it => {}
            _ => self.answer(dev, Answer::Aborted, node, numbers),
        }
    }

    /// The host gives a receive up that a message has taken. One that is about to end ends.
    pub(super) fn on_cancel(&mut self, dev: &mut impl Device, record: u32) {
        let receive = self.record(dev, record);
        if dev.get(receive, record::STATE) == record::RECEIVING {
            self.fail(dev, record, Failure::Cancelled, true);
        }
    }

    /// A list page could not be read.
    pub(super) fn on_load_failed(&mut self, dev: &mut impl Device, buffer: u32) {
        let record = self.lists.failed(buffer);
        if let Some(open) = self.open.take_if(|open| open.record == record) {
            self.give_up(dev, open, Failure::BusError);
        }
    }

    /// Obeys a command and passes it on, when everything before it is done.
    pub(super) fn pass_command(&mut self, dev: &mut impl Device) -> bool {
        let Some(Command { word, next, is_marked }) = self.command else { return false };
        if self.open.is_some() || self.waiting.is_some() || !self.from_sorter.is_empty(dev) {
            return false;
        }
        for record in next..RECEIVE_DESCRIPTORS {
            if !self.has_room(dev) {
                self.command = Some(Command { word, next: record, is_marked });
                return record != next;
            }
            let receive = self.record(dev, record);
            let state = dev.get(receive, record::STATE);
            if state != record::RECEIVING {
                continue;
            }
            let is_of_peer = record::node(dev.get(receive, record::MESSAGE)) == restarted_peer(word).0;
            if is_close(word) {
                self.fail(dev, record, Failure::Cancelled, true);
            } else if is_restart(word) && is_of_peer {
                self.fail(dev, record, Failure::PeerRestarted, false);
            }
        }
        self.command = Some(Command { word, next: RECEIVE_DESCRIPTORS, is_marked: true });
        if !is_marked && self.writes.has_room(1) {
            // The event of its end comes when all data are in host memory.
            let nothing = Transfer { bus_address: 0, sram_address: 0, bytes: 0 };
            self.writes.post(dev, nothing, DMA_FLAG_EVENT, Tag::UNUSED);
        }
        self.on_writes(dev);
        if self.writes.under_way() != 0 || self.failing != 0 || !self.has_room(dev) {
            return false;
        }
        self.to_sorter.push(dev, ReceiverToSorter::Command { word }.words());
        self.command = None;
        true
    }
}

/// A command of the driver on its way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Command {
    pub word: u32,
    /// The record that is looked at next.
    pub next: u32,
    /// Whether an event comes at the end of the transfers before it.
    pub is_marked: bool,
}
