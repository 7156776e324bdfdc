//! Segments of a stream as frames: headers of the length that Ethernet, IP and TCP have, and a
//! checksum of the Internet over the data.

use nic_layout::frame::link::{word, FrameKind};
use nic_layout::personality::kernel::{DATA_BYTES_MAX, HEADER_BYTES, PROTOCOL};

/// The kind of all frames.
const KIND: FrameKind = FrameKind(4);
const END: u8 = 1;
const ASKS: u8 = 2;

/// A part of a stream, with an acknowledgement of the other.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Segment {
    /// The number of the first byte.
    pub first: u32,
    /// The bytes.
    pub data: Vec<u8>,
    /// The stream ends behind the bytes.
    pub has_end: bool,
    /// The peer has to answer.
    pub asks: bool,
    /// The number that the sender of the segment expects next.
    pub expected: u32,
    /// Bytes for which the sender of the segment has room, from there on.
    pub window: u32,
}

/// Where a segment comes from, or where it goes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Peer {
    /// The node.
    pub node: u16,
    /// The port, which both ends of a stream have.
    pub port: u16,
}

/// The sum of the 16-bit words in ones' complement.
fn sum(data: &[u8]) -> u16 {
    let words = data.chunks(2).map(|pair| u32::from(pair[0]) << 8 | pair.get(1).map_or(0, |low| u32::from(*low)));
    let mut sum = words.fold(0u32, u32::wrapping_add);
    while sum >> 16 != 0 {
        sum = (sum & 0xFFFF) + (sum >> 16);
    }
    sum as u16
}

impl Segment {
    /// The frame of a segment from node `own` to a peer.
    pub fn to_frame(&self, own: u16, to: Peer) -> Vec<u8> {
        let mut frame = vec![0; HEADER_BYTES as usize];
        let stations = (word::station(to.node as u8, 0), word::station(own as u8, 0));
        for (at, word) in word::addresses(stations.0, stations.1).into_iter().enumerate() {
            frame[4 * at..4 * at + 4].copy_from_slice(&word.to_le_bytes());
        }
        let flags = (u8::from(self.has_end) * END) | (u8::from(self.asks) * ASKS);
        let kind = word::kind(KIND, flags) ^ word::protocol(PROTOCOL);
        frame[12..16].copy_from_slice(&kind.to_le_bytes());
        let length = word::node_length(own as u8, 0, self.data.len() as u16);
        frame[16..20].copy_from_slice(&length.to_le_bytes());
        frame[20..24].copy_from_slice(&self.first.to_le_bytes());
        frame[24..28].copy_from_slice(&self.expected.to_le_bytes());
        frame[28..32].copy_from_slice(&self.window.to_le_bytes());
        frame[32..34].copy_from_slice(&to.port.to_le_bytes());
        frame[34..36].copy_from_slice(&sum(&self.data).to_le_bytes());
        frame.extend(&self.data);
        frame
    }

    /// The segment of a frame for this node, and where it comes from. `None`: the frame is none, or
    /// its data have another sum.
    pub fn of_frame(frame: &[u8]) -> Option<(Peer, Segment)> {
        let word = |at: usize| frame.get(at..at + 4)?.try_into().ok().map(u32::from_le_bytes);
        let kind = word(12)?;
        let flags = (kind >> 24) as u8;
        if kind & 0xFF_FFFF != (word::kind(KIND, 0) ^ word::protocol(PROTOCOL)) & 0xFF_FFFF {
            return None;
        }
        let (length, ports) = (word(16)?, word(32)?);
        let bytes = word::data_bytes(length);
        if bytes > DATA_BYTES_MAX {
            return None;
        }
        let data = frame.get(HEADER_BYTES as usize..(HEADER_BYTES + bytes) as usize)?.to_vec();
        if sum(&data) != (ports >> 16) as u16 {
            return None;
        }
        let peer = Peer { node: word::node(length) as u16, port: ports as u16 };
        let (has_end, asks) = (flags & END != 0, flags & ASKS != 0);
        Some((peer, Segment { first: word(20)?, data, has_end, asks, expected: word(24)?, window: word(28)? }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_comes_back_from_its_frame_and_a_damaged_one_does_not() {
        let data: Vec<u8> = (0..77).collect();
        let segment = Segment { first: 5, data, has_end: true, asks: false, expected: 9, window: 64 };
        let frame = segment.to_frame(3, Peer { node: 1, port: 80 });
        assert_eq!(frame.len() as u32, HEADER_BYTES + 77);
        assert_eq!(Segment::of_frame(&frame), Some((Peer { node: 3, port: 80 }, segment)));
        for at in [12, 14, 17 + 2, 34, 60] {
            let mut damaged = frame.clone();
            damaged[at] ^= 0x10;
            assert_eq!(Segment::of_frame(&damaged), None, "byte {at}");
        }
        assert_eq!(Segment::of_frame(&frame[..50]), None);
    }
}
