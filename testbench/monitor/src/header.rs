//! Headers of the frames on one direction of a link, from its symbols.

use nic_layout::frame::link::FrameKind;
use nic_layout::frame::rdma::{header_bytes, word, PROTOCOL_WIDE};
use nic_layout::key::{Key, KeyWidth};
use sim_pins::LinkSymbol;

const START_OF_FRAME: u8 = 0xD5;
/// The first words of the data that are kept: the length of a read is one, and a short message is
/// kept whole.
const DATA_WORDS: usize = 5;
/// The bytes of a frame that are kept: the longest header, and the first data behind it.
const KEPT_BYTES: usize = header_bytes(KeyWidth::Bits128) + 4 * DATA_WORDS;
const FCS_BYTES: usize = 4;
const BYTES_MIN: usize = 64;
/// The CRC register after an undamaged frame and its FCS (IEEE 802.3, 3.2.9).
const CRC_RESIDUE: u32 = 0xDEBB_20E3;

/// The header of a frame: its link fields, and the part of a buffer that it names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// The number of the receiving node, from the destination address.
    pub to: u32,
    /// The session of the incarnation that the frame is for, from the destination address.
    pub to_session: u32,
    /// The number of the sending node, from the source address.
    pub from: u32,
    /// The type word as protocol 0 has it.
    type_word: u32,
    /// The number of the protocol.
    pub protocol: u8,
    /// The width of the key. The number of the protocol tells it.
    pub key_width: KeyWidth,
    /// The session: the incarnation of the node that sent the frame.
    pub session: u32,
    /// The length of the data in bytes.
    pub data_bytes: u32,
    /// The sequence number.
    pub sequence: u32,
    /// The cumulative ack: the sequence number that the sender expects next.
    pub acknowledge: u32,
    /// The identifier of the buffer, the word of its CBH.
    pub buffer: u32,
    /// The offset in the buffer, in bytes.
    pub buffer_offset: u32,
    /// The key that the frame shows for the buffer.
    pub key: Key,
    /// The word `MESSAGE`.
    pub message: u32,
    /// The first words of the data; behind the end of the data they are 0.
    pub data: [u32; DATA_WORDS],
}

impl Header {
    /// Whether the frame is of this kind.
    pub fn is(&self, kind: FrameKind) -> bool {
        self.type_word & word::KIND_MASK == word::kind(kind, 0)
    }

    /// Whether the EtherType is ours.
    pub fn is_ours(&self) -> bool {
        word::is_ours(self.type_word)
    }

    /// The flags of the frame, a bit set of `nic_layout::frame`.
    pub fn flags(&self) -> u8 {
        word::flags(self.type_word)
    }

    /// Whether the frame takes a sequence number of its own. Frames that only acknowledge do not.
    pub fn has_sequence(&self) -> bool {
        [FrameKind::WRITE, FrameKind::READ, FrameKind::REPLY, FrameKind::PROBE].iter().any(|&kind| self.is(kind))
    }

    /// The number of bytes of the buffer that the frame reads or writes.
    pub fn wanted_bytes(&self) -> u32 {
        match self.is(FrameKind::READ) {
            true => self.data[0],
            false => self.data_bytes,
        }
    }

    /// `frame_bytes`: the length without the FCS. No data are taken from behind it.
    fn parse(bytes: &[u8; KEPT_BYTES], frame_bytes: usize) -> Header {
        let word = |at: u32| {
            let at = at as usize;
            u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
        };
        let protocol = word::protocol_number(word(word::TYPE));
        let key_width = if protocol == PROTOCOL_WIDE { KeyWidth::Bits128 } else { KeyWidth::Bits64 };
        let data_bytes = word::data_bytes(word(word::NODE_LENGTH));
        let mut data = [0; DATA_WORDS];
        let first = word::data(key_width);
        let end = (first + data_bytes).min(frame_bytes as u32 & !3);
        for (at, kept) in (first..end).step_by(4).zip(&mut data) {
            *kept = word(at);
        }
        Header {
            to: bytes[5].into(),
            to_session: bytes[4].into(),
            from: bytes[11].into(),
            type_word: word(word::TYPE) ^ word::protocol(protocol),
            protocol,
            key_width,
            session: word::session(word(word::NODE_LENGTH)),
            data_bytes,
            sequence: word(word::SEQUENCE),
            acknowledge: word(word::ACKNOWLEDGE),
            buffer: word(word::BUFFER),
            buffer_offset: word(word::BUFFER_OFFSET),
            key: key_width.cut([word(word::KEY_0), word(word::KEY_1), word(word::KEY_2), word(word::KEY_3)]),
            message: word(word::MESSAGE),
            data,
        }
    }
}

/// A frame that has ended on the link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// A frame that came whole.
    Whole(Header),
    /// A damaged frame, or a frame that is too short.
    Damaged,
}

impl Ended {
    /// The header of a frame that came whole.
    pub fn header(self) -> Option<Header> {
        match self {
            Ended::Whole(header) => Some(header),
            Ended::Damaged => None,
        }
    }
}

