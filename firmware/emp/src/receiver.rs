//! The receiver: places data in host memory, keeps the collections of a message, ends receives.

use nic_collections::{Arrival, Arrivals};
use nic_device::{rarely, Device, Place};
use nic_dma::{HostWrites, Transfer};
use nic_handoff::{Reader, Writer};
use nic_layout::frame::link::word as link;
use nic_layout::personality::emp::descriptor::{stat, Failure};
use nic_layout::personality::emp::frame::{word, FIRST_HEADER_BYTES, HEADER_BYTES};
use nic_layout::ring::{Event, DMA_FLAG_EVENT};
use nic_layout::trace::Marker;
use nic_scatter::{Cursor, Lists as _, Step};

use crate::counts::Count;
use crate::lists::{Buffers, Wanted};
use crate::messages::{Answer, Ended, FromReceiver, Sorted, ToReceiver};
use crate::places::{receive_record as record, Places, Settings};

/// Entries of the queues from the sorter and to the sorter, as powers of two.
pub const FROM_SORTER_LOG2: u32 = 5;
/// As [`FROM_SORTER_LOG2`].
pub const TO_SORTER_LOG2: u32 = 6;
/// List pages of receives in the SRAM.
pub const RECEIVE_LISTS: usize = 8;
/// Entries that serving one frame may add to the queue of the transmitter: an answer, a list page.
const ENTRIES: u32 = 2;

/// What a host write is for: the receive buffer that it frees, if it is the last of a frame; and the
/// record that it ends, if it is the last of a message.
#[derive(Clone, Copy, Debug)]
struct Tag(u32);

impl Tag {
    const UNUSED: Tag = Tag(0);
    const ENDS: u32 = 1;
    const BUFFER_MASK: u32 = 0xF_FFF8;

