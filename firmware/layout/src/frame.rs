//! Frames between NICs. Byte offsets count from the destination address; the FCS is the MAC's.
//!
//! [`Packet`] reads raw bytes and judges nothing; [`Repr`] can only hold what is legal. The
//! firmware itself writes and reads words ([`word`]); a test compares the two.

use crate::key::{Key, KeyWidth};

/// IEEE 802 local experimental EtherType 1, big endian on the wire like every EtherType: of frames
/// with a key of 64 bits.
pub const ETHERTYPE: u16 = 0x88B5;
/// EtherType 2: of frames with a key of 128 bits. A NIC knows only its own kind, so that none reads
/// the other's header wrong.
pub const ETHERTYPE_WIDE: u16 = 0x88B6;

/// The type of frames with keys of this width.
pub const fn ethertype(key: KeyWidth) -> u16 {
    match key {
        KeyWidth::Bits64 => ETHERTYPE,
        KeyWidth::Bits128 => ETHERTYPE_WIDE,
    }
}

/// Offsets of the fields. All but the Ethernet header are little endian and aligned to their size,
/// when the frame is at a multiple of 8.
pub mod offset {
    /// MAC address of the receiver, 6 bytes.
    pub const DESTINATION: usize = 0;
    /// MAC address of the sender, 6 bytes.
    pub const SOURCE: usize = 6;
    /// The type of the frame, big endian.
    pub const ETHERTYPE: usize = 12;
    /// A `FrameKind`.
    pub const KIND: usize = 14;
    /// `FLAG_*`.
    pub const FLAGS: usize = 15;
    /// One byte each.
    pub const SOURCE_NODE: usize = 16;
    /// Incarnation of the cluster.
    pub const SESSION: usize = 17;
    /// Bytes of data behind the header.
    pub const DATA_BYTES: usize = 18;
    /// Sequence number of a data frame; of an acknowledgement: unused.
    pub const SEQUENCE: usize = 20;
    /// The next sequence number that the sender of this frame expects: all before it are
    /// acknowledged.
    pub const ACKNOWLEDGE: usize = 24;
    /// CBH word of the buffer.
    pub const BUFFER: usize = 28;
    /// In an acknowledgement this word replaces [`BUFFER`]: a bitmap of the last 32 frames before
    /// the number that were refused. The bit of frame n is n mod 32.
    pub const REFUSALS: usize = BUFFER;
    /// Where the data go, from the start of the buffer.
    pub const BUFFER_OFFSET: usize = 32;
    /// The lower half of the protection key.
    pub const KEY: usize = 36;
    /// The number of the message, from its post.
    pub const MESSAGE: usize = 44;
    /// With a key of 64 bits the data begin here; with one of 128 its upper half stands before
    /// them.
    pub const DATA: usize = 48;
    /// The upper half of a key of 128 bits.
    pub const KEY_UPPER: usize = DATA;
    /// In the data of a read.
    pub const READ_LENGTH: usize = 0;
    /// Chosen by the node that asks, and sent back with each reply.
    pub const READ_ID: usize = 4;
}

/// With a key of 64 bits.
pub const HEADER_BYTES: usize = offset::DATA;

/// Bytes of the header of a frame with keys of this width.
pub const fn header_bytes(key: KeyWidth) -> usize {
    HEADER_BYTES + key.upper_bytes() as usize
}

/// The shortest frame without FCS; the MAC pads to it.
pub const FRAME_BYTES_MIN: usize = 60;

/// `KIND`. Any two differ in two bits or more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum FrameKind {
    /// Data for a buffer.
    Write = 1,
    /// An acknowledgement and nothing else.
    Acknowledge = 2,
    /// Asks for data of a buffer. Its own data are those of [`offset::READ_LENGTH`] and
    /// [`offset::READ_ID`].
    Read = 4,
    /// Data that were asked for: `BUFFER` says for which read, `BUFFER_OFFSET` where in it.
    Reply = 7,
    /// Only asks for an acknowledgement: is there anybody?
    Probe = 8,
    /// The frame of that sequence number has come, and its destination has no translation yet.
    Missed = 11,
    /// It has now: send again from that frame on.
    Restart = 13,
}

/// `FLAGS`: the last frame of a message.
pub const FLAG_LAST: u8 = 1;
/// `FLAGS`: the sender could not read the data; the frame only keeps the sequence whole. It has no
/// data.
pub const FLAG_ABORTED: u8 = 2;
/// `FLAGS`: with the last frame of a write: tell the owner of the buffer when the data are there.
pub const FLAG_NOTIFY: u8 = 4;

