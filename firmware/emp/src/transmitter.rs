//! The transmitter: reads the data of frames, gives frames to the MAC, sends answers.

use nic_device::{rarely, Device, Place};
use nic_dma::{HostReads, Transfer};
use nic_handoff::{Reader, Writer};
use nic_layout::frame::link::FRAME_BYTES_MIN;
use nic_layout::personality::emp::descriptor::Failure;
use nic_layout::personality::emp::frame::{self, word, FIRST_HEADER_BYTES, HEADER_BYTES};
use nic_layout::personality::emp::list::LIST_BYTES;
use nic_layout::ring::{DMA_FLAG_ASSIST, DMA_FLAG_EVENT, MAC_FLAG_EVENT, MAC_FLAG_SKIP};
use nic_layout::trace::Marker;
use nic_scatter::{Cursor, Step};

use crate::frames::Addresses;
use crate::lists::{Buffers, Wanted};
use crate::messages::{Answer, FromReceiver, FromSender, ToReceiver, ToSender};
use crate::places::{send_record, Places, Settings};

/// Entries of the queues from the sender and from the receiver, as powers of two. The first is
/// short, so that a frame does not wait in it for longer than a fraction of a time-out.
pub const FROM_SENDER_LOG2: u32 = 4;
/// As [`FROM_SENDER_LOG2`].
pub const FROM_RECEIVER_LOG2: u32 = 6;
/// Entries of the queues to the sender and to the receiver.
pub const TO_LOG2: u32 = 5;
/// Answers in the transmit ring at most.
pub const ANSWERS: usize = 32;
/// Bytes of the buffer of an answer.
pub const ANSWER_BYTES: u32 = (FRAME_BYTES_MIN as u32).next_multiple_of(8);
/// List pages of sends in the SRAM.
pub const SEND_LISTS: usize = 4;

/// What a host read is for.
#[derive(Clone, Copy, Debug)]
struct Tag(u32);

impl Tag {
    const DATA: u32 = 1;
    const DRAIN: u32 = 2;
    const LIST: u32 = 3;
    const RECEIVE_LIST: u32 = 4;

    /// Data of a frame: its record, and its place in the transmit ring.
    const fn data(record: u32, index: u32) -> Tag {
        Tag(Tag::DATA << 24 | record << 16 | index & 0xFFFF)
    }

    const fn of(kind: u32, what: u32) -> Tag {
        Tag(kind << 24 | what << 16)
    }

    const fn kind(self) -> u32 {
        self.0 >> 24
    }

    const fn what(self) -> u32 {
        (self.0 >> 16) & 0xFF
    }
}

impl nic_dma::ReadTag for Tag {
    const RELEASE: Tag = Tag(0);
}

/// A frame whose data are not all asked for.
#[derive(Clone, Copy, Debug)]
struct Open {
    record: u32,
    /// Where the next byte goes to in the SRAM.
    to: u32,
    /// Where the next byte is in the message.
    offset: u32,
    left: u32,
    tag_word: u32,
    frame: u32,
    data_bytes: u32,
    at: u32,
}

/// The part that sends.
pub struct Transmitter {
    from_sender: Reader<2, FROM_SENDER_LOG2>,
    from_receiver: Reader<2, FROM_RECEIVER_LOG2>,
    to_sender: Writer<1, TO_LOG2>,
    to_receiver: Writer<2, TO_LOG2>,
    reads: HostReads<Tag>,
    addresses: Addresses,
    settings: Settings,
    places: Places,
    lists: Buffers<SEND_LISTS>,
    open: Option<Open>,
    /// An entry of the sender that waits for room.
    waiting: Option<FromSender>,
    /// Frames in the transmit ring, counted without end, and those that have left it.
    placed: u32,
    left: u32,
    /// Data buffers: number of the one that is taken next, and the place of the last frame of each.
    next_buffer: u32,
    buffers: [u32; 64],
    next_answer: u32,
    answers: [u32; ANSWERS],
}

impl Transmitter {
    /// Does some of the work that waits. False if there was none that it could do: an event or an
    /// entry of a queue makes more.
    #[inline(always)]
    pub fn turn(&mut self, dev: &mut impl Device) -> bool {
        let mut is_busy = self.answer(dev);
        if self.open.is_some() {
            rarely();
            is_busy |= self.go_on(dev);
        } else if let Some(entry) = self.next_entry(dev) {
            is_busy |= self.serve(dev, entry);
        }
        is_busy
    }

    fn next_entry(&mut self, dev: &mut impl Device) -> Option<FromSender> {
        self.waiting.take().or_else(|| self.from_sender.pop(dev).map(FromSender::of))
    }

