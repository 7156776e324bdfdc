//! What the driver counts.

/// What the driver has counted. At rest
/// `misses = fills + buffer_fills + denials + releases + stale`, and `page_faults` are those of
/// each end; at any time `notifications` are those heard and those unheard (INV-38).
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct DriverCounts {
    pub interrupts: u64,
    /// INTA# was released before anyone came, or no cause was set.
    pub spurious_interrupts: u64,
    /// Causes that the driver did not ask for.
    pub unknown_causes: u64,
    /// Entries of the miss ring that make sense.
    pub misses: u64,
    /// Lines of the VMH cache.
    pub fills: u64,
    /// Entries of the CBH cache that got a descriptor, and those that got none: negative entries.
    pub buffer_fills: u64,
    pub denials: u64,
    /// Lines given back because their process has ended.
    pub releases: u64,
    /// Entries whose line had been taken from them by an invalidation.
    pub stale: u64,
    /// Of all that were served: by the interrupt handler.
    pub served_in_interrupt: u64,
    /// Entries that make no sense.
    pub rejected_entries: u64,
    /// Producer indices of either ring that are impossible.
    pub rejected_producers: u64,
    /// Fills that found everything pinned in the host's table.
    pub table_hits: u64,
    /// Pages that could not be pinned.
    pub pin_failures: u64,
    /// Pages that replacement has unpinned (facts M-26).
    pub replaced_pages: u64,
    /// Looks of libraries into their bitmaps, and calls for what these did not have (facts M-58).
    pub bitmap_checks: u64,
    pub pin_calls: u64,
    /// Entries of the notification ring.
    pub notifications: u64,
    /// Handed to a handler.
    pub notifications_heard: u64,
    /// Of buffers that have no handler, or are not registered any more.
    pub notifications_unheard: u64,
    /// Stores to a post queue that was not mapped (facts M-52), and how they ended: with a queue
    /// that nobody had, with that of another process, with the process's own, which nobody had
    /// taken after all, or with the process. What they took, from the fault to the page, in all.
    pub page_faults: u64,
    pub queues_found_free: u64,
    pub queues_taken: u64,
    pub queues_kept: u64,
    pub page_faults_given_up: u64,
    pub queue_wait_ps: u64,
    pub commands: u64,
    /// Answers that match no command.
    pub wild_answers: u64,
}
