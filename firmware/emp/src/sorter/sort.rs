//! What becomes of a frame.

use nic_collections::State;
use nic_device::{rarely, Device, Place};
use nic_layout::counter::Counter;
use nic_layout::frame::link::word as link;
use nic_layout::personality::emp::frame::{self, word, FIRST_HEADER_BYTES, HEADER_BYTES};
use nic_layout::personality::emp::{COLLECTION_FRAMES_MAX, MESSAGE_BYTES_MAX, PROTOCOL};
use nic_layout::trace::Marker;
use nic_matching::{Found, Message, Posted};

use super::state::Sorter;
use crate::header::{source_address, NODE_MASK};
use crate::messages::{Answer, SorterToReceiver as Sorted, SorterToSender};

/// A frame: where it is, and the words of its header that were read.
#[derive(Clone, Copy)]
struct Frame {
    at: Place,
    buffer: u32,
    /// Bytes that have come.
    length_bytes: u32,
    type_word: u32,
    numbers: u32,
    node_length: u32,
}

impl Frame {
    /// The node that sent it.
    #[inline(always)]
    fn peer(&self) -> u32 {
        link::node(self.node_length)
    }

    /// The number of its message.
    #[inline(always)]
    fn message(&self) -> u16 {
        word::message(self.numbers)
    }
}

const DATA: u32 = word::kind(frame::DATA);
const FIRST: u32 = word::kind(frame::FIRST);
const ACK: u32 = word::kind(frame::ACK);
const REFUSED: u32 = word::kind(frame::REFUSED);
const ABORTED: u32 = word::kind(frame::ABORTED);
const ABORT: u32 = word::kind(frame::ABORT);

impl<P: Posted> Sorter<P> {
    /// Classifies a frame and passes it on. There is room in the queues for what becomes of it.
    #[inline(always)]
    pub(super) fn sort(&mut self, dev: &mut impl Device, buffer: u32, length_bytes: u32) {
        let at = dev.place(buffer);
        let (type_word, node_length) = (dev.get(at, link::TYPE), dev.get(at, link::NODE_LENGTH));
        let numbers = dev.get(at, word::NUMBERS);
        let frame = Frame { at, buffer, length_bytes, type_word, numbers, node_length };
        let peer = frame.peer();
        if dev.get(at, link::ADDRESS_1) != self.own_address
            || link::data_bytes(node_length) + HEADER_BYTES > length_bytes
        {
            rarely();
            return self.drop_malformed(dev, &frame);
        }
        // The address of the sender and the header say the same of it.
        let is_known = link::identity(node_length) == self.identities[peer as usize & NODE_MASK]
            && dev.get(at, link::ADDRESS_2) == source_address(node_length);
        if !is_known {
            rarely();
            return self.drop(dev, buffer, Counter::FramesStrange.offset());
        }
        if type_word == ACK {
            return self.answered(dev, &frame, Answer::Ack);
        }
        if type_word == DATA || type_word == FIRST {
            let table = &self.numbers[peer as usize & NODE_MASK];
            let state = table.look(dev, frame.message());
            if let State::Matched(record) = state {
                return self.pass_on(dev, Sorted::Frame { record, buffer });
            }
            if type_word == FIRST && state == State::Unseen {
                return self.first(dev, &frame);
            }
            rarely();
            return self.late(dev, &frame);
        }
        rarely();
        self.sort_rarely(dev, &frame);
    }

    /// Kinds of frames that are rare.
    #[cold]
    #[inline(never)]
    fn sort_rarely(&mut self, dev: &mut impl Device, frame: &Frame) {
        match frame.type_word {
            ABORT => self.abort(dev, frame),
            REFUSED => self.answered(dev, frame, Answer::Refused),
            ABORTED => self.answered(dev, frame, Answer::Aborted),
            _ => self.drop_malformed(dev, frame),
        }
    }

    /// A frame of a message that no receive has now.
    #[cold]
    #[inline(never)]
    fn late(&mut self, dev: &mut impl Device, frame: &Frame) {
        let table = &self.numbers[frame.peer() as usize & NODE_MASK];
        let state = table.look(dev, frame.message());
        if state == State::Complete {
            dev.count(Counter::FramesOfComplete);
            self.answer(dev, frame, Answer::Ack);
        } else if state == State::Failed {
            dev.count(Counter::FramesOfFailed);
            self.answer(dev, frame, Answer::Aborted);
        } else {
            let count = if state == State::Old { Counter::FramesOld } else { Counter::FramesBeforeFirst };
            self.drop(dev, frame.buffer, count.offset());
        }
    }