    /// Serves an entry of the sender. False if it waits for room.
    #[inline(always)]
    fn serve(&mut self, dev: &mut impl Device, entry: FromSender) -> bool {
        match entry {
            FromSender::Frame { record, frame, tag_word } => {
                if !self.begin(dev, record, frame, tag_word) {
                    self.waiting = Some(entry);
                    return false;
                }
                self.go_on(dev);
                true
            }
            _ => self.serve_rarely(dev, entry),
        }
    }

    #[cold]
    #[inline(never)]
    fn serve_rarely(&mut self, dev: &mut impl Device, entry: FromSender) -> bool {
        let is_served = match entry {
            FromSender::Drain { record } => {
                if self.reads.is_idle() && self.to_sender.room(dev) != 0 {
                    self.to_sender.push(dev, ToSender::Drained { record }.words());
                    true
                } else {
                    self.post_marker(dev, Tag::of(Tag::DRAIN, record))
                }
            }
            FromSender::Abort { node, number } => {
                self.send_answer(dev, frame::ABORT, node, word::numbers(number, 0))
            }
            // A command passes when everything before it has been read.
            FromSender::Command { word } => {
                let passes = self.reads.is_idle() && self.to_receiver.room(dev) != 0;
                if passes {
                    self.to_receiver.push(dev, ToReceiver::Command { word }.words());
                }
                passes
            }
            FromSender::Frame { .. } => true,
        };
        if !is_served {
            self.waiting = Some(entry);
        }
        is_served
    }

    /// Posts an empty transfer: its end says that those before it have ended.
    fn post_marker(&mut self, dev: &mut impl Device, tag: Tag) -> bool {
        if !self.reads.has_room(1) {
            return false;
        }
        self.reads.post(dev, Transfer { bus_address: 0, sram_address: 0, bytes: 0 }, DMA_FLAG_EVENT, tag);
        true
    }

    /// Opens a frame. False if it has to wait for a buffer.
    #[inline(always)]
    fn begin(&mut self, dev: &mut impl Device, record: u32, frame: u32, tag_word: u32) -> bool {
        let Some(buffer) = self.ready_buffer(dev) else { return false };
        let sent = self.send(dev, record);
        let length = dev.get(sent, send_record::LENGTH);
        let cut = &self.settings.cut;
        let header_bytes = if frame == 0 { FIRST_HEADER_BYTES } else { HEADER_BYTES };
        if frame == 0 {
            self.lists.forget(record);
        }
        let data_bytes = cut.bytes(frame, length);
        self.open = Some(Open {
            record,
            frame,
            tag_word,
            at: buffer,
            to: buffer + header_bytes,
            offset: cut.offset(frame),
            left: data_bytes,
            data_bytes,
        });
        true
    }

    /// Asks for the data of the open frame, and closes it when all are asked for. False if it waits.
    #[inline(always)]
    fn go_on(&mut self, dev: &mut impl Device) -> bool {
        let Some(mut open) = self.open else { return false };
        let sent = self.send(dev, open.record);
        let cursor = Cursor::at(sent.plus(send_record::CURSOR));
        while open.left != 0 {
            // One place stays for the transfer that releases the frame.
            if !self.reads.has_room(2) {
                self.open = Some(open);
                return false;
            }
            let descriptor = dev.get(sent, send_record::DESCRIPTOR);
            let chain = dev.place(descriptor);
            let lists = self.lists.of(dev, open.record);
            match cursor.seek(dev, &lists, chain, open.offset) {
                Step::Run(run) => {
                    let bytes = run.bytes.min(open.left);
                    let transfer = Transfer { bus_address: run.address, sram_address: open.to, bytes };
                    let is_last_room = !self.reads.has_room(4);
                    let flags = if is_last_room { DMA_FLAG_EVENT } else { 0 };
                    self.reads.post(dev, transfer, flags, Tag::data(open.record, self.placed));
                    open.to += bytes;
                    open.offset += bytes;
                    open.left -= bytes;
                }
                step => {
                    rarely();
                    self.open = Some(open);
                    if !self.stop(dev, step) {
                        return false;
                    }
                }
            }
        }
        self.open = None;
        self.close(dev, open, sent);
        true
    }