/// Data of a [`FrameKind::Read`].
pub const READ_REQUEST_BYTES: u32 = 8;

/// The locally administered address of a node: 02-4E-53-00 and the node number, big endian.
pub const fn mac_address(node: u16) -> [u8; 6] {
    [0x02, 0x4E, 0x53, 0x00, (node >> 8) as u8, node as u8]
}

/// The header as the little-endian words that a core stores.
pub mod word {
    use super::{mac_address, FrameKind, ETHERTYPE, ETHERTYPE_WIDE, HEADER_BYTES};
    use crate::key::KeyWidth;

    /// Byte offsets of the words.
    pub const ADDRESS_0: u32 = 0;
    /// The second word of the MAC addresses.
    pub const ADDRESS_1: u32 = 4;
    /// The third word of the MAC addresses.
    pub const ADDRESS_2: u32 = 8;
    /// Type, kind and flags.
    pub const TYPE: u32 = 12;
    /// Node, session and length.
    pub const NODE_LENGTH: u32 = 16;
    /// Sequence number.
    pub const SEQUENCE: u32 = 20;
    /// Number before which all frames were taken.
    pub const ACKNOWLEDGE: u32 = 24;
    /// CBH word of the buffer.
    pub const BUFFER: u32 = 28;
    /// As [`super::offset::REFUSALS`].
    pub const REFUSALS: u32 = BUFFER;
    /// Where the data go, from the start of the buffer.
    pub const BUFFER_OFFSET: u32 = 32;
    /// The lowest word of the key.
    pub const KEY_0: u32 = 36;
    /// The second word of the key.
    pub const KEY_1: u32 = 40;
    /// The number of the message, from its post.
    pub const MESSAGE: u32 = 44;
    /// The third word of a key of 128 bits.
    pub const KEY_2: u32 = 48;
    /// The highest word of a key of 128 bits.
    pub const KEY_3: u32 = 52;

    /// Where the data begin.
    pub const fn data(key: KeyWidth) -> u32 {
        HEADER_BYTES as u32 + key.upper_bytes()
    }

    /// From there, of a read.
    pub const READ_LENGTH: u32 = 0;
    /// Chosen by the node that asks.
    pub const READ_ID: u32 = 4;

    /// What stands for a node in an address: its number, and above it its session. So a frame to an
    /// earlier incarnation of a node is not for the node (INV-31).
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

    /// With a key of 64 bits; [`mark`] makes the other one of it.
    pub const fn kind(kind: FrameKind, flags: u8) -> u32 {
        u32::from_le_bytes([(ETHERTYPE >> 8) as u8, ETHERTYPE as u8, kind as u8, flags])
    }

    /// The bits in which a type word differs from the type word of a frame with a key of 64 bits.
    pub const fn mark(key: KeyWidth) -> u32 {
        match key {
            KeyWidth::Bits64 => 0,
            KeyWidth::Bits128 => (ETHERTYPE ^ ETHERTYPE_WIDE).swap_bytes() as u32,
        }
    }

    /// Bits of the type word that say "ours, and of this kind": all but the flags.
    pub const KIND_MASK: u32 = 0x00FF_FFFF;

    /// The flags.
    pub const fn flags(type_word: u32) -> u8 {
        (type_word >> 24) as u8
    }

    /// The word of node, session and length.
    pub const fn node_length(node: u8, session: u8, data_bytes: u16) -> u32 {
        (data_bytes as u32) << 16 | (session as u32) << 8 | node as u32
    }

    /// Node and session: the low half of the word.
    pub const fn identity(node_length: u32) -> u32 {
        node_length & 0xFFFF
    }

    /// Bytes of data.
    pub const fn data_bytes(node_length: u32) -> u32 {
        node_length >> 16
    }

    /// Incarnation of the cluster.
    pub const fn session(node_length: u32) -> u32 {
        (node_length >> 8) & 0xFF
    }

    /// The node that sent the frame.
    pub const fn node(node_length: u32) -> u32 {
        node_length & 0xFF
    }
}

/// Why bytes are no frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameError {
    /// Shorter than its header, or than the data it announces.
    Truncated,
    /// The frame belongs to another protocol.
    OtherEthertype,
    /// There is no such kind.
    UnknownKind,
    /// Flags that do not exist, or contradict the length.
    BadFlags,
}

