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

impl Receiver {
    /// Begins a message in the receive that the sorter has chosen.
    #[inline(always)]
    pub(super) fn take_first(&mut self, dev: &mut impl Device, record: u32, buffer: u32) {
        let (at, receive) = (dev.place(buffer), self.record(dev, record));
        let (node_length, numbers) = (dev.get(at, link::NODE_LENGTH), dev.get(at, word::NUMBERS));
        let (length, tag_word) = (dev.get(at, word::LENGTH), dev.get(at, word::TAG));
        let collection_frames = dev.get(at, word::COLLECTION);
        dev.put(receive, record::MESSAGE, record::message(link::node(node_length), word::message(numbers)));
        dev.put(receive, record::LENGTH, length);
        dev.put(receive, record::TAG, tag_word);
        if length > dev.get(receive, record::ROOM) {
            rarely();
            dev.recycle(buffer);
            dev.count(Counter::FramesRefusedTruncated);
            return self.fail(dev, record, Failure::Truncated, true);
        }
        self.lists.forget(record);
        dev.put(receive, record::STATE, record::RECEIVING);
        let arrivals = Arrivals::at(receive.plus(record::ARRIVALS));
        arrivals.start(dev, self.settings.cut.frames(length), collection_frames);
        self.take(dev, record, receive, buffer, (node_length, numbers), FIRST_HEADER_BYTES);
    }

    /// Takes another frame of a message, or a frame again.
    #[inline(always)]
    pub(super) fn take_frame(&mut self, dev: &mut impl Device, record: u32, buffer: u32) {
        let (at, receive) = (dev.place(buffer), self.record(dev, record));
        let (node_length, numbers) = (dev.get(at, link::NODE_LENGTH), dev.get(at, word::NUMBERS));
        let message = record::message(link::node(node_length), word::message(numbers));
        // The message may have ended meanwhile, and its record serve another one.
        if dev.get(receive, record::MESSAGE) != message || dev.get(receive, record::STATE) != record::RECEIVING {
            rarely();
            dev.count(Counter::FramesLate);
            return dev.recycle(buffer);
        }
        let (frame, length) = (word::frame(numbers), dev.get(receive, record::LENGTH));
        let cut = &self.settings.cut;
        let is_exact = frame < cut.frames(length)
            && dev.get(at, word::OFFSET) == cut.offset(frame)
            && link::data_bytes(node_length) == cut.bytes(frame, length);
        if !is_exact {
            rarely();
            dev.count(Counter::FramesInexact);
            return dev.recycle(buffer);
        }
        let header_bytes = if frame == 0 { FIRST_HEADER_BYTES } else { HEADER_BYTES };
        self.take(dev, record, receive, buffer, (node_length, numbers), header_bytes);
    }

    #[inline(never)]
    #[cfg_attr(target_arch = "riscv32", link_section = ".fast.text")]
    fn take(
        &mut self,
        dev: &mut impl Device,
        record: u32,
        receive: Place,
        buffer: u32,
        (node_length, numbers): (u32, u32),
        header_bytes: u32,
    ) {
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