/// Collects the frames of one direction of a link from its symbols.
#[derive(Clone, Debug)]
pub(crate) struct HeaderParser {
    is_in_frame: bool,
    is_behind_preamble: bool,
    is_damaged: bool,
    bytes: [u8; KEPT_BYTES],
    count: usize,
    crc: u32,
}

impl Default for HeaderParser {
    fn default() -> HeaderParser {
        HeaderParser {
            is_in_frame: false,
            is_behind_preamble: false,
            is_damaged: false,
            bytes: [0; KEPT_BYTES],
            count: 0,
            crc: 0,
        }
    }
}

impl HeaderParser {
    /// Takes the symbol of one clock. The first symbol after a frame ends the frame.
    #[inline]
    pub fn next(&mut self, symbol: LinkSymbol) -> Option<Ended> {
        if !symbol.enable {
            return self.is_in_frame.then(|| self.end());
        }
        self.take(symbol);
        None
    }

    fn take(&mut self, symbol: LinkSymbol) {
        if !self.is_in_frame {
            *self = HeaderParser { is_in_frame: true, crc: u32::MAX, ..HeaderParser::default() };
        }
        self.is_damaged |= symbol.error;
        if !self.is_behind_preamble {
            self.is_behind_preamble = symbol.data == START_OF_FRAME;
            return;
        }
        if let Some(place) = self.bytes.get_mut(self.count) {
            *place = symbol.data;
        }
        self.count += 1;
        self.crc = self.crc >> 8 ^ CRC_TABLE[usize::from(self.crc as u8 ^ symbol.data)];
    }

    fn end(&mut self) -> Ended {
        self.is_in_frame = false;
        if self.is_damaged || self.count < BYTES_MIN || self.crc != CRC_RESIDUE {
            return Ended::Damaged;
        }
        // The header of the shortest frame ends before its FCS.
        const { assert!(header_bytes(KeyWidth::Bits128) + FCS_BYTES <= BYTES_MIN) };
        Ended::Whole(Header::parse(&self.bytes, self.count - FCS_BYTES))
    }
}

/// CRC-32 of IEEE 802.3, a byte at a time.
const CRC_TABLE: [u32; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut crc = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 1 != 0 { crc >> 1 ^ 0xEDB8_8320 } else { crc >> 1 };
            bit += 1;
        }
        table[byte] = crc;
        byte += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    /// The header of a frame that came whole.
    fn send(parser: &mut HeaderParser, frame: &[u8], spoil: Option<usize>) -> Option<Header> {
        let mut crc = u32::MAX;
        for byte in frame {
            crc = crc >> 8 ^ CRC_TABLE[usize::from(crc as u8 ^ byte)];
        }
        let mut bytes = [&[0x55; 7][..], &[START_OF_FRAME], frame, &(!crc).to_le_bytes()].concat();
        if let Some(at) = spoil {
            bytes[8 + at] ^= 4;
        }
        for data in bytes {
            assert_eq!(parser.next(LinkSymbol { data, enable: true, error: false }), None);
        }
        let silence = LinkSymbol { data: 0, enable: false, error: false };
        let ended = parser.next(silence).expect("each frame ends, damaged or not");
        assert_eq!(parser.next(silence), None, "a frame ends once");
        ended.header()
    }

    #[test]
    fn a_whole_frame_is_parsed_and_a_damaged_one_is_not() {
        let mut words = [0u32; 20];
        words[..3].copy_from_slice(&word::addresses(3, 1));
        words[3] = word::kind(FrameKind::READ, 1);
        words[4] = word::node_length(1, 0, 8);
        (words[5], words[6], words[7], words[12]) = (77, 78, 0x0010_0002, 4096);
        let frame: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let mut parser = HeaderParser::default();
        let header = send(&mut parser, &frame, None).expect("it is whole");
        assert!(header.is(FrameKind::READ) && header.is_ours() && header.has_sequence());
        assert_eq!((header.to, header.from, header.sequence, header.wanted_bytes()), (3, 1, 77, 4096));
        assert_eq!(send(&mut parser, &frame, Some(40)), None);
        assert_eq!(send(&mut parser, &frame[..48], None), None, "too short");
        assert!(send(&mut parser, &frame, None).is_some());
    }

    #[test]
    fn a_frame_with_a_longer_key_is_parsed_whole() {
        let mut words = [0u32; 20];
        words[..3].copy_from_slice(&word::addresses(3, 1));
        words[3] = word::kind(FrameKind::READ, 1) ^ word::mark(KeyWidth::Bits128);
        words[4] = word::node_length(1, 0, 8);
        (words[9], words[10], words[12], words[13], words[14]) = (1, 2, 3, 4, 4096);
        let frame: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let header = send(&mut HeaderParser::default(), &frame, None).expect("it is whole");
        assert!(header.is(FrameKind::READ) && header.is_ours() && header.key_width == KeyWidth::Bits128);
        assert_eq!((header.key, header.wanted_bytes()), ([1, 2, 3, 4], 4096));
    }
}
