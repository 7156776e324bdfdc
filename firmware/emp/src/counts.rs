//! Counters of EMP. They stand behind those that every firmware has.

use nic_device::Device;
use nic_layout::counter::Counter;

/// What EMP counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Count {
    /// Answers of a peer to a message of this node.
    FramesAnswers,
    /// A peer gives a message up.
    FramesAborts,
    /// A first frame whose turn has not come: an earlier message has to be matched before.
    FirstsEarly,
    /// A first frame that matches no posted receive; answered.
    FirstsNotPosted,
    /// A frame whose first frame has not come.
    FramesBeforeFirst,
    /// A frame of a message that is complete; answered.
    FramesOfComplete,
    /// A frame of a message that was given up; answered.
    FramesOfFailed,
    /// A frame of a number that is not in use any more.
    FramesOld,
    /// A frame that the receiver gets.
    FramesSorted,
    /// Such a frame whose message has ended meanwhile.
    FramesLate,
    /// Such a frame that is not cut as its message is.
    FramesInexact,
    /// Such a frame that lies beyond the window.
    FramesBeyond,
    /// Such a frame whose receive is too short for its message.
    FramesRefusedTruncated,
    /// Such a frame that a receive takes.
    FramesPlaced,
    /// Such a frame that the receive has taken before.
    FramesRepeated,
    /// Descriptors of receives that were read.
    ReceivesTaken,
    /// Receives that were refused at once.
    ReceivesRefused,
    /// Receives that were given up before a message came.
    ReceivesCancelled,
    /// Receives that a message has taken.
    MessagesMatched,
    /// Matched messages that are complete.
    ReceivesDone,
    /// Matched messages that were given up.
    ReceivesFailed,
    /// Descriptors of sends that were read.
    SendsTaken,
    /// Sends that ended well.
    SendsDone,
    /// Sends that were refused or given up.
    SendsFailed,
    /// Collections that a peer has accepted.
    CollectionsAccepted,
    /// Acknowledgements of collections that were accepted before.
    AcksAgain,
    /// Answers to messages that have ended.
    AnswersLate,
    /// Answers of peers that have no receive for the message yet.
    RefusalsTaken,
}

impl Count {
    /// All counters.
    pub const ALL: &'static [Count] = &[
        Count::FramesAnswers,
        Count::FramesAborts,
        Count::FirstsEarly,
        Count::FirstsNotPosted,
        Count::FramesBeforeFirst,
        Count::FramesOfComplete,
        Count::FramesOfFailed,
        Count::FramesOld,
        Count::FramesSorted,
        Count::FramesLate,
        Count::FramesInexact,
        Count::FramesBeyond,
        Count::FramesRefusedTruncated,
        Count::FramesPlaced,
        Count::FramesRepeated,
        Count::ReceivesTaken,
        Count::ReceivesRefused,
        Count::ReceivesCancelled,
        Count::MessagesMatched,
        Count::ReceivesDone,
        Count::ReceivesFailed,
        Count::SendsTaken,
        Count::SendsDone,
        Count::SendsFailed,
        Count::CollectionsAccepted,
        Count::AcksAgain,
        Count::AnswersLate,
        Count::RefusalsTaken,
    ];

    /// Byte offset in the counter area.
    #[inline(always)]
    pub const fn offset(self) -> u32 {
        4 * (Counter::COUNT as u32 + self as u32)
    }
}

/// Bytes of the counter area: the counters of every firmware, and those of EMP.
pub const COUNTERS_BYTES: u32 = 4 * (Counter::COUNT + Count::ALL.len()) as u32;

/// Adds one to a counter. Each counter belongs to one part.
#[inline(always)]
pub(crate) fn count(dev: &mut impl Device, count: Count) {
    dev.add(dev.counters(), count.offset(), 1);
}

/// A whole that is the sum of its parts when nothing of the kind is under way (INV-38). Counters
/// are named by their offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sum {
    /// What is added up.
    pub name: &'static str,
    /// What began.
    pub whole: u32,
    /// How it ended.
    pub parts: &'static [u32],
}

/// The sums of EMP.
pub fn conservation() -> [Sum; 5] {
    use Count as C;
    [
        Sum {
            name: "frames received",
            whole: Counter::FramesReceived.offset(),
            parts: const {
                &[
                    Counter::FramesMalformed.offset(),
                    Counter::FramesForeign.offset(),
                    Counter::FramesStrange.offset(),
                    C::FramesAnswers.offset(),
                    C::FramesAborts.offset(),
                    C::FirstsEarly.offset(),
                    C::FirstsNotPosted.offset(),
                    C::FramesBeforeFirst.offset(),
                    C::FramesOfComplete.offset(),
                    C::FramesOfFailed.offset(),
                    C::FramesOld.offset(),
                    C::FramesSorted.offset(),
                ]
            },
        },
        Sum {
            name: "frames sorted",
            whole: C::FramesSorted.offset(),
            parts: const {
                &[
                    C::FramesLate.offset(),
                    C::FramesInexact.offset(),
                    C::FramesBeyond.offset(),
                    C::FramesRefusedTruncated.offset(),
                    C::FramesPlaced.offset(),
                    C::FramesRepeated.offset(),
                ]
            },
        },
        Sum {
            name: "receives",
            whole: C::ReceivesTaken.offset(),
            parts: const { &[C::ReceivesRefused.offset(), C::ReceivesCancelled.offset(), C::MessagesMatched.offset()] },
        },
        Sum {
            name: "messages matched",
            whole: C::MessagesMatched.offset(),
            parts: const { &[C::ReceivesDone.offset(), C::ReceivesFailed.offset()] },
        },
        Sum {
            name: "sends",
            whole: C::SendsTaken.offset(),
            parts: const { &[C::SendsDone.offset(), C::SendsFailed.offset()] },
        },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_counter_has_its_word() {
        for (index, count) in Count::ALL.iter().enumerate() {
            assert_eq!(count.offset() as usize, 4 * (Counter::COUNT + index), "{count:?}");
        }
    }
}
