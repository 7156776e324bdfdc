//! What becomes of a frame.

use nic_collections::State;
use nic_device::{rarely, Device};
use nic_layout::counter::Counter;
use nic_layout::frame::link::word as link;
use nic_layout::personality::emp::frame::{self, word, FIRST_HEADER_BYTES, HEADER_BYTES};
use nic_layout::personality::emp::{COLLECTION_FRAMES_MAX, MESSAGE_BYTES_MAX, PROTOCOL};
use nic_layout::ring::Event;
use nic_layout::trace::Marker;
use nic_matching::{Found, Message, Posted};

use super::state::Sorter;
use crate::frame::Frame;
use crate::header::{source_address, NODE_MASK};
use crate::messages::{Answer, SorterToReceiver as Sorted, SorterToSender};
use crate::neighbours::{First, Receives, Sends};

const DATA: u32 = word::kind(frame::DATA);
const FIRST: u32 = word::kind(frame::FIRST);
const ACK: u32 = word::kind(frame::ACK);
const REFUSED: u32 = word::kind(frame::REFUSED);
const ABORTED: u32 = word::kind(frame::ABORTED);
const ABORT: u32 = word::kind(frame::ABORT);

impl<P: Posted> Sorter<P> {
    /// Classifies a frame and passes it on. There is room for what becomes of it.
    #[inline(always)]
    pub(super) fn sort(
        &mut self,
        dev: &mut impl Device,
        receiver: &mut impl Receives,
        sender: &mut impl Sends,
        buffer: u32,
        length_bytes: u32,
    ) {
        let frame = Frame::read(dev, buffer);
        let Frame { numbers, node_length, .. } = frame;
        let type_word = dev.get(frame.at, link::TYPE);
        if dev.get(frame.at, link::ADDRESS_1) != self.own_address || frame.data_bytes() + HEADER_BYTES > length_bytes {
            rarely();
            return self.drop_malformed(dev, buffer, type_word);
        }
        // The address of the sender and the header say the same of it.
        let is_known = link::identity(frame.node_length) == self.identities[frame.node() as usize & NODE_MASK]
            && dev.get(frame.at, link::ADDRESS_2) == source_address(frame.node_length);
        if !is_known {
            rarely();
            return self.drop(dev, buffer, Counter::FramesStrange.offset());
        }
        if type_word == DATA || type_word == FIRST {
            let table = &self.numbers[frame.node() as usize & NODE_MASK];
            if type_word == FIRST && (table.is_next(frame.message()) || self.is_unseen(dev, numbers, node_length)) {
                return self.first(dev, receiver, &frame, length_bytes);
            }
            if let Some(record) = table.receive_of(dev, frame.message()) {
                return self.pass_on(dev, receiver, record, &frame);
            }
            rarely();
            return self.late(dev, buffer, numbers, node_length);
        }
        if type_word == ACK {
            return self.answered(dev, sender, &frame, Answer::Ack);
        }
        rarely();
        self.sort_rarely(dev, sender, buffer, numbers, node_length, type_word);
    }

    /// Kinds of frames that are rare.
    #[cold]
    #[inline(never)]
    fn sort_rarely(
        &mut self,
        dev: &mut impl Device,
        sender: &mut impl Sends,
        buffer: u32,
        numbers: u32,
        node_length: u32,
        type_word: u32,
    ) {
        let frame = Frame::of(dev, buffer, numbers, node_length);
        match type_word {
            ABORT => self.abort(dev, frame),
            REFUSED => self.answered(dev, sender, &frame, Answer::Refused),
            ABORTED => self.answered(dev, sender, &frame, Answer::Aborted),
            _ => self.drop_malformed(dev, buffer, type_word),
        }
    }

