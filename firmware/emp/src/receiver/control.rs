//! What peers, the host and the driver say of messages.

use nic_device::Device;
use nic_layout::personality::emp::descriptor::{Failure, RECEIVE_DESCRIPTORS};
use nic_layout::personality::emp::frame::word;
use nic_layout::ring::{restarted_peer, Event};

use super::open::Command;
use super::state::Receiver;
use crate::command::{is_close, is_restart};
use crate::messages::{Answer, ReceiverToSorter};
use crate::neighbours::Transmits;
use crate::pages::Pages;
use crate::places::receive_record as record;

impl<A: Pages> Receiver<A> {
    /// The node that sends a message has given it up.
    pub(super) fn on_abort(&mut self, dev: &mut impl Device, record: u32, node: u32, numbers: u32) {
        let receive = self.record(record);
        let is_it = dev.get(receive, record::MESSAGE) == record::message(node, word::message(numbers));
        match dev.get(receive, record::STATE) {
            record::RECEIVING if is_it => self.fail(dev, record, Failure::Aborted, true),
            // All frames have come: it ends well.
            record::ENDING if is_it => {}
            _ => self.answer_later(dev, Answer::Aborted, node, numbers),
        }
    }

    /// The host gives a receive up that a message has taken. If it is about to end, it ends.
    pub(super) fn on_cancel(&mut self, dev: &mut impl Device, record: u32) {
        let receive = self.record(record);
        if dev.get(receive, record::STATE) == record::RECEIVING {
            self.fail(dev, record, Failure::Cancelled, true);
        }
    }

    /// A list page could not be read.
    pub(super) fn on_load_failed(&mut self, dev: &mut impl Device, buffer: u32) {
        let record = self.lists.failed(buffer);
        if let Some(open) = self.open.take_if(|open| open.record == record && open.left != 0) {
            self.give_up(dev, open, Failure::BusError);
        }
    }

    /// Obeys a command and passes it on, when everything before it is done.
    pub(super) fn pass_command(&mut self, dev: &mut impl Device, to: &mut impl Transmits) -> bool {
        let Some(Command { word, next, until }) = self.command else { return false };
        // A frame that waits for a page waits for the driver, which may wait for this command.
        let is_open = self.open.is_some() && !A::MAY_MISS;
        if is_open || self.waiting.is_some() || !self.from_sorter.is_empty(dev) {
            return false;
        }
        for record in next..RECEIVE_DESCRIPTORS {
            if !self.has_room(dev) {
                self.command = Some(Command { word, next: record, until });
                return record != next;
            }
            let receive = self.record(record);
            let state = dev.get(receive, record::STATE);
            let waits = A::MAY_MISS && self.open.is_some_and(|open| open.record == record && open.left != 0);
            if state != record::RECEIVING && !(state == record::ENDING && waits) {
                continue;
            }
            let is_of_peer = record::node(dev.get(receive, record::MESSAGE)) == restarted_peer(word).0;
            if is_close(word) {
                self.fail(dev, record, Failure::Cancelled, true);
            } else if is_restart(word) && is_of_peer {
                self.fail(dev, record, Failure::PeerRestarted, false);
            }
        }
        // Frames of other messages go on, so there may always be transfers under way.
        let until = until.unwrap_or(self.writes.next_number());
        self.command = Some(Command { word, next: RECEIVE_DESCRIPTORS, until: Some(until) });
        // A line is taken away while the driver fills none: no record waits for a list page then.
        let must_settle = !A::MAY_MISS || is_close(word) || is_restart(word);
        if !self.writes.has_ended(until) {
            // Most transfers end without an event.
            dev.raise(Event::DmaWrite);
            return false;
        }
        if must_settle && self.failing != 0 || !self.has_room(dev) {
            return false;
        }
        if is_restart(word) {
            let (peer, session) = restarted_peer(word);
            to.greet_apart(peer, session as u8);
        }
        self.to_sorter.push(dev, ReceiverToSorter::Command { word }.words());
        self.command = None;
        true
    }
}
