//! What peers say of messages of this node.

use nic_collections::{Acknowledged, Window};
use nic_device::{rarely, Device};
use nic_layout::counter::Counter;
use nic_layout::personality::emp::descriptor::{stat, Failure};
use nic_layout::personality::emp::frame::{word, REFUSED_EARLY};
use nic_layout::plant::{is_planted, Plant};
use nic_layout::trace::Marker;

use super::state::{stage, Sender};
use crate::messages::{Answer, SorterToSender};
use crate::places::{path, send_record as record};

impl Sender {
    /// Takes the answer of a peer to a frame.
    #[inline(never)]
    #[cfg_attr(target_arch = "riscv32", link_section = ".fast.text.ends")]
    pub(super) fn on_answer(&mut self, dev: &mut impl Device, kind: Answer, node: u32, numbers: u32) {
        let planted = is_planted(Plant::AnyAcknowledgement) && kind == Answer::Ack;
        let numbers = if planted { self.as_newest(node, numbers) } else { numbers };
        let Some(record) = self.record_of(dev, node, word::message(numbers)) else {
            rarely();
            return dev.count(Counter::AnswersLate);
        };
        let sent = self.record(record);
        if dev.get(sent, record::NODE_NUMBER) != node | numbers << 16 {
            rarely();
            return dev.count(Counter::AnswersLate);
        }
        let state = dev.get(sent, record::STATE);
        if state == stage::SENDING | stage::WHOLE && kind == Answer::Ack && word::frame(numbers) == 0 {
            return self.accept_whole(dev, node, record, numbers);
        }
        if kind != Answer::Ack || state & stage::MASK != stage::SENDING {
            rarely();
            return self.on_rare_answer(dev, kind, record, state, numbers);
        }
        let window = Window::at(sent.plus(record::WINDOW));
        let was_matched = window.is_matched(dev);
        let collection = match window.acknowledge(dev, word::frame(numbers)) {
            Acknowledged::New(collection) => collection,
            Acknowledged::Again => {
                rarely();
                return dev.count(Counter::AcksAgain);
            }
            Acknowledged::Strange => {
                rarely();
                return dev.count(Counter::AcksWild);
            }
        };
        dev.count(Counter::CollectionsAccepted);
        dev.trace(Marker::AckReceived, numbers);
        if state & (stage::LATE | stage::PACED) != 0 {
            rarely();
            self.accept_rarely(dev, record, collection, was_matched);
        }
        if !was_matched {
            self.close(dev, node, record);
        }
        if window.is_complete(dev) {
            return self.complete(dev, record, state);
        }
        if window.may_send(dev) || state & stage::LATE != 0 {
            self.ready.push(record);
        }
    }

    /// Takes the oldest answer of the other core, if a short message ends with it.
    #[inline(always)]
    pub(super) fn take_accepted(&mut self, dev: &mut impl Device) {
        let Some(words) = self.from_sorter.peek(dev) else { return };
        let SorterToSender::Answer { kind, node, numbers, .. } = SorterToSender::of(words) else { return };
        if !self.settings.has_flow_control() && self.has_accepted(dev, kind, node, numbers) {
            self.from_sorter.skip(dev);
        }
    }

    /// Takes the answer that most short messages have, without a call. False: nothing was done, and
    /// [`Self::on_answer`] takes it.
    #[inline(always)]
    pub(super) fn has_accepted(&mut self, dev: &mut impl Device, kind: Answer, node: u32, numbers: u32) -> bool {
        if is_planted(Plant::AnyAcknowledgement) {
            return false;
        }
        let Some(record) = self.record_of(dev, node, word::message(numbers)) else { return false };
        let sent = self.record(record);
        let is_whole = dev.get(sent, record::STATE) == stage::SENDING | stage::WHOLE
            && dev.get(sent, record::NODE_NUMBER) == node | numbers << 16
            && kind == Answer::Ack
            && word::frame(numbers) == 0;
        if is_whole {
            self.accept_whole(dev, node, record, numbers);
        }
        is_whole
    }

    /// A message of one frame, of which no timer has expired, is accepted. The host knows it before
    /// the books are kept: what it posts then is taken on this core, behind this.
    #[inline(always)]
    fn accept_whole(&mut self, dev: &mut impl Device, node: u32, record: u32, numbers: u32) {
        dev.trace(Marker::AckReceived, numbers);
        let sent = self.record(record);
        let at = dev.place(dev.get(sent, record::DESCRIPTOR));
        let head = dev.get(at, 0);
        dev.trace(Marker::MessageSent, record);
        dev.put(at, 0, head & !0xFF | u32::from(stat::DONE));
        dev.put(sent, record::STATE, stage::FREE);
        self.close(dev, node, record);
        self.under_way.remove(record);
        self.give_number(dev, node, word::message(numbers));
        dev.count(Counter::CollectionsAccepted);
        dev.count(Counter::SendsDone);
    }

    /// What else there is to do for a message with a pace, or of which a timer has expired. It is
    /// still among the open ones if it was not matched before.
    #[cold]
    #[inline(never)]
    fn accept_rarely(&mut self, dev: &mut impl Device, record: u32, collection: u32, was_matched: bool) {
        let sent = self.record(record);
        let state = dev.get(sent, record::STATE);
        if state & stage::LATE != 0 {
            self.be_heard(dev, sent, collection);
            if !was_matched {
                self.let_younger_go(dev, record);
            }
        }
        if state & stage::PACED != 0 {
            self.on_paced_ack(dev, dev.get(sent, record::NODE_NUMBER) & 0xFFFF, record, collection);
        }
    }

    #[cold]
    #[inline(never)]
    fn on_rare_answer(&mut self, dev: &mut impl Device, kind: Answer, record: u32, state: u32, numbers: u32) {
        let sent = self.record(record);
        if kind == Answer::Aborted {
            let path = self.path(dev.get(sent, record::NODE_NUMBER) & 0xFFFF);
            dev.put(path, path::UNANSWERED, 0);
        }
        match (kind, state & stage::MASK) {
            (Answer::Refused, stage::SENDING) => {
                // The peer lives.
                dev.count(Counter::RefusalsTaken);
                dev.trace(Marker::RefusalReceived, record);
                if is_planted(Plant::RefusalAccepts) {
                    return self.end(dev, record, stat::DONE);
                }
                match word::frame(numbers) == u32::from(REFUSED_EARLY) {
                    true => self.wait_for_older(dev, sent, state),
                    false => self.pause(dev, sent, state),
                }
            }
            (Answer::Aborted, stage::SENDING) => self.fail(dev, record, Failure::Aborted, stage::QUIET),
            (Answer::Aborted, stage::ABORTING) => self.end(dev, record, (state >> stage::STAT_SHIFT) as u8),
            // The peer knows already. Its frames may still be read.
            (Answer::Aborted, stage::FAILING) => dev.put(sent, record::STATE, state | stage::QUIET),
            _ => dev.count(Counter::AnswersLate),
        }
    }
}
