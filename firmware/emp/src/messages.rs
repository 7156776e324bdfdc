//! What the parts tell each other. Each direction has an enumeration whose values pack into the
//! words of one entry of its queue.

use nic_handoff::{Reader, Writer};
use nic_layout::frame::link::FrameKind;
use nic_layout::personality::emp::descriptor::Failure;
use nic_layout::personality::emp::frame::{ABORTED, ACK, REFUSED};

/// A direction: the writer's side and the reader's side of its queue.
macro_rules! queues {
    ($($(#[$doc:meta])* $message:ident: $words:literal words, $log2:literal, $write:ident, $read:ident;)*) => {
        $(
            impl $message {
                /// Words of an entry.
                pub(crate) const WORDS: usize = $words;
                /// Entries of the queue, as a power of two.
                pub(crate) const LOG2: u32 = $log2;
            }
            $(#[$doc])*
            pub type $write = Writer<$words, $log2>;
            $(#[$doc])*
            pub type $read = Reader<$words, $log2>;
        )*
    };
}

queues! {
    /// Short, so that a frame does not wait in it for longer than a fraction of a time-out.
    SenderToTransmitter: 2 words, 2, ToTransmitterOfSender, FromSender;
    /// Ends of frames.
    TransmitterToSender: 1 words, 5, ToSenderOfTransmitter, FromTransmitterForSender;
    /// Answers to frames.
    ReceiverToTransmitter: 2 words, 6, ToTransmitterOfReceiver, FromReceiverForTransmitter;
    /// List pages.
    TransmitterToReceiver: 2 words, 4, ToReceiverOfTransmitter, FromTransmitterForReceiver;
    /// Answers of peers.
    SorterToSender: 2 words, 5, ToSenderOfSorter, FromSorterForSender;
    /// Frames with their receives.
    SorterToReceiver: 2 words, 5, ToReceiverOfSorter, FromSorterForReceiver;
    /// Ends of receives.
    ReceiverToSorter: 2 words, 6, ToSorter, FromReceiverForSorter;
}

/// The first word of an entry: the kind in its lowest four bits, then 12 bits for a record, a list
/// buffer or a node, then 16 more.
const fn head(kind: u32, what: u32, more: u32) -> u32 {
    kind | what << 4 | more << 16
}

const fn kind(word: u32) -> u32 {
    word & 0xF
}

const fn what(word: u32) -> u32 {
    (word >> 4) & 0xFFF
}

fn failure(word: u32) -> Failure {
    Failure::ALL.get((word >> 16) as usize).copied().unwrap_or(Failure::BusError)
}

/// What a node says of a message of another node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Answer {
    /// A collection is accepted.
    Ack = 0,
    /// No posted receive matches.
    Refused = 1,
    /// The message is given up.
    Aborted = 2,
}

impl Answer {
    /// The kind of its frame.
    #[inline(always)]
    pub(crate) const fn frame_kind(self) -> FrameKind {
        match self {
            Answer::Ack => ACK,
            Answer::Refused => REFUSED,
            Answer::Aborted => ABORTED,
        }
    }

    const fn of(kind: u32) -> Option<Answer> {
        match kind {
            0 => Some(Answer::Ack),
            1 => Some(Answer::Refused),
            2 => Some(Answer::Aborted),
            _ => None,
        }
    }
}

/// From the sender to the transmitter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SenderToTransmitter {
    /// Send a frame of a message. `tag_word`: of its first frame, the word of tag and distances.
    Frame { record: u32, frame: u32, tag_word: u32 },
    /// Tell the sender when all frames that it has asked for so far have been read.
    Drain { record: u32 },
    /// Tell a node that a message is given up.
    Abort { node: u32, number: u16 },
    /// Obey a command of the driver, and pass it on.
    Command { word: u32 },
}

impl SenderToTransmitter {
    /// The entry.
    #[inline(always)]
    pub(crate) const fn words(self) -> [u32; 2] {
        match self {
            Self::Frame { record, frame, tag_word } => [head(0, record, frame), tag_word],
            Self::Drain { record } => [head(1, record, 0), 0],
            Self::Abort { node, number } => [head(2, node, 0), number as u32],
            Self::Command { word } => [head(3, 0, 0), word],
        }
    }

    /// The meaning of an entry.
    #[inline(always)]
    pub(crate) const fn of([word, more]: [u32; 2]) -> Self {
        match kind(word) {
            0 => Self::Frame { record: what(word), frame: word >> 16, tag_word: more },
            1 => Self::Drain { record: what(word) },
            2 => Self::Abort { node: what(word), number: more as u16 },
            _ => Self::Command { word: more },
        }
    }
}

/// From the transmitter to the sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransmitterToSender {
    /// All frames of the record that were asked for before [`SenderToTransmitter::Drain`] have been
    /// read.
    Drained { record: u32 },
    /// A frame of the record could not be read.
    Failed { record: u32, failure: Failure },
}

impl TransmitterToSender {
    /// The entry.
    #[inline(always)]
    pub(crate) const fn words(self) -> [u32; 1] {
        match self {
            Self::Drained { record } => [head(0, record, 0)],
            Self::Failed { record, failure } => [head(1, record, failure as u32)],
        }
    }

    /// The meaning of an entry.
    #[inline(always)]
    pub(crate) fn of([word]: [u32; 1]) -> Self {
        match kind(word) {
            0 => Self::Drained { record: what(word) },
            _ => Self::Failed { record: what(word), failure: failure(word) },
        }
    }
}

/// From the receiver to the transmitter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReceiverToTransmitter {
    /// Send an answer. `numbers`: the word of the frame that it answers.
    Answer { kind: Answer, node: u32, numbers: u32 },
    /// Read a list page into a list buffer.
    Load { buffer: u32, address: u32 },
}

