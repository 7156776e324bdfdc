//! What the firmware counts, and the sums that must hold (INV-38).
//!
//! One `u32` per counter, in the order of [`Counter`], from `boot::CountersReply` on. The counters
//! of one layer form a [`Set`], which has sums of its own; a personality is a list of sets. Every
//! frame, descriptor, doorbell, lookup and miss ends in exactly one outcome, so each [`Equation`]
//! of [`conservation`] holds: exactly when nothing is under way, otherwise with the whole ahead of
//! its parts.

mod sets;

pub use sets::{CACHES, DEVICE, DRIVER, FRAMES, LINK, LOOKUP, MESSAGES, POSTS, SETS, TRANSFERS, TRANSLATIONS};

macro_rules! counters {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[repr(u32)]
        pub enum Counter { $($(#[$doc])* $name,)* }

        impl Counter {
            pub const ALL: &'static [Counter] = &[$(Counter::$name,)*];
            pub const COUNT: usize = Counter::ALL.len();

            pub const fn name(self) -> &'static str {
                match self { $(Counter::$name => stringify!($name),)* }
            }
        }
    };
}

counters! {
    // ---- Frames from the MAC
    FramesReceived,
    /// Not for this node, not ours by type, or lengths that contradict each other.
    FramesMalformed,
    /// The frame belongs to another protocol.
    FramesForeign,
    /// From a node that does not exist, from this node itself, or of another session.
    FramesStrange,
    /// Carried an acknowledgement and nothing else.
    FramesAckOnly,
    /// Said that a frame of ours missed there, or that it may come again.
    FramesMissed,
    FramesRestart,
    /// In order and allowed; their data were handed to the host-write engine.
    FramesAccepted,
    /// Had been accepted or refused before; acknowledged again.
    FramesDuplicate,
    /// Came after a missing one; dropped.
    FramesGap,
    /// A translation was not there; dropped without acknowledgement (M-20).
    FramesDroppedMiss,
    /// The same, but kept; and those of them that were judged again.
    FramesHeld,
    FramesRetaken,
    /// A read that found the queue of reads full; dropped without acknowledgement.
    FramesDroppedReads,
    /// Its notification found the ring full; dropped without acknowledgement.
    FramesDroppedNotify,
    /// The descriptor of its buffer was not there; dropped in the same way (M-43).
    FramesDroppedBuffer,
    /// Refused, but acknowledged (M-49).
    FramesRefusedBuffer,
    FramesRefusedKey,
    FramesRefusedBounds,
    FramesRefusedPermission,
    /// The driver says that a page cannot be translated, or gave a page number that does not exist.
    FramesRefusedPage,
    /// The sender could not read the data.
    FramesRefusedAborted,
    /// A reply that no open read waits for, or with other data than those that come next.
    FramesRefusedReply,

    // ---- Frames to the MAC
    /// First transmissions of frames with a sequence number.
    FramesSent,
    FramesAcknowledged,
    /// Given up together with their peer.
    FramesAbandoned,
    FramesRetransmitted,
    AcksSent,
    MissedSent,
    RestartsSent,
    /// Acknowledgements of what was never sent; ignored.
    AcksWild,
    /// Retransmission timers that expired.
    Timeouts,
    PeersLost,

    // ---- Posts
    DoorbellsServed,
    DoorbellsAccepted,
    /// The process slot is closed, or does not exist.
    DoorbellsClosed,
    DoorbellsWild,
    PostsFetched,
    PostsCompleted,
    PostsRefusedOperation,
    PostsRefusedNode,
    PostsRefusedLength,
    PostsRefusedLocal,
    PostsRefusedPeer,
    PostsRefusedBus,
    /// By the node of the buffer.
    PostsRefusedOwner,
    /// By the import that they name.
    PostsRefusedImport,
    /// Forgotten because their process slot was closed.
    PostsClosed,
    StatusWrites,

    // ---- Reads: of own processes, and of others
    ReadsOpened,
    ReadsCompleted,
    /// Ended with an error, or their process slot was closed.
    ReadsFailed,
    ReadsTaken,
    ReadsAnswered,
    /// Ended by this side, or by the other.
    ReadsGivenUp,
    ProbesSent,

    // ---- Notifications
    NotificationsTaken,
    NotificationsRaised,
    NotificationsRead,

    // ---- Lookups of the send path. The outcomes of the receive path follow, in the same order.
    SendLookups,
    SendHits,
    /// In a line that is there: no translation (a fault), or a page number beyond host memory (a
    /// wild one).
    SendFaults,
    SendWildPages,
    /// A line was reserved and the driver told, or its translations are fetched.
    SendMisses,
    /// The line is reserved already, and the driver at work.
    SendPending,
    /// Every way of the set is locked or reserved.
    SendNoWay,
    /// The miss ring is full; or the ring of host reads, where translations are fetched.
    SendMissRingFull,
    /// Misses whose line the NIC reads from the host's table itself (M-58).
    SendFetches,
    ReceiveLookups,
    ReceiveHits,
    ReceiveFaults,
    ReceiveWildPages,
    ReceiveMisses,
    ReceivePending,
    ReceiveNoWay,
    ReceiveMissRingFull,
    ReceiveFetches,

    // ---- Fetches of either path. Filled: the line has its translations. Lost: the line was taken
    // away meanwhile. Unfilled: the table has no such page or the bus failed, and the driver was
    // told.
    FetchesFilled,
    FetchesLost,
    FetchesUnfilled,

    // ---- Lookups of buffers. A hit costs no counter: what becomes of the frame tells of it.
    /// No descriptor was found.
    BuffersNotFound,
    /// A negative entry: there is no such buffer.
    BufferDenials,
    /// An entry was reserved and the driver told.
    BufferMisses,
    /// The entry is reserved already, and the driver at work.
    BufferPending,
    /// Every way of the set is reserved.
    BufferNoWay,
    BufferMissRingFull,

    // ---- Misses and the driver
    /// Misses that the driver reported as served.
    MissesServed,
    Commands,
    /// Mailbox values that make no sense; ignored.
    MailboxesWild,

    // ---- Host bus
    DmaReadErrors,
    DmaWriteErrors,
    /// Times that reception waited for room in the host-write ring.
    ReceiveStalls,

    // ---- Messages that the NIC matches: no other personality has the counters from here on
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
    /// A frame that the receiver gets, whose message has ended meanwhile.
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
    /// Times that free receive buffers of a peer fell below a mark.
    PeersSlowed,
    /// Times that time-outs narrowed the path to a peer.
    PathsNarrowed,
    /// Times that a message waited because its peer is slow, or the path to it narrow.
    MessagesHeld,
    /// Frames and answers that were given to the MAC, those that it skips too.
    FramesToMac,

    // ---- Frames that the host handles
    /// No buffer of the host was free.
    FramesUnplaced,
}

/// Distance from a counter of the send path to the one of the receive path.
pub const PATH_STRIDE: u32 = Counter::ReceiveLookups as u32 - Counter::SendLookups as u32;

impl Counter {
    /// How many counters the firmware on the reliable link has: its counter area ends with the last
    /// of them, and so does what core B keeps.
    pub const LINKED_COUNT: usize = Counter::FramesAnswers as usize;

    /// Those counters.
    pub fn linked() -> &'static [Counter] {
        Counter::ALL.get(..Counter::LINKED_COUNT).unwrap_or_default()
    }

    /// Byte offset in the counter area.
    pub const fn offset(self) -> u32 {
        self as u32 * 4
    }
}

