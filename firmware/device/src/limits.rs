/// Entries of each ring of DMA descriptors, as a power of two.
pub const DMA_RING_LOG2: u32 = 5;
/// Entries of each ring of MAC descriptors, as a power of two.
pub const MAC_RING_LOG2: u32 = 8;

/// Largest number of transmit buffers. Each buffer is in the transmit ring at most once, so all of
/// them fill at most a quarter of the ring. The rest takes frames without data, such as
/// acknowledgements.
pub const TX_BUFFERS_MAX: u32 = 64;
/// Largest number of receive buffers.
pub const RX_BUFFERS_MAX: u32 = 128;

const _: () = assert!(TX_BUFFERS_MAX < 1 << MAC_RING_LOG2 && RX_BUFFERS_MAX <= 1 << MAC_RING_LOG2);
