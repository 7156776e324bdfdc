//! The sender: takes posted sends, says which frames leave, takes acknowledgements, keeps the time.

mod acknowledged;
mod end;
mod issue;
mod numbers;
mod post;
mod set;
mod timer;

use nic_device::{rarely, Device, Place};
use nic_layout::counter::Counter;
use nic_layout::nodes::IMAGE_NODES;
use nic_layout::personality::emp::descriptor::SEND_DESCRIPTORS;
use nic_layout::personality::emp::{MAILBOX_CANCEL_SEND, MAILBOX_SEND};

use crate::messages::{
    FromSorterForSender, FromTransmitterForSender, SorterToSender, ToTransmitterOfSender, TransmitterToSender,
};
use crate::places::{send_record as record, Places, Settings};
use numbers::Peer;
use set::{Fifo, Set};

/// The part that decides what is sent.
pub struct Sender {
    from_sorter: FromSorterForSender,
    from_transmitter: FromTransmitterForSender,
    to_transmitter: ToTransmitterOfSender,
    /// A post that waits: for its peer to forget numbers, or to have started again.
    held: Option<u32>,
    /// A command of the driver that was not passed on yet.
    command: Option<u32>,
    is_timer_set: bool,
    /// Records whose frames may be sent, the next first.
    ready: Fifo,
    /// Records that have something to say to the transmitter, other than frames.
    control: Fifo,
    /// Records of messages that have not ended.
    under_way: Set,
    places: Places,
    settings: Settings,
    peers: [Peer; IMAGE_NODES],
}

/// The sides of the queues that the sender has.
pub struct Sides {
    /// From the sorter.
    pub from_sorter: FromSorterForSender,
    /// From the transmitter.
    pub from_transmitter: FromTransmitterForSender,
    /// To the transmitter.
    pub to_transmitter: ToTransmitterOfSender,
}

/// States of a message, in the lowest byte of its word. The next byte is [`RESENT`] or a failure.
mod state {
    /// The host has the record.
    pub const FREE: u32 = 0;
    /// Frames are sent.
    pub const SENDING: u32 = 1;
    /// Everything is accepted. Frames that were sent again may still be read.
    pub const ENDING: u32 = 2;
    /// The message was given up. Frames of it may still be read.
    pub const FAILING: u32 = 3;
    /// The peer is told that the message was given up.
    pub const ABORTING: u32 = 4;
    /// The state without the other bits.
    pub const MASK: u32 = 0xFF;
    /// Frames of the message were sent again.
    pub const RESENT: u32 = 0x100;
    /// The peer need not be told.
    pub const QUIET: u32 = 0x200;
    /// From this bit on the first byte that the descriptor gets.
    pub const STAT_SHIFT: u32 = 16;
}

impl Sender {
    /// The mailboxes of the sender, one bit each.
    pub const MAILBOXES: u32 = 1 << MAILBOX_SEND | 1 << MAILBOX_CANCEL_SEND;

    /// Before [`Self::start`].
    pub const NOWHERE: Sender = Sender {
        from_sorter: FromSorterForSender::NOWHERE,
        from_transmitter: FromTransmitterForSender::NOWHERE,
        to_transmitter: ToTransmitterOfSender::NOWHERE,
        held: None,
        command: None,
        is_timer_set: false,
        ready: Fifo::EMPTY,
        control: Fifo::EMPTY,
        under_way: Set::EMPTY,
        places: Places::NOWHERE,
        settings: Settings::NONE,
        peers: [Peer::NEW; IMAGE_NODES],
    };

    /// Makes the part ready.
    pub fn start(&mut self, dev: &mut impl Device, sides: Sides, settings: &Settings, places: &Places) {
        self.from_sorter = sides.from_sorter;
        self.from_transmitter = sides.from_transmitter;
        self.to_transmitter = sides.to_transmitter;
        self.settings = *settings;
        self.places = *places;
        for number in 0..SEND_DESCRIPTORS {
            dev.write(places.sends + number * record::BYTES + record::STATE, state::FREE);
        }
        for peer in 0..settings.node_count {
            self.forget_numbers(dev, peer);
        }
    }

    /// Does some of the work that waits. False if there was none that it could do.
    #[inline(always)]
    pub fn turn(&mut self, dev: &mut impl Device) -> bool {
        let mut is_busy = false;
        if let Some(words) = self.from_sorter.pop(dev) {
            match SorterToSender::of(words) {
                SorterToSender::Answer { kind, node, numbers, .. } => self.on_answer(dev, kind, node, numbers),
                SorterToSender::Command { word } => self.command = Some(word),
            }
            is_busy = true;
        }
        if let Some(words) = self.from_transmitter.pop(dev) {
            rarely();
            self.hear(dev, TransmitterToSender::of(words));
            is_busy = true;
        }
        if self.has_rare_work() {
            rarely();
            is_busy |= self.do_rare_work(dev);
        }
        is_busy | self.issue(dev)
    }

    #[inline(always)]
    fn has_rare_work(&self) -> bool {
        self.held.is_some() || self.command.is_some() || !self.control.is_empty()
    }

    #[cold]
    #[inline(never)]
    fn do_rare_work(&mut self, dev: &mut impl Device) -> bool {
        let mut is_busy = self.say(dev);
        if let Some(number) = self.held {
            self.held = None;
            self.on_posted(dev, number);
            is_busy |= self.held.is_none();
        }
        is_busy | self.obey(dev)
    }

    /// Takes what the host has posted or given up. The mailbox event was pending.
    #[inline(always)]
    pub fn on_mailboxes(&mut self, dev: &mut impl Device) {
        let written = dev.take_mailboxes(Self::MAILBOXES);
        if written & 1 << MAILBOX_SEND != 0 {
            let number = dev.mailbox(MAILBOX_SEND);
            if self.held.is_some() {
                // The host has not waited until the number before was taken: that one stays posted.
                rarely();
                dev.count(Counter::MailboxesWild);
            }
            self.on_posted(dev, number);
        }
        if written & 1 << MAILBOX_CANCEL_SEND != 0 {
            rarely();
            let number = dev.mailbox(MAILBOX_CANCEL_SEND);
            self.on_cancelled(dev, number);
        }
    }

    #[inline(always)]
    fn record(&self, dev: &impl Device, record: u32) -> Place {
        dev.place(self.places.sends + record * record::BYTES)
    }
}