/// A frame as bytes.
#[derive(Clone, Copy, Debug)]
pub struct Packet<T>(T);

impl<T: AsRef<[u8]>> Packet<T> {
    /// Any bytes that hold a header.
    pub fn new_checked(bytes: T) -> Result<Packet<T>, FrameError> {
        let packet = Packet(bytes);
        let length = packet.0.as_ref().len();
        if length < HEADER_BYTES || length < packet.header_bytes() {
            return Err(FrameError::Truncated);
        }
        Ok(packet)
    }

    /// As its EtherType says; of a frame of another protocol as if it were narrow.
    pub fn key_width(&self) -> KeyWidth {
        match self.ethertype() {
            ETHERTYPE_WIDE => KeyWidth::Bits128,
            _ => KeyWidth::Bits64,
        }
    }

    fn header_bytes(&self) -> usize {
        header_bytes(self.key_width())
    }

    fn array<const N: usize>(&self, at: usize) -> [u8; N] {
        let mut field = [0; N];
        field.copy_from_slice(&self.0.as_ref()[at..at + N]);
        field
    }

    fn u32(&self, at: usize) -> u32 {
        u32::from_le_bytes(self.array(at))
    }

    /// MAC address of the receiver.
    pub fn destination(&self) -> [u8; 6] {
        self.array(offset::DESTINATION)
    }

    /// MAC address of the sender.
    pub fn source(&self) -> [u8; 6] {
        self.array(offset::SOURCE)
    }

    /// The type of the frame.
    pub fn ethertype(&self) -> u16 {
        u16::from_be_bytes(self.array(offset::ETHERTYPE))
    }

    /// The word of a [`FrameKind`].
    pub fn kind(&self) -> u8 {
        self.0.as_ref()[offset::KIND]
    }

    /// `FLAG_*`.
    pub fn flags(&self) -> u8 {
        self.0.as_ref()[offset::FLAGS]
    }

    /// The node that sent the frame.
    pub fn source_node(&self) -> u8 {
        self.0.as_ref()[offset::SOURCE_NODE]
    }

    /// Incarnation of the cluster.
    pub fn session(&self) -> u8 {
        self.0.as_ref()[offset::SESSION]
    }

    /// Bytes of data behind the header.
    pub fn data_bytes(&self) -> u16 {
        u16::from_le_bytes(self.array(offset::DATA_BYTES))
    }

    /// Sequence number.
    pub fn sequence(&self) -> u32 {
        self.u32(offset::SEQUENCE)
    }

    /// Number before which all frames were taken.
    pub fn acknowledge(&self) -> u32 {
        self.u32(offset::ACKNOWLEDGE)
    }

    /// CBH word of the buffer.
    pub fn buffer(&self) -> u32 {
        self.u32(offset::BUFFER)
    }

    /// Where the data go, from the start of the buffer.
    pub fn buffer_offset(&self) -> u32 {
        self.u32(offset::BUFFER_OFFSET)
    }

    /// The protection key.
    pub fn key(&self) -> Key {
        let low = [self.u32(offset::KEY), self.u32(offset::KEY + 4)];
        match self.key_width() {
            KeyWidth::Bits64 => [low[0], low[1], 0, 0],
            KeyWidth::Bits128 => [low[0], low[1], self.u32(offset::KEY_UPPER), self.u32(offset::KEY_UPPER + 4)],
        }
    }

    /// The number of the message.
    pub fn message(&self) -> u32 {
        self.u32(offset::MESSAGE)
    }

    /// The announced data, as far as they are there.
    pub fn data(&self) -> &[u8] {
        let bytes = self.0.as_ref();
        let start = self.header_bytes();
        let end = (start + usize::from(self.data_bytes())).min(bytes.len());
        &bytes[start..end]
    }
}

impl<T: AsRef<[u8]> + AsMut<[u8]>> Packet<T> {
    fn put(&mut self, at: usize, field: &[u8]) {
        self.0.as_mut()[at..at + field.len()].copy_from_slice(field);
    }

    /// Changes the length.
    pub fn set_data_bytes(&mut self, data_bytes: u16) {
        self.put(offset::DATA_BYTES, &data_bytes.to_le_bytes());
    }

    /// Changes the acknowledgement.
    pub fn set_acknowledge(&mut self, acknowledge: u32) {
        self.put(offset::ACKNOWLEDGE, &acknowledge.to_le_bytes());
    }

