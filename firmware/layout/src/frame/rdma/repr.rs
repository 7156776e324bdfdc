use super::{header_bytes, offset, word, Packet, FLAG_NOTIFY, READ_REQUEST_BYTES};
use crate::frame::link::{mac_address, FrameKind, ETHERTYPE, FLAG_ABORTED, FLAG_LAST};
use crate::frame::FrameError;
use crate::key::{Key, KeyWidth};

/// A legal header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repr {
    /// The node that shall receive the frame.
    pub destination: u16,
    /// The node that sends it.
    pub source: u16,
    /// The session of the node that sends it.
    pub session: u8,
    /// Width of the keys.
    pub key_width: KeyWidth,
    /// Number before which all frames were taken.
    pub acknowledge: u32,
    /// The rest of the header, by kind.
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
        if packet.ethertype() != ETHERTYPE {
            return Err(FrameError::OtherEthertype);
        }
        if !packet.is_ours() {
            return Err(FrameError::OtherProtocol);
        }
        let body = match packet.kind() {
            FrameKind::ACKNOWLEDGE => Body::Acknowledge { refusals: packet.buffer() },
            FrameKind::MISSED => Body::Missed { expected: packet.sequence() },
            FrameKind::RESTART => Body::Restart { expected: packet.sequence() },
            FrameKind::WRITE => {
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
            FrameKind::READ => {
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
            FrameKind::REPLY => {
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
            FrameKind::PROBE => {
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
            Body::Write(write) => (FrameKind::WRITE, write),
            Body::Acknowledge { refusals } => (FrameKind::ACKNOWLEDGE, Write { buffer: refusals, ..NOTHING }),
            Body::Read(read) => {
                packet.put(data + offset::READ_LENGTH, &read.length.to_le_bytes());
                packet.put(data + offset::READ_ID, &read.id.to_le_bytes());
                let Read { sequence, buffer, buffer_offset, key, message, .. } = read;
                let data_bytes = READ_REQUEST_BYTES as u16;
                let head = Write { last: true, sequence, data_bytes, buffer, buffer_offset, key, message, ..NOTHING };
                (FrameKind::READ, head)
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
                (FrameKind::REPLY, head)
            }
            Body::Probe { sequence } => (FrameKind::PROBE, Write { last: true, sequence, ..NOTHING }),
            Body::Missed { expected: sequence } => (FrameKind::MISSED, Write { sequence, ..NOTHING }),
            Body::Restart { expected: sequence } => (FrameKind::RESTART, Write { sequence, ..NOTHING }),
        };
        let flag = |is_set, flag| if is_set { flag } else { 0 };
        let flags = flag(write.last, FLAG_LAST) | flag(write.aborted, FLAG_ABORTED) | flag(write.notify, FLAG_NOTIFY);
        packet.put(offset::DESTINATION, &mac_address(self.destination));
        packet.put(offset::SOURCE, &mac_address(self.source));
        let type_word = word::kind(kind, flags) ^ word::mark(self.key_width);
        packet.put(offset::ETHERTYPE, &type_word.to_le_bytes());
        packet.put(offset::SOURCE_NODE, &[self.source as u8, self.session]);
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
