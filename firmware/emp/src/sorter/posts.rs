//! Receives that the host posts and gives up.

use nic_device::{rarely, Device, Place};
use nic_layout::counter::Counter;
use nic_layout::personality::emp::descriptor::{
    self, stat, Descriptor, Failure, Format, Page, ANY_SOURCE, ANY_TAG, RECEIVE_DESCRIPTORS, SEND_DESCRIPTORS,
};
use nic_layout::personality::emp::WITHDRAW;
use nic_layout::ring::Event;
use nic_layout::trace::Marker;
use nic_matching::{Posted, Want};
use nic_scatter::Cursor;

use super::state::Sorter;
use crate::messages::SorterToReceiver;
use crate::places::receive_record as record;

impl<P: Posted> Sorter<P> {
    #[inline(always)]
    pub(super) fn on_posted(&mut self, dev: &mut impl Device, number: u32) {
        dev.step::<{ Marker::MailboxTaken as u8 }>();
        let record = number.wrapping_sub(SEND_DESCRIPTORS);
        if record >= RECEIVE_DESCRIPTORS {
            rarely();
            return dev.count(Counter::MailboxesWild);
        }
        let offset = self.places.descriptors + descriptor::offset_bytes(number);
        let at = dev.place(offset);
        let words = [0, 4, 8, 12, 16].map(|word| dev.get(at, word));
        let receive = dev.place(self.places.receives + record * record::BYTES);
        // A host may post a receive that is in use.
        if words[0] as u8 != stat::POSTED || dev.get(receive, record::STATE) != record::FREE {
            rarely();
            return dev.count(Counter::MailboxesWild);
        }
        dev.count(Counter::ReceivesTaken);
        match self.take(dev, record, receive, offset, words) {
            // The word goes last: the host polls it.
            Ok(()) => {
                dev.put(at, 0, words[0] & !0xFF | u32::from(stat::TAKEN));
                dev.step::<{ Marker::ReceiveTaken as u8 }>();
            }
            Err(failure) => {
                dev.count(Counter::ReceivesRefused);
                dev.put(at, 0, words[0] & !0xFF | u32::from(failure.stat()));
            }
        }
    }

    #[inline(always)]
    fn take(
        &mut self,
        dev: &mut impl Device,
        record: u32,
        receive: Place,
        offset: u32,
        words: [u32; 5],
    ) -> Result<(), Failure> {
        let posted = Descriptor::read(words)?;
        let source = match posted.flags & ANY_SOURCE {
            0 => Some(self.settings.peer(posted.node).ok_or(Failure::BadDescriptor)?),
            _ => None,
        };
        let tag = if posted.flags & ANY_TAG == 0 { Some(posted.tag) } else { None };
        let first = Page { address: posted.address, bytes: posted.page_bytes };
        if posted.format == Format::Page && u32::from(posted.page_bytes) < posted.length_bytes {
            return Err(Failure::BadList);
        }
        Cursor::at(receive.plus(record::CURSOR)).start(dev, posted.format, first)?;
        dev.put(receive, record::STATE, record::WAITING);
        dev.put(receive, record::ROOM, posted.length_bytes);
        dev.put(receive, record::DESCRIPTOR, offset);
        self.posted.post(dev, record, Want { source, tag });
        dev.trace(Marker::ReceivePosted, record);
        Ok(())
    }

    /// The host gives a receive up, or withdraws it.
    #[cold]
    pub(super) fn on_cancelled(&mut self, dev: &mut impl Device, number: u32) {
        let is_withdrawn = number & WITHDRAW != 0;
        let record = (number & !WITHDRAW).wrapping_sub(SEND_DESCRIPTORS);
        if record >= RECEIVE_DESCRIPTORS {
            return dev.count(Counter::MailboxesWild);
        }
        if self.posted.cancel(dev, record) {
            self.end_posted(dev, record, Failure::Cancelled);
        } else if is_withdrawn {
            // A message has taken it, or it has ended: it goes on.
        } else if self.to_receiver.room(dev) != 0 {
            // A message has taken it, or it has ended.
            dev.raise(Event::Work);
            self.to_receiver.push(dev, SorterToReceiver::Cancel { record }.words());
        } else {
            dev.raise(Event::Mailbox);
        }
    }

    fn end_posted(&mut self, dev: &mut impl Device, record: u32, failure: Failure) {
        let offset = self.places.descriptors + descriptor::offset_bytes(record + SEND_DESCRIPTORS);
        let at = dev.place(offset);
        let head = dev.get(at, 0);
        dev.count(Counter::ReceivesCancelled);
        dev.trace(Marker::ReceiveGivenUp, record);
        let receive = dev.place(self.places.receives + record * record::BYTES);
        dev.put(receive, record::STATE, record::FREE);
        dev.put(at, 0, head & !0xFF | u32::from(failure.stat()));
    }

    /// Gives up all receives that no message has taken.
    pub(super) fn end_all(&mut self, dev: &mut impl Device) {
        for record in 0..RECEIVE_DESCRIPTORS {
            if self.posted.cancel(dev, record) {
                self.end_posted(dev, record, Failure::Cancelled);
            }
        }
    }
}
