//! What a platform file says.

use serde::{Deserialize, Serialize};
use sim_pins::Ps;

use super::kernel::KernelCosts;
use crate::processor::cycles_to_ps;

/// A machine: NIC, bus, link and host. One TOML file each; the file gives the source of each value.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Platform {
    /// One line for people.
    pub description: String,
    /// The NIC's processors.
    pub core: Core,
    /// The NIC's memory.
    pub sram: Sram,
    /// The PCI bus, and how the NIC uses it.
    pub pci: Pci,
    /// The bridge between the host and the bus.
    pub bridge: Bridge,
    /// The network link.
    pub link: Link,
    /// The NIC's frame buffers.
    pub buffers: Buffers,
    /// Times and limits of the link protocol.
    pub protocol: Protocol,
    /// The host, and what its software costs.
    pub host: HostCosts,
    /// The network of the kernel.
    pub kernel: KernelCosts,
    /// The network of the daemons.
    pub management: Management,
}

/// The processors of the NIC.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Core {
    /// Clock of each core.
    pub clock_hz: u64,
    /// Cores: 1 or 2.
    pub count: u32,
}

/// The NIC's memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sram {
    /// Size, shared by the cores, the DMA engines and the MAC.
    pub bytes: u32,
}

/// The PCI bus.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pci {
    /// Width of the data: 32 or 64.
    pub width_bits: u32,
    /// Clock of the bus.
    pub clock_hz: u64,
    /// What the driver writes to the latency timer of the NIC.
    pub latency_timer_clocks: u8,
    /// What the driver writes to the cache line size of the NIC.
    pub cache_line_dwords: u8,
}

/// The host bridge as a target of the NIC's DMA. Clocks are those of the bus.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bridge {
    /// DEVSEL# comes so many clocks after the address phase: 1 (fast) to 3 (slow).
    pub devsel_clock: u32,
    /// The first data of a read from memory come so many clocks after the address phase, at
    /// most 16.
    pub read_first_clock: u32,
    /// The first data of a write are taken so many clocks after the address phase, at most 16.
    pub write_first_clock: u32,
    /// Wait states before each data phase but the first.
    pub beat_wait_clocks: u32,
    /// Wait states more at each new cache line.
    pub line_wait_clocks: u32,
    /// The bridge ends bursts at multiples of so many bytes, a power of two; 0: never.
    pub boundary_bytes: u32,
}

/// The network link of a NIC.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Link {
    /// Clock of the byte-wide GMII (IEEE 802.3, clause 35): one byte a clock.
    pub clock_hz: u64,
    /// From the last pin of one NIC to the first of the other.
    pub latency_ns: u64,
    /// Data bytes of one frame, behind the header of `nic_layout::frame`.
    pub frame_data_bytes_max: u32,
}

/// The NIC's frame buffers in SRAM.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Buffers {
    /// Transmit buffers.
    pub tx_count: u32,
    /// Receive buffers.
    pub rx_count: u32,
    /// Size of each buffer.
    pub bytes: u32,
}

/// Times and limits of the reliable link protocol in the firmware.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Protocol {
    /// A frame that is not acknowledged is sent again after this time.
    pub retransmit_us: u64,
    /// A peer that does not acknowledge after so many repetitions is given up.
    pub retransmit_limit: u32,
    /// A receiver acknowledges at the latest after so many frames.
    pub ack_frames: u32,
    /// A receiver acknowledges at the latest after this time.
    pub ack_us: u64,
    /// Core B sums the counters again after core A was busy for this time.
    pub keeper_us: u64,
}

