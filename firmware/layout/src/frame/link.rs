//! The fields of the link: they stand in every frame, whatever its protocol.

/// IEEE 802 local experimental EtherType 1, big endian on the wire like every EtherType.
pub const ETHERTYPE: u16 = 0x88B5;

/// Offsets of the fields. All but the Ethernet header are little endian and aligned to their size,
/// when the frame is at a multiple of 8.
pub mod offset {
    /// MAC address of the receiver, 6 bytes.
    pub const DESTINATION: usize = 0;
    /// MAC address of the sender, 6 bytes.
    pub const SOURCE: usize = 6;
    /// The EtherType, big endian.
    pub const ETHERTYPE: usize = 12;
    /// A [`FrameKind`](super::FrameKind) in bits 3:0, the number of the protocol in bits 7:4.
    pub const KIND: usize = 14;
    /// A bit set of [`FLAG_LAST`](super::FLAG_LAST) and the flags of the protocol.
    pub const FLAGS: usize = 15;
    /// The number of the node that sent the frame, one byte.
    pub const SOURCE_NODE: usize = 16;
    /// The session of that node, one byte.
    pub const SESSION: usize = 17;
    /// Bytes of data behind the header.
    pub const DATA_BYTES: usize = 18;
    /// The sequence number of a data frame. An acknowledgement has none.
    pub const SEQUENCE: usize = 20;
    /// The next sequence number that the sender of this frame expects: all frames before it are
    /// acknowledged.
    pub const ACKNOWLEDGE: usize = 24;
    /// In an acknowledgement: a bitmap of the last 32 frames before the number that were refused.
    /// The bit of frame n is n mod 32. In other frames the protocol's header begins here.
    pub const REFUSALS: usize = 28;
}

/// Bytes of the link's header, which the protocol's follows.
pub const HEADER_BYTES: usize = offset::REFUSALS;

/// Bytes of the shortest frame without FCS; the MAC pads to it.
pub const FRAME_BYTES_MIN: usize = 60;

/// The kind of a frame, 0 to 15. The constants here are kinds of the link, with the same number in
/// every protocol; the other numbers are the protocol's. Any two kinds of a protocol differ in two
/// bits or more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameKind(pub u8);

impl FrameKind {
    /// An acknowledgement and nothing else.
    pub const ACKNOWLEDGE: FrameKind = FrameKind(2);
    /// The frame only asks for an acknowledgement, to find out whether the peer still answers.
    pub const PROBE: FrameKind = FrameKind(8);
    /// The frame of that sequence number has come, and its destination has no translation yet.
    pub const MISSED: FrameKind = FrameKind(11);
    /// The translation is there now: the peer shall send again from that frame on.
    pub const RESTART: FrameKind = FrameKind(13);
}

/// The greatest number of a protocol.
pub const PROTOCOL_MAX: u8 = 15;

/// `FLAGS`: the last frame of a message.
pub const FLAG_LAST: u8 = 1;
/// `FLAGS`: the sender could not read the data; the frame only keeps the sequence whole. It has no
/// data.
pub const FLAG_ABORTED: u8 = 2;

/// The locally administered address of a node: 02-4E-53-00 and the node number, big endian.
pub const fn mac_address(node: u16) -> [u8; 6] {
    [0x02, 0x4E, 0x53, 0x00, (node >> 8) as u8, node as u8]
}

/// The header as the little-endian words that a core stores.
pub mod word {
    use super::{mac_address, FrameKind, ETHERTYPE, PROTOCOL_MAX};

    /// The first word of the MAC addresses. All offsets are in bytes.
    pub const ADDRESS_0: u32 = 0;
    /// The second word of the MAC addresses.
    pub const ADDRESS_1: u32 = 4;
    /// The third word of the MAC addresses.
    pub const ADDRESS_2: u32 = 8;
    /// EtherType, kind, protocol and flags.
    pub const TYPE: u32 = 12;
    /// Node, session and length.
    pub const NODE_LENGTH: u32 = 16;
    /// Sequence number.
    pub const SEQUENCE: u32 = 20;
    /// Number before which all frames were taken.
    pub const ACKNOWLEDGE: u32 = 24;
    /// As [`super::offset::REFUSALS`].
    pub const REFUSALS: u32 = 28;

