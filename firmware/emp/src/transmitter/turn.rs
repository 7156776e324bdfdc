//! The order in which the transmitter works.

use nic_device::{rarely, Device};
use nic_dma::Transfer;
use nic_layout::personality::emp::frame::{word, ABORT};
use nic_layout::ring::{restarted_peer, Event};

use super::buffers::{Ring, ANSWERS, ANSWER_BYTES};
use super::frame::Asked;
use super::state::{Sides, Transmitter};
use super::tag::Tag;
use crate::command::is_restart;
use crate::header::Addresses;
use crate::lists::{Buffers, LIST_BUFFER_BYTES};
use crate::messages::{Answer, ReceiverToTransmitter, SenderToTransmitter, TransmitterToReceiver};
use crate::neighbours::{Entry, Header, Sends, Transmits};
use crate::pages::{NoPage, Pages};
use crate::places::{Places, Settings};
use crate::Elsewhere;

impl<A: Pages> Transmitter<A> {
    /// Makes the part ready. The peers have these sessions.
    pub fn start(
        &mut self,
        dev: &mut impl Device,
        sides: Sides,
        settings: &Settings,
        places: &Places,
        sessions: impl Fn(u32) -> u8,
    ) {
        self.from_sender = sides.from_sender;
        self.from_receiver = sides.from_receiver;
        self.to_sender = sides.to_sender;
        self.to_receiver = sides.to_receiver;
        self.settings = *settings;
        self.places = *places;
        self.sends = dev.place(places.sends);
        self.ring = Ring::new(settings, places);
        self.lists = Buffers::new(places.send_lists);
        self.addresses = Addresses::new(settings.node as u8, settings.session as u8);
        for peer in 0..settings.node_count {
            self.addresses.set_session(peer, sessions(peer));
        }
        let frames = (0..settings.transmit_buffers).map(|it| places.transmit_buffers + it * settings.buffer_bytes);
        let answers = (0..ANSWERS).map(|it| places.answer_buffers + it * ANSWER_BYTES);
        for buffer in frames.chain(answers) {
            let at = dev.place(buffer);
            self.addresses.prepare(dev, at);
        }
    }

    /// Whether nothing waits beside the queues.
    pub fn is_calm(&self) -> bool {
        self.open.is_none() && self.waiting.is_none()
    }

    /// Does some of the work that waits. False if there was none that it could do: an event or an
    /// entry of a queue makes more. `S`: the sender, whose frames come by the queue if it runs
    /// elsewhere.
    #[inline(always)]
    pub fn turn<S: Sends>(&mut self, dev: &mut impl Device) -> bool {
        let has_answered = self.answer(dev);
        if self.open.is_some() {
            rarely();
            return self.go_on(dev) | has_answered;
        }
        let entry = match self.waiting.take() {
            Some(entry) => entry,
            None => {
                let Some(words) = self.from_sender.peek(dev) else { return has_answered };
                let entry = SenderToTransmitter::of(words);
                if matches!(entry, SenderToTransmitter::Frame { .. }) && !self.ring.is_ready(dev) {
                    // A place becomes free without an event: the frame stays in the queue, which is
                    // looked at again and again.
                    return has_answered;
                }
                self.from_sender.skip(dev);
                entry
            }
        };
        if !self.serve::<S>(dev, entry) {
            self.waiting = Some(entry);
            return has_answered;
        }
        true
    }

    /// Serves an entry of the sender. False if it has to wait for room.
    #[inline(always)]
    fn serve<S: Sends>(&mut self, dev: &mut impl Device, entry: SenderToTransmitter) -> bool {
        if let (SenderToTransmitter::Frame { record, frame, tag_word }, false) = (entry, S::IS_HERE) {
            if !self.ring.is_ready(dev) {
                return false;
            }
            if frame == 0 {
                self.lists.forget(record);
            }
            let header = self.header(dev, self.record(record), tag_word);
            if let Some(asked) = self.begin(dev, record, frame, header.length) {
                self.finish(dev, asked, header);
            }
            return true;
        }
        rarely();
        self.serve_rarely(dev, entry)
    }

    /// Takes a frame from a sender that runs elsewhere.
    #[inline(always)]
    pub(crate) fn take_entry(&mut self, dev: &mut impl Device) -> Entry {
        if self.is_stirred {
            rarely();
            return Entry::Rare;
        }
        let was_known = self.from_sender.knows_entry();
        let Some(words) = self.from_sender.peek(dev) else { return Entry::None };
        let entry = SenderToTransmitter::of(words);
        if !matches!(entry, SenderToTransmitter::Frame { .. }) {
            rarely();
            return Entry::Rare;
        }
        if !self.ring.is_ready(dev) {
            rarely();
            return Entry::Frequent;
        }
        self.from_sender.skip(dev);
        self.serve::<Elsewhere>(dev, entry);
        Entry::after(&self.from_sender, was_known)
    }

