//! Defects that a test build plants, one at a time, to see that they are found
//! (docs/properties.md).
//!
//! The build takes the name from `NICSCOPE_PLANT`. Without it nothing is left of this: the image is
//! the same.

macro_rules! plants {
    ($($(#[$doc:meta])* $plant:ident = $name:literal,)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Plant { $($(#[$doc])* $plant,)* }

        impl Plant {
            pub const ALL: &'static [Plant] = &[$(Plant::$plant,)*];

            pub const fn name(self) -> &'static str {
                match self { $(Plant::$plant => $name,)* }
            }
        }
    };
}

plants! {
    /// A buffer that is registered no longer is still found, in the cache or in the static tables.
    StaleBuffer = "stale-buffer",
    /// A valid line that is invalidated stays in the cache.
    StaleLine = "stale-line",
    /// A line that is reserved is taken for absent: it is reserved again, and the driver told
    /// again.
    SecondMiss = "second-miss",
    /// The victim may be locked.
    LockedVictim = "locked-victim",
    /// The victim is the least recent line but one.
    VictimOffByOne = "victim-off-by-one",
    /// The last way is not searched: what it holds is fetched again.
    DuplicateTag = "duplicate-tag",
    /// The key of a read is not looked at.
    UncheckedKey = "unchecked-key",
    /// Posts that wait for a fill are not woken.
    LostWakeUp = "lost-wake-up",
    /// A frame that misses is acknowledged.
    AcknowledgedMiss = "acknowledged-miss",
    /// Translations that were fetched make their line valid, also when it was taken away meanwhile.
    StaleFetch = "stale-fetch",
    /// A line is unlocked when its DMA is posted.
    EarlyUnlock = "early-unlock",
    /// A post queue goes to another process with posts under way.
    BusyQueue = "busy-queue",
    /// An import that was released is still used.
    StaleImport = "stale-import",
    /// Posts may go beyond the end of their import.
    UncheckedBound = "unchecked-bound",
    /// A page is looked up in the static tables of the next process slot, where that slot has any.
    OtherProcess = "other-process",
    /// The sessions in a frame are not looked at: frames of a dead incarnation are accepted.
    OldSession = "old-session",
    /// A frame that answers another carries data that were changed.
    AnswerAltered = "answer-altered",
    /// A frame is accepted, and its answer is not sent.
    AnswerOmitted = "answer-omitted",
    /// Data of a frame that is not the first of its message go eight bytes beside their place.
    PlacedBeside = "placed-beside",
    /// A message takes any receive for its node, whatever the tag.
    AnyTagMatches = "any-tag-matches",
    /// The last bytes of a message are not written.
    TailOmitted = "tail-omitted",
    /// A message takes the youngest receive that it matches.
    NewestMatches = "newest-matches",
    /// A message takes a receive before earlier messages of its node.
    OrderIgnored = "order-ignored",
    /// A collection is acknowledged when its second frame has come.
    EarlyAcknowledgement = "early-acknowledgement",
    /// A copy of a frame counts as another frame of its collection.
    CopyCounts = "copy-counts",
    /// A receive is done when its last data are handed to the engine.
    EarlyDone = "early-done",
    /// An acknowledgement is taken for the youngest message to its node.
    AnyAcknowledgement = "any-acknowledgement",
    /// A message that is refused is taken for accepted.
    RefusalAccepts = "refusal-accepts",
    /// A collection that was sent again is not timed any more.
    LostTimer = "lost-timer",
    /// Two cores give receive buffers back without the semaphore.
    BuffersUnlocked = "buffers-unlocked",
    /// A core is not told of rare entries of the other core: its wake-up is lost.
    LostBell = "lost-bell",
}

/// The name that this build was given.
const WANTED: &str = match option_env!("NICSCOPE_PLANT") {
    Some(name) => name,
    None => "",
};

const _: () = {
    let mut is_known = WANTED.is_empty();
    let mut n = 0;
    while n < Plant::ALL.len() {
        is_known |= is_same(Plant::ALL[n].name(), WANTED);
        n += 1;
    }
    assert!(is_known, "NICSCOPE_PLANT names no defect: see firmware/layout/src/plant.rs");
};

/// Whether this build has that defect.
#[inline(always)]
pub const fn is_planted(plant: Plant) -> bool {
    is_same(plant.name(), WANTED)
}

const fn is_same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut n = 0;
    while n < a.len() && n < b.len() && a[n] == b[n] {
        n += 1;
    }
    n == a.len() && n == b.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_apart() {
        for (n, a) in Plant::ALL.iter().enumerate() {
            for (m, b) in Plant::ALL.iter().enumerate() {
                assert_eq!(is_same(a.name(), b.name()), n == m);
            }
        }
        assert!(!is_same("stale", "stale-line") && !is_same("", "x"));
    }
}