impl ReceiverToTransmitter {
    /// The entry.
    #[inline(always)]
    pub(crate) const fn words(self) -> [u32; 2] {
        match self {
            Self::Answer { kind, node, numbers } => [head(kind as u32, node, 0), numbers],
            Self::Load { buffer, address } => [head(3, buffer, 0), address],
        }
    }

    /// The meaning of an entry.
    #[inline(always)]
    pub(crate) const fn of([word, more]: [u32; 2]) -> Self {
        match Answer::of(kind(word)) {
            Some(kind) => Self::Answer { kind, node: what(word), numbers: more },
            None => Self::Load { buffer: what(word), address: more },
        }
    }
}

/// From the transmitter to the receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransmitterToReceiver {
    /// The list page is in the list buffer.
    Loaded { buffer: u32 },
    /// It could not be read.
    LoadFailed { buffer: u32 },
    /// Obey a command of the driver, and pass it on.
    Command { word: u32 },
}

impl TransmitterToReceiver {
    /// The entry.
    #[inline(always)]
    pub(crate) const fn words(self) -> [u32; 2] {
        match self {
            Self::Loaded { buffer } => [head(0, buffer, 0), 0],
            Self::LoadFailed { buffer } => [head(1, buffer, 0), 0],
            Self::Command { word } => [head(2, 0, 0), word],
        }
    }

    /// The meaning of an entry.
    #[inline(always)]
    pub(crate) const fn of([word, more]: [u32; 2]) -> Self {
        match kind(word) {
            0 => Self::Loaded { buffer: what(word) },
            1 => Self::LoadFailed { buffer: what(word) },
            _ => Self::Command { word: more },
        }
    }
}

/// From the sorter to the sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SorterToSender {
    /// A node has answered a frame. `room`: its free receive buffers, as far as 16 bits say.
    Answer { kind: Answer, node: u32, numbers: u32, room: u32 },
    /// Obey a command of the driver, and pass it on.
    Command { word: u32 },
}

impl SorterToSender {
    /// The entry.
    #[inline(always)]
    pub(crate) const fn words(self) -> [u32; 2] {
        match self {
            Self::Answer { kind, node, numbers, room } => [head(kind as u32, node, room & 0xFFFF), numbers],
            Self::Command { word } => [head(3, 0, 0), word],
        }
    }

    /// The meaning of an entry.
    #[inline(always)]
    pub(crate) const fn of([word, more]: [u32; 2]) -> Self {
        match Answer::of(kind(word)) {
            Some(kind) => Self::Answer { kind, node: what(word), numbers: more, room: word >> 16 },
            None => Self::Command { word: more },
        }
    }
}

/// From the sorter to the receiver. A buffer is the SRAM offset of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SorterToReceiver {
    /// Send an answer.
    Answer { kind: Answer, node: u32, numbers: u32 },
    /// A message begins in a receive.
    First { record: u32, buffer: u32 },
    /// A frame of a message that has begun.
    Frame { record: u32, buffer: u32 },
    /// The node that sends the message of a record has given it up.
    Abort { record: u32, node: u32, numbers: u32 },
    /// The host has given a receive up.
    Cancel { record: u32 },
}