    /// Takes an answer from a receiver that runs elsewhere.
    #[inline(always)]
    pub(crate) fn take_answer(&mut self, dev: &mut impl Device) -> Entry {
        let was_known = self.from_receiver.knows_entry();
        let Some(words) = self.from_receiver.peek(dev) else { return Entry::None };
        let ReceiverToTransmitter::Answer { kind, node, numbers } = ReceiverToTransmitter::of(words) else {
            rarely();
            return Entry::Rare;
        };
        if !self.send_answer(dev, kind.frame_kind(), node, numbers) {
            rarely();
            return Entry::Frequent;
        }
        self.from_receiver.skip(dev);
        Entry::after(&self.from_receiver, was_known)
    }

    #[cold]
    #[inline(never)]
    fn serve_rarely(&mut self, dev: &mut impl Device, entry: SenderToTransmitter) -> bool {
        match entry {
            SenderToTransmitter::Frame { .. } => true,
            SenderToTransmitter::Drain { record } => {
                if !self.reads.has_room(1) {
                    self.wait_for_transfers(dev);
                    return false;
                }
                // An empty transfer: when it ends, those before it have ended.
                let nothing = Transfer { bus_address: 0, sram_address: 0, bytes: 0 };
                self.post_awaited(dev, nothing, Tag::of(Tag::DRAIN, record));
                true
            }
            SenderToTransmitter::Abort { node, number } => self.send_answer(dev, ABORT, node, word::numbers(number, 0)),
            // A command passes when everything before it has been read.
            SenderToTransmitter::Command { word } => {
                self.on_reads(dev);
                if !self.reads.is_idle() {
                    // Most transfers end without an event.
                    dev.raise(Event::DmaRead);
                    return false;
                }
                if self.to_receiver.room(dev) == 0 {
                    return false;
                }
                if is_restart(word) {
                    let (node, session) = restarted_peer(word);
                    self.addresses.set_session(node, session as u8);
                }
                self.to_receiver.push(dev, TransmitterToReceiver::Command { word }.words());
                true
            }
        }
    }

    /// Serves one entry of the receiver. False if there was none, or none that could be served.
    fn answer(&mut self, dev: &mut impl Device) -> bool {
        let Some(words) = self.from_receiver.peek(dev) else { return false };
        let is_served = match ReceiverToTransmitter::of(words) {
            ReceiverToTransmitter::Answer { kind, node, numbers } => {
                self.send_answer(dev, kind.frame_kind(), node, numbers)
            }
            ReceiverToTransmitter::Load { buffer, address } => self.load_for_receiver(dev, buffer, address),
        };
        if is_served {
            self.from_receiver.skip(dev);
        }
        is_served
    }

    #[cold]
    #[inline(never)]
    fn load_for_receiver(&mut self, dev: &mut impl Device, buffer: u32, address: u32) -> bool {
        // One place stays for the transfer that releases a frame.
        if !self.reads.has_room(2) {
            return false;
        }
        let sram_address = self.places.receive_lists + buffer * LIST_BUFFER_BYTES;
        match self.find_list(dev, address) {
            Ok(page) => self.post_list(dev, page, sram_address, Tag::of(Tag::RECEIVE_LIST, buffer)),
            Err(NoPage::Fault) if self.to_receiver.room(dev) != 0 => {
                self.stir(dev);
                self.to_receiver.push(dev, TransmitterToReceiver::LoadFailed { buffer }.words());
            }
            Err(NoPage::Fill) => return false,
            Err(_) => {
                self.wait_for_transfers(dev);
                return false;
            }
        }
        true
    }
}

impl<A: Pages> Transmits for Transmitter<A> {
    const IS_HERE: bool = true;
    const MAY_MISS: bool = A::MAY_MISS;
    type Asked = Asked;

    #[inline(always)]
    fn answer(&mut self, dev: &mut impl Device, kind: Answer, node: u32, numbers: u32) -> bool {
        self.send_answer(dev, kind.frame_kind(), node, numbers)
    }

    #[inline(always)]
    fn is_ready(&mut self, dev: &mut impl Device) -> bool {
        self.is_free(dev)
    }

    #[inline(always)]
    fn ask(&mut self, dev: &mut impl Device, record: u32, frame: u32, length: u32) -> Option<Asked> {
        self.begin(dev, record, frame, length)
    }

    #[inline(always)]
    fn ask_page(&mut self, dev: &mut impl Device, record: u32, address: u32, bytes: u32) -> Option<Asked> {
        self.begin_page(dev, record, address, bytes)
    }

    fn load_list(&mut self, dev: &mut impl Device, record: u32, address: u32) {
        self.lists.forget(record);
        if self.reads.has_room(2) {
            // If its page is missing, it is read when the page is there.
            let _ = self.want_list(dev, record, address);
        }
    }

    #[inline(always)]
    fn close(&mut self, dev: &mut impl Device, asked: Asked, header: Header) {
        self.finish(dev, asked, header);
    }
}
