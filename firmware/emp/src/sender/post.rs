//! Sends that the host posts and gives up.

use nic_collections::Window;
use nic_device::{rarely, Device, Place};
use nic_layout::counter::Counter;
use nic_layout::personality::emp::descriptor::{self, stat, Descriptor, Failure, Format, Page, SEND_DESCRIPTORS};
use nic_layout::personality::emp::frame::word;
use nic_layout::ring::restarted_peer;
use nic_layout::trace::Marker;
use nic_scatter::Cursor;

use super::state::{stage, Sender};
use crate::command::is_restart;
use crate::messages::SenderToTransmitter;
use crate::neighbours::{Header, Transmits};
use crate::places::send_record as record;

/// A descriptor was read: the host may write the next number to its mailbox. `head`: its first
/// word.
#[inline(always)]
fn give_mailbox_back(dev: &mut impl Device, at: Place, head: u32) {
    dev.put(at, 0, head & !0xFF | u32::from(stat::TAKEN));
}

impl Sender {
    /// Takes the descriptor with a number. It is held if its peer has too many numbers in use.
    /// `HEARS`: answers come from the other core.
    #[inline(always)]
    pub(super) fn on_posted<const HEARS: bool>(&mut self, dev: &mut impl Device, to: &mut impl Transmits, number: u32) {
        dev.step::<{ Marker::MailboxTaken as u8 }>();
        if number >= SEND_DESCRIPTORS {
            rarely();
            return dev.count(Counter::MailboxesWild);
        }
        let offset = self.places.descriptors + descriptor::offset_bytes(number);
        let at = dev.place(offset);
        let words = [0, 4, 8, 12, 16].map(|word| dev.get(at, word));
        let is_free = dev.get(self.record(number), record::STATE) == stage::FREE;
        if words[0] as u8 != stat::POSTED || !is_free {
            rarely();
            return dev.count(Counter::MailboxesWild);
        }
        match self.take::<_, HEARS>(dev, to, number, offset, words) {
            Ok(true) => dev.count(Counter::SendsTaken),
            Ok(false) => {
                self.held = Some(number);
                self.stir(dev);
            }
            Err(failure) => {
                dev.count(Counter::SendsTaken);
                dev.count(Counter::SendsFailed);
                dev.put(at, 0, words[0] & !0xFF | u32::from(failure.stat()));
            }
        }
    }

    /// Begins a message, and gives the mailbox back. False if it has to wait.
    #[inline(always)]
    fn take<T: Transmits, const HEARS: bool>(
        &mut self,
        dev: &mut impl Device,
        to: &mut T,
        record: u32,
        offset: u32,
        words: [u32; 5],
    ) -> Result<bool, Failure> {
        let posted = Descriptor::read(words)?;
        let node = u32::from(self.settings.peer(posted.node).ok_or(Failure::BadDescriptor)?);
        let first = Page { address: posted.address, bytes: posted.page_bytes };
        // A message of one page and one frame, before which nothing waits, goes through at once.
        if posted.format == Format::Page
            && posted.length_bytes <= self.settings.cut.first_bytes.min(first.bytes.into())
            && first.is_good()
            && self.is_plain
            && self.ready.is_empty()
            && self.has_number(node)
            && self.has_room(dev, to)
        {
            let at = dev.place(offset);
            if !T::IS_HERE {
                give_mailbox_back(dev, at, words[0]);
                self.send_apart(dev, record, offset, &posted);
                return Ok(true);
            }
            if let Some(asked) = to.ask_page(dev, record, first.address as u32, posted.length_bytes) {
                // The host fills its next descriptor meanwhile.
                give_mailbox_back(dev, at, words[0]);
                self.send_whole::<_, HEARS>(dev, to, asked, record, offset, &posted);
                return Ok(true);
            }
        }
        rarely();
        self.take_long(dev, to, record, offset)
    }

    /// Sends a message whose data were asked for. Its books are closed when it has left.
    #[inline(always)]
    fn send_whole<T: Transmits, const HEARS: bool>(
        &mut self,
        dev: &mut impl Device,
        to: &mut T,
        asked: T::Asked,
        record: u32,
        offset: u32,
        posted: &Descriptor,
    ) {
        let node = u32::from(posted.node);
        dev.trace(Marker::PostRead, record);
        let (number, is_alone) = self.next_number(node);
        let (length, collection_frames) = (posted.length_bytes, self.settings.collection_frames);
        let mut tag_word = word::tag(posted.tag, 0, 0);
        if !is_alone {
            rarely();
            tag_word = self.open_behind(dev, node, record, posted.tag);
        }
        dev.step::<{ Marker::MessageOpened as u8 }>();
        to.close(dev, asked, Header { node, number, length, collection_frames, tag_word });
        let sent = self.record(record);
        if is_alone {
            self.open_alone(dev, node, record, posted.tag);
        }
        if HEARS {
            // A process may poll for the end of an older message. Nothing waits for what this
            // message still needs: its timer and its record.
            self.take_accepted(dev);
        }
        self.time(dev, sent, 0, self.settings.resend_cycles);
        dev.put(sent, record::STATE, stage::SENDING | stage::WHOLE);
        dev.put(sent, record::LENGTH, length);
        dev.put(sent, record::COLLECTION, collection_frames);
        dev.put(sent, record::DESCRIPTOR, offset);
        let page = Page { address: posted.address, bytes: posted.page_bytes };
        Cursor::at(sent.plus(record::CURSOR)).stand_on(dev, page);
        Window::at(sent.plus(record::WINDOW)).start_sent(dev, collection_frames);
        self.under_way.insert(record);
    }

