//! The messages of a connection: their tags, and the words in front of their data.
//!
//! Each side of a connection has an identifier of its own node. Messages to a side have two tags:
//! one for data, which take a credit, and one for signals, which take none.

/// Bytes of a message at most, header included.
pub const MESSAGE_BYTES: u32 = 16 * 1024;
/// Bytes of the header of a message.
pub(super) const HEADER_BYTES: u32 = 8;
/// Bytes of a stream that one message carries at most.
pub const DATA_BYTES_MAX: u32 = MESSAGE_BYTES - HEADER_BYTES;
/// Buffers of a receiver, and so messages that its peer may have under way or unread.
pub const CREDITS: u32 = 8;
/// Posted receives for signals.
pub(super) const SIGNALS: u32 = 4;

const REQUEST: u16 = 0x4000;
const OF_CONNECTION: u16 = 0x8000;
/// Identifiers of connections of a node are below this number.
pub(super) const IDENTIFIERS: u16 = 0x4000;

/// The tag of requests to a port.
pub(super) fn request_tag(port: u16) -> u16 {
    REQUEST | port
}

/// The tag of data for a side of a connection.
pub(super) fn data_tag(identifier: u16) -> u16 {
    OF_CONNECTION | identifier << 1
}

/// The tag of signals for a side of a connection.
pub(super) fn signal_tag(identifier: u16) -> u16 {
    data_tag(identifier) | 1
}

/// The meaning of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// Bytes of the stream follow.
    Data,
    /// The stream ends here.
    End,
    /// Credits, or a question whether the peer is there.
    Credit,
    /// The sender takes no more data.
    Closed,
    /// A request for a connection, with the identifier of the side that asks.
    Connect,
    /// The answer, with the identifier of the other side.
    Accept,
}

const KINDS: [Kind; 6] = [Kind::Data, Kind::End, Kind::Credit, Kind::Closed, Kind::Connect, Kind::Accept];

/// The first 8 bytes of every message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Header {
    pub kind: Kind,
    /// Credits that go back to the peer; in `Connect` and `Accept` an identifier.
    pub value: u16,
    /// Bytes of the stream behind the header.
    pub bytes: u32,
}

impl Header {
    pub fn to_bytes(self) -> [u8; HEADER_BYTES as usize] {
        let kind = KINDS.iter().position(|kind| *kind == self.kind).unwrap_or_default() as u32;
        let mut bytes = [0; HEADER_BYTES as usize];
        bytes[..4].copy_from_slice(&(kind << 16 | u32::from(self.value)).to_le_bytes());
        bytes[4..].copy_from_slice(&self.bytes.to_le_bytes());
        bytes
    }

    /// `None`: a message of another program.
    pub fn of_bytes(bytes: &[u8]) -> Option<Header> {
        let word = |at: usize| bytes.get(at..at + 4)?.try_into().ok().map(u32::from_le_bytes);
        let (first, bytes) = (word(0)?, word(4)?);
        let kind = *KINDS.get((first >> 16) as usize)?;
        (bytes <= DATA_BYTES_MAX).then_some(Header { kind, value: first as u16, bytes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_comes_back_and_wild_bytes_are_refused() {
        for kind in KINDS {
            let header = Header { kind, value: 0x3FFF, bytes: 77 };
            assert_eq!(Header::of_bytes(&header.to_bytes()), Some(header));
        }
        assert_eq!(Header::of_bytes(&[0; 7]), None);
        assert_eq!(Header::of_bytes(&[0, 0, 6, 0, 0, 0, 0, 0]), None);
        assert_eq!(Header::of_bytes(&[0, 0, 0, 0, 0, 0, 1, 0]), None);
    }

    #[test]
    fn tags_of_requests_data_and_signals_differ() {
        let last = IDENTIFIERS - 1;
        let tags = [request_tag(0), request_tag(0x3FFF), data_tag(0), signal_tag(0), data_tag(last), signal_tag(last)];
        let mut different = tags.to_vec();
        different.sort_unstable();
        different.dedup();
        assert_eq!(different.len(), tags.len());
    }
}
