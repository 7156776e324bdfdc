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
use crate::counts::{count, Count};
use crate::header::{source_address, NODE_MASK};
use crate::messages::{Answer, SorterToReceiver as Sorted, SorterToSender};

/// What becomes of a frame.
pub(super) enum Sort {
    /// The receiver takes it, with its buffer.
    Receiver(Sorted),
    /// It is answered.
    Answer(Sorted),
    /// It is for the sender.
    Sender(SorterToSender),
    /// It is dropped, and counted: the offset of the counter.
    Drop(u32),
}

/// A first frame: where it is, and the words of its header that were read.
struct First {
    at: Place,
    buffer: u32,
    numbers: u32,
    node_length: u32,
    /// Bytes that have come.
    length_bytes: u32,
}

impl<P: Posted> Sorter<P> {
    #[inline(always)]
    pub(super) fn sort(&mut self, dev: &mut impl Device, buffer: u32, length_bytes: u32) -> Sort {
        let at = dev.place(buffer);
        let (type_word, node_length) = (dev.get(at, link::TYPE), dev.get(at, link::NODE_LENGTH));
        let numbers = dev.get(at, word::NUMBERS);
        let peer = link::node(node_length);
        if dev.get(at, link::ADDRESS_1) != self.own_address
            || link::data_bytes(node_length) + HEADER_BYTES > length_bytes
        {
            return Sort::Drop(self.malformed(type_word).offset());
        }
        // The address of the sender and the header say the same of it.
        let is_known = link::identity(node_length) == self.identities[peer as usize & NODE_MASK]
            && dev.get(at, link::ADDRESS_2) == source_address(node_length);
        if !is_known {
            return Sort::Drop(Counter::FramesStrange.offset());
        }
        const DATA: u32 = word::kind(frame::DATA);
        const FIRST: u32 = word::kind(frame::FIRST);
        const ACK: u32 = word::kind(frame::ACK);
        const REFUSED: u32 = word::kind(frame::REFUSED);
        const ABORTED: u32 = word::kind(frame::ABORTED);
        const ABORT: u32 = word::kind(frame::ABORT);
        let number = word::message(numbers);
        let table = &self.numbers[peer as usize & NODE_MASK];
        match type_word {
            DATA => match table.look(dev, number) {
                State::Matched(record) => Sort::Receiver(Sorted::Frame { record, buffer }),
                state => self.late(dev, state, peer, numbers),
            },
            FIRST => match table.look(dev, number) {
                State::Unseen => self.first(dev, First { at, buffer, numbers, node_length, length_bytes }),
                State::Matched(record) => Sort::Receiver(Sorted::Frame { record, buffer }),
                state => self.late(dev, state, peer, numbers),
            },
            ACK => self.answered(dev, at, Answer::Ack, peer, numbers),
            REFUSED => self.answered(dev, at, Answer::Refused, peer, numbers),
            ABORTED => self.answered(dev, at, Answer::Aborted, peer, numbers),
            ABORT => self.abort(dev, peer, numbers),
            _ => Sort::Drop(self.malformed(type_word).offset()),
        }
    }

    /// A frame of a message that no receive has now.
    #[cold]
    fn late(&mut self, dev: &mut impl Device, state: State, node: u32, numbers: u32) -> Sort {
        match state {
            State::Complete => {
                count(dev, Count::FramesOfComplete);
                Sort::Answer(Sorted::Answer { kind: Answer::Ack, node, numbers })
            }
            State::Failed => {
                count(dev, Count::FramesOfFailed);
                Sort::Answer(Sorted::Answer { kind: Answer::Aborted, node, numbers })
            }
            State::Old => Sort::Drop(Count::FramesOld.offset()),
            _ => Sort::Drop(Count::FramesBeforeFirst.offset()),
        }
    }

    /// The first frame of a message that no receive has taken.
    #[inline(always)]
    fn first(&mut self, dev: &mut impl Device, frame: First) -> Sort {
        let First { at, buffer, numbers, node_length, length_bytes } = frame;
        let peer = link::node(node_length);
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
            return Sort::Drop(Counter::FramesMalformed.offset());
        }
        let number = word::message(numbers);
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
                count(dev, Count::MessagesMatched);
                dev.trace(Marker::MessageMatched, record);
                Sort::Receiver(Sorted::First { record, buffer })
            }
            Found::Early => Sort::Drop(Count::FirstsEarly.offset()),
            Found::Nothing => {
                count(dev, Count::FirstsNotPosted);
                Sort::Answer(Sorted::Answer { kind: Answer::Refused, node: peer, numbers })
            }
        }
    }

    /// What a peer says of a message of this node.
    #[inline(always)]
    fn answered(&mut self, dev: &mut impl Device, at: Place, kind: Answer, node: u32, numbers: u32) -> Sort {
        count(dev, Count::FramesAnswers);
        let room = dev.get(at, word::OFFSET);
        Sort::Sender(SorterToSender::Answer { kind, node, numbers, room })
    }

    /// A peer has given a message up.
    #[cold]
    fn abort(&mut self, dev: &mut impl Device, node: u32, numbers: u32) -> Sort {
        count(dev, Count::FramesAborts);
        let number = word::message(numbers);
        let table = &mut self.numbers[node as usize & NODE_MASK];
        match table.look(dev, number) {
            State::Matched(record) => return Sort::Answer(Sorted::Abort { record, node, numbers }),
            // A copy of its first frame may still come.
            State::Unseen => table.fail(dev, number),
            _ => {}
        }
        Sort::Answer(Sorted::Answer { kind: Answer::Aborted, node, numbers })
    }

    #[cold]
    fn malformed(&self, type_word: u32) -> Counter {
        let is_foreign = link::is_ours(type_word) && link::protocol_number(type_word) != PROTOCOL;
        if is_foreign {
            Counter::FramesForeign
        } else {
            Counter::FramesMalformed
        }
    }
}