    /// The same where the transmitter runs elsewhere: it reads the record.
    #[inline(always)]
    fn send_apart(&mut self, dev: &mut impl Device, record: u32, offset: u32, posted: &Descriptor) {
        let node = u32::from(posted.node);
        dev.trace(Marker::PostRead, record);
        let number = self.take_number(dev, node, record);
        let (length, collection_frames) = (posted.length_bytes, self.settings.collection_frames);
        let sent = self.record(record);
        dev.put(sent, record::NODE_NUMBER, node | u32::from(number) << 16);
        dev.put(sent, record::LENGTH, length);
        dev.put(sent, record::COLLECTION, collection_frames);
        dev.put(sent, record::DESCRIPTOR, offset);
        let page = Page { address: posted.address, bytes: posted.page_bytes };
        Cursor::at(sent.plus(record::CURSOR)).stand_on(dev, page);
        self.open(dev, node, record, posted.tag);
        let (of_tag, oldest) = self.distances(dev, node, number, record);
        let tag_word = word::tag(posted.tag, of_tag as u8, oldest as u8);
        self.to_transmitter.push(dev, SenderToTransmitter::Frame { record, frame: 0, tag_word }.words());
        dev.tell();
        self.time(dev, sent, 0, self.settings.resend_cycles);
        dev.put(sent, record::STATE, stage::SENDING | stage::WHOLE);
        Window::at(sent.plus(record::WINDOW)).start_sent(dev, collection_frames);
        self.under_way.insert(record);
    }

    /// The same for any message. It reads the descriptor anew: its caller would keep the words in
    /// memory.
    #[inline(never)]
    fn take_long<T: Transmits>(
        &mut self,
        dev: &mut impl Device,
        to: &mut T,
        record: u32,
        offset: u32,
    ) -> Result<bool, Failure> {
        let at = dev.place(offset);
        let words = [0, 4, 8, 12, 16].map(|word| dev.get(at, word));
        let posted = Descriptor::read(words)?;
        let node = u32::from(self.settings.peer(posted.node).ok_or(Failure::BadDescriptor)?);
        if posted.format == Format::Page && u32::from(posted.page_bytes) < posted.length_bytes {
            return Err(Failure::BadList);
        }
        let is_restarting = |word| is_restart(word) && restarted_peer(word).0 == node;
        if self.command.is_some_and(is_restarting) {
            return Ok(false);
        }
        let sent = self.record(record);
        let first = Page { address: posted.address, bytes: posted.page_bytes };
        Cursor::at(sent.plus(record::CURSOR)).start(dev, posted.format, first)?;
        if !self.has_number(node) {
            return Ok(false);
        }
        let number = self.take_number(dev, node, record);
        let length = posted.length_bytes;
        dev.trace(Marker::PostRead, record);
        dev.put(sent, record::NODE_NUMBER, node | u32::from(number) << 16);
        dev.put(sent, record::LENGTH, length);
        dev.put(sent, record::COLLECTION, self.settings.collection_frames);
        dev.put(sent, record::DESCRIPTOR, offset);
        let state = self.first_state(dev, node);
        dev.put(sent, record::STATE, state);
        let window = Window::at(sent.plus(record::WINDOW));
        window.start(dev, self.settings.cut.frames(length), self.settings.collection_frames);
        self.open(dev, node, record, posted.tag);
        self.under_way.insert(record);
        if state & stage::PACED != 0 {
            rarely();
            self.begin_paced(dev, node, record);
        } else {
            self.ready.push(record);
        }
        if T::IS_HERE && posted.format == Format::List {
            // The list page is there when the first frame needs it.
            to.load_list(dev, record, first.address as u32);
        }
        give_mailbox_back(dev, at, words[0]);
        Ok(true)
    }

    /// The host gives a send up. A send that has ended, or is about to, ends as it does.
    #[cold]
    #[inline(never)]
    pub(super) fn on_cancelled(&mut self, dev: &mut impl Device, number: u32) {
        if number >= SEND_DESCRIPTORS {
            return dev.count(Counter::MailboxesWild);
        }
        if self.held == Some(number) {
            self.held = None;
            let at = dev.place(self.places.descriptors + descriptor::offset_bytes(number));
            let head = dev.get(at, 0);
            dev.count(Counter::SendsTaken);
            dev.count(Counter::SendsFailed);
            return dev.put(at, 0, head & !0xFF | u32::from(Failure::Cancelled.stat()));
        }
        self.fail(dev, number, Failure::Cancelled, 0);
    }
}
