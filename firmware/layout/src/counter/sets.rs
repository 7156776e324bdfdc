//! The sets of counters, one for each layer.

use super::Counter::*;
use super::{Set, Sum};

/// Every set of the firmware on the reliable link. The equations have the order in which the sets
/// name them.
pub const SETS: &[&Set] = &[&LINK, &POSTS, &TRANSFERS, &LOOKUP, &CACHES, &DRIVER, &DEVICE];

/// The reliable link: frames by what the link made of them, and acknowledgements.
pub const LINK: Set = Set {
    name: "link",
    counters: &[
        FramesReceived,
        FramesMalformed,
        FramesForeign,
        FramesStrange,
        FramesAckOnly,
        FramesMissed,
        FramesRestart,
        FramesAccepted,
        FramesDuplicate,
        FramesGap,
        FramesSent,
        FramesAcknowledged,
        FramesAbandoned,
        FramesRetransmitted,
        AcksSent,
        MissedSent,
        RestartsSent,
        AcksWild,
        Timeouts,
        PeersLost,
    ],
    sums: &[
        Sum {
            name: "frames received",
            whole: &[FramesReceived],
            parts: &[
                FramesMalformed,
                FramesForeign,
                FramesStrange,
                FramesAckOnly,
                FramesMissed,
                FramesRestart,
                FramesAccepted,
                FramesDuplicate,
                FramesGap,
            ],
            under_way: None,
        },
        Sum {
            name: "frames sent",
            whole: &[FramesSent],
            parts: &[FramesAcknowledged, FramesAbandoned],
            under_way: Some("frames not yet acknowledged"),
        },
    ],
};

/// Doorbells and posts.
pub const POSTS: Set = Set {
    name: "posts",
    counters: &[
        DoorbellsServed,
        DoorbellsAccepted,
        DoorbellsClosed,
        DoorbellsWild,
        PostsFetched,
        PostsCompleted,
        PostsRefusedOperation,
        PostsRefusedNode,
        PostsRefusedLength,
        PostsRefusedPeer,
        PostsRefusedBus,
        PostsClosed,
        StatusWrites,
    ],
    sums: &[
        Sum {
            name: "doorbells",
            whole: &[DoorbellsServed],
            parts: &[DoorbellsAccepted, DoorbellsClosed, DoorbellsWild],
            under_way: None,
        },
        Sum {
            name: "posts",
            whole: &[PostsFetched],
            parts: &[
                PostsCompleted,
                PostsRefusedOperation,
                PostsRefusedNode,
                PostsRefusedLength,
                PostsRefusedPeer,
                PostsRefusedBus,
                PostsClosed,
            ],
            under_way: Some("posts not yet ended"),
        },
    ],
};

/// Remote writes and reads, and their notifications.
pub const TRANSFERS: Set = Set {
    name: "transfers",
    counters: &[
        FramesDroppedReads,
        FramesDroppedNotify,
        FramesRefusedBuffer,
        FramesRefusedKey,
        FramesRefusedBounds,
        FramesRefusedPermission,
        FramesRefusedAborted,
        FramesRefusedReply,
        PostsRefusedOwner,
        PostsRefusedImport,
        ReadsOpened,
        ReadsCompleted,
        ReadsFailed,
        ReadsTaken,
        ReadsAnswered,
        ReadsGivenUp,
        ProbesSent,
        NotificationsTaken,
        NotificationsRaised,
        NotificationsRead,
        ReceiveStalls,
    ],
    sums: &[
        Sum {
            name: "frames received",
            whole: &[],
            parts: &[
                FramesDroppedReads,
                FramesDroppedNotify,
                FramesRefusedBuffer,
                FramesRefusedKey,
                FramesRefusedBounds,
                FramesRefusedPermission,
                FramesRefusedAborted,
                FramesRefusedReply,
            ],
            under_way: None,
        },
        Sum {
            name: "posts",
            whole: &[],
            parts: &[PostsRefusedOwner, PostsRefusedImport],
            under_way: Some("posts not yet ended"),
        },
        Sum {
            name: "reads of own processes",
            whole: &[ReadsOpened],
            parts: &[ReadsCompleted, ReadsFailed],
            under_way: Some("reads whose data have not come"),
        },
        Sum {
            name: "reads of others",
            whole: &[ReadsTaken],
            parts: &[ReadsAnswered, ReadsGivenUp],
            under_way: Some("reads not yet answered"),
        },
        Sum {
            name: "notifications",
            whole: &[NotificationsTaken],
            parts: &[NotificationsRaised],
            under_way: Some("notifications whose data are under way"),
        },
        Sum {
            name: "notifications read",
            whole: &[NotificationsRaised],
            parts: &[NotificationsRead],
            under_way: Some("notifications that the driver has not read"),
        },
    ],
};

