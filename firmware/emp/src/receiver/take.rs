//! Frames of messages that a receive has taken.

use nic_collections::{Arrival, Arrivals};
use nic_device::{rarely, Device, Place};
use nic_layout::counter::Counter;
use nic_layout::personality::emp::descriptor::Failure;
use nic_layout::personality::emp::frame::word;
use nic_layout::plant::{is_planted, Plant};
use nic_scatter::Cursor;

use super::place::Data;
use super::state::Receiver;
use crate::frame::Frame;
use crate::messages::Answer;
use crate::neighbours::{First, Transmits};
use crate::pages::Pages;
use crate::places::receive_record as record;

impl<A: Pages> Receiver<A> {
    /// Takes the frame that begins a message in the receive that the sorter has chosen. What fits
    /// the receive, the first page and a frame is on its way before the books are kept.
    #[inline(always)]
    pub(crate) fn place_first(&mut self, dev: &mut impl Device, record: u32, frame: &Frame) -> First {
        let receive = self.record(record);
        let length = dev.get(frame.at, word::LENGTH);
        let room = dev.get(receive, record::ROOM);
        let data = Data::of(record, frame, 0, true);
        let run = Cursor::at(receive.plus(record::CURSOR)).first(dev);
        First { length, room, is_placed: self.is_short(length, room) && self.place_page(dev, run, data) }
    }

    /// Whether a message has one frame, and fits its receive.
    #[inline(always)]
    fn is_short(&self, length: u32, room: u32) -> bool {
        length <= room.min(self.cut.first_bytes)
    }

    /// Keeps the books of that message.
    #[inline(always)]
    pub(crate) fn begin(
        &mut self,
        dev: &mut impl Device,
        to: &mut impl Transmits,
        record: u32,
        frame: &Frame,
        First { length, room, is_placed }: First,
    ) {
        let receive = self.record(record);
        let is_short = self.is_short(length, room);
        let data = Data::of(record, frame, 0, true);
        if !is_placed {
            rarely();
            // List pages of the message before.
            self.lists.forget(record);
        }
        dev.put(receive, record::MESSAGE, record::message(frame.node(), frame.message()));
        dev.put(receive, record::LENGTH, length);
        let tag_word = dev.get(frame.at, word::TAG);
        dev.put(receive, record::TAG, tag_word);
        if is_short {
            // The only frame: nothing is kept of those that have come.
            dev.put(receive, record::STATE, record::ENDING);
            dev.put(receive, record::LAST, frame.numbers);
            self.count_placed(dev);
            if !is_placed {
                rarely();
                self.place_pages(dev, receive, data.tag, data.from, data.offset, data.bytes);
            }
            return;
        }
        rarely();
        match length <= room {
            true => self.begin_long(dev, to, record, frame.buffer, frame.numbers, frame.node_length),
            false => self.refuse(dev, record, frame.buffer),
        }
    }

    /// The same for a message of many frames.
    #[inline(never)]
    fn begin_long(
        &mut self,
        dev: &mut impl Device,
        to: &mut impl Transmits,
        record: u32,
        buffer: u32,
        numbers: u32,
        node_length: u32,
    ) {
        let (receive, frame) = (self.record(record), Frame::of(dev, buffer, numbers, node_length));
        let collection_frames = dev.get(frame.at, word::COLLECTION);
        dev.put(receive, record::STATE, record::RECEIVING);
        let frames = self.cut.frames(dev.get(receive, record::LENGTH));
        Arrivals::at(receive.plus(record::ARRIVALS)).start(dev, frames, collection_frames);
        self.keep(dev, to, record, receive, &frame, 0);
        self.expect(dev, record, numbers, node_length);
    }

    /// The receive is too short for the message.
    #[cold]
    #[inline(never)]
    fn refuse(&mut self, dev: &mut impl Device, record: u32, buffer: u32) {
        dev.recycle(buffer);
        dev.count(Counter::FramesRefusedTruncated);
        self.fail(dev, record, Failure::Truncated, true);
    }

