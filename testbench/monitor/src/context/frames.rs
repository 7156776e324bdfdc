//! Frames that have arrived, and the frame that the firmware is judging.

use std::collections::{BTreeMap, VecDeque};

use nic_layout::frame::link::FrameKind;
use nic_layout::trace::ARGUMENT_MASK;

use crate::Header;

/// The number of judged frames that are remembered. The NIC holds far fewer.
const RECENT_FRAMES: usize = 256;

#[derive(Default)]
pub(crate) struct Frames {
    /// Frames in the receive ring that the firmware has not taken yet, in the order of their
    /// arrival. `None` is a frame that did not come whole, which the MAC should have dropped.
    arrived: VecDeque<Option<Header>>,
    /// The last frames that were judged.
    recent: VecDeque<Header>,
    /// The frame taken last. `None` if it was held and is no longer remembered.
    judged: Option<Header>,
    /// Whether the firmware has read the header of that frame and not decided on it yet.
    is_open: bool,
    /// The sender of the held frame that is taken again.
    retaken: Option<u32>,
    /// Buffers that frames have named, by the low bits that markers carry. If buffers of several
    /// processes have these bits in common, the last named buffer stays.
    buffers: BTreeMap<u32, u32>,
    /// Buffers of the reads that wait for their reply, by the place in the queue.
    queued: BTreeMap<u32, u32>,
}

impl Frames {
    /// The MAC has put a frame in the receive ring.
    pub fn arrive(&mut self, header: Option<Header>) {
        self.arrived.push_back(header);
    }

    /// The firmware takes the next frame from its ring.
    pub fn begin(&mut self) {
        (self.judged, self.retaken, self.is_open) = (self.arrived.pop_front().flatten(), None, false);
    }

    /// The firmware takes a frame of this node again, after it held the frame.
    pub fn retake(&mut self, node: u32) {
        (self.judged, self.retaken, self.is_open) = (None, Some(node), false);
    }

    /// The firmware has read the sequence number of the frame. Returns false if the frame in that
    /// place of the receive ring is another one, or did not come whole.
    pub fn open(&mut self, low_bits: u32) -> bool {
        let is_it =
            |frame: &Header| frame.is_ours() && frame.has_sequence() && frame.sequence & ARGUMENT_MASK == low_bits;
        self.is_open = true;
        if let Some(node) = self.retaken {
            self.judged = self.recent.iter().rev().find(|frame| is_it(frame) && frame.from == node).copied();
            return true;
        }
        if !self.judged.as_ref().is_some_and(is_it) {
            self.judged = None;
            return false;
        }
        if let Some(frame) = self.judged {
            self.buffers.insert(frame.buffer & ARGUMENT_MASK, frame.buffer);
            if self.recent.len() == RECENT_FRAMES {
                self.recent.pop_front();
            }
            self.recent.push_back(frame);
        }
        true
    }

    /// The frame that was taken last, before and after it is judged. `None` if it did not come
    /// whole.
    pub fn taken(&self) -> Option<Header> {
        self.judged
    }

    /// The frame that is judged; `None` between two frames.
    pub fn judged(&self) -> Option<Header> {
        self.judged.filter(|_| self.is_open)
    }

    /// The frame that is judged, if a lookup of this path can be for it: writes look up on the
    /// receive path, reads on the send path.
    pub fn judged_on(&self, is_receive: bool) -> Option<Header> {
        let kind = if is_receive { FrameKind::WRITE } else { FrameKind::READ };
        self.judged().filter(|frame| frame.is(kind))
    }

    /// The firmware has decided on the frame.
    pub fn close(&mut self) {
        self.is_open = false;
    }

    /// The frame taken last is a read, and waits in this place of the queue.
    pub fn queue_read(&mut self, place: u32) {
        self.queued.extend(self.judged.map(|frame| (place, frame.buffer)));
    }

    /// The whole CBH word of a buffer whose low bits a marker carries. It is taken from the frame
    /// that is judged, else from a read that waits, else from an earlier frame.
    pub fn named(&self, low_bits: u32) -> Option<u32> {
        let is_it = |word: &u32| word & ARGUMENT_MASK == low_bits;
        let judged = self.judged().map(|frame| frame.buffer);
        let queued = self.queued.values().copied();
        judged.into_iter().chain(queued).find(is_it).or_else(|| self.buffers.get(&low_bits).copied())
    }
}
