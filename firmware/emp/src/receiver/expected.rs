//! Frames that are expected.

use nic_collections::Arrivals;
use nic_device::{rarely, Device};
use nic_layout::frame::link::word as link;
use nic_layout::personality::emp::frame::{word, HEADER_BYTES};
use nic_scatter::{Cursor, Run};

use super::next::{Next, NONE};
use super::place::Data;
use super::state::Receiver;
use super::tag::Tag;
use crate::frame::Frame;
use crate::messages::Answer;
use crate::neighbours::Transmits;
use crate::pages::Pages;
use crate::places::receive_record as record;

impl<A: Pages> Receiver<A> {
    /// Takes the frame that is expected. False: the frame is another one, and nothing was done.
    #[inline(always)]
    pub(super) fn take_expected(&mut self, dev: &mut impl Device, to: &mut impl Transmits, frame: &Frame) -> bool {
        let next = &mut self.next;
        let offset = next.offset;
        if frame.numbers != next.numbers
            || frame.node_length != next.node_length
            || dev.get(frame.at, word::OFFSET) != offset
            || !self.writes.has_room(2)
        {
            return false;
        }
        let bytes = self.cut.data_bytes;
        let completes = next.arrivals.arrive(dev, next.receive.plus(record::ARRIVALS));
        next.numbers = frame.numbers.wrapping_add(word::numbers(0, 1));
        next.offset = offset + bytes;
        if next.arrivals.is_at_last() {
            rarely();
            next.node_length = NONE;
        }
        let (from, tag) = (frame.buffer + HEADER_BYTES, Tag::new(next.record, frame.buffer, false));
        let (receive, run) = (next.receive, next.run);
        self.next.run = match bytes <= run.bytes {
            true => match self.post_last(dev, run, from, bytes, offset, tag) {
                Some(rest) => rest,
                None => self.place_pages(dev, receive, tag, from, offset, bytes),
            },
            false => self.place_across(dev, receive, run, Data { tag, from, offset, bytes }),
        };
        self.count_placed(dev);
        if completes {
            self.answer(dev, to, Answer::Ack, frame.node(), frame.numbers);
        }
        true
    }

    /// The frame behind those of a message that have come in order is expected next. `frame`: one
    /// of them.
    #[inline(never)]
    pub(super) fn expect(&mut self, dev: &impl Device, record: u32, numbers: u32, node_length: u32) {
        let receive = self.record(record);
        let Some(arrivals) = Arrivals::at(receive.plus(record::ARRIVALS)).in_order(dev) else { return };
        // The message may have been given up.
        if arrivals.is_at_last() || dev.get(receive, record::STATE) != record::RECEIVING {
            return;
        }
        let cut = &self.cut;
        let frame = arrivals.next();
        let offset = cut.offset(frame);
        let run = Cursor::at(receive.plus(record::CURSOR)).here(dev, offset).unwrap_or(Run::EMPTY);
        self.next = Next {
            numbers: word::numbers(word::message(numbers), frame as u16),
            node_length: link::with_data_bytes(link::identity(node_length), cut.data_bytes),
            offset,
            record,
            receive,
            arrivals,
            run,
        };
    }
}
