//! What the network of the kernel costs.

use serde::{Deserialize, Serialize};
use sim_pins::Ps;

/// The protocol of the operating system: what its work costs, and its times. `docs/libraries.md`
/// says what each constant covers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KernelCosts {
    /// Building a segment with data: buffer, headers, queue of the driver. Copies come on top, and
    /// stores to the NIC are measured.
    pub segment_send_ns: u64,
    /// Taking a segment with data, from the buffer of the driver to the queue of its stream.
    pub segment_receive_ns: u64,
    /// Building a segment without data.
    pub ack_send_ns: u64,
    /// Taking a segment without data.
    pub ack_receive_ns: u64,
    /// Adding bytes up, beside copying them.
    pub checksum_bytes_per_us: u32,
    /// From the wake-up of a process that sleeps in a system call to its first instruction.
    pub wakeup_ns: u64,
    /// A receiver acknowledges a single segment at the latest after twice this time.
    pub ack_delay_us: u64,
    /// What is not acknowledged after this time is sent again.
    pub retransmit_us: u64,
    /// A peer that does not acknowledge after so many repetitions is given up.
    pub retransmit_limit: u32,
    /// Room of a stream at each end.
    pub window_bytes: u32,
}

impl KernelCosts {
    /// Adding `bytes` up.
    pub fn checksum(&self, bytes: u32) -> Ps {
        Ps(u64::from(bytes) * 1_000_000 / u64::from(self.checksum_bytes_per_us))
    }
}
