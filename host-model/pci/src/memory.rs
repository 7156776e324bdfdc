use crate::BusAddr;

/// Memory refused an access: nothing is mapped there, or the page may not be touched (INV-26).
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("memory refuses {address}: {reason}")]
pub struct MemoryFault {
    /// The address that was refused.
    pub address: BusAddr,
    /// Why, in words.
    pub reason: &'static str,
}

/// Main memory as the NIC sees it through the bridge.
///
/// The bridge calls `claims` once per address phase, `permits` before the first data phase and
/// again whenever a burst enters a new cache line, and then `read` (up to a line at once, ahead of
/// the beats) or `write` (once per beat, at the edge where the data move).
pub trait HostMemory {
    /// Fills `buf` from `addr` on. `addr` is a multiple of 4, `buf` stays within one cache line.
    fn read(&mut self, addr: BusAddr, buf: &mut [u8]) -> Result<(), MemoryFault>;

    /// Writes the bytes whose bit in `byte_enables` is set (bit k: `bytes[k]`). 4 bytes, or 8 at a
    /// multiple of 8.
    fn write(&mut self, addr: BusAddr, bytes: &[u8], byte_enables: u8) -> Result<(), MemoryFault>;

    /// True when the bridge should answer to this address at all; otherwise the master aborts.
    fn claims(&self, addr: BusAddr) -> bool;

    /// Refuses an access before data move, so that a write can be answered with target abort in
    /// time.
    fn permits(&self, _addr: BusAddr, _is_write: bool) -> Result<(), MemoryFault> {
        Ok(())
    }
}
