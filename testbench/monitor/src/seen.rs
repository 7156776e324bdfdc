//! Counts of events, for the comparison with the counters of the firmware.

/// The number of events that the monitor has seen. The run compares them with the counters of the
/// firmware (INV-38). Pairs hold the send path first, then the receive path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// Lookups of translations that have begun.
    pub lookups: [u64; 2],
    /// Lookups that found a translation.
    pub hits: [u64; 2],
    /// Lookups that ended because the page has no translation.
    pub faults: [u64; 2],
    /// Lines of the VMH cache that were reserved after a miss.
    pub misses: [u64; 2],
    /// Reserved lines that the NIC fetches from host memory itself.
    pub fetches: [u64; 2],
    /// Fetched lines that became valid.
    pub fetches_filled: u64,
    /// Lookups that found the descriptor of a buffer.
    pub buffer_hits: u64,
    /// Entries of the CBH cache that were reserved after a miss.
    pub buffer_misses: u64,
    /// Answers of the driver that filled a line or an entry.
    pub fills: u64,
    /// Answers of the driver that wrote a negative entry.
    pub denials: u64,
    /// Answers of the driver that gave a line or an entry back unfilled.
    pub releases: u64,
    /// Data phases of transactions in which the NIC was the master.
    pub dma_beats: u64,
    /// Undamaged frames that the NIC has received.
    pub frames_received: u64,
    /// Undamaged frames that the NIC has sent.
    pub frames_sent: u64,
    /// Physical pages that the host has unpinned.
    pub unpinned_pages: u64,
}