    /// Changes the sequence number.
    pub fn set_sequence(&mut self, sequence: u32) {
        self.put(offset::SEQUENCE, &sequence.to_le_bytes());
    }
}

/// A legal header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repr {
    /// The node that shall receive the frame.
    pub destination: u16,
    /// The node that sends it.
    pub source: u16,
    /// Incarnation of the cluster.
    pub session: u8,
    /// Width of the keys.
    pub key_width: KeyWidth,
    /// Number before which all frames were taken.
    pub acknowledge: u32,
    /// The rest, by kind.
    pub body: Body,
}

/// What a frame says, by its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body {
    /// Data for a buffer.
    Write(Write),
    /// An acknowledgement and nothing else.
    Acknowledge {
        /// As [`offset::REFUSALS`].
        refusals: u32,
    },
    /// Asks for data of a buffer.
    Read(Read),
    /// Data that were asked for.
    Reply(Reply),
    /// Asks for an acknowledgement.
    Probe {
        /// Sequence number.
        sequence: u32,
    },
    /// `expected` is the number of the frame that missed, and may come again.
    Missed {
        /// Number of that frame.
        expected: u32,
    },
    /// The frame that missed may come again.
    Restart {
        /// Number of that frame.
        expected: u32,
    },
}

/// Data for a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Write {
    /// The message ends with this frame.
    pub last: bool,
    /// The sender could not read the data.
    pub aborted: bool,
    /// The receiver shall tell its process.
    pub notify: bool,
    /// Sequence number.
    pub sequence: u32,
    /// Bytes of data behind the header.
    pub data_bytes: u16,
    /// CBH word of the buffer.
    pub buffer: u32,
    /// Where the data begin in the buffer.
    pub buffer_offset: u32,
    /// The protection key.
    pub key: Key,
    /// The number of the message, from its post.
    pub message: u32,
}

/// Asks for data of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Read {
    /// Sequence number.
    pub sequence: u32,
    /// CBH word of the buffer.
    pub buffer: u32,
    /// Where the data begin in the buffer.
    pub buffer_offset: u32,
    /// The protection key.
    pub key: Key,
    /// The number of the message, from its post.
    pub message: u32,
    /// Bytes that are asked for.
    pub length: u32,
    /// Chosen by the node that asks.
    pub id: u32,
}

/// Data that were asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reply {
    /// No more data follow.
    pub last: bool,
    /// The reply ends here without its data.
    pub aborted: bool,
    /// Sequence number.
    pub sequence: u32,
    /// Bytes of data behind the header.
    pub data_bytes: u16,
    /// As in the read.
    pub id: u32,
    /// From the start of what was asked for.
    pub offset: u32,
    /// The number of the message, from its post.
    pub message: u32,
}

