//! From a frame of a record to the transmit ring.

use nic_device::{rarely, Device, Place};
use nic_dma::Transfer;
use nic_layout::frame::link::FRAME_BYTES_MIN;
use nic_layout::personality::emp::frame::{word, DATA, FIRST, FIRST_HEADER_BYTES, HEADER_BYTES};
use nic_layout::personality::emp::list::LIST_BYTES;
use nic_layout::ring::{DMA_FLAG_EVENT, MAC_FLAG_SKIP};
use nic_layout::trace::Marker;
use nic_scatter::{Cursor, Lists as _, Step};

use super::open::Open;
use super::state::Transmitter;
use super::tag::Tag;
use crate::lists::Wanted;
use crate::places::send_record as record;

/// A frame whose data were all asked for, and the record of its message. `None`: the frame is open
/// still, or void.
pub(crate) type Asked = Option<(Open, Place)>;

impl Transmitter {
    /// Whether a frame can be begun: no other is open, and there is a buffer.
    #[inline(always)]
    pub(super) fn is_free(&mut self, dev: &mut impl Device) -> bool {
        if self.is_stirred {
            rarely();
            if self.open.is_some() || self.waiting.is_some() || !self.from_sender.is_empty(dev) {
                return false;
            }
        }
        self.ring.is_ready(dev)
    }

    #[cold]
    fn keep_open(&mut self, open: Open) {
        (self.open, self.is_stirred) = (Some(open), true);
    }

    /// Asks for the data of a frame. The next buffer is free, and no other frame is open.
    #[inline(always)]
    pub(super) fn begin(&mut self, dev: &mut impl Device, record: u32, frame: u32) -> Asked {
        let buffer = self.ring.next_buffer();
        let sent = dev.place(self.places.sends + record * record::BYTES);
        let length = dev.get(sent, record::LENGTH);
        let cut = &self.settings.cut;
        let mut open = Open {
            record,
            frame,
            tag_word: 0,
            buffer,
            to: buffer + HEADER_BYTES,
            offset: 0,
            left: length.min(cut.first_bytes),
            data_bytes: 0,
            is_void: false,
        };
        if frame == 0 {
            self.lists.forget(record);
            open.to = buffer + FIRST_HEADER_BYTES;
        } else {
            open.offset = cut.offset(frame);
            open.left = (length - open.offset).min(cut.data_bytes);
        }
        open.data_bytes = open.left;
        if let Some(run) = Cursor::at(sent.plus(record::CURSOR)).here(dev, open.offset) {
            if open.left <= run.bytes && open.left != 0 && self.reads.has_room(4) {
                let transfer = Transfer { bus_address: run.address, sram_address: open.to, bytes: open.left };
                self.reads.post(dev, transfer, 0, Tag::data(record, self.ring.next_number()));
                open.offset += open.left;
                open.left = 0;
                return Some((open, sent));
            }
        }
        rarely();
        self.read(dev, open, sent)
    }

    /// Writes the header of a frame that [`Self::begin`] has begun. If not all its data were asked
    /// for, that is done when they were.
    #[inline(always)]
    pub(super) fn finish(&mut self, dev: &mut impl Device, asked: Asked, tag_word: u32) {
        match asked {
            Some((open, sent)) => self.close(dev, open, sent, tag_word),
            None => {
                rarely();
                if let Some(open) = &mut self.open {
                    open.tag_word = tag_word;
                }
            }
        }
    }

    /// Goes on with the open frame. False if it still waits.
    #[cold]
    #[inline(never)]
    pub(super) fn go_on(&mut self, dev: &mut impl Device) -> bool {
        let Some(open) = self.open.take() else { return false };
        let sent = dev.place(self.places.sends + open.record * record::BYTES);
        let Open { left, tag_word, .. } = open;
        if let Some((open, sent)) = self.read(dev, open, sent) {
            self.close(dev, open, sent, tag_word);
        }
        self.open.is_none_or(|open| open.left != left)
    }