    /// Whether no receive has taken the message of a first frame, which is not the next one.
    #[cold]
    #[inline(never)]
    fn is_unseen(&self, dev: &impl Device, numbers: u32, node_length: u32) -> bool {
        let table = &self.numbers[link::node(node_length) as usize & NODE_MASK];
        table.look(dev, word::message(numbers)) == State::Unseen
    }

    /// A frame of a message that no receive has now.
    #[cold]
    #[inline(never)]
    fn late(&mut self, dev: &mut impl Device, buffer: u32, numbers: u32, node_length: u32) {
        let frame = Frame::of(dev, buffer, numbers, node_length);
        let table = &self.numbers[frame.node() as usize & NODE_MASK];
        let state = table.look(dev, frame.message());
        if state == State::Complete {
            dev.count(Counter::FramesOfComplete);
            self.answer(dev, frame.buffer, frame.numbers, frame.node(), Answer::Ack);
        } else if state == State::Failed {
            dev.count(Counter::FramesOfFailed);
            self.answer(dev, frame.buffer, frame.numbers, frame.node(), Answer::Aborted);
        } else {
            let count = if state == State::Old { Counter::FramesOld } else { Counter::FramesBeforeFirst };
            self.drop(dev, frame.buffer, count.offset());
        }
    }

    /// The first frame of a message that no receive has taken.
    ///
    /// The receiver has the message before the books are closed: its data are on their way
    /// meanwhile.
    #[inline(always)]
    fn first(&mut self, dev: &mut impl Device, receiver: &mut impl Receives, frame: &Frame, length_bytes: u32) {
        let (length, tag_word) = (dev.get(frame.at, word::LENGTH), dev.get(frame.at, word::TAG));
        let is_exact = frame.number() == 0
            && frame.data_bytes() + FIRST_HEADER_BYTES <= length_bytes
            && length <= MESSAGE_BYTES_MAX
            && frame.data_bytes() == length.min(self.settings.cut.first_bytes)
            && dev.get(frame.at, word::COLLECTION).wrapping_sub(1) < COLLECTION_FRAMES_MAX
            && dev.get(frame.at, word::OFFSET) == 0;
        if !is_exact {
            rarely();
            return self.drop(dev, frame.buffer, Counter::FramesMalformed.offset());
        }
        let number = frame.message();
        let table = &mut self.numbers[frame.node() as usize & NODE_MASK];
        let mut message =
            Message { source: frame.node() as u8, tag: tag_word as u16, after_tag: true, after_all: true };
        if tag_word == word::tag(message.tag, 0, 0) {
            // No message before it is open.
            table.pass_over(number);
        } else {
            rarely();
            message.after_tag = table.is_after_tag(dev, number, word::tag_distance(tag_word));
            message.after_all = table.is_after_all(number, word::oldest_distance(tag_word));
        }
        dev.step::<{ Marker::MatchBegun as u8 }>();
        match self.posted.find(dev, message) {
            Found::Receive(record) => {
                dev.trace(Marker::MessageMatched, record);
                self.take_first(dev, receiver, record, frame);
                self.matched = self.matched.wrapping_add(1);
                // As many as were matched since the start.
                dev.put(dev.counters(), Counter::MessagesMatched.offset(), self.matched);
            }
            Found::Early => {
                // The sender is told. If it waited for a time-out, the frame would hold its place on
                // a narrow path, and a message that the older one does not hinder would not leave.
                rarely();
                let numbers = word::numbers(number, frame::REFUSED_EARLY);
                dev.count(Counter::FirstsEarly);
                dev.trace(Marker::Dropped, Counter::FirstsEarly.offset() / 4);
                self.answer(dev, frame.buffer, numbers, frame.node(), Answer::Refused);
            }
            Found::Nothing => {
                rarely();
                dev.count(Counter::FirstsNotPosted);
                dev.trace(Marker::MessageRefused, frame.numbers);
                self.answer(dev, frame.buffer, frame.numbers, frame.node(), Answer::Refused);
            }
        }
    }

