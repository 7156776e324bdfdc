//! Which frame is sent next.

use nic_collections::Window;
use nic_device::{rarely, Device, Place};
use nic_layout::counter::Counter;
use nic_layout::personality::emp::frame::word;
use nic_layout::personality::emp::WINDOW_COLLECTIONS;
use nic_layout::plant::{is_planted, Plant};

use super::state::{due_at, stage, Sender};
use crate::messages::SenderToTransmitter;
use crate::neighbours::{Header, Transmits};
use crate::places::send_record as record;

/// After so many collections the next message has its turn.
///
/// With shorter turns, messages that were posted one after the other would end together, and the
/// wire would rest until the first acknowledgements of the next ones. With longer turns a short
/// message would wait for longer behind a long one.
const TURN_COLLECTIONS: u32 = 16;

impl Sender {
    /// Asks the transmitter for a frame, if one waits. [`Self::has_room`].
    ///
    /// Messages go in the order of their posts, with turns of [`TURN_COLLECTIONS`].
    #[inline(always)]
    pub fn issue<T: Transmits>(&mut self, dev: &mut impl Device, to: &mut T) {
        let Some(record) = self.ready.front() else { return };
        let sent = self.record(record);
        let mut interval = self.settings.resend_cycles;
        if dev.get(sent, record::STATE) & (stage::MASK | stage::LATE | stage::PACED) != stage::SENDING {
            rarely();
            if self.has_issued(dev, to, record, sent) {
                return;
            }
            interval = self.interval(dev, sent);
        }
        self.issue_next(dev, to, record, sent, interval);
    }

    /// Whether the transmitter can be asked for a frame.
    #[inline(always)]
    pub fn has_room<T: Transmits>(&mut self, dev: &mut impl Device, to: &mut T) -> bool {
        match T::IS_HERE {
            true => to.is_ready(dev),
            false => self.to_transmitter.room(dev) != 0,
        }
    }

    /// Sends the next frame that was not sent yet. `interval`: until it is sent again.
    #[inline(always)]
    fn issue_next<T: Transmits>(&mut self, dev: &mut impl Device, to: &mut T, record: u32, sent: Place, interval: u32) {
        let window = Window::at(sent.plus(record::WINDOW));
        let next = if T::MAY_MISS { window.peek(dev) } else { window.next(dev) };
        let Some(next) = next else {
            self.ready.pop();
            return;
        };
        let is_asked = if next.frame == 0 {
            rarely();
            self.transmit_first(dev, to, record, sent)
        } else {
            self.transmit(dev, to, record, sent, next.frame, 0)
        };
        if T::MAY_MISS {
            if !is_asked {
                // The message pauses, others go on.
                rarely();
                return self.ready.pop();
            }
            window.take(dev, &next);
        }
        if next.is_last {
            self.time(dev, sent, next.collection, interval);
            let is_open = window.may_send(dev);
            if !is_open || next.collection % TURN_COLLECTIONS == TURN_COLLECTIONS - 1 {
                rarely();
                self.ready.pop();
                if is_open {
                    self.ready.push(record);
                }
            }
        }
    }

    /// Hands the first frame of a message to the transmitter. [`Self::has_room`]. False: a page is
    /// missing.
    #[inline(never)]
    fn transmit_first<T: Transmits>(&mut self, dev: &mut impl Device, to: &mut T, record: u32, sent: Place) -> bool {
        let tag_word = self.tag_word(dev, record, sent);
        self.transmit(dev, to, record, sent, 0, tag_word)
    }

    /// Hands a frame to the transmitter. [`Self::has_room`]. False: a page is missing.
    #[inline(always)]
    fn transmit<T: Transmits>(
        &mut self,
        dev: &mut impl Device,
        to: &mut T,
        record: u32,
        sent: Place,
        frame: u32,
        tag_word: u32,
    ) -> bool {
        if !T::IS_HERE {
            let entry = SenderToTransmitter::Frame { record, frame, tag_word };
            self.to_transmitter.push(dev, entry.words());
            dev.tell();
            return true;
        }
        let length = dev.get(sent, record::LENGTH);
        let Some(asked) = to.ask(dev, record, frame, length) else { return false };
        let node_number = dev.get(sent, record::NODE_NUMBER);
        let collection_frames = if frame == 0 { dev.get(sent, record::COLLECTION) } else { 0 };
        let (node, number) = (node_number & 0xFFFF, (node_number >> 16) as u16);
        to.close(dev, asked, Header { node, number, length, collection_frames, tag_word });
        true
    }