    /// Asks for the data of a frame. `None`: the frame has to wait, so it stays open; or its data
    /// cannot be had.
    #[inline(never)]
    #[cfg_attr(target_arch = "riscv32", link_section = ".fast.text")]
    fn read(&mut self, dev: &mut impl Device, mut open: Open, sent: Place) -> Asked {
        let cursor = Cursor::at(sent.plus(record::CURSOR));
        while open.left != 0 {
            // One place stays for the transfer that releases the frame.
            if !self.reads.has_room(2) {
                rarely();
                self.keep_open(open);
                return None;
            }
            let chain = dev.place(dev.get(sent, record::DESCRIPTOR));
            let step = cursor.seek(dev, &self.lists.of(dev, open.record), chain, open.offset);
            let Step::Run(run) = step else {
                rarely();
                if self.stop(dev, open, step) {
                    continue;
                }
                return None;
            };
            let bytes = run.bytes.min(open.left);
            let transfer = Transfer { bus_address: run.address, sram_address: open.to, bytes };
            // The event of a transfer that fills the ring wakes a frame that waits for room.
            let flags = if self.reads.has_room(4) { 0 } else { DMA_FLAG_EVENT };
            self.reads.post(dev, transfer, flags, Tag::data(open.record, self.ring.next_number()));
            open.to += bytes;
            open.offset += bytes;
            open.left -= bytes;
        }
        Some((open, sent))
    }

    /// Writes the header of a frame whose data were asked for. The frame leaves behind them.
    #[inline(always)]
    fn close(&mut self, dev: &mut impl Device, open: Open, sent: Place, tag_word: u32) {
        let Open { frame, data_bytes, .. } = open;
        if open.is_void {
            rarely();
            return self.close_void(dev);
        }
        let at = dev.place(open.buffer);
        let node_number = dev.get(sent, record::NODE_NUMBER);
        let numbers = word::numbers((node_number >> 16) as u16, frame as u16);
        let mut header_bytes = HEADER_BYTES;
        let mut kind = DATA;
        if frame == 0 {
            (kind, header_bytes) = (FIRST, FIRST_HEADER_BYTES);
            let (length, collection) = (dev.get(sent, record::LENGTH), dev.get(sent, record::COLLECTION));
            dev.put(at, word::LENGTH, length);
            dev.put(at, word::TAG, tag_word);
            dev.put(at, word::COLLECTION, collection);
        }
        self.addresses.put(dev, at, kind, node_number & 0xFFFF, data_bytes, numbers);
        dev.put(at, word::OFFSET, open.offset - data_bytes);
        self.ring.place(dev, header_bytes + data_bytes);
        self.reads.release(dev);
        dev.trace(Marker::TransmitPosted, numbers);
    }

    /// Closes a frame that must not leave. Data may still be on their way to its buffer, so the
    /// frame takes its turn in the ring.
    #[cold]
    fn close_void(&mut self, dev: &mut impl Device) {
        self.ring.place(dev, MAC_FLAG_SKIP | FRAME_BYTES_MIN as u32);
        self.reads.release(dev);
    }

    /// Handles a walk that has found no data. True: the walk goes on. Otherwise the frame stays
    /// open, or is closed.
    #[cold]
    #[inline(never)]
    fn stop(&mut self, dev: &mut impl Device, open: Open, step: Step) -> bool {
        self.keep_open(open);
        match step {
            Step::Run(_) => {}
            Step::Load(address) => {
                if self.lists.of(dev, open.record).find(address).is_some() {
                    self.open = None;
                    return true;
                }
                if let Wanted::Load(buffer, sram_address) = self.lists.want(open.record, address) {
                    let transfer = Transfer { bus_address: address, sram_address, bytes: LIST_BYTES };
                    self.reads.post(dev, transfer, DMA_FLAG_EVENT, Tag::of(Tag::LIST, buffer));
                }
            }
            Step::Bad(failure) => {
                if self.tell_failed(dev, open.record, failure) {
                    self.open = None;
                    self.close_void(dev);
                }
            }
        }
        false
    }
}
