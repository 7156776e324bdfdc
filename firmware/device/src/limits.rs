/// Entries of each ring of DMA descriptors, as a power of two.
pub const DMA_RING_LOG2: u32 = 5;
/// Entries of each ring of MAC descriptors, as a power of two.
pub const MAC_RING_LOG2: u32 = 8;

/// Transmit buffers, at most. Each is in the transmit ring at most once, so they fill at most a quarter of it; the rest of the
/// ring takes frames without data, such as acknowledgements.
pub const TX_BUFFERS_MAX: u32 = 64;
/// Receive buffers, at most.
pub const RX_BUFFERS_MAX: u32 = 128;

const _: () = assert!(TX_BUFFERS_MAX < 1 << MAC_RING_LOG2 && RX_BUFFERS_MAX <= 1 << MAC_RING_LOG2);
