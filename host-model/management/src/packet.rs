//! What one daemon sends to another.

use crate::message::Message;

/// Identifier and length fields of every message.
const PACKET_BYTES: u32 = 16;
/// The number of a process, where a message has one.
const PROCESS_BYTES: u32 = 4;

/// What one daemon sends to another.
#[derive(Clone, Debug)]
pub(crate) enum Packet<T> {
    /// Values for the tasks that wait at a topic.
    Values { topic: Topic, values: Vec<T> },
    /// Asks for a published value, for a process of the sender or for the host itself.
    Lookup { name: String, request: u64, process: Option<u32> },
    /// The published value.
    Found { request: u64, value: T },
    /// The exporter does not permit the lookup.
    Refused { request: u64 },
}

/// What values are for.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Topic {
    /// A `send` under this tag.
    Tag(String),
    /// A round of an exchange of this name.
    Round(String, u32),
}

impl<T: Message> Packet<T> {
    /// Bytes on the network, with the fields of every message.
    pub fn bytes(&self) -> u32 {
        PACKET_BYTES
            + match self {
                Packet::Values { topic: Topic::Tag(name) | Topic::Round(name, _), values } => {
                    name.len() as u32 + values.iter().map(Message::wire_bytes).sum::<u32>()
                }
                Packet::Lookup { name, process, .. } => name.len() as u32 + process.map_or(0, |_| PROCESS_BYTES),
                Packet::Found { value, .. } => value.wire_bytes(),
                Packet::Refused { .. } => 0,
            }
    }
}
