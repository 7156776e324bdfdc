//! The data of a frame on their way to host memory.

use nic_device::{rarely, Device, Place};
use nic_dma::Transfer;
use nic_layout::personality::emp::descriptor::{stat, Failure};
use nic_layout::personality::emp::frame::{FIRST_HEADER_BYTES, HEADER_BYTES};
use nic_layout::plant::{is_planted, Plant};
use nic_layout::ring::{Event, DMA_FLAG_EVENT};
use nic_layout::trace::Marker;
use nic_lookup::Path;
use nic_scatter::{Cursor, Lists as _, Run, Step};

use super::open::Open;
use super::state::Receiver;
use super::tag::Tag;
use crate::frame::Frame;
use crate::lists::Wanted;
use crate::messages::ReceiverToTransmitter;
use crate::pages::{Found, NoPage, Pages};
use crate::places::receive_record as record;

/// Transfers that end without an event at most, one behind the other.
const UNSEEN_MAX: u32 = 8;

/// The data of a frame.
#[derive(Clone, Copy)]
pub(super) struct Data {
    /// What the transfer of the last byte is for.
    pub tag: Tag,
    /// SRAM offset of the first byte.
    pub from: u32,
    /// Where it belongs in the message.
    pub offset: u32,
    pub bytes: u32,
}

impl Data {
    /// `ends`: the frame is the last of its message that has come.
    #[inline(always)]
    pub fn of(record: u32, frame: &Frame, offset: u32, ends: bool) -> Data {
        let header_bytes = if frame.number() == 0 { FIRST_HEADER_BYTES } else { HEADER_BYTES };
        let tag = Tag::new(record, frame.buffer, ends);
        Data { tag, from: frame.buffer + header_bytes, offset, bytes: frame.data_bytes() }
    }
}

impl<A: Pages> Receiver<A> {
    /// Goes on with the open frame. False if it still waits.
    #[cold]
    #[inline(never)]
    pub(super) fn resume(&mut self, dev: &mut impl Device) -> bool {
        if self.pages.is_waiting() {
            return false;
        }
        let Some(open) = self.open.take() else { return false };
        let receive = self.record(open.record);
        self.place_pieces(dev, receive, open);
        self.open.is_none_or(|still| still.left != open.left)
    }

    /// Hands the data of a frame to the engine. A frame that has to wait stays open.
    #[inline(always)]
    pub(super) fn place(&mut self, dev: &mut impl Device, receive: Place, data: Data) {
        dev.step::<{ Marker::FrameSorted as u8 }>();
        let run = Cursor::at(receive.plus(record::CURSOR)).here(dev, data.offset).unwrap_or(Run::EMPTY);
        if !self.place_page(dev, run, data) {
            rarely();
            self.place_pages(dev, receive, data.tag, data.from, data.offset, data.bytes);
        }
    }

    /// The same of data of which `run` is the first part, to the end of its page.
    #[inline(always)]
    pub(super) fn place_across(&mut self, dev: &mut impl Device, receive: Place, run: Run, data: Data) -> Run {
        let Data { tag, from, offset, bytes: left } = data;
        if run.bytes != 0 {
            let record = tag.record();
            let chain = dev.place(dev.get(receive, record::DESCRIPTOR));
            let (next_from, next_offset, next_left) = (from + run.bytes, offset + run.bytes, left - run.bytes);
            let cursor = Cursor::at(receive.plus(record::CURSOR));
            let next = cursor.step(dev, &self.lists.of(dev, record), chain, next_offset);
            if next.bytes != 0 && self.post_first(dev, run, from, offset, tag) {
                if next_left <= next.bytes {
                    if let Some(rest) = self.post_last(dev, next, next_from, next_left, next_offset, tag) {
                        return rest;
                    }
                }
                rarely();
                return self.place_pages(dev, receive, tag, next_from, next_offset, next_left);
            }
        }
        rarely();
        self.place_pages(dev, receive, tag, from, offset, left)
    }

