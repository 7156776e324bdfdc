//! The ends of host reads.

use nic_device::{rarely, Device};
use nic_layout::frame::link::FRAME_BYTES_MIN;
use nic_layout::personality::emp::descriptor::Failure;
use nic_layout::ring::{Event, MAC_FLAG_SKIP};
use nic_lookup::Path;

use super::state::Transmitter;
use super::tag::Tag;
use crate::messages::{TransmitterToReceiver, TransmitterToSender};
use crate::pages::Pages;

impl<A: Pages> Transmitter<A> {
    /// Handles the ends of host reads. The event of host reads, or the event of DMA errors, was
    /// pending.
    #[inline(never)]
    #[cfg_attr(target_arch = "riscv32", link_section = ".fast.text.reads")]
    pub fn on_reads(&mut self, dev: &mut impl Device) {
        let mut consumer = dev.dma_read_consumer();
        // The index is read before this flag. So each transfer below the index has succeeded, or
        // the flag is set.
        let is_halted = dev.dma_read_halted();
        if is_halted {
            consumer = dev.dma_read_consumer();
        }
        if !is_halted && self.awaited == 0 {
            if !A::MAY_MISS {
                return self.reads.retire_all(consumer);
            }
            while self.reads.oldest_ended(consumer).is_some() {
                self.retire(dev);
            }
            return;
        }
        rarely();
        while let Some(tag) = self.reads.oldest_ended(consumer) {
            // While the engine is halted, the last one that has ended is the one that failed.
            let has_failed = is_halted && self.reads.is_last_ended(consumer);
            if (has_failed || tag.kind() > Tag::DATA) && !self.end(dev, tag, has_failed) {
                // A queue has no room. The event comes again, so that this is not forgotten.
                return dev.raise(Event::DmaRead);
            }
            self.awaited -= u32::from(tag.kind() > Tag::DATA);
            self.retire(dev);
        }
        if is_halted {
            dev.resume_dma_read();
        }
    }

    /// The end of the oldest transfer was handled.
    #[inline(always)]
    fn retire(&mut self, dev: &mut impl Device) {
        self.pages.ended(dev, Path::Send, self.reads.ended());
        self.reads.retire();
    }

    /// Handles the end of a transfer that somebody waits for, or that has failed. False if a queue
    /// has no room.
    #[cold]
    #[inline(never)]
    fn end(&mut self, dev: &mut impl Device, tag: Tag, has_failed: bool) -> bool {
        let what = tag.what();
        self.stir(dev);
        match tag.kind() {
            Tag::DRAIN => {
                if self.to_sender.room(dev) == 0 {
                    return false;
                }
                self.to_sender.push(dev, TransmitterToSender::Drained { record: what }.words());
            }
            Tag::RECEIVE_LIST => {
                if self.to_receiver.room(dev) == 0 {
                    return false;
                }
                let entry = match has_failed {
                    true => TransmitterToReceiver::LoadFailed { buffer: what },
                    false => TransmitterToReceiver::Loaded { buffer: what },
                };
                self.to_receiver.push(dev, entry.words());
            }
            Tag::LIST if !has_failed => {
                self.lists.loaded(what);
                // Messages that wait for it are asked for again.
                self.pages.wake();
                if self.open.is_some() {
                    self.go_on(dev);
                }
            }
            Tag::LIST => {
                let record = self.lists.failed(what);
                if !self.tell_failed(dev, record, Failure::BusError) {
                    return false;
                }
                self.void_open(record);
            }
            Tag::DATA => {
                if !self.tell_failed(dev, what, Failure::BusError) {
                    return false;
                }
                let number = tag.0 as u16;
                if number == self.ring.next_number() {
                    self.void_open(what);
                } else {
                    dev.shorten_transmit(number, MAC_FLAG_SKIP | FRAME_BYTES_MIN as u32);
                }
            }
            _ => {}
        }
        true
    }

    /// The open frame, if it is of this record, asks for no more data and does not leave.
    fn void_open(&mut self, record: u32) {
        if let Some(open) = &mut self.open {
            if open.record == record {
                open.make_void();
            }
        }
    }
}