/// The counters of one layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Set {
    /// The name of the layer.
    pub name: &'static str,
    /// The counters. Each is in one set only.
    pub counters: &'static [Counter],
    /// What the set has to say of the sums: its own, and its outcomes in sums of other sets.
    pub sums: &'static [Sum],
}

/// The part of one set in a sum: `whole` is the sum of `parts` when nothing of the kind is under
/// way. Sums of several sets with one name are one [`Equation`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sum {
    /// The name of the sum.
    pub name: &'static str,
    /// Counters of what began.
    pub whole: &'static [Counter],
    /// Counters of how it ended.
    pub parts: &'static [Counter],
    /// What may be under way, so that the whole is ahead of the parts; `None`: exact between any
    /// two events. The first set with the sum says it.
    pub under_way: Option<&'static str>,
}

/// A sum over all sets of a personality.
#[derive(Clone, Copy, Debug)]
pub struct Equation {
    /// The name of the sum.
    pub name: &'static str,
    /// As [`Sum::under_way`].
    pub under_way: Option<&'static str>,
    sets: &'static [&'static Set],
}

impl Equation {
    fn sums(&self) -> impl Iterator<Item = &'static Sum> {
        let name = self.name;
        self.sets.iter().flat_map(|set| set.sums).filter(move |sum| sum.name == name)
    }

    /// Counters of what began.
    pub fn whole(&self) -> impl Iterator<Item = Counter> {
        self.sums().flat_map(|sum| sum.whole).copied()
    }

    /// Counters of how it ended.
    pub fn parts(&self) -> impl Iterator<Item = Counter> {
        self.sums().flat_map(|sum| sum.parts).copied()
    }

    /// Whole minus parts; negative is always wrong.
    pub fn surplus(&self, value: impl Fn(Counter) -> u32) -> i64 {
        let sum = |counters: &mut dyn Iterator<Item = Counter>| {
            counters.map(|counter| i64::from(value(counter))).sum::<i64>()
        };
        sum(&mut self.whole()) - sum(&mut self.parts())
    }
}