    /// The first frame of a message that no receive has taken.
    #[inline(always)]
    fn first(&mut self, dev: &mut impl Device, frame: &Frame) {
        let &Frame { at, buffer, length_bytes, numbers, node_length, .. } = frame;
        let peer = frame.peer();
        let (length, tag_word) = (dev.get(at, word::LENGTH), dev.get(at, word::TAG));
        let collection_frames = dev.get(at, word::COLLECTION);
        let data_bytes = link::data_bytes(node_length);
        let is_exact = word::frame(numbers) == 0
            && data_bytes + FIRST_HEADER_BYTES <= length_bytes
            && length <= MESSAGE_BYTES_MAX
            && data_bytes == self.settings.cut.bytes(0, length)
            && collection_frames.wrapping_sub(1) < COLLECTION_FRAMES_MAX
            && dev.get(at, word::OFFSET) == 0;
        if !is_exact {
            rarely();
            return self.drop(dev, buffer, Counter::FramesMalformed.offset());
        }
        let number = frame.message();
        let table = &mut self.numbers[peer as usize & NODE_MASK];
        let message = Message {
            source: peer as u8,
            tag: tag_word as u16,
            after_tag: table.is_after_tag(dev, number, word::tag_distance(tag_word)),
            after_all: table.is_after_all(number, word::oldest_distance(tag_word)),
        };
        match self.posted.take(dev, message) {
            Found::Taken(record) => {
                table.matched(dev, number, record);
                dev.count(Counter::MessagesMatched);
                dev.trace(Marker::MessageMatched, record);
                self.pass_on(dev, Sorted::First { record, buffer });
            }
            Found::Early => {
                rarely();
                self.drop(dev, buffer, Counter::FirstsEarly.offset());
            }
            Found::Nothing => {
                rarely();
                dev.count(Counter::FirstsNotPosted);
                self.answer(dev, frame, Answer::Refused);
            }
        }
    }

    /// A peer has given a message up.
    fn abort(&mut self, dev: &mut impl Device, frame: &Frame) {
        dev.count(Counter::FramesAborts);
        let (number, node) = (frame.message(), frame.peer());
        let table = &mut self.numbers[node as usize & NODE_MASK];
        let state = table.look(dev, number);
        if let State::Matched(record) = state {
            self.to_receiver.push(dev, Sorted::Abort { record, node, numbers: frame.numbers }.words());
            return dev.recycle(frame.buffer);
        }
        if state == State::Unseen {
            // A copy of its first frame may still come.
            table.fail(dev, number);
        }
        self.answer(dev, frame, Answer::Aborted);
    }

    /// The receiver takes the frame, with its buffer.
    #[inline(always)]
    fn pass_on(&mut self, dev: &mut impl Device, entry: Sorted) {
        self.to_receiver.push(dev, entry.words());
        dev.count(Counter::FramesSorted);
    }

    /// What a peer says of a message of this node: it is for the sender.
    #[inline(always)]
    fn answered(&mut self, dev: &mut impl Device, frame: &Frame, kind: Answer) {
        dev.count(Counter::FramesAnswers);
        let room = dev.get(frame.at, word::OFFSET);
        let entry = SorterToSender::Answer { kind, node: frame.peer(), numbers: frame.numbers, room };
        self.to_sender.push(dev, entry.words());
        dev.recycle(frame.buffer);
    }

    /// The frame is answered.
    #[cold]
    #[inline(never)]
    fn answer(&mut self, dev: &mut impl Device, frame: &Frame, kind: Answer) {
        let entry = Sorted::Answer { kind, node: frame.peer(), numbers: frame.numbers };
        self.to_receiver.push(dev, entry.words());
        dev.recycle(frame.buffer);
    }

    /// The frame is dropped, and counted. `counter`: the offset of the counter.
    #[cold]
    #[inline(never)]
    fn drop(&mut self, dev: &mut impl Device, buffer: u32, counter: u32) {
        dev.add(dev.counters(), counter, 1);
        dev.trace(Marker::Dropped, counter / 4);
        dev.recycle(buffer);
    }

    #[cold]
    #[inline(never)]
    fn drop_malformed(&mut self, dev: &mut impl Device, frame: &Frame) {
        let is_foreign = link::is_ours(frame.type_word) && link::protocol_number(frame.type_word) != PROTOCOL;
        let counter = if is_foreign { Counter::FramesForeign } else { Counter::FramesMalformed };
        self.drop(dev, frame.buffer, counter.offset());
    }
}
