//! What the parts tell each other: entries of their queues, as enumerations that pack into words.

use nic_layout::personality::emp::descriptor::Failure;

/// The kind of an entry is its lowest byte. `what` is a record, a list buffer or a node.
const fn head(kind: u32, what: u32, more: u32) -> u32 {
    kind | what << 8 | more << 16
}

const fn what(word: u32) -> u32 {
    (word >> 8) & 0xFF
}

/// From the sender to the transmitter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FromSender {
    /// Send a frame of a message. `tag_word`: of its first frame, the word of tag and distances.
    Frame { record: u32, frame: u32, tag_word: u32 },
    /// Tell the sender when all frames that it has asked for so far have been read.
    Drain { record: u32 },
    /// Tell a node that a message is given up.
    Abort { node: u32, number: u16 },
    /// Obey a command of the driver, and pass it on.
    Command { word: u32 },
}

impl FromSender {
    /// The entry.
    #[inline(always)]
    pub const fn words(self) -> [u32; 2] {
        match self {
            FromSender::Frame { record, frame, tag_word } => [head(0, record, frame), tag_word],
            FromSender::Drain { record } => [head(1, record, 0), 0],
            FromSender::Abort { node, number } => [head(2, node, 0), number as u32],
            FromSender::Command { word } => [head(3, 0, 0), word],
        }
    }

    /// The meaning of an entry.
    #[inline(always)]
    pub const fn of([word, more]: [u32; 2]) -> FromSender {
        match word & 3 {
            0 => FromSender::Frame { record: what(word), frame: word >> 16, tag_word: more },
            1 => FromSender::Drain { record: what(word) },
            2 => FromSender::Abort { node: what(word), number: more as u16 },
            _ => FromSender::Command { word: more },
        }
    }
}

/// From the transmitter to the sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToSender {
    /// All frames of the record that were asked for before [`FromSender::Drain`] have been read.
    Drained { record: u32 },
    /// A frame of the record could not be read.
    Failed { record: u32, failure: Failure },
}

impl ToSender {
    /// The entry.
    #[inline(always)]
    pub const fn words(self) -> [u32; 1] {
        match self {
            ToSender::Drained { record } => [head(0, record, 0)],
            ToSender::Failed { record, failure } => [head(1, record, failure as u32)],
        }
    }

    /// The meaning of an entry.
    #[inline(always)]
    pub fn of([word]: [u32; 1]) -> ToSender {
        match word & 1 {
            0 => ToSender::Drained { record: what(word) },
            _ => ToSender::Failed {
                record: what(word),
                failure: Failure::ALL.get((word >> 16) as usize).copied().unwrap_or(Failure::BusError),
            },
        }
    }
}

/// From the receiver to the transmitter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FromReceiver {
    /// Send a frame without data: an acknowledgement, a refusal, the end of a message. `numbers`: the
    /// word of the frame that it answers.
    Answer { kind: Answer, node: u32, numbers: u32 },
    /// Read a list page into a list buffer.
    Load { buffer: u32, address: u32 },
}

/// The kind of an answer.
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

impl FromReceiver {
    /// The entry.
    #[inline(always)]
    pub const fn words(self) -> [u32; 2] {
        match self {
            FromReceiver::Answer { kind, node, numbers } => [head(kind as u32, node, 0), numbers],
            FromReceiver::Load { buffer, address } => [head(3, buffer, 0), address],
        }
    }

    /// The meaning of an entry.
    #[inline(always)]
    pub const fn of([word, more]: [u32; 2]) -> FromReceiver {
        let kind = match word & 3 {
            0 => Answer::Ack,
            1 => Answer::Refused,
            2 => Answer::Aborted,
            _ => return FromReceiver::Load { buffer: what(word), address: more },
        };
        FromReceiver::Answer { kind, node: what(word), numbers: more }
    }
}

/// From the transmitter to the receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToReceiver {
    /// The list page is in the list buffer.
    Loaded { buffer: u32 },
    /// It could not be read.
    LoadFailed { buffer: u32 },
    /// Obey a command of the driver, and pass it on.
    Command { word: u32 },
}

impl ToReceiver {
    /// The entry.
    #[inline(always)]
    pub const fn words(self) -> [u32; 2] {
        match self {
            ToReceiver::Loaded { buffer } => [head(0, buffer, 0), 0],
            ToReceiver::LoadFailed { buffer } => [head(1, buffer, 0), 0],
            ToReceiver::Command { word } => [head(2, 0, 0), word],
        }
    }

    /// The meaning of an entry.
    #[inline(always)]
    pub const fn of([word, more]: [u32; 2]) -> ToReceiver {
        match word & 3 {
            0 => ToReceiver::Loaded { buffer: what(word) },
            1 => ToReceiver::LoadFailed { buffer: what(word) },
            _ => ToReceiver::Command { word: more },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_survives_its_words() {
        for entry in [
            FromSender::Frame { record: 199, frame: 0xFFFF, tag_word: 0x1234_5678 },
            FromSender::Drain { record: 7 },
            FromSender::Abort { node: 63, number: 0xFEDC },
            FromSender::Command { word: u32::MAX },
        ] {
            assert_eq!(FromSender::of(entry.words()), entry);
        }
        for failure in Failure::ALL {
            let entry = ToSender::Failed { record: 199, failure };
            assert_eq!(ToSender::of(entry.words()), entry);
        }
        assert_eq!(ToSender::of(ToSender::Drained { record: 1 }.words()), ToSender::Drained { record: 1 });
        for kind in [Answer::Ack, Answer::Refused, Answer::Aborted] {
            let entry = FromReceiver::Answer { kind, node: 63, numbers: 0x8765_4321 };
            assert_eq!(FromReceiver::of(entry.words()), entry);
        }
        let load = FromReceiver::Load { buffer: 7, address: 0xFFFF_F000 };
        assert_eq!(FromReceiver::of(load.words()), load);
        for entry in [
            ToReceiver::Loaded { buffer: 3 },
            ToReceiver::LoadFailed { buffer: 3 },
            ToReceiver::Command { word: 0x89AB_CDEF },
        ] {
            assert_eq!(ToReceiver::of(entry.words()), entry);
        }
    }
}
