//! A machine as data: clocks, sizes and widths of what has RTL, and the costs of what has none.
//!
//! Each key carries its unit; each constant in the files under `platforms/` names its source. A platform is one of
//! [`Platform::names`] or a path to a file of the same form.

use std::path::PathBuf;

use nic_layout::boot::MAX_NODES;
use nic_layout::frame::HEADER_BYTES;
use serde::{Deserialize, Serialize};
use sim_pins::Ps;

use crate::processor::cycles_to_ps;

const BUILT_IN: [(&str, &str); 2] = [
    ("tigon2", include_str!("../platforms/tigon2.toml")),
    ("lanai9", include_str!("../platforms/lanai9.toml")),
];

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Platform {
    pub description: String,
    pub core: Core,
    pub sram: Sram,
    pub pci: Pci,
    pub link: Link,
    pub buffers: Buffers,
    pub protocol: Protocol,
    pub host: HostCosts,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Core {
    pub clock_hz: u64,
    pub count: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sram {
    pub bytes: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pci {
    pub width_bits: u32,
    pub clock_hz: u64,
    /// What the driver writes to the latency timer of the NIC.
    pub latency_timer_clocks: u8,
    /// What the driver writes to the cache line size of the NIC.
    pub cache_line_dwords: u8,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Link {
    /// Of the byte-wide GMII.
    pub clock_hz: u64,
    /// From the last pin of one NIC to the first of the other.
    pub latency_ns: u64,
    /// Data bytes of one frame, behind the header of `nic_layout::frame`.
    pub frame_data_bytes_max: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Buffers {
    pub tx_count: u32,
    pub rx_count: u32,
    /// Of each buffer.
    pub bytes: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Protocol {
    pub retransmit_us: u64,
    pub retransmit_limit: u32,
    pub ack_frames: u32,
    pub ack_us: u64,
}

/// The host: its size, and what its software costs. `docs/host-model.md` says what each constant covers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostCosts {
    /// Processors that tasks compete for.
    pub processor_count: u32,
    pub processor_clock_hz: u64,
    pub memory_mib: u32,
    /// Of all processes together.
    pub pinned_pages_max: u32,
    /// Water marks of each process (facts M-26).
    pub pinned_pages_high: u32,
    pub pinned_pages_low: u32,
    /// From INTA# at the interrupt controller to the first instruction of the handler. No processor is busy.
    pub interrupt_delay_ns: u64,
    /// The handler's own instructions; its loads and stores are measured on the bus.
    pub interrupt_handler_ns: u64,
    /// From the wake-up of the miss thread to its first instruction. No processor is busy.
    pub irq_to_thread_ns: u64,
    /// The thread's own instructions for one miss: tables, bookkeeping. Pinning and stores come on top.
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
    /// A store, or a burst of stores from one write-combining buffer, until it has left the processor.
    pub pio_write_ns: u64,
    /// A load, both ways between processor and bus; the bus is measured.
    pub pio_read_ns: u64,
    /// Stores to consecutive addresses within such an aligned block leave in one burst.
    pub write_combining_bytes: u32,
    /// Bursts that may be on their way before the next store waits.
    pub posted_writes_max: u32,
    /// Building a descriptor in the library.
    pub post_build_ns: u64,
    /// A poll of own memory that finds it in the cache.
    pub poll_unchanged_ns: u64,
    /// A poll that finds it written by a device: a cache miss.
    pub poll_changed_ns: u64,
    /// Copying from memory to memory.
    pub memcpy_bytes_per_us: u32,
}

#[derive(Debug, thiserror::Error)]
pub enum PlatformError {
    #[error("no platform {name:?}: the platforms are {known}; or give the path of a platform file (with a / or .toml)")]
    Unknown { name: String, known: String },
    #[error("platform file {path}: {source}")]
    Unreadable {
        path: PathBuf,
        source: std::io::Error,
    },
    /// A key that is missing, unknown or of the wrong type, or a file that is not TOML. The text names line and key.
    #[error("platform {name}: {text}")]
    Form { name: String, text: String },
    #[error("platform {name}: {key} = {value} is impossible: {right}")]
    Value {
        name: String,
        key: &'static str,
        value: String,
        right: &'static str,
    },
}

impl Platform {
    pub fn names() -> impl Iterator<Item = &'static str> {
        BUILT_IN.iter().map(|(name, _)| *name)
    }

    /// The platform of that name, or of the file at that path.
    pub fn load(name: &str) -> Result<Platform, PlatformError> {
        if let Some((name, text)) = BUILT_IN.iter().find(|(known, _)| *known == name) {
            return Platform::parse(name, text);
        }
        if !name.contains('/') && !name.ends_with(".toml") {
            let known = Platform::names().collect::<Vec<_>>().join(", ");
            return Err(PlatformError::Unknown {
                name: name.to_owned(),
                known,
            });
        }
        let text = std::fs::read_to_string(name).map_err(|source| PlatformError::Unreadable {
            path: name.into(),
            source,
        })?;
        Platform::parse(name, &text)
    }

    /// Reads the text of a platform file; `name` is for the messages.
    pub fn parse(name: &str, text: &str) -> Result<Platform, PlatformError> {
        let platform: Platform = toml::from_str(text).map_err(|error| PlatformError::Form {
            name: name.to_owned(),
            text: error.to_string().trim_end().to_owned(),
        })?;
        platform.check(name)?;
        Ok(platform)
    }

    fn check(&self, name: &str) -> Result<(), PlatformError> {
        let (host, buffers) = (&self.host, &self.buffers);
        let least_buffer = HEADER_BYTES as u32 + self.link.frame_data_bytes_max;
        let all_buffers = u64::from(buffers.tx_count + buffers.rx_count) * u64::from(buffers.bytes);
        let memory_pages = u64::from(host.memory_mib) << 8;
        let rules: &[(&'static str, u64, bool, &'static str)] = &[
            (
                "core.clock_hz",
                self.core.clock_hz,
                hz(self.core.clock_hz),
                "1 MHz to 1 GHz",
            ),
            (
                "core.count",
                self.core.count.into(),
                self.core.count == 1,
                "the NIC has 1 core",
            ),
            (
                "sram.bytes",
                self.sram.bytes.into(),
                [524_288, 2_097_152].contains(&self.sram.bytes),
                "the NIC is built with 524288 or 2097152",
            ),
            (
                "pci.width_bits",
                self.pci.width_bits.into(),
                [32, 64].contains(&self.pci.width_bits),
                "32 or 64",
            ),
            (
                "pci.clock_hz",
                self.pci.clock_hz,
                (1_000_000..=66_670_000).contains(&self.pci.clock_hz),
                "1 MHz to 66.67 MHz",
            ),
            (
                "pci.cache_line_dwords",
                self.pci.cache_line_dwords.into(),
                [0, 4, 8, 16, 32].contains(&self.pci.cache_line_dwords),
                "0, 4, 8, 16 or 32",
            ),
            (
                "link.clock_hz",
                self.link.clock_hz,
                hz(self.link.clock_hz),
                "1 MHz to 1 GHz",
            ),
            (
                "link.latency_ns",
                self.link.latency_ns,
                self.link.latency_ns > 0,
                "more than 0: nodes run ahead of one another by it",
            ),
            (
                "link.frame_data_bytes_max",
                self.link.frame_data_bytes_max.into(),
                (64..=16_384).contains(&self.link.frame_data_bytes_max)
                    && self.link.frame_data_bytes_max % 8 == 0,
                "a multiple of 8 from 64 to 16384",
            ),
            (
                "buffers.bytes",
                buffers.bytes.into(),
                buffers.bytes >= least_buffer && buffers.bytes % 8 == 0,
                "a multiple of 8 that holds a header of 48 bytes and link.frame_data_bytes_max",
            ),
            (
                "buffers.tx_count",
                buffers.tx_count.into(),
                (2..=256).contains(&buffers.tx_count),
                "2 to 256",
            ),
            (
                "buffers.rx_count",
                buffers.rx_count.into(),
                (2..=256).contains(&buffers.rx_count),
                "2 to 256",
            ),
            (
                "buffers",
                all_buffers,
                all_buffers < u64::from(self.sram.bytes),
                "all buffers together must leave room in sram.bytes",
            ),
            (
                "protocol.retransmit_us",
                self.protocol.retransmit_us,
                (1..=1_000_000).contains(&self.protocol.retransmit_us),
                "1 to 1000000",
            ),
            (
                "protocol.retransmit_limit",
                self.protocol.retransmit_limit.into(),
                self.protocol.retransmit_limit > 0,
                "at least 1",
            ),
            (
                "protocol.ack_frames",
                self.protocol.ack_frames.into(),
                (1..=buffers.tx_count).contains(&self.protocol.ack_frames),
                "1 to buffers.tx_count, or the sender's window closes before the acknowledgement",
            ),
            (
                "protocol.ack_us",
                self.protocol.ack_us,
                (1..self.protocol.retransmit_us).contains(&self.protocol.ack_us),
                "at least 1 and less than protocol.retransmit_us",
            ),
            (
                "host.processor_count",
                host.processor_count.into(),
                (1..=64).contains(&host.processor_count),
                "1 to 64",
            ),
            (
                "host.processor_clock_hz",
                host.processor_clock_hz,
                (1_000_000..=10_000_000_000).contains(&host.processor_clock_hz),
                "1 MHz to 10 GHz",
            ),
            (
                "host.memory_mib",
                host.memory_mib.into(),
                (1..=2048).contains(&host.memory_mib),
                "1 to 2048",
            ),
            (
                "host.pinned_pages_max",
                host.pinned_pages_max.into(),
                (1..=memory_pages).contains(&host.pinned_pages_max.into()),
                "at least 1, at most all pages of host.memory_mib",
            ),
            (
                "host.pinned_pages_high",
                host.pinned_pages_high.into(),
                host.pinned_pages_high > 0,
                "at least 1",
            ),
            (
                "host.pinned_pages_low",
                host.pinned_pages_low.into(),
                host.pinned_pages_low <= host.pinned_pages_high,
                "at most host.pinned_pages_high",
            ),
            (
                "host.write_combining_bytes",
                host.write_combining_bytes.into(),
                [8, 16, 32, 64].contains(&host.write_combining_bytes),
                "8, 16, 32 or 64",
            ),
            (
                "host.posted_writes_max",
                host.posted_writes_max.into(),
                host.posted_writes_max > 0,
                "at least 1",
            ),
            (
                "host.poll_unchanged_ns",
                host.poll_unchanged_ns,
                host.poll_unchanged_ns > 0,
                "at least 1",
            ),
            (
                "host.memcpy_bytes_per_us",
                host.memcpy_bytes_per_us.into(),
                host.memcpy_bytes_per_us > 0,
                "at least 1",
            ),
        ];
        for (key, value, possible, right) in rules {
            if !possible {
                let (name, value) = (name.to_owned(), value.to_string());
                return Err(PlatformError::Value {
                    name,
                    key,
                    value,
                    right,
                });
            }
        }
        Ok(())
    }

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

    /// Nodes that one cluster may have.
    pub const fn nodes_max() -> usize {
        MAX_NODES
    }
}

fn hz(clock_hz: u64) -> bool {
    (1_000_000..=1_000_000_000).contains(&clock_hz)
}

impl HostCosts {
    /// Copying `bytes` from memory to memory.
    pub fn memcpy(&self, bytes: u32) -> Ps {
        Ps(u64::from(bytes) * 1_000_000 / u64::from(self.memcpy_bytes_per_us))
    }
}
