//! Frames of EMP.

use nic_layout::frame::link::FrameKind;
use nic_layout::personality::emp::frame::{self, word, Cut, FIRST_HEADER_BYTES};
use nic_layout::personality::emp::PROTOCOL;

use crate::header::Header;

/// Bytes of Ethernet's header, which the largest frame does not count.
const ETHERNET_BYTES: u32 = 14;

/// A frame of EMP, from the words of a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Frame {
    pub header: Header,
}

impl Frame {
    /// The frame, if it is one of EMP.
    pub fn of(header: Header) -> Option<Frame> {
        (header.is_ours() && header.protocol == PROTOCOL).then_some(Frame { header })
    }

    pub fn is(&self, kind: FrameKind) -> bool {
        self.header.is(kind)
    }

    /// Whether the frame carries data of a message.
    pub fn has_data(&self) -> bool {
        self.is(frame::FIRST) || self.is(frame::DATA)
    }

    /// The number of its message.
    pub fn message(&self) -> u16 {
        word::message(self.header.sequence)
    }

    /// Its number in the message.
    pub fn number(&self) -> u32 {
        word::frame(self.header.sequence)
    }

    /// Where its data begin in the message.
    pub fn offset(&self) -> u32 {
        self.header.acknowledge
    }

    // ---- First frames ---------------------------------------------------------------------------

    /// The length of the message.
    pub fn length(&self) -> u32 {
        self.header.buffer
    }

    pub fn tag(&self) -> u16 {
        self.header.buffer_offset as u16
    }

    /// How far back the latest open message with the same tag is; 0: there is none.
    pub fn tag_distance(&self) -> u16 {
        word::tag_distance(self.header.buffer_offset) as u16
    }

    /// How far back the oldest open message is; 0: there is none.
    pub fn oldest_distance(&self) -> u16 {
        word::oldest_distance(self.header.buffer_offset) as u16
    }

    pub fn collection_frames(&self) -> u32 {
        self.header.key[0].max(1)
    }

    /// How the message is cut: a first frame is full if others follow.
    pub fn cut_of_message(&self) -> Cut {
        Cut::of_mtu(self.header.data_bytes + FIRST_HEADER_BYTES - ETHERNET_BYTES)
    }
}