    /// Pages that were missing may be there: messages that pause go on.
    #[cold]
    #[inline(never)]
    pub fn wake(&mut self) {
        let mut next = 0;
        while let Some(record) = self.under_way.next(next) {
            next = record + 1;
            self.ready.push(record);
        }
    }

    /// Starts the timer of a collection.
    #[inline(always)]
    pub(super) fn time(&mut self, dev: &mut impl Device, sent: Place, collection: u32, interval: u32) {
        let due = dev.now().wrapping_add(interval);
        dev.put(sent, due_at(collection), due);
        self.start_timer(dev);
    }

    /// Handles a message that has ended, that has a pace, or of which frames are sent again. False:
    /// its next frame is sent.
    #[cold]
    #[inline(never)]
    fn has_issued<T: Transmits>(&mut self, dev: &mut impl Device, to: &mut T, record: u32, sent: Place) -> bool {
        let state = dev.get(sent, record::STATE);
        let is_again = state & stage::LATE != 0 && dev.get(sent, record::AGAIN) != 0;
        if state & stage::MASK != stage::SENDING {
            self.ready.pop();
        } else if state & stage::PACED != 0 && !self.may_leave(dev, record, sent, state, is_again) {
            // It waits.
        } else if is_again {
            self.issue_again(dev, to, record, sent);
        } else {
            return false;
        }
        true
    }

    /// The word of tag and distances of a first frame.
    fn tag_word(&mut self, dev: &impl Device, record: u32, sent: Place) -> u32 {
        let node_number = dev.get(sent, record::NODE_NUMBER);
        let (node, number) = (node_number & 0xFFFF, (node_number >> 16) as u16);
        let is_open = !Window::at(sent.plus(record::WINDOW)).is_matched(dev);
        let (of_tag, oldest) = if is_open { self.distances(dev, node, number, record) } else { (0, 0) };
        word::tag(dev.get(sent, record::TAG) as u16, of_tag as u8, oldest as u8)
    }

    /// Sends one frame of a collection again.
    fn issue_again<T: Transmits>(&mut self, dev: &mut impl Device, to: &mut T, record: u32, sent: Place) {
        let window = Window::at(sent.plus(record::WINDOW));
        let again = dev.get(sent, record::AGAIN);
        let oldest = window.oldest(dev);
        // Collection k has bit k mod 16. The first from the oldest on:
        let rotated = (again | again << WINDOW_COLLECTIONS) >> (oldest % WINDOW_COLLECTIONS);
        let collection = oldest + rotated.trailing_zeros();
        let bit = 1 << (collection % WINDOW_COLLECTIONS);
        let frames = window.frames_of(dev, collection);
        let frame = frames.start + dev.get(sent, record::AGAIN_FRAME);
        let is_over = frame >= frames.end || !window.is_waiting(dev, collection);
        if !is_over {
            let is_asked = match frame {
                0 => self.transmit_first(dev, to, record, sent),
                _ => self.transmit(dev, to, record, sent, frame, 0),
            };
            if T::MAY_MISS && !is_asked {
                return self.ready.pop();
            }
            dev.count(Counter::FramesRetransmitted);
            // From the first frame on: the message may be accepted before the last one is sent again.
            let state = dev.get(sent, record::STATE);
            dev.put(sent, record::STATE, state | stage::RESENT);
            if frame + 1 < frames.end {
                return dev.put(sent, record::AGAIN_FRAME, frame + 1 - frames.start);
            }
            let mut due = dev.now().wrapping_add(self.interval(dev, sent));
            if is_planted(Plant::LostTimer) {
                due = due.wrapping_add(u32::MAX / 4);
            }
            dev.put(sent, due_at(collection), due);
            self.hasten_timer(dev, due);
        }
        dev.put(sent, record::AGAIN, again & !bit);
        dev.put(sent, record::AGAIN_FRAME, 0);
        self.ready.pop();
        self.ready.push(record);
    }
}