    const fn new(record: u32, buffer: u32, ends: bool) -> Tag {
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

/// A frame whose data are not all handed to the engine.
#[derive(Clone, Copy, Debug)]
struct Open {
    record: u32,
    buffer: u32,
    from: u32,
    offset: u32,
    left: u32,
    ends: bool,
}

/// The part that places data.
pub struct Receiver {
    from_sorter: Reader<2, FROM_SORTER_LOG2>,
    from_transmitter: Reader<2, { crate::transmitter::TO_LOG2 }>,
    to_transmitter: Writer<2, { crate::transmitter::FROM_RECEIVER_LOG2 }>,
    to_sorter: Writer<2, TO_SORTER_LOG2>,
    writes: HostWrites<Tag>,
    settings: Settings,
    places: Places,
    lists: Buffers<RECEIVE_LISTS>,
    open: Option<Open>,
    /// An entry of the sorter that waits for room.
    waiting: Option<Sorted>,
    /// A command that waits until all data are in host memory.
    command: Option<u32>,
}

impl Receiver {
    /// Does some of the work that waits. False if there was none that it could do.
    #[inline(always)]
    pub fn turn(&mut self, dev: &mut impl Device) -> bool {
        if self.open.is_some() {
            rarely();
            return self.go_on(dev);
        }
        let Some(entry) = self.next_entry(dev) else { return self.attend(dev) };
        if self.to_transmitter.room(dev) < ENTRIES || self.to_sorter.room(dev) == 0 || !self.writes.has_room(2) {
            rarely();
            self.waiting = Some(entry);
            return false;
        }
        self.serve(dev, entry);
        true
    }

    fn next_entry(&mut self, dev: &mut impl Device) -> Option<Sorted> {
        self.waiting.take().or_else(|| self.from_sorter.pop(dev).map(Sorted::of))
    }

    #[inline(always)]
    fn serve(&mut self, dev: &mut impl Device, entry: Sorted) {
        match entry {
            Sorted::First { record, buffer } => self.first(dev, record, buffer),
            Sorted::Frame { record, buffer } => self.frame(dev, record, buffer),
            Sorted::Answer { kind, node, numbers } => {
                rarely();
                self.answer(dev, kind, node, numbers);
            }
            Sorted::Abort { record, node, numbers } => self.abort(dev, record, node, numbers),
            Sorted::Cancel { record } => self.cancel(dev, record),
        }
    }

    fn record(&self, dev: &impl Device, record: u32) -> Place {
        dev.place(self.places.receives + record * record::BYTES)
    }

    fn answer(&mut self, dev: &mut impl Device, kind: Answer, node: u32, numbers: u32) {
        self.to_transmitter.push(dev, FromReceiver::Answer { kind, node, numbers }.words());
    }

    /// Begins the receive that the sorter has chosen for a message.
    #[inline(always)]
    fn first(&mut self, dev: &mut impl Device, record: u32, buffer: u32) {
        let (at, receive) = (dev.place(buffer), self.record(dev, record));
        let (node_length, numbers) = (dev.get(at, link::NODE_LENGTH), dev.get(at, word::NUMBERS));
        let (length, tag) = (dev.get(at, word::LENGTH), dev.get(at, word::TAG));
        let collection_frames = dev.get(at, word::COLLECTION);
        let node = link::node(node_length);
        dev.put(receive, record::IDENTITY, node | numbers << 16);
        dev.put(receive, record::LENGTH, length);
        dev.put(receive, record::TAG, tag);
        if length > dev.get(receive, record::ROOM) {
            rarely();
            dev.recycle(buffer);
            return self.fail(dev, record, Failure::Truncated);
        }
        self.lists.forget(record);
        let arrivals = Arrivals::new(self.settings.cut.frames(length), collection_frames);
        dev.put(receive, record::STATE, record::RECEIVING);
        self.take(dev, record, receive, buffer, arrivals, FIRST_HEADER_BYTES);
    }

    /// Takes another frame of a message, or one that has come before.
    #[inline(always)]
    fn frame(&mut self, dev: &mut impl Device, record: u32, buffer: u32) {
        let (at, receive) = (dev.place(buffer), self.record(dev, record));
        let (node_length, numbers) = (dev.get(at, link::NODE_LENGTH), dev.get(at, word::NUMBERS));
        let node = link::node(node_length);
        let state = dev.get(receive, record::STATE);
        // The record may have ended meanwhile, and serve another message.
        if dev.get(receive, record::IDENTITY) != node | numbers << 16 || state != record::RECEIVING {
            rarely();
            return self.late(dev, buffer);
        }
        let (frame, length) = (word::frame(numbers), dev.get(receive, record::LENGTH));
        let cut = &self.settings.cut;
        let is_exact = frame < cut.frames(length)
            && dev.get(at, word::OFFSET) == cut.offset(frame)
            && link::data_bytes(node_length) == cut.bytes(frame, length);
        if !is_exact {
            rarely();
            dev.count(Count::FRAMES_MALFORMED);
            return dev.recycle(buffer);
        }
        let header_bytes = if frame == 0 { FIRST_HEADER_BYTES } else { HEADER_BYTES };
        let arrivals = record::load_arrivals(dev, receive);
        self.take(dev, record, receive, buffer, arrivals, header_bytes);
    }

    #[inline(always)]
    fn take(
        &mut self,
        dev: &mut impl Device,
        record: u32,
        receive: Place,
        buffer: u32,
        mut arrivals: Arrivals,
        header_bytes: u32,
    ) {
        let at = dev.place(buffer);
        let (node_length, numbers) = (dev.get(at, link::NODE_LENGTH), dev.get(at, word::NUMBERS));
        let node = link::node(node_length);
        let arrival = arrivals.arrive(word::frame(numbers));
        let mut ends = false;
        match arrival {
            Arrival::New { collection } => {
                ends = arrivals.is_complete();
                if ends {
                    dev.put(receive, record::STATE, record::ENDING);
                    dev.put(receive, record::ANSWERS, numbers);
                } else if collection.is_some() {
                    self.answer(dev, Answer::Ack, node, numbers);
                }
                record::store_arrivals(dev, receive, &arrivals);
            }
            Arrival::Again { acknowledge } => {
                rarely();
                dev.count(Count::FRAMES_DUPLICATE);
                if acknowledge {
                    self.answer(dev, Answer::Ack, node, numbers);
                }
                return dev.recycle(buffer);
            }
            Arrival::Beyond => {
                rarely();
                dev.count(Count::FRAMES_BEYOND);
                return dev.recycle(buffer);
            }
        }
        dev.count(Count::FRAMES_ACCEPTED);
        let left = link::data_bytes(node_length);
        let offset = dev.get(at, word::OFFSET);
        self.open = Some(Open { record, buffer, from: buffer + header_bytes, offset, left, ends });
        self.go_on(dev);
    }

    /// Hands the data of the open frame to the engine. False if it waits.
    #[inline(always)]
    fn go_on(&mut self, dev: &mut impl Device) -> bool {
        let Some(mut open) = self.open else { return false };
        let receive = self.record(dev, open.record);
        let cursor = Cursor::at(receive.plus(record::CURSOR));
        loop {
            if !self.writes.has_room(1) {
                self.open = Some(open);
                return false;
            }
            if open.left == 0 {
                // Of a frame without data; or its last piece has ended it.
                rarely();
                return self.close_empty(dev, open);
            }
            let descriptor = dev.get(receive, record::DESCRIPTOR);
            let chain = dev.place(descriptor);
            let lists = self.lists.of(dev, open.record);
            let step = cursor.seek(dev, &lists, chain, open.offset);
            let Step::Run(run) = step else {
                rarely();
                self.open = Some(open);
                if self.stop(dev, step) {
                    continue;
                }
                return false;
            };
            let bytes = run.bytes.min(open.left);
            let is_last = bytes == open.left;
            let tag = match is_last {
                true => Tag::new(open.record, open.buffer, open.ends),
                false => Tag::new(open.record, 0, false),
            };
            let needs_event = is_last && open.ends || !self.writes.has_room(8);
            let transfer = Transfer { bus_address: run.address, sram_address: open.from, bytes };
            self.writes.post(dev, transfer, if needs_event { DMA_FLAG_EVENT } else { 0 }, tag);
            if is_last {
                self.open = None;
                dev.trace(Marker::DmaWritePosted, open.offset);
                return true;
            }
            open.from += bytes;
            open.offset += bytes;
            open.left -= bytes;
        }
    }
}
