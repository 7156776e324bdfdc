//! The frames of one message, at its receiver.

use nic_layout::personality::emp::frame::Cut;
use nic_layout::personality::emp::WINDOW_COLLECTIONS;

use super::frame::Frame;

/// Which frames of a message the firmware has taken.
#[derive(Clone, Debug)]
pub(super) struct Arrival {
    length: u32,
    cut: Cut,
    collection_frames: u32,
    came: Vec<bool>,
    missing: u32,
    /// The oldest collection that is not complete.
    oldest: u32,
    /// The collection that was completed last, when all frames have come.
    last: Option<u32>,
    /// The firmware has given the descriptor back to the host.
    pub is_done: bool,
    /// The firmware has given the message up.
    pub is_failed: bool,
}

impl Arrival {
    /// The message of a first frame that a receive has taken.
    pub fn new(first: &Frame) -> Arrival {
        let (cut, length) = (first.cut_of_message(), first.length());
        let frames = cut.frames(length);
        let mut arrival = Arrival {
            length,
            cut,
            collection_frames: first.collection_frames(),
            came: vec![false; frames as usize],
            missing: frames,
            oldest: 0,
            last: None,
            is_done: false,
            is_failed: false,
        };
        arrival.come(first);
        arrival
    }

    /// The collection of a frame.
    pub fn collection(&self, frame: u32) -> u32 {
        frame / self.collection_frames
    }

    fn is_complete(&self, collection: u32) -> bool {
        let (first, frames) = (collection * self.collection_frames, self.came.len() as u32);
        let end = (first + self.collection_frames).min(frames);
        first < frames && self.came[first as usize..end as usize].iter().all(|came| *came)
    }

    /// The firmware has taken a frame. A frame that is not cut like the others, or beyond the
    /// window, does not count. Gives the collection that it completes.
    pub fn come(&mut self, frame: &Frame) -> Option<u32> {
        let number = frame.number();
        let is_exact = number < self.came.len() as u32
            && frame.offset() == self.cut.offset(number)
            && frame.header.data_bytes == self.cut.bytes(number, self.length);
        let collection = self.collection(number);
        if self.is_failed || !is_exact || self.came[number as usize] || collection >= self.oldest + WINDOW_COLLECTIONS {
            return None;
        }
        self.came[number as usize] = true;
        self.missing -= 1;
        while self.is_complete(self.oldest) {
            self.oldest += 1;
        }
        if self.missing == 0 {
            self.last = Some(collection);
        }
        self.is_complete(collection).then_some(collection)
    }

    /// Whether the first frame alone completes a collection, and others follow.
    pub fn owes_first(&self) -> bool {
        self.is_complete(0) && !self.is_whole()
    }

    /// Whether all frames have come.
    pub fn is_whole(&self) -> bool {
        self.missing == 0
    }

    /// The collection that was completed last, when all frames have come.
    pub fn last(&self) -> Option<u32> {
        self.last
    }

    /// Why a frame must not be acknowledged; `None` if it may.
    pub fn may_not_acknowledge(&self, frame: u32) -> Option<String> {
        let collection = self.collection(frame);
        if !self.is_complete(collection) {
            return Some(format!("not all frames of collection {collection} have come"));
        }
        if self.last == Some(collection) && !self.is_done {
            return Some(format!("collection {collection} is the last, and the message is not in host memory"));
        }
        None
    }
}
