//! Frames of EMP (E-17 to E-20). The fields of the link's header are those of
//! [`crate::frame::link`] up to its sequence number, which EMP replaces.

use crate::frame::link::{self, FrameKind};

/// Bytes of the header of every frame, Ethernet's 14 included.
pub const HEADER_BYTES: u32 = 28;
/// Bytes of the header of the first frame of a message.
pub const FIRST_HEADER_BYTES: u32 = 40;

/// The first frame of a message: its length, its tag, and what the matching needs.
pub const FIRST: FrameKind = FrameKind(1);
/// Accepts a collection of frames.
pub const ACK: FrameKind = FrameKind(2);
/// Any other frame of a message.
pub const DATA: FrameKind = FrameKind(4);
/// No posted receive matches the message.
pub const REFUSED: FrameKind = FrameKind(7);
/// The number of the frame in [`REFUSED`] if the message is too early: an older one goes first.
/// Otherwise it is 0.
pub const REFUSED_EARLY: u16 = 1;
/// The sender has given the message up.
pub const ABORT: FrameKind = FrameKind(8);
/// The receiver has given the message up, or heard that the sender has.
pub const ABORTED: FrameKind = FrameKind(11);
/// All kinds.
pub const KINDS: [FrameKind; 6] = [FIRST, ACK, DATA, REFUSED, ABORT, ABORTED];

/// The header as the little-endian words that a core stores. Offsets are in bytes. The words before
/// are those of [`crate::frame::link::word`].
pub mod word {
    use super::{link, FrameKind};

    /// Number of the message, and number of the frame in it.
    pub const NUMBERS: u32 = 20;
    /// Where in the message the data of the frame begin, in bytes. In an acknowledgement: free
    /// receive buffers of its sender.
    pub const OFFSET: u32 = 24;
    /// Length of the message in bytes. This word and the next are in a first frame only.
    pub const LENGTH: u32 = 28;
    /// Tag, and both distances.
    pub const TAG: u32 = 32;
    /// Frames in a collection.
    pub const COLLECTION: u32 = 36;

    /// The word of EtherType, kind and protocol.
    pub const fn kind(kind: FrameKind) -> u32 {
        link::word::kind(kind, 0) ^ link::word::protocol(super::super::PROTOCOL)
    }

    /// The word of both numbers.
    pub const fn numbers(message: u16, frame: u16) -> u32 {
        message as u32 | (frame as u32) << 16
    }

    /// The number of the message.
    pub const fn message(numbers: u32) -> u16 {
        numbers as u16
    }

    /// The number of the frame in its message.
    pub const fn frame(numbers: u32) -> u32 {
        numbers >> 16
    }

    /// The word of tag and distances.
    pub const fn tag(tag: u16, tag_distance: u8, oldest_distance: u8) -> u32 {
        tag as u32 | (tag_distance as u32) << 16 | (oldest_distance as u32) << 24
    }

    /// How far back the latest open message with the same tag is; 0: there is none.
    pub const fn tag_distance(tag_word: u32) -> u32 {
        (tag_word >> 16) & 0xFF
    }

    /// How far back the oldest open message is; 0: there is none.
    pub const fn oldest_distance(tag_word: u32) -> u32 {
        tag_word >> 24
    }
}

/// How a message is cut into frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    /// Bytes of data that a frame other than the first carries at most.
    pub data_bytes: u32,
    /// The same of the first frame.
    pub first_bytes: u32,
    /// A multiplication with it, and a shift by so many bits more than 24, divide every number
    /// below 2^24 by `data_bytes` exactly.
    reciprocal: u32,
    shift: u32,
}

impl Cut {
    /// Frames of `mtu_bytes` behind the Ethernet header: 1500, or up to 9000.
    pub const fn of_mtu(mtu_bytes: u32) -> Cut {
        let frame_bytes = mtu_bytes + 14;
        let (data_bytes, first_bytes) = (frame_bytes - HEADER_BYTES, frame_bytes - FIRST_HEADER_BYTES);
        // 2^shift is the first power of two from the divisor on.
        let shift = u32::BITS - (data_bytes - 1).leading_zeros();
        Cut { data_bytes, first_bytes, reciprocal: Cut::reciprocal(24 + shift, data_bytes), shift }
    }

