//! The order in which the sender works.

use nic_device::{rarely, Device};
use nic_layout::counter::Counter;
use nic_layout::personality::emp::descriptor::SEND_DESCRIPTORS;
use nic_layout::personality::emp::{MAILBOX_CANCEL_SEND, MAILBOX_SEND};

use super::state::{stage, Sender, Sides};
use crate::messages::{Answer, SorterToSender, TransmitterToSender};
use crate::neighbours::{Entry, Sends, Transmits};
use crate::places::{send_record as record, Places, Settings};

impl Sender {
    /// The mailboxes of the sender, one bit each.
    pub const MAILBOXES: u32 = 1 << MAILBOX_SEND | 1 << MAILBOX_CANCEL_SEND;

    /// Makes the part ready.
    pub fn start(&mut self, dev: &mut impl Device, sides: Sides, settings: &Settings, places: &Places) {
        self.from_sorter = sides.from_sorter;
        self.from_transmitter = sides.from_transmitter;
        self.to_transmitter = sides.to_transmitter;
        self.settings = *settings;
        self.places = *places;
        self.sends = dev.place(places.sends);
        self.paths = dev.place(places.paths);
        for number in 0..SEND_DESCRIPTORS {
            dev.write(places.sends + number * record::BYTES + record::STATE, stage::FREE);
        }
        for peer in 0..settings.node_count {
            self.clear_path(dev, peer);
            self.forget_numbers(dev, peer);
        }
    }

    /// Takes an answer from a sorter that runs elsewhere.
    #[inline(always)]
    pub(crate) fn take_entry(&mut self, dev: &mut impl Device) -> Entry {
        let was_known = self.from_sorter.knows_entry();
        let Some(words) = self.from_sorter.peek(dev) else { return Entry::None };
        let SorterToSender::Answer { kind, node, numbers, room } = SorterToSender::of(words) else {
            rarely();
            return Entry::Rare;
        };
        self.from_sorter.skip(dev);
        if self.settings.has_flow_control() {
            rarely();
            self.note_room(dev, node, room);
        }
        if !self.has_accepted(dev, kind, node, numbers) {
            rarely();
            self.on_answer(dev, kind, node, numbers);
        }
        Entry::after(&self.from_sorter, was_known)
    }

    /// Does some of the rare work that waits. False if there was none that it could do.
    pub fn turn(&mut self, dev: &mut impl Device, to: &mut impl Transmits) -> bool {
        let mut is_busy = false;
        if let Some(words) = self.from_sorter.pop(dev) {
            match SorterToSender::of(words) {
                SorterToSender::Answer { kind, node, numbers, room } => {
                    if self.settings.has_flow_control() {
                        self.note_room(dev, node, room);
                    }
                    self.on_answer(dev, kind, node, numbers);
                }
                SorterToSender::Command { word } => {
                    self.begin_command(dev, word);
                }
            }
            is_busy = true;
        }
        if let Some(words) = self.from_transmitter.pop(dev) {
            self.hear(dev, TransmitterToSender::of(words));
            is_busy = true;
        }
        is_busy |= self.say(dev);
        if let Some(number) = self.held {
            self.held = None;
            self.on_posted::<false>(dev, to, number);
            is_busy |= self.held.is_none();
        }
        is_busy | self.obey(dev)
    }

    /// Whether frames wait to be sent.
    #[inline(always)]
    pub fn has_frame(&self) -> bool {
        !self.ready.is_empty()
    }

    /// Whether nothing waits beside frames and the queues.
    pub fn is_calm(&self) -> bool {
        self.held.is_none() && self.command.is_none() && self.control.is_empty()
    }

    /// Takes what the host has posted or given up. `written`: the mailboxes. `HEARS`: answers come
    /// from the other core.
    #[inline(always)]
    pub fn on_mailboxes<const HEARS: bool>(&mut self, dev: &mut impl Device, to: &mut impl Transmits, written: u32) {
        if written & 1 << MAILBOX_SEND != 0 {
            let number = dev.mailbox(MAILBOX_SEND);
            if self.held.is_some() {
                // The host has not waited until the number before was taken: that one stays posted.
                rarely();
                dev.count(Counter::MailboxesWild);
            }
            self.on_posted::<HEARS>(dev, to, number);
        }
        if written & 1 << MAILBOX_CANCEL_SEND != 0 {
            rarely();
            let number = dev.mailbox(MAILBOX_CANCEL_SEND);
            dev.clear_mailboxes(1 << MAILBOX_CANCEL_SEND);
            self.on_cancelled(dev, number);
        }
    }
}

impl Sends for Sender {
    const IS_HERE: bool = true;

    #[inline(always)]
    fn has_room(&mut self, dev: &mut impl Device, node: u32, room: u32) {
        self.note_room(dev, node, room);
    }

    #[inline(always)]
    fn answered(&mut self, dev: &mut impl Device, kind: Answer, node: u32, numbers: u32) {
        self.on_answer(dev, kind, node, numbers);
    }
}
