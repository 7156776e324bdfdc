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
use crate::neighbours::Header;
use crate::places::send_record as record;

/// A frame whose data were asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked {
    frame: u32,
    offset: u32,
    data_bytes: u32,
    /// Whether all its data were asked for. If not, the frame is open, or void.
    is_whole: bool,
}

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
    fn keep_open(&mut self, dev: &mut impl Device, open: Open) {
        self.open = Some(open);
        self.stir(dev);
    }

    /// Asks for the data of a frame. The next buffer is free, and no other frame is open.
    #[inline(always)]
    pub(super) fn begin(&mut self, dev: &mut impl Device, record: u32, frame: u32, length: u32) -> Asked {
        let sent = self.record(record);
        let cut = &self.settings.cut;
        let (mut offset, mut data_bytes, mut header_bytes) = (0, length.min(cut.first_bytes), FIRST_HEADER_BYTES);
        if frame != 0 {
            offset = cut.offset(frame);
            (data_bytes, header_bytes) = ((length - offset).min(cut.data_bytes), HEADER_BYTES);
        }
        let to = self.ring.next_buffer() + header_bytes;
        let asked = Asked { frame, offset, data_bytes, is_whole: true };
        if let Some(run) = Cursor::at(sent.plus(record::CURSOR)).here(dev, offset) {
            if data_bytes.wrapping_sub(1) < run.bytes && self.reads.has_room(4) {
                let transfer = Transfer { bus_address: run.address, sram_address: to, bytes: data_bytes };
                self.reads.post(dev, transfer, 0, Tag::data(record, self.ring.next_number()));
                return asked;
            }
        }
        rarely();
        let is_whole = self.read(dev, record, frame, to, offset, data_bytes);
        Asked { is_whole, ..asked }
    }

    /// The same of a message of one frame, whose data are together. `None`: it has to wait.
    #[inline(always)]
    pub(super) fn begin_page(&mut self, dev: &mut impl Device, record: u32, address: u32, bytes: u32) -> Option<Asked> {
        if bytes != 0 {
            if !self.reads.has_room(4) {
                rarely();
                return None;
            }
            let sram_address = self.ring.next_buffer() + FIRST_HEADER_BYTES;
            let transfer = Transfer { bus_address: address, sram_address, bytes };
            self.reads.post(dev, transfer, 0, Tag::data(record, self.ring.next_number()));
        }
        Some(Asked { frame: 0, offset: 0, data_bytes: bytes, is_whole: true })
    }

    /// Writes the header of a frame that [`Self::begin`] has begun. If not all its data were asked
    /// for, that is done when they were.
    #[inline(always)]
    pub(super) fn finish(&mut self, dev: &mut impl Device, asked: Asked, header: Header) {
        if asked.is_whole {
            return self.close(dev, asked, header);
        }
        rarely();
        if let Some(open) = &mut self.open {
            open.tag_word = header.tag_word;
        }
    }

    /// Asks for the data of a frame that are not in one page, or that have to wait. False: not all
    /// were asked for, and the frame is open; or they cannot be had.
    #[inline(never)]
    #[cfg_attr(target_arch = "riscv32", link_section = ".fast.text")]
    fn read(&mut self, dev: &mut impl Device, record: u32, frame: u32, to: u32, offset: u32, data_bytes: u32) -> bool {
        let sent = self.record(record);
        let cursor = Cursor::at(sent.plus(record::CURSOR));
        let chain = dev.place(dev.get(sent, record::DESCRIPTOR));
        let tag = Tag::data(record, self.ring.next_number());
        let mut bytes = 0;
        if data_bytes != 0 && self.reads.has_room(5) {
            if let Some(run) = cursor.here(dev, offset) {
                bytes = run.bytes.min(data_bytes);
                self.reads.post(dev, Transfer { bus_address: run.address, sram_address: to, bytes }, 0, tag);
            }
            let (sram_address, offset, left) = (to + bytes, offset + bytes, data_bytes - bytes);
            if cursor.go_to(dev, &self.lists.of(dev, record), chain, offset) {
                if let Some(run) = cursor.here(dev, offset) {
                    if left <= run.bytes {
                        let transfer = Transfer { bus_address: run.address, sram_address, bytes: left };
                        self.reads.post(dev, transfer, 0, tag);
                        return true;
                    }
                }
            }
        }
        rarely();
        let (to, offset, left) = (to + bytes, offset + bytes, data_bytes - bytes);
        self.read_pieces(dev, Open { record, frame, tag_word: 0, to, offset, left, data_bytes, is_void: false }, sent)
    }

    /// Goes on with the open frame. False if it still waits.
    #[cold]
    #[inline(never)]
    pub(super) fn go_on(&mut self, dev: &mut impl Device) -> bool {
        let Some(open) = self.open.take() else { return false };
        let sent = self.record(open.record);
        if !open.is_void && !self.read_pieces(dev, open, sent) {
            return self.open.is_none_or(|still| still.left != open.left);
        }
        let Open { frame, data_bytes, tag_word, .. } = open;
        if open.is_void {
            self.close_void(dev);
        } else {
            let offset = self.settings.cut.offset(frame);
            let header = self.header(dev, sent, tag_word);
            self.close(dev, Asked { frame, offset, data_bytes, is_whole: true }, header);
        }
        true
    }

    #[cold]
    #[inline(never)]
    fn read_pieces(&mut self, dev: &mut impl Device, mut open: Open, sent: Place) -> bool {
        let cursor = Cursor::at(sent.plus(record::CURSOR));
        while open.left != 0 {
            // One place stays for the transfer that releases the frame.
            if !self.reads.has_room(2) {
                rarely();
                self.keep_open(dev, open);
                return false;
            }
            let chain = dev.place(dev.get(sent, record::DESCRIPTOR));
            let step = cursor.seek(dev, &self.lists.of(dev, open.record), chain, open.offset);
            let Step::Run(run) = step else {
                rarely();
                if self.stop(dev, open, step) {
                    continue;
                }
                return false;
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
        true
    }

    /// What the record says of a message.
    #[inline(always)]
    pub(super) fn header(&self, dev: &impl Device, sent: Place, tag_word: u32) -> Header {
        let node_number = dev.get(sent, record::NODE_NUMBER);
        Header {
            node: node_number & 0xFFFF,
            number: (node_number >> 16) as u16,
            length: dev.get(sent, record::LENGTH),
            collection_frames: dev.get(sent, record::COLLECTION),
            tag_word,
        }
    }

    /// Writes the header of a frame whose data were asked for. The frame leaves behind them.
    #[inline(always)]
    fn close(&mut self, dev: &mut impl Device, asked: Asked, header: Header) {
        let Asked { frame, offset, data_bytes, .. } = asked;
        let at = dev.place(self.ring.next_buffer());
        let numbers = word::numbers(header.number, frame as u16);
        let mut header_bytes = HEADER_BYTES;
        let mut kind = DATA;
        if frame == 0 {
            (kind, header_bytes) = (FIRST, FIRST_HEADER_BYTES);
            dev.put(at, word::LENGTH, header.length);
            dev.put(at, word::TAG, header.tag_word);
            dev.put(at, word::COLLECTION, header.collection_frames);
        }
        self.addresses.put(dev, at, kind, header.node, data_bytes, numbers);
        dev.put(at, word::OFFSET, offset);
        self.ring.place(dev, header_bytes + data_bytes);
        self.release(dev);
        dev.trace(Marker::TransmitPosted, numbers);
    }

    /// Closes a frame that must not leave. Data may still be on their way to its buffer, so the
    /// frame takes its turn in the ring.
    #[cold]
    fn close_void(&mut self, dev: &mut impl Device) {
        self.ring.place(dev, MAC_FLAG_SKIP | FRAME_BYTES_MIN as u32);
        self.release(dev);
    }

    /// Reads the list page at a bus address, unless it is on its way. There is room.
    pub(super) fn want_list(&mut self, dev: &mut impl Device, record: u32, address: u32) {
        if let Wanted::Load(buffer, sram_address) = self.lists.want(record, address) {
            let transfer = Transfer { bus_address: address, sram_address, bytes: LIST_BYTES };
            self.post_awaited(dev, transfer, Tag::of(Tag::LIST, buffer));
        }
    }

    /// Handles a walk that has found no data. True: the walk goes on. Otherwise the frame stays
    /// open, or is closed.
    #[cold]
    #[inline(never)]
    fn stop(&mut self, dev: &mut impl Device, open: Open, step: Step) -> bool {
        self.keep_open(dev, open);
        match step {
            Step::Run(_) => {}
            Step::Load(address) => {
                if self.lists.of(dev, open.record).find(address).is_some() {
                    self.open = None;
                    return true;
                }
                self.want_list(dev, open.record, address);
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