    /// Handles a walk that has found no data. True: the walk may go on.
    #[cold]
    #[inline(never)]
    fn stop(&mut self, dev: &mut impl Device, step: Step) -> bool {
        let Some(open) = self.open else { return false };
        match step {
            Step::Run(_) => true,
            Step::Load(address) => {
                if self.lists.of(dev, open.record).find(address).is_some() {
                    return true;
                }
                if let Wanted::Load(buffer, sram_address) = self.lists.want(open.record, address) {
                    let transfer = Transfer { bus_address: address, sram_address, bytes: LIST_BYTES };
                    self.reads.post(dev, transfer, DMA_FLAG_EVENT, Tag::of(Tag::LIST, buffer));
                }
                false
            }
            Step::Bad(failure) => {
                if self.to_sender.room(dev) == 0 {
                    return false;
                }
                self.to_sender.push(dev, ToSender::Failed { record: open.record, failure }.words());
                self.open = None;
                // Data of the frame may be on their way to the buffer, so the frame takes its turn.
                self.place(dev, open.at, MAC_FLAG_SKIP | FRAME_BYTES_MIN as u32);
                self.buffer_taken();
                self.reads.release(dev);
                false
            }
        }
    }

    /// Writes the header of a frame whose data were asked for, and lets the frame leave behind them.
    #[inline(always)]
    fn close(&mut self, dev: &mut impl Device, open: Open, sent: Place) {
        let Open { frame, data_bytes, .. } = open;
        let at = dev.place(open.at);
        let node_number = dev.get(sent, send_record::NODE_NUMBER);
        let numbers = word::numbers((node_number >> 16) as u16, frame as u16);
        let kind = if frame == 0 { frame::FIRST } else { frame::DATA };
        self.addresses.put(dev, at, kind, node_number & 0xFFFF, data_bytes, numbers);
        dev.put(at, word::OFFSET, open.offset - data_bytes);
        let mut header_bytes = HEADER_BYTES;
        if frame == 0 {
            header_bytes = FIRST_HEADER_BYTES;
            let (length, collection) = (dev.get(sent, send_record::LENGTH), dev.get(sent, send_record::COLLECTION));
            dev.put(at, word::LENGTH, length);
            dev.put(at, word::TAG, open.tag_word);
            dev.put(at, word::COLLECTION, collection);
        }
        self.place(dev, open.at, header_bytes + data_bytes);
        self.buffer_taken();
        self.reads.release(dev);
        dev.trace(Marker::TransmitPosted, numbers);
    }

    /// Puts a frame at the end of the transmit ring.
    #[inline(always)]
    fn place(&mut self, dev: &mut impl Device, sram_address: u32, control: u32) {
        // Half of the buffers are taken: somebody may soon wait for one.
        let is_filling = self.placed.wrapping_sub(self.left) >= self.settings.transmit_buffers / 2;
        let event = if is_filling { MAC_FLAG_EVENT } else { 0 };
        dev.place_transmit(self.placed, sram_address, control | event);
        self.placed = self.placed.wrapping_add(1);
    }

    /// Whether the frame with this number has left the transmit ring.
    #[inline(always)]
    fn has_left(&mut self, dev: &mut impl Device, number: u32) -> bool {
        if (self.left.wrapping_sub(number) as i32) > 0 {
            return true;
        }
        let consumer = dev.transmit_consumer();
        self.left = self.left.wrapping_add(u32::from(consumer.wrapping_sub(self.left as u16)));
        (self.left.wrapping_sub(number) as i32) > 0
    }

    /// The SRAM offset of the data buffer that is taken next, if its last frame has left.
    #[inline(always)]
    fn ready_buffer(&mut self, dev: &mut impl Device) -> Option<u32> {
        let buffer = self.next_buffer;
        let last = self.buffers[buffer as usize % TRANSMIT_BUFFERS_MAX];
        let is_ready = self.has_left(dev, last);
        is_ready.then_some(self.places.transmit_buffers + buffer * self.settings.buffer_bytes)
    }

    /// The buffer of [`Self::ready_buffer`] holds the frame that was placed last.
    #[inline(always)]
    fn buffer_taken(&mut self) {
        let buffer = self.next_buffer;
        self.buffers[buffer as usize % TRANSMIT_BUFFERS_MAX] = self.placed.wrapping_sub(1);
        self.next_buffer = if buffer + 1 == self.settings.transmit_buffers { 0 } else { buffer + 1 };
    }

    /// Serves one entry of the receiver. False if there was none, or none that could be served.
    #[inline(always)]
    fn answer(&mut self, dev: &mut impl Device) -> bool {
        let Some(words) = self.from_receiver.peek(dev) else { return false };
        let is_served = match FromReceiver::of(words) {
            FromReceiver::Answer { kind, node, numbers } => {
                let kind = match kind {
                    Answer::Ack => frame::ACK,
                    Answer::Refused => frame::REFUSED,
                    Answer::Aborted => frame::ABORTED,
                };
                self.send_answer(dev, kind, node, numbers)
            }
            FromReceiver::Load { buffer, address } => self.load_for_receiver(dev, buffer, address),
        };
        if is_served {
            self.from_receiver.drop_one(dev);
        }
        is_served
    }