    /// The same of data that lie in the present page and the next, or anywhere. `tag`: of the last
    /// transfer. What is left behind the data of the page that they end in.
    ///
    /// The walk comes before the transfers: loads of SRAM take longer while a transfer reads it.
    #[inline(never)]
    pub(super) fn place_pages(
        &mut self,
        dev: &mut impl Device,
        receive: Place,
        tag: Tag,
        from: u32,
        offset: u32,
        left: u32,
    ) -> Run {
        let record = tag.record();
        let cursor = Cursor::at(receive.plus(record::CURSOR));
        let chain = dev.place(dev.get(receive, record::DESCRIPTOR));
        let mut placed = 0;
        if left != 0 && self.writes.has_room(2) {
            let here = cursor.here(dev, offset);
            let first = here.filter(|run| run.bytes < left);
            let next = match here {
                Some(run) if first.is_none() => run,
                _ => {
                    let behind = offset + first.map_or(0, |run| run.bytes);
                    cursor.go_to(dev, &self.lists.of(dev, record), chain, behind)
                }
            };
            if first.is_none_or(|run| self.post_first(dev, run, from, offset, tag)) {
                placed = first.map_or(0, |run| run.bytes);
                if left - placed <= next.bytes {
                    if let Some(rest) = self.post_last(dev, next, from + placed, left - placed, offset + placed, tag) {
                        return rest;
                    }
                }
            }
        }
        rarely();
        let (from, offset, left) = (from + placed, offset + placed, left - placed);
        let open = Open { record, buffer: tag.buffer(), from, offset, left, ends: tag.ends() };
        self.place_pieces(dev, receive, open);
        Run::EMPTY
    }

    /// The same of data that lie in one run. False: nothing was done.
    #[inline(always)]
    pub(super) fn place_page(&mut self, dev: &mut impl Device, run: Run, data: Data) -> bool {
        let Data { tag, from, offset, bytes } = data;
        if bytes.wrapping_sub(1) >= run.bytes || !self.writes.has_room(1) {
            return false;
        }
        let Ok(page) = self.pages.find(dev, Path::Receive, run.address) else { return false };
        self.post(dev, page, run, from, bytes, offset, tag);
        dev.trace(Marker::DmaWritePosted, offset);
        true
    }

    /// Hands the data of an open frame to the engine.
    #[cold]
    #[inline(never)]
    fn place_pieces(&mut self, dev: &mut impl Device, receive: Place, mut open: Open) {
        let cursor = Cursor::at(receive.plus(record::CURSOR));
        loop {
            if !self.writes.has_room(1) {
                rarely();
                return self.keep_open(dev, open);
            }
            if open.left == 0 {
                rarely();
                return self.place_nothing(dev, open);
            }
            let chain = dev.place(dev.get(receive, record::DESCRIPTOR));
            let step = cursor.seek(dev, &self.lists.of(dev, open.record), chain, open.offset);
            let Step::Run(run) = step else {
                rarely();
                if self.stop(dev, open, step) {
                    continue;
                }
                return;
            };
            let page = match self.pages.find(dev, Path::Receive, run.address) {
                Ok(page) => page,
                Err(reason) => return self.not_found(dev, open, reason),
            };
            let bytes = run.bytes.min(open.left);
            let is_last = bytes == open.left;
            let tag = match is_last {
                true => Tag::new(open.record, open.buffer, open.ends),
                false => Tag::new(open.record, 0, false),
            };
            self.post(dev, page, run, open.from, bytes, open.offset, tag);
            if is_last {
                return dev.trace(Marker::DmaWritePosted, open.offset);
            }
            open.from += bytes;
            open.offset += bytes;
            open.left -= bytes;
        }
    }

    /// A page of a frame is missing. The frame is held until it is there. Frames behind it wait in
    /// the receive ring, in the order in which they came.
    #[cold]
    fn not_found(&mut self, dev: &mut impl Device, open: Open, reason: NoPage) {
        match reason {
            NoPage::Fill => self.pages.wait(),
            NoPage::Way => {
                // The end of a transfer makes room.
                dev.raise(Event::DmaRead);
                dev.raise(Event::DmaWrite);
            }
            NoPage::Fault => return self.give_up(dev, open, Failure::BadAddress),
        }
        self.keep_open(dev, open);
    }