impl Repr {
    /// `source` and `destination` are nodes as the addresses say; the caller compares them with
    /// what it expects.
    pub fn parse<T: AsRef<[u8]>>(packet: &Packet<T>) -> Result<Repr, FrameError> {
        if packet.ethertype() != ethertype(packet.key_width()) {
            return Err(FrameError::OtherEthertype);
        }
        let body = match packet.kind() {
            kind if kind == FrameKind::Acknowledge as u8 => Body::Acknowledge { refusals: packet.buffer() },
            kind if kind == FrameKind::Missed as u8 => Body::Missed { expected: packet.sequence() },
            kind if kind == FrameKind::Restart as u8 => Body::Restart { expected: packet.sequence() },
            kind if kind == FrameKind::Write as u8 => {
                let flags = checked_flags(packet, FLAG_LAST | FLAG_ABORTED | FLAG_NOTIFY)?;
                let write = Write {
                    last: flags & FLAG_LAST != 0,
                    aborted: flags & FLAG_ABORTED != 0,
                    notify: flags & FLAG_NOTIFY != 0,
                    sequence: packet.sequence(),
                    data_bytes: packet.data_bytes(),
                    buffer: packet.buffer(),
                    buffer_offset: packet.buffer_offset(),
                    key: packet.key(),
                    message: packet.message(),
                };
                if write.notify && (write.aborted || !write.last) {
                    return Err(FrameError::BadFlags);
                }
                Body::Write(write)
            }
            kind if kind == FrameKind::Read as u8 => {
                if checked_flags(packet, FLAG_LAST)? != FLAG_LAST {
                    return Err(FrameError::BadFlags);
                }
                if u32::from(packet.data_bytes()) != READ_REQUEST_BYTES {
                    return Err(FrameError::Truncated);
                }
                Body::Read(Read {
                    sequence: packet.sequence(),
                    buffer: packet.buffer(),
                    buffer_offset: packet.buffer_offset(),
                    key: packet.key(),
                    message: packet.message(),
                    length: packet.u32(packet.header_bytes() + offset::READ_LENGTH),
                    id: packet.u32(packet.header_bytes() + offset::READ_ID),
                })
            }
            kind if kind == FrameKind::Reply as u8 => {
                let flags = checked_flags(packet, FLAG_LAST | FLAG_ABORTED)?;
                Body::Reply(Reply {
                    last: flags & FLAG_LAST != 0,
                    aborted: flags & FLAG_ABORTED != 0,
                    sequence: packet.sequence(),
                    data_bytes: packet.data_bytes(),
                    id: packet.buffer(),
                    offset: packet.buffer_offset(),
                    message: packet.message(),
                })
            }
            kind if kind == FrameKind::Probe as u8 => {
                checked_flags(packet, FLAG_LAST)?;
                Body::Probe { sequence: packet.sequence() }
            }
            _ => return Err(FrameError::UnknownKind),
        };
        let node = |address: [u8; 6]| u16::from_be_bytes([address[4], address[5]]);
        Ok(Repr {
            destination: node(packet.destination()),
            source: node(packet.source()),
            session: packet.session(),
            key_width: packet.key_width(),
            acknowledge: packet.acknowledge(),
            body,
        })
    }

    /// Writes every byte of the header.
    pub fn emit<T: AsRef<[u8]> + AsMut<[u8]>>(&self, packet: &mut Packet<T>) {
        const NOTHING: Write = Write {
            last: false,
            aborted: false,
            notify: false,
            sequence: 0,
            data_bytes: 0,
            buffer: 0,
            buffer_offset: 0,
            key: [0; 4],
            message: 0,
        };
        let data = header_bytes(self.key_width);
        let (kind, write) = match self.body {
            Body::Write(write) => (FrameKind::Write, write),
            Body::Acknowledge { refusals } => (FrameKind::Acknowledge, Write { buffer: refusals, ..NOTHING }),
            Body::Read(read) => {
                packet.put(data + offset::READ_LENGTH, &read.length.to_le_bytes());
                packet.put(data + offset::READ_ID, &read.id.to_le_bytes());
                let Read { sequence, buffer, buffer_offset, key, message, .. } = read;
                let data_bytes = READ_REQUEST_BYTES as u16;
                let head = Write { last: true, sequence, data_bytes, buffer, buffer_offset, key, message, ..NOTHING };
                (FrameKind::Read, head)
            }
            Body::Reply(reply) => {
                let Reply { last, aborted, sequence, data_bytes, id, offset, message } = reply;
                let head = Write {
                    last,
                    aborted,
                    sequence,
                    data_bytes,
                    message,
                    buffer: id,
                    buffer_offset: offset,
                    ..NOTHING
                };
                (FrameKind::Reply, head)
            }
            Body::Probe { sequence } => (FrameKind::Probe, Write { last: true, sequence, ..NOTHING }),
            Body::Missed { expected: sequence } => (FrameKind::Missed, Write { sequence, ..NOTHING }),
            Body::Restart { expected: sequence } => (FrameKind::Restart, Write { sequence, ..NOTHING }),
        };
        let flag = |is_set, flag| if is_set { flag } else { 0 };
        let flags = flag(write.last, FLAG_LAST) | flag(write.aborted, FLAG_ABORTED) | flag(write.notify, FLAG_NOTIFY);
        packet.put(offset::DESTINATION, &mac_address(self.destination));
        packet.put(offset::SOURCE, &mac_address(self.source));
        packet.put(offset::ETHERTYPE, &ethertype(self.key_width).to_be_bytes());
        packet.put(offset::KIND, &[kind as u8, flags, self.source as u8, self.session]);
        packet.set_data_bytes(write.data_bytes);
        packet.set_sequence(write.sequence);
        packet.set_acknowledge(self.acknowledge);
        packet.put(offset::BUFFER, &write.buffer.to_le_bytes());
        packet.put(offset::BUFFER_OFFSET, &write.buffer_offset.to_le_bytes());
        packet.put(offset::KEY, &write.key[0].to_le_bytes());
        packet.put(offset::KEY + 4, &write.key[1].to_le_bytes());
        packet.put(offset::MESSAGE, &write.message.to_le_bytes());
        if self.key_width.is_wide() {
            packet.put(offset::KEY_UPPER, &write.key[2].to_le_bytes());
            packet.put(offset::KEY_UPPER + 4, &write.key[3].to_le_bytes());
        }
    }
}