    #[cold]
    #[inline(never)]
    fn load_for_receiver(&mut self, dev: &mut impl Device, buffer: u32, address: u32) -> bool {
        if !self.reads.has_room(2) {
            return false;
        }
        let sram_address = self.places.receive_lists + buffer * LIST_BUFFER_BYTES;
        let transfer = Transfer { bus_address: address, sram_address, bytes: LIST_BYTES };
        self.reads.post(dev, transfer, DMA_FLAG_EVENT, Tag::of(Tag::RECEIVE_LIST, buffer));
        true
    }

    /// Sends a frame without data. False if it has to wait.
    #[inline(always)]
    fn send_answer(&mut self, dev: &mut impl Device, kind: FrameKind, node: u32, numbers: u32) -> bool {
        let answer = self.next_answer as usize % ANSWERS;
        if !self.reads.has_room(1) || !self.has_left(dev, self.answers[answer]) {
            return false;
        }
        let offset = self.places.answer_buffers + self.next_answer * ANSWER_BYTES;
        let at = dev.place(offset);
        self.addresses.put(dev, at, kind, node, 0, numbers);
        dev.put(at, word::OFFSET, 0);
        self.place(dev, offset, HEADER_BYTES);
        self.answers[answer] = self.placed.wrapping_sub(1);
        self.next_answer = (self.next_answer + 1) % ANSWERS as u32;
        self.reads.release(dev);
        dev.trace(Marker::AckSent, numbers);
        true
    }

    /// Handles the ends of host reads. The event of host reads, or that of DMA errors, is pending.
    #[inline(always)]
    pub fn on_reads(&mut self, dev: &mut impl Device) {
        let mut consumer = dev.dma_read_consumer();
        // The index is read before this flag. So each transfer below the index has succeeded, or
        // the flag is set.
        let is_halted = dev.dma_read_halted();
        if is_halted {
            consumer = dev.dma_read_consumer();
        }
        while let Some(tag) = self.reads.oldest_ended(consumer) {
            let has_failed = is_halted && self.reads.is_last_ended(consumer);
            if (has_failed || tag.kind() > Tag::DATA) && !self.end(dev, tag, has_failed) {
                // No room in a queue. The event is raised again, so that this is not forgotten.
                return dev.raise(Event::DmaRead);
            }
            self.reads.retire();
        }
        if is_halted {
            dev.resume_dma_read();
        }
    }

    /// Handles the end of a transfer that somebody waits for, or that has failed.
    #[cold]
    #[inline(never)]
    fn end(&mut self, dev: &mut impl Device, tag: Tag, has_failed: bool) -> bool {
        let what = tag.what();
        match tag.kind() {
            Tag::DRAIN => {
                if self.to_sender.room(dev) == 0 {
                    return false;
                }
                self.to_sender.push(dev, ToSender::Drained { record: what }.words());
            }
            Tag::RECEIVE_LIST => {
                if self.to_receiver.room(dev) == 0 {
                    return false;
                }
                let entry = match has_failed {
                    true => ToReceiver::LoadFailed { buffer: what },
                    false => ToReceiver::Loaded { buffer: what },
                };
                self.to_receiver.push(dev, entry.words());
            }
            Tag::LIST if !has_failed => self.lists.loaded(what),
            kind => {
                if self.to_sender.room(dev) == 0 {
                    return false;
                }
                let record = if kind == Tag::LIST { self.lists.failed(what) } else { what };
                let failure = Failure::BusError;
                self.to_sender.push(dev, ToSender::Failed { record, failure }.words());
                if kind == Tag::DATA {
                    self.skip(dev, tag.0 as u16);
                } else if self.open.is_some_and(|open| open.record == record) {
                    self.stop(dev, Step::Bad(failure));
                }
            }
        }
        true
    }

    /// The frame at this place of the transmit ring lacks data: it must not leave.
    fn skip(&mut self, dev: &mut impl Device, index: u16) {
        if index == self.placed as u16 {
            // It was not placed yet.
            self.open = self.open.map(|open| Open { is_void: true, ..open });
        } else {
            dev.shorten_transmit(index, MAC_FLAG_SKIP | FRAME_BYTES_MIN as u32);
        }
    }
}
