//! The order in which the sorter works, and commands of the driver.

use nic_collections::Numbers;
use nic_device::{rarely, Device};
use nic_layout::counter::Counter;
use nic_layout::personality::emp::descriptor::RECEIVE_DESCRIPTORS;
use nic_layout::personality::emp::{MAILBOX_CANCEL_RECEIVE, MAILBOX_RECEIVE};
use nic_layout::ring::{restarted_peer, Event, MAILBOX_COMMAND, MAILBOX_COMMAND_DONE};
use nic_layout::trace::Marker;
use nic_matching::Posted;

use super::state::{Sides, Sorter, NO_PEER};
use crate::command::{is_close, is_known, is_restart};
use crate::header::{own_address, NODE_MASK};
use crate::messages::{ReceiverToSorter, SorterToSender};
use crate::neighbours::{Receives, Sends, Sorts};
use crate::places::{Places, Settings};

/// Frames that are taken with one look at the queues to the other core.
const ALLOWED: u32 = 8;
/// While more frames than this wait, the core sends less often.
const FRAMES_FEW: u16 = 4;
/// It sends once in so many frames that arrive.
const FRAMES_OF_SENDING: u32 = 8;

impl<P: Posted> Sorter<P> {
    /// The mailboxes of the sorter, one bit each.
    pub const MAILBOXES: u32 = 1 << MAILBOX_RECEIVE | 1 << MAILBOX_CANCEL_RECEIVE | 1 << MAILBOX_COMMAND;

    /// Makes the part ready. The peers have these sessions.
    pub fn start(
        &mut self,
        dev: &mut impl Device,
        sides: Sides,
        settings: &Settings,
        places: &Places,
        sessions: impl Fn(u32) -> u8,
    ) {
        self.from_receiver = sides.from_receiver;
        self.to_receiver = sides.to_receiver;
        self.to_sender = sides.to_sender;
        self.settings = *settings;
        self.places = *places;
        self.own_address = own_address(settings.node as u8, settings.session as u8);
        self.posted = P::new(places.posted, RECEIVE_DESCRIPTORS);
        self.posted.clear(dev);
        for peer in (0..settings.node_count).filter(|&peer| peer != settings.node) {
            let index = peer as usize & NODE_MASK;
            self.identities[index] = peer | u32::from(sessions(peer)) << 8;
            self.numbers[index] = Numbers::start(dev, places.numbers + peer * Numbers::BYTES);
        }
    }

    /// Frames that wait.
    #[inline(always)]
    pub fn frames(&self, dev: &impl Device) -> u16 {
        dev.receive_consumer().wrapping_sub(self.next as u16)
    }

    /// Whether this core may send now, too.
    ///
    /// A core that sends as much as it receives falls behind with receiving, since acknowledgements
    /// come on top of the frames. Then frames wait for longer than the time-outs of their
    /// collections. So while more than a few wait, the core sends once in eight frames.
    #[inline(always)]
    pub fn allows_sending(&self, dev: &impl Device) -> bool {
        self.allows_sending_beside(self.frames(dev))
    }

    /// The same beside so many frames that wait.
    #[inline(always)]
    pub fn allows_sending_beside(&self, frames: u16) -> bool {
        frames <= FRAMES_FEW || self.next % FRAMES_OF_SENDING == 0
    }

    /// Whether a frame waits.
    #[inline(always)]
    pub fn has_frame(&self, dev: &impl Device) -> bool {
        self.next as u16 != dev.receive_consumer()
    }

    /// Whether nothing waits beside frames and the queue.
    pub fn is_calm(&self) -> bool {
        self.command.is_none()
    }

    /// Does some of the rare work that waits. False if there was none that it could do.
    pub fn turn(&mut self, dev: &mut impl Device) -> bool {
        let is_busy = !self.from_receiver.is_empty(dev);
        self.hear(dev);
        self.pass(dev) | is_busy
    }

    /// Whether the frame that waits can be taken.
    #[inline(always)]
    pub fn has_room<R: Receives, S: Sends>(&mut self, dev: &mut impl Device, receiver: &mut R) -> bool {
        if R::ENDS_AT_ONCE {
            return receiver.is_allowed() || self.allow::<R, S>(dev, receiver);
        }
        self.has_room_now::<R, S>(dev, receiver)
    }

    /// The same, for some frames behind that one too, if possible.
    #[inline(never)]
    fn allow<R: Receives, S: Sends>(&mut self, dev: &mut impl Device, receiver: &mut R) -> bool {
        let has_room = self.has_room_now::<R, S>(dev, receiver);
        // An entry for each frame, and one for a command.
        if has_room && (S::IS_HERE || self.to_sender.has_room(dev, ALLOWED + 2)) {
            receiver.allow(ALLOWED);
        }
        has_room
    }

    #[inline(always)]
    fn has_room_now<R: Receives, S: Sends>(&mut self, dev: &mut impl Device, receiver: &mut R) -> bool {
        let may_pass = match R::IS_HERE {
            true => receiver.is_ready(dev),
            false => self.to_receiver.room(dev) != 0,
        };
        may_pass && (S::IS_HERE || self.to_sender.room(dev) != 0)
    }

