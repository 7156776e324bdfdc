//! Which frame is sent next.

use nic_collections::Window;
use nic_device::{rarely, Device, Place};
use nic_layout::counter::Counter;
use nic_layout::personality::emp::frame::word;
use nic_layout::personality::emp::WINDOW_COLLECTIONS;

use super::state::{due_at, stage, Sender};
use crate::messages::SenderToTransmitter;
use crate::places::send_record as record;

impl Sender {
    /// Asks the transmitter for a frame. False if there is none, or no room.
    ///
    /// Messages take turns by collections.
    #[inline(always)]
    pub(super) fn issue(&mut self, dev: &mut impl Device) -> bool {
        let Some(record) = self.ready.front() else { return false };
        if self.to_transmitter.room(dev) == 0 {
            return false;
        }
        let sent = self.record(dev, record);
        if dev.get(sent, record::STATE) & stage::MASK != stage::SENDING {
            rarely();
            self.ready.pop();
            return true;
        }
        if dev.get(sent, record::AGAIN) != 0 {
            rarely();
            self.issue_again(dev, record, sent);
            return true;
        }
        let window = Window::at(sent.plus(record::WINDOW));
        let Some(next) = window.next(dev) else {
            self.ready.pop();
            return true;
        };
        let mut tag_word = 0;
        if next.frame == 0 {
            tag_word = self.tag_word(dev, record, sent);
        }
        if next.is_last {
            let due = dev.now().wrapping_add(dev.get(sent, record::INTERVAL));
            dev.put(sent, due_at(next.collection), due);
            self.start_timer(dev);
            self.ready.pop();
            if window.may_send(dev) {
                self.ready.push(record);
            }
        }
        self.push_frame(dev, record, next.frame, tag_word);
        true
    }

    /// The word of tag and distances of a first frame.
    #[inline(always)]
    fn tag_word(&mut self, dev: &impl Device, record: u32, sent: Place) -> u32 {
        let node_number = dev.get(sent, record::NODE_NUMBER);
        let (node, number) = (node_number & 0xFFFF, (node_number >> 16) as u16);
        let is_open = !Window::at(sent.plus(record::WINDOW)).is_matched(dev);
        let (of_tag, oldest) = if is_open { self.distances(dev, node, number, record) } else { (0, 0) };
        word::tag(dev.get(sent, record::TAG) as u16, of_tag as u8, oldest as u8)
    }

    #[inline(always)]
    fn push_frame(&mut self, dev: &mut impl Device, record: u32, frame: u32, tag_word: u32) {
        self.to_transmitter.push(dev, SenderToTransmitter::Frame { record, frame, tag_word }.words());
    }

    /// Sends one frame of a collection again.
    #[cold]
    #[inline(never)]
    fn issue_again(&mut self, dev: &mut impl Device, record: u32, sent: Place) {
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
            let tag_word = if frame == 0 { self.tag_word(dev, record, sent) } else { 0 };
            self.push_frame(dev, record, frame, tag_word);
            dev.count(Counter::FramesRetransmitted);
            // From the first frame on: the message may be accepted before the last one is sent again.
            let state = dev.get(sent, record::STATE);
            dev.put(sent, record::STATE, state | stage::RESENT);
            if frame + 1 < frames.end {
                return dev.put(sent, record::AGAIN_FRAME, frame + 1 - frames.start);
            }
            let due = dev.now().wrapping_add(dev.get(sent, record::INTERVAL));
            dev.put(sent, due_at(collection), due);
        }
        dev.put(sent, record::AGAIN, again & !bit);
        dev.put(sent, record::AGAIN_FRAME, 0);
        self.ready.pop();
        self.ready.push(record);
    }
}
