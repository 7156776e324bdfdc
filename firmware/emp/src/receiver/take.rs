//! Frames of messages that a receive has taken.

use nic_collections::{Arrival, Arrivals};
use nic_device::{rarely, Device, Place};
use nic_layout::counter::Counter;
use nic_layout::frame::link::word as link;
use nic_layout::personality::emp::descriptor::Failure;
use nic_layout::personality::emp::frame::{word, FIRST_HEADER_BYTES, HEADER_BYTES};

use super::open::Open;
use super::state::Receiver;
use crate::messages::Answer;
use crate::places::receive_record as record;

/// A frame that is taken: where it is, and the words of its header that were read.
struct Frame {
    buffer: u32,
    node_length: u32,
    numbers: u32,
    header_bytes: u32,
}

impl Receiver {
    /// Takes a frame. `is_first`: it begins a message in the receive that the sorter has chosen.
    #[inline(always)]
    pub(super) fn take(&mut self, dev: &mut impl Device, record: u32, buffer: u32, is_first: bool) {
        let (at, receive) = (dev.place(buffer), self.record(dev, record));
        let (node_length, numbers) = (dev.get(at, link::NODE_LENGTH), dev.get(at, word::NUMBERS));
        let mut frame = Frame { buffer, node_length, numbers, header_bytes: FIRST_HEADER_BYTES };
        if is_first {
            if !self.begin(dev, record, receive, at, &frame) {
                return;
            }
        } else {
            if !self.is_expected(dev, receive, at, &frame) {
                return;
            }
            if word::frame(numbers) != 0 {
                frame.header_bytes = HEADER_BYTES;
            }
        }
        self.keep(dev, record, receive, frame);
    }

    /// Begins a message in a receive. False if the receive is too short, and the frame dropped.
    #[inline(always)]
    fn begin(&mut self, dev: &mut impl Device, record: u32, receive: Place, at: Place, frame: &Frame) -> bool {
        let (length, tag_word) = (dev.get(at, word::LENGTH), dev.get(at, word::TAG));
        let collection_frames = dev.get(at, word::COLLECTION);
        let message = record::message(link::node(frame.node_length), word::message(frame.numbers));
        dev.put(receive, record::MESSAGE, message);
        dev.put(receive, record::LENGTH, length);
        dev.put(receive, record::TAG, tag_word);
        if length > dev.get(receive, record::ROOM) {
            rarely();
            dev.recycle(frame.buffer);
            dev.count(Counter::FramesRefusedTruncated);
            self.fail(dev, record, Failure::Truncated, true);
            return false;
        }
        self.lists.forget(record);
        dev.put(receive, record::STATE, record::RECEIVING);
        let arrivals = Arrivals::at(receive.plus(record::ARRIVALS));
        arrivals.start(dev, self.settings.cut.frames(length), collection_frames);
        true
    }

    /// Whether the frame is one of the message that the record has now, and cut as it should be.
    /// If not, it is dropped.
    #[inline(always)]
    fn is_expected(&mut self, dev: &mut impl Device, receive: Place, at: Place, frame: &Frame) -> bool {
        let &Frame { buffer, node_length, numbers, .. } = frame;
        let message = record::message(link::node(node_length), word::message(numbers));
        // The message may have ended meanwhile, and its record serve another one.
        if dev.get(receive, record::MESSAGE) != message || dev.get(receive, record::STATE) != record::RECEIVING {
            rarely();
            dev.count(Counter::FramesLate);
            dev.recycle(buffer);
            return false;
        }
        let (frame, length) = (word::frame(numbers), dev.get(receive, record::LENGTH));
        let cut = &self.settings.cut;
        let is_exact = frame < Arrivals::at(receive.plus(record::ARRIVALS)).frames(dev)
            && dev.get(at, word::OFFSET) == cut.offset(frame)
            && link::data_bytes(node_length) == cut.bytes(frame, length);
        if !is_exact {
            rarely();
            dev.count(Counter::FramesInexact);
            dev.recycle(buffer);
        }
        is_exact
    }

    /// Notes that the frame has come, and hands its data on.
    #[inline(always)]
    fn keep(&mut self, dev: &mut impl Device, record: u32, receive: Place, frame: Frame) {
        let Frame { buffer, node_length, numbers, header_bytes } = frame;
        let (node, frame) = (link::node(node_length), word::frame(numbers));
        let arrivals = Arrivals::at(receive.plus(record::ARRIVALS));
        let mut ends = false;
        match arrivals.arrive(dev, frame) {
            Arrival::New { completes } => {
                if completes {
                    ends = arrivals.is_complete(dev);
                    if ends {
                        dev.put(receive, record::STATE, record::ENDING);
                        // The last collection is acknowledged when the message is in host memory.
                        dev.put(receive, record::LAST, numbers);
                    } else {
                        self.answer(dev, Answer::Ack, node, numbers);
                    }
                }
            }
            Arrival::Again { is_complete } => {
                rarely();
                dev.count(Counter::FramesRepeated);
                if is_complete {
                    self.answer(dev, Answer::Ack, node, numbers);
                }
                return dev.recycle(buffer);
            }
            Arrival::Beyond => {
                rarely();
                dev.count(Counter::FramesBeyond);
                return dev.recycle(buffer);
            }
        }
        dev.count(Counter::FramesPlaced);
        self.place(
            dev,
            Open {
                record,
                buffer,
                from: buffer + header_bytes,
                offset: self.settings.cut.offset(frame),
                left: link::data_bytes(node_length),
                ends,
            },
        );
    }
}