/// The equations of INV-38 of a personality with these sets, in their order.
pub fn conservation(sets: &'static [&'static Set]) -> impl Iterator<Item = Equation> {
    let sums = move || sets.iter().flat_map(|set| set.sums);
    sums().enumerate().filter_map(move |(index, sum)| {
        let is_first = !sums().take(index).any(|other| other.name == sum.name);
        is_first.then_some(Equation { name: sum.name, under_way: sum.under_way, sets })
    })
}

/// Words of the counter area of a firmware with these sets.
pub fn area_words(sets: &[&Set]) -> usize {
    let has = |counter: &Counter| sets.iter().any(|set| set.counters.contains(counter));
    match Counter::ALL.iter().skip(Counter::LINKED_COUNT).any(has) {
        true => Counter::COUNT,
        false => Counter::LINKED_COUNT,
    }
}

/// The counters of a personality with these sets, in the order of [`Counter`].
pub fn counters_of(sets: &'static [&'static Set]) -> impl Iterator<Item = Counter> {
    let is_of = move |counter: &Counter| sets.iter().any(|set| set.counters.contains(counter));
    Counter::ALL.iter().copied().filter(is_of)
}

#[cfg(test)]
mod tests {
    extern crate std;

    use super::*;

    #[test]
    fn the_outcomes_of_both_paths_stand_in_the_same_order() {
        for outcome in 0..PATH_STRIDE {
            let send = Counter::ALL[(Counter::SendLookups as u32 + outcome) as usize].name();
            let receive = Counter::ALL[(Counter::ReceiveLookups as u32 + outcome) as usize].name();
            assert_eq!(send.strip_prefix("Send"), receive.strip_prefix("Receive"));
        }
    }

    #[test]
    fn a_lost_frame_shows_as_a_surplus() {
        let frames = conservation(SETS).next().unwrap();
        assert_eq!(frames.name, "frames received");
        assert_eq!(frames.surplus(|counter| u32::from(counter == Counter::FramesReceived)), 1);
        assert_eq!(frames.surplus(|counter| u32::from(counter == Counter::FramesGap)), -1);
        // An outcome of another set than the link's, which has the sum.
        assert_eq!(frames.surplus(|counter| u32::from(counter == Counter::FramesDroppedMiss)), -1);
        assert_eq!(frames.surplus(|_| 0), 0);
    }

    #[test]
    fn no_counter_is_in_two_places() {
        let equations: std::vec::Vec<Equation> = conservation(SETS).collect();
        for (i, equation) in equations.iter().enumerate() {
            for other in &equations[i + 1..] {
                assert_ne!(equation.name, other.name);
                assert!(equation.parts().all(|counter| !other.parts().any(|part| part == counter)));
            }
        }
    }

    #[test]
    fn each_counter_is_in_one_set() {
        for &counter in Counter::linked() {
            let sets = SETS.iter().filter(|set| set.counters.contains(&counter));
            assert_eq!(sets.count(), 1, "{}", counter.name());
        }
        assert!(counters_of(SETS).eq(Counter::linked().iter().copied()));
        assert!(counters_of(&[&MESSAGES]).any(|counter| counter == Counter::RefusalsTaken));
        assert!(counters_of(&[&DRIVER]).eq([Counter::Commands, Counter::MailboxesWild]));
    }

    #[test]
    fn a_set_sums_up_its_own_counters_and_no_others() {
        for set in SETS.iter().chain([&&MESSAGES]) {
            for sum in set.sums {
                let of_sum = || sum.whole.iter().chain(sum.parts);
                assert!(of_sum().all(|counter| set.counters.contains(counter)), "{}: {}", set.name, sum.name);
                assert!(of_sum().next().is_some(), "{}: {}", set.name, sum.name);
            }
        }
    }

    #[test]
    fn without_caches_an_equation_has_no_outcomes_of_caches() {
        let without = conservation(&[&LINK, &LOOKUP]);
        let frames = without.into_iter().next().unwrap();
        assert_eq!(frames.surplus(|counter| u32::from(counter == Counter::FramesDroppedMiss)), 0);
        assert!(conservation(&[&LINK, &LOOKUP]).all(|equation| equation.name != "misses"));
    }
}