/// Lookups of translations and buffers, however they are kept.
pub const LOOKUP: Set = Set {
    name: "lookup",
    counters: &[
        FramesRefusedPage,
        PostsRefusedLocal,
        SendLookups,
        SendHits,
        SendFaults,
        SendWildPages,
        ReceiveLookups,
        ReceiveHits,
        ReceiveFaults,
        ReceiveWildPages,
        BuffersNotFound,
        BufferDenials,
    ],
    sums: &[
        Sum { name: "frames received", whole: &[], parts: &[FramesRefusedPage], under_way: None },
        Sum { name: "posts", whole: &[], parts: &[PostsRefusedLocal], under_way: Some("posts not yet ended") },
        Sum {
            name: "lookups, send path",
            whole: &[SendLookups],
            parts: &[SendHits, SendFaults, SendWildPages],
            under_way: None,
        },
        Sum {
            name: "lookups, receive path",
            whole: &[ReceiveLookups],
            parts: &[ReceiveHits, ReceiveFaults, ReceiveWildPages],
            under_way: None,
        },
        Sum { name: "buffers not found", whole: &[BuffersNotFound], parts: &[BufferDenials], under_way: None },
    ],
};

/// What caches add to lookups: misses, and how they are served.
pub const CACHES: Set = Set {
    name: "caches",
    counters: &[
        FramesDroppedMiss,
        FramesHeld,
        FramesRetaken,
        FramesDroppedBuffer,
        SendMisses,
        SendPending,
        SendNoWay,
        SendMissRingFull,
        SendFetches,
        ReceiveMisses,
        ReceivePending,
        ReceiveNoWay,
        ReceiveMissRingFull,
        ReceiveFetches,
        FetchesFilled,
        FetchesLost,
        FetchesUnfilled,
        BufferMisses,
        BufferPending,
        BufferNoWay,
        BufferMissRingFull,
        MissesServed,
    ],
    sums: &[
        Sum {
            name: "frames received",
            whole: &[FramesRetaken],
            parts: &[FramesDroppedMiss, FramesHeld, FramesDroppedBuffer],
            under_way: None,
        },
        Sum {
            name: "frames held",
            whole: &[FramesHeld],
            parts: &[FramesRetaken],
            under_way: Some("frames that are held"),
        },
        Sum {
            name: "lookups, send path",
            whole: &[],
            parts: &[SendMisses, SendPending, SendNoWay, SendMissRingFull],
            under_way: None,
        },
        Sum {
            name: "lookups, receive path",
            whole: &[],
            parts: &[ReceiveMisses, ReceivePending, ReceiveNoWay, ReceiveMissRingFull],
            under_way: None,
        },
        Sum {
            name: "buffers not found",
            whole: &[],
            parts: &[BufferMisses, BufferPending, BufferNoWay, BufferMissRingFull],
            under_way: None,
        },
        Sum {
            name: "misses",
            whole: &[SendMisses, ReceiveMisses, BufferMisses, FetchesUnfilled],
            parts: &[MissesServed, SendFetches, ReceiveFetches],
            under_way: Some("misses that the driver has not served"),
        },
        Sum {
            name: "fetches of translations",
            whole: &[SendFetches, ReceiveFetches],
            parts: &[FetchesFilled, FetchesLost, FetchesUnfilled],
            under_way: Some("fetches under way"),
        },
    ],
};

/// What the driver asks for.
pub const DRIVER: Set = Set { name: "driver", counters: &[Commands, MailboxesWild], sums: &[] };

