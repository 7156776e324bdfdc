//! What the firmware counts, and the sums that must hold (INV-38).
//!
//! One `u32` per counter, in this order, from `boot::CountersReply`. Every frame, descriptor, doorbell, lookup and miss ends in exactly one
//! outcome, so each [`Equation`] of [`conservation`] holds: exactly when nothing is under way, otherwise with the whole ahead of its parts.

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
    /// A reply that nobody waits for, or with other data than those that come next.
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

    // ---- Lookups of the send path. The same outcomes follow for the receive path, in the same order.
    SendLookups,
    SendHits,
    /// In a line that is there: no translation (a fault), or a page number beyond host memory (a wild one).
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
    /// Of the misses: the NIC reads the line from the host's table itself (M-58).
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

    // ---- Fetches of either path: the line was filled; it had been taken away meanwhile; the table has no such page, or the bus failed, and the driver
    // was told.
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
}

/// Distance from a counter of the send path to the one of the receive path.
pub const PATH_STRIDE: u32 = Counter::ReceiveLookups as u32 - Counter::SendLookups as u32;

impl Counter {
    /// Byte offset in the counter area.
    pub const fn offset(self) -> u32 {
        self as u32 * 4
    }
}

/// `whole` is the sum of `parts` when nothing of the kind is under way.
#[derive(Clone, Copy, Debug)]
pub struct Equation {
    pub name: &'static str,
    pub whole: &'static [Counter],
    pub parts: &'static [Counter],
    /// What may be under way, so that the whole is ahead of the parts; `None`: exact between any two events.
    pub under_way: Option<&'static str>,
}

impl Equation {
    /// Whole minus parts; negative is always wrong.
    pub fn surplus(&self, value: impl Fn(Counter) -> u32) -> i64 {
        let sum = |counters: &[Counter]| counters.iter().map(|&counter| i64::from(value(counter))).sum::<i64>();
        sum(self.whole) - sum(self.parts)
    }
}

/// The equations of INV-38.
pub const fn conservation() -> &'static [Equation] {
    use Counter::*;
    &[
        Equation {
            name: "frames received",
            whole: &[FramesReceived, FramesRetaken],
            parts: &[
                FramesMalformed,
                FramesStrange,
                FramesAckOnly,
                FramesMissed,
                FramesRestart,
                FramesAccepted,
                FramesDuplicate,
                FramesGap,
                FramesDroppedMiss,
                FramesHeld,
                FramesDroppedReads,
                FramesDroppedNotify,
                FramesDroppedBuffer,
                FramesRefusedBuffer,
                FramesRefusedKey,
                FramesRefusedBounds,
                FramesRefusedPermission,
                FramesRefusedPage,
                FramesRefusedAborted,
                FramesRefusedReply,
            ],
            under_way: None,
        },
        Equation {
            name: "frames held",
            whole: &[FramesHeld],
            parts: &[FramesRetaken],
            under_way: Some("frames that are held"),
        },
        Equation {
            name: "frames sent",
            whole: &[FramesSent],
            parts: &[FramesAcknowledged, FramesAbandoned],
            under_way: Some("frames not yet acknowledged"),
        },
        Equation {
            name: "doorbells",
            whole: &[DoorbellsServed],
            parts: &[DoorbellsAccepted, DoorbellsClosed, DoorbellsWild],
            under_way: None,
        },
        Equation {
            name: "posts",
            whole: &[PostsFetched],
            parts: &[
                PostsCompleted,
                PostsRefusedOperation,
                PostsRefusedNode,
                PostsRefusedLength,
                PostsRefusedLocal,
                PostsRefusedPeer,
                PostsRefusedBus,
                PostsRefusedOwner,
                PostsRefusedImport,
                PostsClosed,
            ],
            under_way: Some("posts not yet ended"),
        },
        Equation {
            name: "reads of own processes",
            whole: &[ReadsOpened],
            parts: &[ReadsCompleted, ReadsFailed],
            under_way: Some("reads whose data have not come"),
        },
        Equation {
            name: "reads of others",
            whole: &[ReadsTaken],
            parts: &[ReadsAnswered, ReadsGivenUp],
            under_way: Some("reads not yet answered"),
        },
        Equation {
            name: "notifications",
            whole: &[NotificationsTaken],
            parts: &[NotificationsRaised],
            under_way: Some("notifications whose data are under way"),
        },
        Equation {
            name: "notifications read",
            whole: &[NotificationsRaised],
            parts: &[NotificationsRead],
            under_way: Some("notifications that the driver has not read"),
        },
        Equation {
            name: "lookups, send path",
            whole: &[SendLookups],
            parts: &[SendHits, SendFaults, SendWildPages, SendMisses, SendPending, SendNoWay, SendMissRingFull],
            under_way: None,
        },
        Equation {
            name: "lookups, receive path",
            whole: &[ReceiveLookups],
            parts: &[
                ReceiveHits,
                ReceiveFaults,
                ReceiveWildPages,
                ReceiveMisses,
                ReceivePending,
                ReceiveNoWay,
                ReceiveMissRingFull,
            ],
            under_way: None,
        },
        Equation {
            name: "buffers not found",
            whole: &[BuffersNotFound],
            parts: &[BufferDenials, BufferMisses, BufferPending, BufferNoWay, BufferMissRingFull],
            under_way: None,
        },
        Equation {
            name: "misses",
            whole: &[SendMisses, ReceiveMisses, BufferMisses, FetchesUnfilled],
            parts: &[MissesServed, SendFetches, ReceiveFetches],
            under_way: Some("misses that the driver has not served"),
        },
        Equation {
            name: "fetches of translations",
            whole: &[SendFetches, ReceiveFetches],
            parts: &[FetchesFilled, FetchesLost, FetchesUnfilled],
            under_way: Some("fetches under way"),
        },
    ]
}

#[cfg(test)]
mod tests {
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
        let frames = &conservation()[0];
        assert_eq!(frames.surplus(|counter| u32::from(counter == Counter::FramesReceived)), 1);
        assert_eq!(frames.surplus(|counter| u32::from(counter == Counter::FramesGap)), -1);
        assert_eq!(frames.surplus(|_| 0), 0);
    }

    #[test]
    fn no_counter_is_in_two_places() {
        for (i, equation) in conservation().iter().enumerate() {
            for other in &conservation()[i + 1..] {
                assert!(equation.parts.iter().all(|counter| !other.parts.contains(counter)));
            }
        }
    }
}
