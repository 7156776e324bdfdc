//! From a frame of a record to the transmit ring.

use nic_device::{rarely, Device, Place};
use nic_dma::Transfer;
use nic_layout::frame::link::FRAME_BYTES_MIN;
use nic_layout::personality::emp::descriptor::Failure;
use nic_layout::personality::emp::frame::{word, DATA, FIRST, FIRST_HEADER_BYTES, HEADER_BYTES};
use nic_layout::personality::emp::list::LIST_BYTES;
use nic_layout::ring::{Event, DMA_FLAG_EVENT, MAC_FLAG_SKIP};
use nic_layout::trace::Marker;
use nic_layout::PAGE_BYTES;
use nic_lookup::Path;
use nic_scatter::{Cursor, Lists as _, Step};

use super::open::Open;
use super::state::Transmitter;
use super::tag::Tag;
use crate::lists::Wanted;
use crate::neighbours::Header;
use crate::pages::{Found, NoPage, Pages};
use crate::places::send_record as record;

/// A frame whose data were asked for.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    frame: u32,
    offset: u32,
    data_bytes: u32,
    /// Whether all its data were asked for. If not, the frame is open, or void.
    is_whole: bool,
    /// The record, if the frame has no number in the transmit ring yet.
    unnumbered: Option<u32>,
}

/// How far the data of a frame were asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Read {
    /// All were.
    Whole,
    /// The frame is open, or void.
    Open,
    /// A page is missing: the frame was not begun, or does not leave.
    Nothing,
}

impl<A: Pages> Transmitter<A> {
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

    /// Asks for the data of a frame. The next buffer is free, and no other frame is open. `None`: a
    /// page is missing. The frame is asked for again when it may be there.
    #[inline(always)]
    pub(super) fn begin(&mut self, dev: &mut impl Device, record: u32, frame: u32, length: u32) -> Option<Asked> {
        dev.step::<{ Marker::FrameBegun as u8 }>();
        let sent = self.record(record);
        let cut = &self.settings.cut;
        let (mut offset, mut data_bytes, mut header_bytes) = (0, length.min(cut.first_bytes), FIRST_HEADER_BYTES);
        if frame != 0 {
            offset = cut.offset(frame);
            (data_bytes, header_bytes) = ((length - offset).min(cut.data_bytes), HEADER_BYTES);
        }
        let to = self.ring.next_buffer() + header_bytes;
        let asked = Asked { frame, offset, data_bytes, is_whole: true, unnumbered: None };
        self.ring.claim(dev);
        if let Some(run) = Cursor::at(sent.plus(record::CURSOR)).here(dev, offset) {
            if data_bytes.wrapping_sub(1) < run.bytes && self.reads.has_room(4) {
                let page = match self.pages.find(dev, Path::Send, run.address) {
                    Ok(page) => page,
                    Err(reason) => {
                        self.not_found(dev, record, reason, false);
                        return None;
                    }
                };
                self.post_data(dev, page, to, data_bytes, 0, Tag::data(record, self.ring.next_number()));
                return Some(asked);
            }
        }
        rarely();
        match self.read(dev, record, frame, to, offset, data_bytes) {
            Read::Nothing => None,
            read => Some(Asked { is_whole: read == Read::Whole, ..asked }),
        }
    }

    /// Posts the read of data in a page that was found.
    #[inline(always)]
    fn post_data(
        &mut self,
        dev: &mut impl Device,
        page: Found<A::Line>,
        sram_address: u32,
        bytes: u32,
        flags: u32,
        tag: Tag,
    ) {
        self.pages.hold(dev, Path::Send, self.reads.next_number(), page.line);
        self.reads.post(dev, Transfer { bus_address: page.address, sram_address, bytes }, flags, tag);
    }

    /// A page of a frame is missing. `is_begun`: some of its data were asked for, so that the frame
    /// takes its turn in the ring.
    #[cold]
    #[inline(never)]
    fn not_found(&mut self, dev: &mut impl Device, record: u32, reason: NoPage, is_begun: bool) -> Read {
        if is_begun {
            self.close_void(dev);
        }
        let is_told = reason == NoPage::Fault && self.tell_failed(dev, record, Failure::BadAddress);
        if reason != NoPage::Fill && !is_told {
            self.wait_for_transfers(dev);
        }
        Read::Nothing
    }

    /// The end of a transfer may make room for what is missing.
    #[cold]
    pub(super) fn wait_for_transfers(&mut self, dev: &mut impl Device) {
        dev.raise(Event::DmaRead);
        dev.raise(Event::DmaWrite);
        self.pages.wake();
        self.stir(dev);
    }