/// The host bus.
pub const DEVICE: Set = Set { name: "device", counters: &[DmaReadErrors, DmaWriteErrors], sums: &[] };

/// Messages that the NIC matches: all counters of EMP, whose parts stand on the devices directly.
pub const MESSAGES: Set = Set {
    name: "messages",
    counters: &[
        FramesReceived,
        FramesMalformed,
        FramesForeign,
        FramesStrange,
        FramesRetransmitted,
        AcksWild,
        Timeouts,
        Commands,
        MailboxesWild,
        DmaReadErrors,
        DmaWriteErrors,
        FramesAnswers,
        FramesAborts,
        FirstsEarly,
        FirstsNotPosted,
        FramesBeforeFirst,
        FramesOfComplete,
        FramesOfFailed,
        FramesOld,
        FramesLate,
        FramesInexact,
        FramesBeyond,
        FramesRefusedTruncated,
        FramesPlaced,
        FramesRepeated,
        ReceivesTaken,
        ReceivesRefused,
        ReceivesCancelled,
        MessagesMatched,
        ReceivesDone,
        ReceivesFailed,
        SendsTaken,
        SendsDone,
        SendsFailed,
        CollectionsAccepted,
        AcksAgain,
        AnswersLate,
        RefusalsTaken,
        PeersSlowed,
        PathsNarrowed,
        MessagesHeld,
        FramesToMac,
    ],
    sums: &[
        Sum {
            name: "frames received",
            whole: &[FramesReceived],
            parts: &[
                FramesMalformed,
                FramesForeign,
                FramesStrange,
                FramesAnswers,
                FramesAborts,
                FirstsEarly,
                FirstsNotPosted,
                FramesBeforeFirst,
                FramesOfComplete,
                FramesOfFailed,
                FramesOld,
                FramesLate,
                FramesInexact,
                FramesBeyond,
                FramesRefusedTruncated,
                FramesPlaced,
                FramesRepeated,
            ],
            under_way: None,
        },
        Sum {
            name: "receives",
            whole: &[ReceivesTaken],
            parts: &[ReceivesRefused, ReceivesCancelled, MessagesMatched],
            under_way: Some("receives that wait for a message"),
        },
        Sum {
            name: "messages matched",
            whole: &[MessagesMatched],
            parts: &[ReceivesDone, ReceivesFailed],
            under_way: Some("messages that arrive"),
        },
        Sum {
            name: "sends",
            whole: &[SendsTaken],
            parts: &[SendsDone, SendsFailed],
            under_way: Some("sends that have not ended"),
        },
    ],
};

/// Lookups of translations where the NIC matches messages, and how their misses are served.
pub const TRANSLATIONS: Set = Set {
    name: "translations",
    counters: &[
        SendLookups,
        SendHits,
        SendFaults,
        SendWildPages,
        SendMisses,
        SendPending,
        SendNoWay,
        SendMissRingFull,
        ReceiveLookups,
        ReceiveHits,
        ReceiveFaults,
        ReceiveWildPages,
        ReceiveMisses,
        ReceivePending,
        ReceiveNoWay,
        ReceiveMissRingFull,
        MissesServed,
    ],
    sums: &[
        Sum {
            name: "lookups, send path",
            whole: &[SendLookups],
            parts: &[SendHits, SendFaults, SendWildPages, SendMisses, SendPending, SendNoWay, SendMissRingFull],
            under_way: None,
        },
        Sum {
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
        Sum {
            name: "misses",
            whole: &[SendMisses, ReceiveMisses],
            parts: &[MissesServed],
            under_way: Some("misses that the driver has not served"),
        },
    ],
};

/// Frames that the NIC moves between the link and buffers of the host.
pub const FRAMES: Set = Set {
    name: "frames",
    counters: &[
        FramesReceived,
        FramesPlaced,
        FramesUnplaced,
        FramesToMac,
        Commands,
        MailboxesWild,
        DmaReadErrors,
        DmaWriteErrors,
    ],
    sums: &[Sum {
        name: "frames received",
        whole: &[FramesReceived],
        parts: &[FramesPlaced, FramesUnplaced],
        under_way: None,
    }],
};
