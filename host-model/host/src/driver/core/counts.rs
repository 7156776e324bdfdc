//! What the driver counts.

/// What the driver has counted. At rest
/// `misses = fills + buffer_fills + denials + releases + stale`, and `page_faults` is the sum of
/// its four ends. At any time `notifications = notifications_heard + notifications_unheard`
/// (INV-38).
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct DriverCounts {
    /// Interrupts that were taken, the spurious ones included.
    pub interrupts: u64,
    /// Interrupts without a cause: INTA# was released before the handler read the causes, or no
    /// cause was set.
    pub spurious_interrupts: u64,
    /// Causes that the driver did not ask for.
    pub unknown_causes: u64,
    /// Entries of the miss ring that make sense.
    pub misses: u64,
    /// Lines of the VMH cache.
    pub fills: u64,
    /// Entries of the CBH cache that received a descriptor.
    pub buffer_fills: u64,
    /// Entries of the CBH cache that received no descriptor because there is no such buffer:
    /// negative entries.
    pub denials: u64,
    /// Lines given back because their process has ended.
    pub releases: u64,
    /// Entries whose line had been taken from them by an invalidation.
    pub stale: u64,
    /// Misses that the interrupt handler served itself; they are counted above too.
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
    /// Times that libraries looked into their bitmaps of pinned pages (facts M-58).
    pub bitmap_checks: u64,
    /// Calls of libraries that pin what the bitmap did not have (facts M-58).
    pub pin_calls: u64,
    /// Entries of the notification ring.
    pub notifications: u64,
    /// Notifications handed to a handler.
    pub notifications_heard: u64,
    /// Notifications of buffers that have no handler, or are not registered any more.
    pub notifications_unheard: u64,
    /// Stores to a post queue that was not mapped (facts M-52). Each ends in one of the four ways
    /// that the next four counters count.
    pub page_faults: u64,
    /// Page faults that ended with a queue that was free.
    pub queues_found_free: u64,
    /// Page faults that ended with a queue taken from another process.
    pub queues_taken: u64,
    /// Page faults that ended with the process's own queue: it was unmapped, and no other process
    /// had taken it.
    pub queues_kept: u64,
    /// Page faults that ended without a queue, because the process ended.
    pub page_faults_given_up: u64,
    /// Time from page faults to their ends, in picoseconds, in all.
    pub queue_wait_ps: u64,
    /// Commands sent to the firmware.
    pub commands: u64,
    /// Answers that match no command.
    pub wild_answers: u64,
}