/// The flags, if each exists, and they agree with the length.
fn checked_flags<T: AsRef<[u8]>>(packet: &Packet<T>, possible: u8) -> Result<u8, FrameError> {
    let flags = packet.flags();
    if flags & !possible != 0 || (flags & FLAG_ABORTED != 0 && packet.data_bytes() != 0) {
        return Err(FrameError::BadFlags);
    }
    if packet.data().len() < usize::from(packet.data_bytes()) {
        return Err(FrameError::Truncated);
    }
    Ok(flags)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[rustfmt::skip]
    const WRITE_BYTES: [u8; 52] = [
        0x02, 0x4E, 0x53, 0x00, 0x00, 0x02, 0x02, 0x4E, 0x53, 0x00, 0x00, 0x01, 0x88, 0xB5, 0x01, 0x01,
        0x01, 0x05, 0x04, 0x00, 0x44, 0x33, 0x22, 0x11, 0x88, 0x77, 0x66, 0x55, 0x07, 0x00, 0x00, 0x00,
        0x00, 0x10, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x09, 0x00, 0x00, 0x00,
        0xDE, 0xAD, 0xBE, 0xEF,
    ];

    const WRITE: Repr = Repr {
        destination: 2,
        source: 1,
        session: 5,
        key_width: KeyWidth::Bits64,
        acknowledge: 0x5566_7788,
        body: Body::Write(Write {
            last: true,
            aborted: false,
            notify: false,
            sequence: 0x1122_3344,
            data_bytes: 4,
            buffer: 7,
            buffer_offset: 0x1000,
            key: [1, 2, 0, 0],
            message: 9,
        }),
    };

    fn wide(repr: Repr) -> Repr {
        let key = [1, 2, 3, 4];
        let body = match repr.body {
            Body::Write(write) => Body::Write(Write { key, ..write }),
            Body::Read(read) => Body::Read(Read { key, ..read }),
            other => other,
        };
        Repr { key_width: KeyWidth::Bits128, body, ..repr }
    }

    #[test]
    fn a_write_parses_from_its_bytes() {
        let packet = Packet::new_checked(&WRITE_BYTES[..]).unwrap();
        assert_eq!(Repr::parse(&packet), Ok(WRITE));
        assert_eq!(packet.data(), [0xDE, 0xAD, 0xBE, 0xEF]);
        assert_eq!(packet.source_node(), 1);
    }

    #[test]
    fn a_write_builds_its_bytes() {
        let mut bytes = WRITE_BYTES;
        bytes[..HEADER_BYTES].fill(0xAA);
        WRITE.emit(&mut Packet::new_checked(&mut bytes[..]).unwrap());
        assert_eq!(bytes, WRITE_BYTES);
    }

    #[test]
    fn the_upper_half_of_a_wide_key_stands_behind_the_header_of_a_narrow_one() {
        let mut bytes = [0xAA; 60];
        wide(WRITE).emit(&mut Packet::new_checked(&mut bytes[..]).unwrap());
        assert_eq!(bytes[..12], WRITE_BYTES[..12]);
        assert_eq!(bytes[12..14], [0x88, 0xB6], "of another EtherType");
        assert_eq!(bytes[14..48], WRITE_BYTES[14..48]);
        assert_eq!(bytes[48..56], [3, 0, 0, 0, 4, 0, 0, 0]);
        let packet = Packet::new_checked(&bytes[..]).unwrap();
        assert_eq!((Repr::parse(&packet), packet.data()), (Ok(wide(WRITE)), &[0xAA; 4][..]));
        assert_eq!(
            word::kind(FrameKind::Write, FLAG_LAST) ^ word::mark(KeyWidth::Bits128),
            u32::from_le_bytes([0x88, 0xB6, 1, 1])
        );
        assert_eq!((word::data(KeyWidth::Bits64), word::data(KeyWidth::Bits128)), (48, 56));
        assert_eq!(Packet::new_checked(&bytes[..55]).unwrap_err(), FrameError::Truncated);
    }

    #[test]
    fn an_acknowledgement_survives_the_wire() {
        let ack = Repr { body: Body::Acknowledge { refusals: 0x8000_0001 }, ..WRITE };
        let mut bytes = [0xAA; FRAME_BYTES_MIN];
        ack.emit(&mut Packet::new_checked(&mut bytes[..]).unwrap());
        assert_eq!(Repr::parse(&Packet::new_checked(&bytes[..]).unwrap()), Ok(ack));
    }

    #[test]
    fn frames_of_every_other_kind_survive_the_wire() {
        let read = Read {
            sequence: 3,
            buffer: 7,
            buffer_offset: 40,
            key: [1, 2, 0, 0],
            message: 9,
            length: 5000,
            id: 0x0001_0002,
        };
        let reply = Reply {
            last: true,
            aborted: false,
            sequence: 4,
            data_bytes: 12,
            id: 0x0001_0002,
            offset: 1466,
            message: 9,
        };
        let others = [Body::Probe { sequence: 8 }, Body::Missed { expected: 5 }, Body::Restart { expected: 6 }];
        for body in [Body::Read(read), Body::Reply(reply)].into_iter().chain(others) {
            let frame = Repr { body, ..WRITE };
            for frame in [frame, wide(frame)] {
                // With what the longer data of a wide read need.
                let mut bytes = [0xAA; FRAME_BYTES_MIN + 16];
                frame.emit(&mut Packet::new_checked(&mut bytes[..]).unwrap());
                assert_eq!(Repr::parse(&Packet::new_checked(&bytes[..]).unwrap()), Ok(frame));
            }
        }
    }

    #[test]
    fn a_single_bit_makes_no_kind_of_another() {
        use FrameKind::*;
        let kinds = [Write, Acknowledge, Read, Reply, Probe].map(|kind| kind as u8);
        for (i, one) in kinds.iter().enumerate() {
            assert!(kinds[i + 1..].iter().all(|other| (one ^ other).count_ones() >= 2));
        }
    }

    #[test]
    fn the_words_of_the_firmware_are_the_same_bytes() {
        let words = [
            (word::ADDRESS_0, word::addresses(2, 1)[0]),
            (word::ADDRESS_1, word::addresses(2, 1)[1]),
            (word::ADDRESS_2, word::addresses(2, 1)[2]),
            (word::TYPE, word::kind(FrameKind::Write, FLAG_LAST)),
            (word::NODE_LENGTH, word::node_length(1, 5, 4)),
            (word::SEQUENCE, 0x1122_3344),
            (word::ACKNOWLEDGE, 0x5566_7788),
            (word::BUFFER, 7),
            (word::BUFFER_OFFSET, 0x1000),
            (word::KEY_0, 1),
            (word::KEY_1, 2),
            (word::MESSAGE, 9),
        ];
        for (at, value) in words {
            assert_eq!(value.to_le_bytes(), WRITE_BYTES[at as usize..at as usize + 4]);
        }
        assert_eq!(word::data_bytes(word::node_length(1, 5, 4)), 4);
        assert_eq!(word::session(word::node_length(1, 5, 4)), 5);
        assert_eq!(word::flags(word::kind(FrameKind::Write, 3)), 3);
    }

    #[test]
    fn what_is_not_legal_is_refused() {
        let refused = |at: usize, value: u8| {
            let mut bytes = WRITE_BYTES;
            bytes[at] = value;
            Repr::parse(&Packet::new_checked(&bytes[..]).unwrap()).unwrap_err()
        };
        assert_eq!(refused(offset::ETHERTYPE, 8), FrameError::OtherEthertype);
        assert_eq!(refused(offset::KIND, 3), FrameError::UnknownKind);
        assert_eq!(refused(offset::FLAGS, 0x80), FrameError::BadFlags);
        assert_eq!(refused(offset::FLAGS, FLAG_ABORTED), FrameError::BadFlags);
        assert_eq!(refused(offset::FLAGS, FLAG_NOTIFY), FrameError::BadFlags);
        assert_eq!(refused(offset::KIND, FrameKind::Read as u8), FrameError::Truncated);
        assert_eq!(refused(offset::DATA_BYTES, 5), FrameError::Truncated);
        assert_eq!(Packet::new_checked(&WRITE_BYTES[..47]).unwrap_err(), FrameError::Truncated);
    }
}