impl SorterToReceiver {
    /// The entry.
    #[inline(always)]
    pub(crate) const fn words(self) -> [u32; 2] {
        match self {
            Self::Answer { kind, node, numbers } => [head(kind as u32, node, 0), numbers],
            Self::First { record, buffer } => [head(3, record, 0), buffer],
            Self::Frame { record, buffer } => [head(4, record, 0), buffer],
            Self::Abort { record, node, numbers } => [head(5, record, node), numbers],
            Self::Cancel { record } => [head(6, record, 0), 0],
        }
    }

    /// The meaning of an entry.
    #[inline(always)]
    pub(crate) const fn of([word, more]: [u32; 2]) -> Self {
        match kind(word) {
            4 => Self::Frame { record: what(word), buffer: more },
            3 => Self::First { record: what(word), buffer: more },
            5 => Self::Abort { record: what(word), node: word >> 16, numbers: more },
            answer => match Answer::of(answer) {
                Some(kind) => Self::Answer { kind, node: what(word), numbers: more },
                None => Self::Cancel { record: what(word) },
            },
        }
    }
}

/// From the receiver to the sorter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReceiverToSorter {
    /// A message is complete.
    Complete { node: u32, number: u16 },
    /// A message was given up.
    Failed { node: u32, number: u16 },
    /// All parts have obeyed a command of the driver.
    Command { word: u32 },
}

impl ReceiverToSorter {
    /// The entry.
    #[inline(always)]
    pub(crate) const fn words(self) -> [u32; 2] {
        match self {
            Self::Complete { node, number } => [head(0, node, number as u32), 0],
            Self::Failed { node, number } => [head(1, node, number as u32), 0],
            Self::Command { word } => [head(2, 0, 0), word],
        }
    }

    /// The meaning of an entry.
    #[inline(always)]
    pub(crate) const fn of([word, more]: [u32; 2]) -> Self {
        match kind(word) {
            0 => Self::Complete { node: what(word), number: (word >> 16) as u16 },
            1 => Self::Failed { node: what(word), number: (word >> 16) as u16 },
            _ => Self::Command { word: more },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANSWERS: [Answer; 3] = [Answer::Ack, Answer::Refused, Answer::Aborted];

    #[test]
    fn every_entry_of_the_sending_parts_survives_its_words() {
        use SenderToTransmitter as S;
        for entry in [
            S::Frame { record: 199, frame: 0xFFFF, tag_word: 0x1234_5678 },
            S::Drain { record: 7 },
            S::Abort { node: 63, number: 0xFEDC },
            S::Command { word: u32::MAX },
        ] {
            assert_eq!(S::of(entry.words()), entry);
        }
        use TransmitterToSender as T;
        for failure in Failure::ALL {
            let entry = T::Failed { record: 199, failure };
            assert_eq!(T::of(entry.words()), entry);
        }
        assert_eq!(T::of(T::Drained { record: 1 }.words()), T::Drained { record: 1 });
        use TransmitterToReceiver as L;
        for entry in [L::Loaded { buffer: 3 }, L::LoadFailed { buffer: 3 }, L::Command { word: 0x89AB_CDEF }] {
            assert_eq!(L::of(entry.words()), entry);
        }
    }

    #[test]
    fn every_entry_of_the_receiving_parts_survives_its_words() {
        use ReceiverToTransmitter as R;
        use SorterToReceiver as Q;
        use SorterToSender as P;
        for kind in ANSWERS {
            let (node, numbers, room) = (63, 0x8765_4321, 0xABCD);
            let entry = R::Answer { kind, node, numbers };
            assert_eq!(R::of(entry.words()), entry);
            let entry = P::Answer { kind, node, numbers, room };
            assert_eq!(P::of(entry.words()), entry);
            let entry = Q::Answer { kind, node, numbers };
            assert_eq!(Q::of(entry.words()), entry);
        }
        let load = R::Load { buffer: 7, address: 0xFFFF_F000 };
        assert_eq!(R::of(load.words()), load);
        assert_eq!(P::of(P::Command { word: 9 }.words()), P::Command { word: 9 });
        let (record, buffer, numbers) = (439, 0x7_FFF8, 0x1122_3344);
        for entry in [
            Q::First { record, buffer },
            Q::Frame { record, buffer },
            Q::Abort { record, node: 63, numbers },
            Q::Cancel { record },
        ] {
            assert_eq!(Q::of(entry.words()), entry);
        }
        use ReceiverToSorter as E;
        for entry in [
            E::Complete { node: 63, number: 0xFEDC },
            E::Failed { node: 63, number: 0xFEDC },
            E::Command { word: u32::MAX },
        ] {
            assert_eq!(E::of(entry.words()), entry);
        }
    }
}