    /// Takes the frame that waits. [`Self::has_room`].
    #[inline(always)]
    pub fn take_frame(&mut self, dev: &mut impl Device, receiver: &mut impl Receives, sender: &mut impl Sends) {
        let (buffer, length_bytes) = dev.received(self.next as u16);
        dev.trace(Marker::ReceiveBegin, u32::from(self.next as u16));
        self.next = self.next.wrapping_add(1);
        dev.expect(self.next as u16);
        // As many as were taken since the start.
        dev.put(dev.counters(), Counter::FramesReceived.offset(), self.next);
        self.sort(dev, receiver, sender, buffer, length_bytes);
    }

    /// Hears what the receiver says. Before posts and frames: a receive that has ended may be
    /// posted again.
    #[cold]
    #[inline(never)]
    pub fn hear(&mut self, dev: &mut impl Device) {
        self.hear_all(dev);
    }

    /// The same, where the receiver runs elsewhere and each message ends so.
    #[inline(always)]
    pub(crate) fn hear_all(&mut self, dev: &mut impl Device) {
        while let Some(words) = self.from_receiver.pop(dev) {
            match ReceiverToSorter::of(words) {
                ReceiverToSorter::Complete { node, number } => {
                    self.numbers[node as usize & NODE_MASK].complete(dev, number);
                }
                entry => {
                    rarely();
                    self.hear_rarely(dev, entry);
                }
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn hear_rarely(&mut self, dev: &mut impl Device, entry: ReceiverToSorter) {
        match entry {
            ReceiverToSorter::Complete { .. } => {}
            ReceiverToSorter::Failed { node, number } => self.numbers[node as usize & NODE_MASK].fail(dev, number),
            ReceiverToSorter::Command { word } => self.finish(dev, word),
        }
    }

    /// Takes what the host has posted, given up or commanded. `written`: the mailboxes.
    #[inline(always)]
    pub fn on_mailboxes(&mut self, dev: &mut impl Device, written: u32) {
        if written & 1 << MAILBOX_RECEIVE != 0 {
            let number = dev.mailbox(MAILBOX_RECEIVE);
            self.on_posted(dev, number);
        }
        if written & Self::MAILBOXES & !(1 << MAILBOX_RECEIVE) != 0 {
            rarely();
            self.on_rare_mailboxes(dev, written);
        }
    }

    #[cold]
    #[inline(never)]
    fn on_rare_mailboxes(&mut self, dev: &mut impl Device, written: u32) {
        if written & 1 << MAILBOX_CANCEL_RECEIVE != 0 {
            let number = dev.mailbox(MAILBOX_CANCEL_RECEIVE);
            dev.clear_mailboxes(1 << MAILBOX_CANCEL_RECEIVE);
            self.on_cancelled(dev, number);
        }
        if written & 1 << MAILBOX_COMMAND != 0 {
            let word = dev.mailbox(MAILBOX_COMMAND);
            self.begin(dev, word);
        }
    }

    /// Begins a command of the driver. It goes from part to part: sender, transmitter, receiver.
    /// Each obeys it, waits for what it has in flight, and passes it on. The last word is here
    /// ([`Self::finish`]).
    ///
    /// From now on no frame of a peer that has started again is sorted. So nothing of either
    /// incarnation comes to the receiver behind the frames that are in its queue already.
    fn begin(&mut self, dev: &mut impl Device, word: u32) {
        dev.trace(Marker::Command, word);
        let (node, _) = restarted_peer(word);
        let is_wild =
            !is_known(word) || self.command.is_some() || is_restart(word) && self.settings.peer(node as u16).is_none();
        if is_wild {
            return dev.count(Counter::MailboxesWild);
        }
        dev.count(Counter::Commands);
        if is_restart(word) {
            self.identities[node as usize & NODE_MASK] = NO_PEER;
        }
        if is_close(word) {
            self.end_all(dev);
        }
        self.command = Some(word);
        dev.raise(Event::Work);
        self.pass(dev);
    }

    /// Passes a command on, if there is room.
    fn pass(&mut self, dev: &mut impl Device) -> bool {
        let Some(word) = self.command else { return false };
        if self.is_passed || self.to_sender.room(dev) == 0 {
            return false;
        }
        self.to_sender.push(dev, SorterToSender::Command { word }.words());
        self.is_passed = true;
        true
    }

    /// All parts have obeyed a command.
    fn finish(&mut self, dev: &mut impl Device, word: u32) {
        if is_restart(word) {
            let (node, session) = restarted_peer(word);
            let peer = node as usize & NODE_MASK;
            self.identities[peer] = node | session << 8;
            self.numbers[peer] = Numbers::start(dev, self.places.numbers + peer as u32 * Numbers::BYTES);
        }
        (self.command, self.is_passed) = (None, false);
        dev.to_host(MAILBOX_COMMAND_DONE, word);
    }
}

impl<P: Posted> Sorts for Sorter<P> {
    const IS_HERE: bool = true;

    #[inline(always)]
    fn completed(&mut self, dev: &mut impl Device, node: u32, number: u16) {
        self.numbers[node as usize & NODE_MASK].complete(dev, number);
    }
}