    #[cold]
    fn keep_open(&mut self, dev: &mut impl Device, open: Open) {
        self.open = Some(open);
        self.stir(dev);
    }

    /// Hands data of a frame to the engine. There is room. `page`: of the run.
    #[inline(always)]
    #[expect(clippy::too_many_arguments, reason = "a structure would be kept in memory")]
    fn post(
        &mut self,
        dev: &mut impl Device,
        page: Found<A::Line>,
        run: Run,
        from: u32,
        bytes: u32,
        offset: u32,
        tag: Tag,
    ) {
        // The host waits for the end of a message. Other ends are seen with later ones; but the
        // receive buffers of only a few may wait for that.
        let needs_event = tag.ends() || self.writes.under_way() >= UNSEEN_MAX;
        let mut transfer = Transfer { bus_address: page.address, sram_address: from, bytes };
        if is_planted(Plant::PlacedBeside) && offset != 0 && bytes + 8 <= run.bytes {
            transfer.bus_address += 8;
        }
        if is_planted(Plant::TailOmitted) && tag.ends() {
            transfer.bytes -= bytes.min(4);
        }
        if is_planted(Plant::EarlyDone) && tag.ends() {
            let receive = self.record(tag.record());
            let at = dev.place(dev.get(receive, record::DESCRIPTOR));
            dev.put(at, 0, u32::from(stat::DONE));
        }
        self.pages.hold(dev, Path::Receive, self.writes.next_number(), page.line);
        self.writes.post(dev, transfer, if needs_event { DMA_FLAG_EVENT } else { 0 }, tag);
    }

    /// The same of the first data of a frame, to the end of a page. False: the page is missing.
    #[inline(always)]
    fn post_first(&mut self, dev: &mut impl Device, run: Run, from: u32, offset: u32, tag: Tag) -> bool {
        let Ok(page) = self.pages.find(dev, Path::Receive, run.address) else { return false };
        self.post(dev, page, run, from, run.bytes, offset, Tag::new(tag.record(), 0, false));
        true
    }

    /// The same of the last data of a frame. What is left of the run behind them; `None`: the page
    /// is missing.
    #[inline(always)]
    pub(super) fn post_last(
        &mut self,
        dev: &mut impl Device,
        run: Run,
        from: u32,
        bytes: u32,
        offset: u32,
        tag: Tag,
    ) -> Option<Run> {
        let page = self.pages.find(dev, Path::Receive, run.address).ok()?;
        self.post(dev, page, run, from, bytes, offset, tag);
        dev.trace(Marker::DmaWritePosted, offset);
        Some(Run { address: run.address.wrapping_add(bytes), bytes: run.bytes - bytes })
    }

    /// A frame without data. If it is the last of its message, an empty transfer says when the data
    /// of the others are in host memory.
    #[cold]
    fn place_nothing(&mut self, dev: &mut impl Device, open: Open) {
        let nothing = Transfer { bus_address: 0, sram_address: 0, bytes: 0 };
        let flags = if open.ends { DMA_FLAG_EVENT } else { 0 };
        self.writes.post(dev, nothing, flags, Tag::new(open.record, open.buffer, open.ends));
        if open.ends {
            dev.trace(Marker::DmaWritePosted, open.offset);
        }
    }

    /// Drops a frame with its message.
    #[cold]
    pub(super) fn give_up(&mut self, dev: &mut impl Device, open: Open, failure: Failure) {
        // Data of the frame may be on their way out of its buffer.
        self.place_nothing(dev, Open { ends: false, ..open });
        self.fail(dev, open.record, failure, true);
    }

    /// Handles a walk that has found no place. True: the walk goes on. Otherwise the frame stays
    /// open, or is dropped with its message.
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
                if self.to_transmitter.room(dev) == 0 {
                    return false;
                }
                if let Wanted::Load(buffer, _) = self.lists.want(open.record, address) {
                    self.to_transmitter.push(dev, ReceiverToTransmitter::Load { buffer, address }.words());
                }
            }
            Step::Bad(failure) => {
                self.open = None;
                self.give_up(dev, open, failure);
            }
        }
        false
    }
}