    /// 2^`log2` divided by `divisor`, rounded up, bit by bit: the core has no fast division.
    const fn reciprocal(log2: u32, divisor: u32) -> u32 {
        let (mut quotient, mut rest, mut bit) = (0, 1, 0);
        while bit < log2 {
            rest <<= 1;
            quotient <<= 1;
            if rest >= divisor {
                rest -= divisor;
                quotient |= 1;
            }
            bit += 1;
        }
        quotient + (rest != 0) as u32
    }

    /// Frames of a message of at most [`MESSAGE_BYTES_MAX`] bytes. A message of no bytes has one.
    #[inline(always)]
    pub const fn frames(&self, length_bytes: u32) -> u32 {
        if length_bytes <= self.first_bytes {
            return 1;
        }
        // Below 2^24.
        let behind = length_bytes - self.first_bytes - 1;
        let product = ((behind << 8) as u64 * self.reciprocal as u64) >> 32;
        2 + (product as u32 >> self.shift)
    }

    /// Where the data of a frame begin in the message.
    pub const fn offset(&self, frame: u32) -> u32 {
        if frame == 0 {
            0
        } else {
            self.first_bytes + (frame - 1) * self.data_bytes
        }
    }

    /// Bytes of data of a frame. `frame` is one of the message.
    pub const fn bytes(&self, frame: u32, length_bytes: u32) -> u32 {
        let most = if frame == 0 { self.first_bytes } else { self.data_bytes };
        let left = length_bytes - self.offset(frame);
        if left < most {
            left
        } else {
            most
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{MESSAGE_BYTES_MAX, PROTOCOL};
    use super::*;

    #[test]
    fn a_single_bit_makes_no_kind_of_another() {
        for (n, one) in KINDS.iter().enumerate() {
            assert!(KINDS[n + 1..].iter().all(|other| (one.0 ^ other.0).count_ones() >= 2));
            assert_eq!(link::word::protocol_number(word::kind(*one)), PROTOCOL);
        }
    }

    #[test]
    fn the_wire_takes_1538_bytes_for_1486() {
        let cut = Cut::of_mtu(1500);
        assert_eq!((cut.first_bytes, cut.data_bytes), (1474, 1486));
        // Preamble, header, data, FCS and gap.
        assert_eq!(8 + HEADER_BYTES + cut.data_bytes + 4 + 12, 1538);
    }

    #[test]
    fn frames_cover_a_message_without_gap_or_overlap() {
        for mtu in [1500, 9000, 600] {
            let cut = Cut::of_mtu(mtu);
            for length in [0, 1, cut.first_bytes, cut.first_bytes + 1, 4096, 100_000, MESSAGE_BYTES_MAX] {
                let frames = cut.frames(length);
                let mut end = 0;
                for frame in 0..frames {
                    assert_eq!(cut.offset(frame), end);
                    let bytes = cut.bytes(frame, length);
                    assert!(bytes > 0 || length == 0);
                    end += bytes;
                }
                assert_eq!(end, length);
                assert!(frames <= 1 << 16);
            }
        }
        assert_eq!(Cut::of_mtu(1500).frames(0), 1);
    }

    #[test]
    fn the_multiplication_divides_as_the_division_does() {
        for mtu in [27, 29, 30, 78, 600, 1500, 8999, 9000] {
            let cut = Cut::of_mtu(mtu);
            let frames = |length: u32| {
                if length <= cut.first_bytes {
                    1
                } else {
                    1 + (length - cut.first_bytes).div_ceil(cut.data_bytes)
                }
            };
            let mut end = cut.first_bytes;
            while end < MESSAGE_BYTES_MAX {
                assert!(
                    [end - 1, end, end + 1].iter().all(|length| cut.frames(*length) == frames(*length)),
                    "{mtu}: {end}"
                );
                end += cut.data_bytes;
            }
            assert_eq!(cut.frames(MESSAGE_BYTES_MAX), frames(MESSAGE_BYTES_MAX));
        }
    }

    #[test]
    fn numbers_and_distances_survive_their_words() {
        let numbers = word::numbers(0xFEDC, 0x1234);
        assert_eq!((word::message(numbers), word::frame(numbers)), (0xFEDC, 0x1234));
        let tag = word::tag(0xABCD, 255, 7);
        assert_eq!((tag as u16, word::tag_distance(tag), word::oldest_distance(tag)), (0xABCD, 255, 7));
    }
}
