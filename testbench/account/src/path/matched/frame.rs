//! Frames of messages that the NIC matches, as they stood on the pins.

use nic_layout::frame::link::{word as link, FrameKind};
use nic_layout::personality::emp::frame::{word, DATA, FIRST, HEADER_BYTES, KINDS};
use nic_layout::trace::ARGUMENT_MASK;
use sim_pins::Ps;

use crate::log::{NodeLog, SentFrame};

/// What the header of a frame says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub kind: FrameKind,
    /// The node that it goes to.
    pub to: usize,
    /// Both numbers, as in the header.
    pub numbers: u32,
    /// Where its data begin in the message.
    pub offset: u32,
    /// Bytes of its data.
    pub bytes: u32,
}

impl Header {
    /// `None` for a frame that is not of such a message.
    fn read(contents: &[u8]) -> Option<Header> {
        let at = |offset: u32| {
            let bytes = contents.get(offset as usize..offset as usize + 4)?;
            Some(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
        };
        if contents.len() < HEADER_BYTES as usize {
            return None;
        }
        let kind_word = at(link::TYPE)?;
        Some(Header {
            kind: KINDS.into_iter().find(|kind| word::kind(*kind) == kind_word & link::KIND_MASK)?,
            to: link::destination(at(link::ADDRESS_1)?) as usize,
            numbers: at(word::NUMBERS)?,
            offset: at(word::OFFSET)?,
            bytes: link::data_bytes(at(link::NODE_LENGTH)?),
        })
    }

    /// Number of the message.
    pub fn of_message(&self) -> u16 {
        word::message(self.numbers)
    }

    /// Number of the frame in the message.
    pub fn frame(&self) -> u32 {
        word::frame(self.numbers)
    }

    /// Whether the frame carries data of a message.
    pub fn is_of_data(&self) -> bool {
        self.kind == FIRST || self.kind == DATA
    }

    /// Whether a byte of the message is in the frame. `offset`: its low bits. A frame without data
    /// has the byte where it begins.
    pub fn has(&self, offset: u32) -> bool {
        (offset.wrapping_sub(self.offset) & ARGUMENT_MASK) < self.bytes.max(1)
    }
}

/// A frame, and what its header says.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sent<'a> {
    pub frame: &'a SentFrame,
    pub header: Header,
}

/// The frames that a node has sent to another node in a time.
pub(super) fn sent(log: &NodeLog, to: usize, from: Ps, until: Ps) -> impl Iterator<Item = Sent<'_>> {
    let first = log.sent.partition_point(|frame| frame.start < from);
    log.sent[first..].iter().take_while(move |frame| frame.start <= until).filter_map(move |frame| {
        let header = Header::read(&frame.contents)?;
        (header.to == to).then_some(Sent { frame, header })
    })
}

#[cfg(test)]
pub(super) fn contents(kind: FrameKind, to: u8, numbers: u32, offset: u32, bytes: u16) -> Box<[u8]> {
    let mut words = link::addresses(link::station(to, 0), link::station(1 - to, 0)).to_vec();
    words.extend([word::kind(kind), link::node_length(1 - to, 0, bytes), numbers, offset]);
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use nic_layout::personality::emp::frame::ACK;

    #[test]
    fn a_header_is_read_and_other_bytes_are_none() {
        let frame = contents(DATA, 1, word::numbers(700, 3), 4446, 100);
        let header = Header::read(&frame).expect("a header");
        assert_eq!((header.kind, header.to, header.of_message(), header.frame()), (DATA, 1, 700, 3));
        assert_eq!([4445, 4446, 4545, 4546].map(|offset| header.has(offset)), [false, true, true, false]);
        let empty = Header::read(&contents(ACK, 0, 0, 5, 0)).expect("a header");
        assert_eq!([4, 5, 6].map(|offset| empty.has(offset)), [false, true, false]);
        assert_eq!(Header::read(&frame[..20]), None);
        assert_eq!(Header::read(&[0; 64]), None);
    }
}