/// The host: its size, and what its software costs. `docs/host-model.md` says what each constant
/// covers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostCosts {
    /// Processors that tasks compete for.
    pub processor_count: u32,
    /// Clock of each processor.
    pub processor_clock_hz: u64,
    /// Memory of the node, in MiB.
    pub memory_mib: u32,
    /// Pages that all processes together may have pinned.
    pub pinned_pages_max: u32,
    /// Pages that one process may have pinned: the high water mark (facts M-26).
    pub pinned_pages_high: u32,
    /// Pages of one process to which replacement goes down: the low water mark (facts M-26).
    pub pinned_pages_low: u32,
    /// From INTA# at the interrupt controller to the first instruction of the handler. No processor
    /// is busy.
    pub interrupt_delay_ns: u64,
    /// The handler's own instructions; its loads and stores are measured on the bus.
    pub interrupt_handler_ns: u64,
    /// From the wake-up of the miss thread to its first instruction. No processor is busy.
    pub irq_to_thread_ns: u64,
    /// From the interrupt handler to the first instruction of a process's notification handler. No
    /// processor is busy.
    pub notification_ns: u64,
    /// The thread's own instructions for one miss: tables, bookkeeping. Pinning and stores come on
    /// top.
    pub miss_service_ns: u64,
    /// One call that pins any number of pages.
    pub pin_call_ns: u64,
    /// Each page pinned in it.
    pub pin_page_ns: u64,
    /// One call that unpins any number of pages.
    pub unpin_call_ns: u64,
    /// Each page unpinned in it.
    pub unpin_page_ns: u64,
    /// Into the kernel and back, for open, export, withdraw and close.
    pub syscall_ns: u64,
    /// A store to a page that is not mapped: into the kernel and back, with the page mapped. What
    /// the driver does to find one comes on top.
    pub page_fault_ns: u64,
    /// Taking a page from a process's page table, and from processors that remember it.
    pub unmap_page_ns: u64,
    /// A post queue that its owner has not rung since it was mapped is taken from the owner after
    /// so long.
    pub queue_hold_ns: u64,
    /// The driver looks again after so long for a process that found no post queue.
    pub queue_look_again_ns: u64,
    /// The driver looks so often for the answer of firmware that starts.
    pub boot_poll_ns: u64,
    /// A store, or a burst of stores from one write-combining buffer, until it has left the
    /// processor.
    pub pio_write_ns: u64,
    /// A load, both ways between processor and bus; the bus is measured.
    pub pio_read_ns: u64,
    /// Stores to consecutive addresses within such an aligned block leave in one burst.
    pub write_combining_bytes: u32,
    /// Bursts that may be on their way before the next store waits.
    pub posted_writes_max: u32,
    /// Looking a page up in the bitmap of pinned pages, in the library.
    pub bitmap_page_ns: u64,
    /// Building a descriptor in the library.
    pub post_build_ns: u64,
    /// A poll of own memory that finds it in the cache.
    pub poll_unchanged_ns: u64,
    /// A poll that finds it written by a device: a cache miss.
    pub poll_changed_ns: u64,
    /// Copying from memory to memory.
    pub memcpy_bytes_per_us: u32,
    /// The library's own instructions in a call of MPI: arguments, a request, its end.
    pub mpi_call_ns: u64,
    /// The library's own instructions in a call on a stream socket: descriptor table, credits.
    pub socket_call_ns: u64,
}

/// The second network, which joins the daemons of the hosts: `docs/management.md` says what each
/// constant covers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Management {
    /// A process hands a request to its daemon, or gets an answer.
    pub local_ns: u64,
    /// The daemon sends one message.
    pub send_ns: u64,
    /// The daemon takes one message.
    pub receive_ns: u64,
    /// From the last bit at the sender to the interrupt at the receiver.
    pub latency_ns: u64,
    /// Rate at which the bits of a message leave the host.
    pub bits_per_s: u64,
    /// Headers, FCS and gap of each message.
    pub overhead_bytes: u32,
}

impl Management {
    /// The time in which a host puts `bytes` on the network, rounded down to picoseconds.
    pub fn wire_time(&self, bytes: u64) -> Ps {
        cycles_to_ps(8 * bytes, self.bits_per_s)
    }
}

impl Platform {
    /// Pages of host memory.
    pub fn host_pages(&self) -> u32 {
        self.host.memory_mib << 8
    }

    /// Microseconds in clocks of the core.
    pub fn core_cycles(&self, us: u64) -> u32 {
        let cycles = us * self.core.clock_hz / 1_000_000;
        u32::try_from(cycles).unwrap_or(u32::MAX)
    }

    /// One clock of the bus, rounded down.
    pub fn pci_clock(&self) -> Ps {
        cycles_to_ps(1, self.pci.clock_hz)
    }
}

impl HostCosts {
    /// Copying `bytes` from memory to memory.
    pub fn memcpy(&self, bytes: u32) -> Ps {
        Ps(u64::from(bytes) * 1_000_000 / u64::from(self.memcpy_bytes_per_us))
    }
}
