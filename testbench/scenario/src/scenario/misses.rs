//! Which messages miss in the NIC's caches, and what becomes of them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which messages miss, where, and what becomes of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Misses {
    /// Shares of messages that miss, 0 to 1; each is a run of its own. With `emp`: messages of a
    /// ping-pong that find no posted receive, since it is posted late.
    pub ratios: Vec<f64>,
    /// The node on which they miss.
    pub node: usize,
    /// The cache that misses. By default `vmh`.
    #[serde(default, skip_serializing_if = "MissedCache::is_vmh")]
    pub cache: MissedCache,
    /// The path on which a message misses. By default `receive`.
    #[serde(default, skip_serializing_if = "MissedSide::is_receive")]
    pub side: MissedSide,
    /// What serves a miss. By default `kernel-thread`.
    #[serde(default, skip_serializing_if = "MissService::is_thread")]
    pub service: MissService,
    /// What becomes of a frame that misses where it arrives.
    #[serde(default)]
    pub receive: ReceiveMiss,
    /// Frames that a NIC may hold at a time, with `receive = "hold"`, at most 16.
    #[serde(default = "held_frames_max")]
    pub held_frames_max: u32,
}

fn held_frames_max() -> u32 {
    12
}

/// The path whose lookup misses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MissedSide {
    /// What the node receives.
    #[default]
    Receive,
    /// What the node sends by DMA.
    Send,
}

impl MissedSide {
    /// Whether to leave the key out of a written scenario.
    pub(super) fn is_receive(&self) -> bool {
        *self == MissedSide::Receive
    }
}

/// The cache in which a message that shall miss is not found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MissedCache {
    /// Its destination page has no translation on the NIC.
    #[default]
    Vmh,
    /// Its buffer has no descriptor there.
    Cbh,
}

impl MissedCache {
    /// Whether to leave the key out of a written scenario.
    pub(super) fn is_vmh(&self) -> bool {
        *self == MissedCache::Vmh
    }
}

/// What serves a miss: [`host_model::driver::MissService`] as a key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MissService {
    /// A kernel thread that the interrupt handler wakes.
    #[default]
    KernelThread,
    /// The interrupt handler itself, where nothing has to be pinned.
    Interrupt,
    /// The NIC, which reads the host's table by DMA.
    Nic,
}

impl MissService {
    /// Whether the kernel thread serves misses. A written scenario leaves this value out.
    pub fn is_thread(&self) -> bool {
        *self == MissService::KernelThread
    }

    /// The same value in the type of the driver.
    pub fn of_driver(self) -> host_model::driver::MissService {
        use host_model::driver::MissService as Driver;
        match self {
            MissService::KernelThread => Driver::KernelThread,
            MissService::Interrupt => Driver::Interrupt,
            MissService::Nic => Driver::Nic,
        }
    }
}

/// What becomes of a frame that misses: [`nic_layout::boot::ReceiveMiss`] as a key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ReceiveMiss {
    /// The frame is dropped, and its sender's timer sends it again.
    #[default]
    TimeOut,
    /// The frame is dropped, and its sender is told when to send it again.
    Restart,
    /// The NIC keeps the frame until the miss is served.
    Hold,
}

impl ReceiveMiss {
    /// The same value in the type of the boot request.
    pub fn of_layout(self) -> nic_layout::boot::ReceiveMiss {
        use nic_layout::boot::ReceiveMiss as Layout;
        match self {
            ReceiveMiss::TimeOut => Layout::TimeOut,
            ReceiveMiss::Restart => Layout::Restart,
            ReceiveMiss::Hold => Layout::Hold,
        }
    }
}