    /// The same of a message of one frame, whose data are together. `None`: it has to wait.
    #[inline(always)]
    pub(super) fn begin_page(&mut self, dev: &mut impl Device, record: u32, address: u32, bytes: u32) -> Option<Asked> {
        dev.step::<{ Marker::FrameBegun as u8 }>();
        if bytes != 0 {
            if !self.reads.has_room(4) {
                rarely();
                return None;
            }
            let sram_address = self.ring.next_buffer() + FIRST_HEADER_BYTES;
            let page = self.pages.find(dev, Path::Send, address).ok()?;
            self.post_data(dev, page, sram_address, bytes, 0, Tag::data(record, self.ring.next_number()));
        }
        Some(Asked { frame: 0, offset: 0, data_bytes: bytes, is_whole: true, unnumbered: Some(record) })
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

    /// Asks for the data of a frame that are not in one page, or that have to wait.
    #[inline(never)]
    #[cfg_attr(target_arch = "riscv32", link_section = ".fast.text.pages")]
    fn read(&mut self, dev: &mut impl Device, record: u32, frame: u32, to: u32, offset: u32, data_bytes: u32) -> Read {
        let sent = self.record(record);
        let cursor = Cursor::at(sent.plus(record::CURSOR));
        let chain = dev.place(dev.get(sent, record::DESCRIPTOR));
        let tag = Tag::data(record, self.ring.next_number());
        let mut bytes = 0;
        if data_bytes != 0 && self.reads.has_room(5) {
            let first = cursor.here(dev, offset).filter(|run| run.bytes < data_bytes);
            bytes = first.map_or(0, |run| run.bytes);
            let (next_to, next_offset, left) = (to + bytes, offset + bytes, data_bytes - bytes);
            // The walk comes before the transfers: loads of SRAM take longer while one writes it.
            let lists = self.lists.of(dev, record);
            let next = match first.is_some() {
                true => cursor.step(dev, &lists, chain, next_offset),
                false => cursor.go_to(dev, &lists, chain, next_offset),
            };
            if let Some(run) = first {
                match self.pages.find(dev, Path::Send, run.address) {
                    Ok(page) => self.post_data(dev, page, to, bytes, 0, tag),
                    Err(reason) => return self.not_found(dev, record, reason, false),
                }
            }
            if left <= next.bytes {
                match self.pages.find(dev, Path::Send, next.address) {
                    Ok(page) => self.post_data(dev, page, next_to, left, 0, tag),
                    Err(reason) => return self.not_found(dev, record, reason, bytes != 0),
                }
                return Read::Whole;
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
        if !open.is_void && self.read_pieces(dev, open, sent) != Read::Whole {
            // A frame whose page is missing now is lost. Its collection comes again.
            return self.open.is_none_or(|still| still.left != open.left);
        }
        let Open { frame, data_bytes, tag_word, .. } = open;
        if open.is_void {
            self.close_void(dev);
        } else {
            let offset = self.settings.cut.offset(frame);
            let header = self.header(dev, sent, tag_word);
            self.close(dev, Asked { frame, offset, data_bytes, is_whole: true, unnumbered: None }, header);
        }
        true
    }

    #[cold]
    #[inline(never)]
    fn read_pieces(&mut self, dev: &mut impl Device, mut open: Open, sent: Place) -> Read {
        let cursor = Cursor::at(sent.plus(record::CURSOR));
        while open.left != 0 {
            // One place stays for the transfer that releases the frame.
            if !self.reads.has_room(2) {
                rarely();
                self.keep_open(dev, open);
                return Read::Open;
            }
            let chain = dev.place(dev.get(sent, record::DESCRIPTOR));
            let step = cursor.seek(dev, &self.lists.of(dev, open.record), chain, open.offset);
            let Step::Run(run) = step else {
                rarely();
                match self.stop(dev, open, step) {
                    Read::Whole => continue,
                    read => return read,
                }
            };
            let bytes = run.bytes.min(open.left);
            let page = match self.pages.find(dev, Path::Send, run.address) {
                Ok(page) => page,
                Err(reason) => return self.not_found(dev, open.record, reason, open.is_begun()),
            };
            // The event of a transfer that fills the ring wakes a frame that waits for room.
            let flags = if self.reads.has_room(4) { 0 } else { DMA_FLAG_EVENT };
            let tag = Tag::data(open.record, self.ring.next_number());
            self.post_data(dev, page, open.to, bytes, flags, tag);
            open.to += bytes;
            open.offset += bytes;
            open.left -= bytes;
        }
        Read::Whole
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
    fn close<D: Device>(&mut self, dev: &mut D, asked: Asked, header: Header) {
        let Asked { frame, offset, data_bytes, unnumbered, .. } = asked;
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
        if let (true, Some(record)) = (D::SHARES_FRAMES, unnumbered) {
            if self.send_at_once(dev, header_bytes + data_bytes) {
                return dev.trace(Marker::TransmitPosted, numbers);
            }
            rarely();
            self.number(dev, record, data_bytes);
        }
        self.ring.place(dev, header_bytes + data_bytes);
        match frame == 0 {
            true => self.release_first(dev),
            false => self.release(dev),
        }
        dev.trace(Marker::TransmitPosted, numbers);
    }

    /// Lets a frame leave at once, if all transfers have ended. So no frame of this core is open
    /// between its number and its release, and the other core can place its answers.
    #[inline(always)]
    fn send_at_once(&mut self, dev: &mut impl Device, control: u32) -> bool {
        let Some(consumer) = self.all_read(dev) else { return false };
        if !self.ring.send(dev, control) {
            rarely();
            return false;
        }
        self.reads.retire_all(consumer);
        true
    }

    /// Gives a frame its number. The tag of the read of its data has it too, if it has any.
    #[cold]
    #[inline(never)]
    fn number(&mut self, dev: &mut impl Device, record: u32, data_bytes: u32) {
        self.ring.claim(dev);
        if data_bytes != 0 {
            self.reads.tag_last(Tag::data(record, self.ring.next_number()));
        }
    }

    /// Closes a frame that must not leave. Data may still be on their way to its buffer, so the
    /// frame takes its turn in the ring.
    #[cold]
    fn close_void(&mut self, dev: &mut impl Device) {
        self.ring.place(dev, MAC_FLAG_SKIP | FRAME_BYTES_MIN as u32);
        self.release(dev);
    }

    /// Reads the list page at an address, unless it is on its way. There is room.
    pub(super) fn want_list(&mut self, dev: &mut impl Device, record: u32, address: u32) -> Result<(), NoPage> {
        let page = self.find_list(dev, address)?;
        match self.lists.want(record, address) {
            Wanted::Load(buffer, sram_address) => {
                self.post_list(dev, page, sram_address, Tag::of(Tag::LIST, buffer));
            }
            _ => self.pages.unlock(dev, Path::Send, page.line),
        }
        Ok(())
    }

    /// Looks up the page of a list page.
    pub(super) fn find_list(&mut self, dev: &mut impl Device, address: u32) -> Result<Found<A::Line>, NoPage> {
        if A::MAY_MISS && address % PAGE_BYTES > PAGE_BYTES - LIST_BYTES {
            // It would go on in a page that was not looked up.
            return Err(NoPage::Fault);
        }
        self.pages.find(dev, Path::Send, address)
    }

    /// Reads a list page, whose page was found.
    pub(super) fn post_list(&mut self, dev: &mut impl Device, page: Found<A::Line>, sram_address: u32, tag: Tag) {
        self.pages.hold(dev, Path::Send, self.reads.next_number(), page.line);
        let transfer = Transfer { bus_address: page.address, sram_address, bytes: LIST_BYTES };
        self.post_awaited(dev, transfer, tag);
    }

    /// Handles a walk that has found no data. `Read::Whole`: the walk goes on. Otherwise the frame
    /// stays open, or is closed.
    #[cold]
    #[inline(never)]
    fn stop(&mut self, dev: &mut impl Device, open: Open, step: Step) -> Read {
        if A::MAY_MISS {
            return self.stop_for_page(dev, open, step);
        }
        self.keep_open(dev, open);
        match step {
            Step::Run(_) => {}
            Step::Load(address) => {
                if self.lists.of(dev, open.record).find(address).is_some() {
                    self.open = None;
                    return Read::Whole;
                }
                // Without misses the page is always found.
                let _ = self.want_list(dev, open.record, address);
            }
            Step::Bad(failure) => {
                if self.tell_failed(dev, open.record, failure) {
                    self.open = None;
                    self.close_void(dev);
                }
            }
        }
        Read::Open
    }

    /// The same where pages may be missing. No frame stays open for a page: others go on.
    #[cold]
    fn stop_for_page(&mut self, dev: &mut impl Device, open: Open, step: Step) -> Read {
        let reason = match step {
            Step::Run(_) => return Read::Whole,
            Step::Load(address) if self.lists.of(dev, open.record).find(address).is_some() => return Read::Whole,
            // The frame is asked for again when the list page has come.
            Step::Load(address) => self.want_list(dev, open.record, address).err().unwrap_or(NoPage::Fill),
            Step::Bad(failure) => match self.tell_failed(dev, open.record, failure) {
                true => NoPage::Fill,
                false => NoPage::Way,
            },
        };
        self.not_found(dev, open.record, reason, open.is_begun())
    }
}