    /// The number that stands for a node in an address: the node number, and above it the session
    /// of the node. So a frame to an earlier incarnation of a node is not for the node (INV-31).
    pub const fn station(node: u8, session: u8) -> u16 {
        (session as u16) << 8 | node as u16
    }

    /// The three words of both addresses.
    pub const fn addresses(destination: u16, source: u16) -> [u32; 3] {
        let (d, s) = (mac_address(destination), mac_address(source));
        [
            u32::from_le_bytes([d[0], d[1], d[2], d[3]]),
            u32::from_le_bytes([d[4], d[5], s[0], s[1]]),
            u32::from_le_bytes([s[2], s[3], s[4], s[5]]),
        ]
    }

    /// The node number of the destination in the second word of the addresses.
    pub const fn destination(address_word: u32) -> u32 {
        (address_word >> 8) & 0xFF
    }

    /// The type word of a frame of protocol 0. XOR with [`protocol`] gives the type word of another
    /// protocol.
    pub const fn kind(kind: FrameKind, flags: u8) -> u32 {
        u32::from_le_bytes([(ETHERTYPE >> 8) as u8, ETHERTYPE as u8, kind.0, flags])
    }

    /// The bits in which type words of a protocol differ from those of protocol 0.
    pub const fn protocol(number: u8) -> u32 {
        assert!(number <= PROTOCOL_MAX);
        (number as u32) << 20
    }

    /// The number of the protocol in a type word.
    pub const fn protocol_number(type_word: u32) -> u8 {
        (type_word >> 20) as u8 & PROTOCOL_MAX
    }

    /// Whether a type word has our EtherType.
    pub const fn is_ours(type_word: u32) -> bool {
        type_word as u16 == ETHERTYPE.swap_bytes()
    }

    /// The bits of the type word that say EtherType, protocol and kind: all but the flags.
    pub const KIND_MASK: u32 = 0x00FF_FFFF;

    /// The flags.
    pub const fn flags(type_word: u32) -> u8 {
        (type_word >> 24) as u8
    }

    /// The word of node, session and length.
    pub const fn node_length(node: u8, session: u8, data_bytes: u16) -> u32 {
        (data_bytes as u32) << 16 | (session as u32) << 8 | node as u32
    }

    /// Adds a length to the word of a frame without data.
    #[inline(always)]
    pub const fn with_data_bytes(node_length: u32, data_bytes: u32) -> u32 {
        node_length | data_bytes << 16
    }

    /// Node and session: the low half of the word.
    pub const fn identity(node_length: u32) -> u32 {
        node_length & 0xFFFF
    }

    /// Bytes of data.
    pub const fn data_bytes(node_length: u32) -> u32 {
        node_length >> 16
    }

    /// The session of the node that sent the frame.
    pub const fn session(node_length: u32) -> u32 {
        (node_length >> 8) & 0xFF
    }

    /// The node that sent the frame.
    pub const fn node(node_length: u32) -> u32 {
        node_length & 0xFF
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_protocol_has_its_own_bits_of_the_type_word() {
        let plain = word::kind(FrameKind(15), FLAG_LAST);
        for number in 0..=PROTOCOL_MAX {
            let marked = plain ^ word::protocol(number);
            assert_eq!(word::protocol_number(marked), number);
            assert_eq!((marked & 0xF, word::flags(marked)), (plain & 0xF, FLAG_LAST));
            assert!(word::is_ours(marked));
        }
        assert!(!word::is_ours(plain ^ 0x100));
    }

    #[test]
    fn the_second_word_of_the_addresses_names_the_destination() {
        for (node, session) in [(0, 0), (5, 255), (63, 3)] {
            let [_, address_word, _] = word::addresses(word::station(node, session), word::station(9, 77));
            assert_eq!(word::destination(address_word), u32::from(node));
        }
    }

    #[test]
    fn a_single_bit_makes_no_kind_of_the_link_of_another() {
        use FrameKind as K;
        let kinds = [K::ACKNOWLEDGE, K::PROBE, K::MISSED, K::RESTART].map(|kind| kind.0);
        for (i, one) in kinds.iter().enumerate() {
            assert!(kinds[i + 1..].iter().all(|other| (one ^ other).count_ones() >= 2));
        }
    }
}