    /// Takes a further frame of a message.
    #[inline(always)]
    pub(crate) fn go_on(&mut self, dev: &mut impl Device, to: &mut impl Transmits, record: u32, frame: &Frame) {
        if self.take_expected(dev, to, frame) {
            return;
        }
        rarely();
        self.take_other(dev, to, record, frame.buffer, frame.numbers, frame.node_length);
    }

    /// Takes a frame that was not expected.
    #[inline(never)]
    fn take_other(
        &mut self,
        dev: &mut impl Device,
        to: &mut impl Transmits,
        record: u32,
        buffer: u32,
        numbers: u32,
        node_length: u32,
    ) {
        let frame = &Frame::of(dev, buffer, numbers, node_length);
        self.expect_nothing(record);
        let receive = self.record(record);
        // The message may have ended meanwhile, and its record serve another one.
        let message = record::message(frame.node(), frame.message());
        if dev.get(receive, record::MESSAGE) != message || dev.get(receive, record::STATE) != record::RECEIVING {
            rarely();
            return drop(dev, frame.buffer, Counter::FramesLate);
        }
        let (number, length) = (frame.number(), dev.get(receive, record::LENGTH));
        let cut = &self.cut;
        let offset = dev.get(frame.at, word::OFFSET);
        let most_bytes = if number == 0 { cut.first_bytes } else { cut.data_bytes };
        // A frame beyond the last begins behind the end of the message.
        let is_exact =
            offset == cut.offset(number) && offset < length && frame.data_bytes() == most_bytes.min(length - offset);
        if !is_exact {
            rarely();
            return drop(dev, frame.buffer, Counter::FramesInexact);
        }
        self.keep(dev, to, record, receive, frame, offset);
        if self.last == record {
            // Frames of this message follow each other again.
            self.expect(dev, record, numbers, node_length);
        }
        self.last = record;
    }

    /// Notes that the frame has come, and hands its data on.
    #[inline(always)]
    fn keep(
        &mut self,
        dev: &mut impl Device,
        to: &mut impl Transmits,
        record: u32,
        receive: Place,
        frame: &Frame,
        offset: u32,
    ) {
        let arrivals = Arrivals::at(receive.plus(record::ARRIVALS));
        let arrival = arrivals.arrive(dev, frame.number());
        let Arrival::New { completes } = arrival else {
            rarely();
            return self.drop_known(dev, frame.buffer, frame.node(), frame.numbers, arrival);
        };
        let ends = completes && arrivals.is_complete(dev);
        if ends {
            dev.put(receive, record::STATE, record::ENDING);
            // The last collection is acknowledged when the message is in host memory.
            dev.put(receive, record::LAST, frame.numbers);
        }
        self.count_placed(dev);
        self.place(dev, receive, Data::of(record, frame, offset, ends));
        let is_planted_answer = is_planted(Plant::EarlyAcknowledgement) && frame.number() % 3 == 1;
        if completes && !ends || is_planted_answer {
            self.answer(dev, to, Answer::Ack, frame.node(), frame.numbers);
        }
    }

    /// The frame has come before, or is too far ahead.
    #[cold]
    #[inline(never)]
    fn drop_known(&mut self, dev: &mut impl Device, buffer: u32, node: u32, numbers: u32, arrival: Arrival) {
        let Arrival::Again { is_complete } = arrival else { return drop(dev, buffer, Counter::FramesBeyond) };
        if is_complete {
            self.answer_later(dev, Answer::Ack, node, numbers);
        }
        drop(dev, buffer, Counter::FramesRepeated);
    }
}

#[cold]
#[inline(never)]
fn drop(dev: &mut impl Device, buffer: u32, counter: Counter) {
    dev.count(counter);
    dev.recycle(buffer);
}