    /// The receiver takes the first frame of a message, with its buffer. The books of the sorter
    /// are closed meanwhile.
    #[inline(always)]
    fn take_first<R: Receives>(&mut self, dev: &mut impl Device, receiver: &mut R, record: u32, frame: &Frame) {
        let first = if R::IS_HERE { receiver.place_first(dev, record, frame) } else { First::NOTHING };
        if R::ENDS_AT_ONCE {
            self.posted.remove(dev, record);
            if first.is_placed && receiver.end_whole(dev, record, frame, first.length) {
                return self.numbers[frame.node() as usize & NODE_MASK].matched_whole(dev, frame.message());
            }
            rarely();
        }
        match R::IS_HERE {
            true => receiver.begin(dev, record, frame, first),
            false => {
                self.to_receiver.push(dev, Sorted::First { record, buffer: frame.buffer }.words());
                dev.tell();
            }
        }
        if !R::ENDS_AT_ONCE {
            self.posted.remove(dev, record);
        }
        self.numbers[frame.node() as usize & NODE_MASK].matched(dev, frame.message(), record);
    }

    /// The receiver takes a further frame of a message, with its buffer.
    #[inline(always)]
    fn pass_on<R: Receives>(&mut self, dev: &mut impl Device, receiver: &mut R, record: u32, frame: &Frame) {
        match R::IS_HERE {
            true => receiver.go_on(dev, record, frame),
            false => {
                self.to_receiver.push(dev, Sorted::Frame { record, buffer: frame.buffer }.words());
                dev.tell();
            }
        }
    }

    /// A peer has given a message up.
    fn abort(&mut self, dev: &mut impl Device, frame: Frame) {
        dev.count(Counter::FramesAborts);
        let (number, node) = (frame.message(), frame.node());
        let table = &mut self.numbers[node as usize & NODE_MASK];
        let state = table.look(dev, number);
        if let State::Matched(record) = state {
            dev.raise(Event::Work);
            self.to_receiver.push_rarely(dev, Sorted::Abort { record, node, numbers: frame.numbers }.words());
            return dev.recycle(frame.buffer);
        }
        if state == State::Unseen {
            // A copy of its first frame may still come.
            table.fail(dev, number);
        }
        self.answer(dev, frame.buffer, frame.numbers, frame.node(), Answer::Aborted);
    }

    /// What a peer says of a message of this node: it is for the sender.
    #[inline(always)]
    fn answered<S: Sends>(&mut self, dev: &mut impl Device, sender: &mut S, frame: &Frame, kind: Answer) {
        let (node, numbers) = (frame.node(), frame.numbers);
        if S::IS_HERE {
            if self.settings.has_flow_control() {
                rarely();
                sender.has_room(dev, node, dev.get(frame.at, word::OFFSET));
            }
            dev.recycle(frame.buffer);
            sender.answered(dev, kind, node, numbers);
        } else {
            let room = dev.get(frame.at, word::OFFSET);
            self.to_sender.push(dev, SorterToSender::Answer { kind, node, numbers, room }.words());
            dev.tell();
            dev.recycle(frame.buffer);
        }
        dev.count(Counter::FramesAnswers);
    }

    /// The frame is answered.
    #[cold]
    #[inline(never)]
    fn answer(&mut self, dev: &mut impl Device, buffer: u32, numbers: u32, node: u32, kind: Answer) {
        let entry = Sorted::Answer { kind, node, numbers };
        dev.raise(Event::Work);
        self.to_receiver.push_rarely(dev, entry.words());
        dev.recycle(buffer);
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
    fn drop_malformed(&mut self, dev: &mut impl Device, buffer: u32, type_word: u32) {
        let is_foreign = link::is_ours(type_word) && link::protocol_number(type_word) != PROTOCOL;
        let counter = if is_foreign { Counter::FramesForeign } else { Counter::FramesMalformed };
        self.drop(dev, buffer, counter.offset());
    }
}
