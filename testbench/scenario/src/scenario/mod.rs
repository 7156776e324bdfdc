//! What to run: the keys of a scenario file, and what follows from them.

mod check;
mod emp;
mod load;
mod misses;
mod nic;
mod read;
mod workload;

use std::path::PathBuf;

use nic_layout::key::KeyWidth;
use nic_layout::vmh::VmhGeometry;
use page_traces::Pattern;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sim_fabric::Topology;

use crate::error::Result;
use crate::personality::{self, Lookup, Personality};
use crate::{image, request_error};

pub use crate::faults::{Faults, FaultsOfLink};
pub use crate::workload_kind::WorkloadKind;
pub use emp::{Emp, Library, Matching, Scheme, Translate};
pub use load::Load;
pub use misses::{MissService, MissedCache, MissedSide, Misses, ReceiveMiss};
pub use nic::{Cache, Nic};
pub use read::{load, BUILT_IN};
pub use workload::Workload;

/// The longest message of a workload on remote memory, and the size of each of its buffers, in
/// bytes.
pub const REMOTE_BYTES_MAX: u32 = 64 * 1024;

/// The most messages that each of two nodes may send in a run. More nodes share twice this number.
/// The traces tell messages apart by 24 bits of their numbers.
pub const MESSAGES_MAX: u64 = 1_000_000;

/// The program with a name, upper or lower case: the names of [`Pattern::ALL`].
pub fn program(name: &str) -> Option<Pattern> {
    Pattern::ALL.into_iter().find(|pattern| pattern.name().eq_ignore_ascii_case(name))
}

/// What to run. Each field is a key of the file, in the table of its struct.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// The name by which the scenario was asked for. The file does not have it.
    #[serde(default)]
    pub name: String,
    /// One line for `nicscope list`.
    pub description: String,
    /// Names of platforms, or paths of platform files. Each is run in turn.
    pub platforms: Vec<String>,
    /// What the NICs serve: their firmware and what the driver does for it.
    #[serde(with = "personality::by_name", default = "personality::default")]
    #[schemars(schema_with = "personality::schema")]
    pub personality: &'static Personality,
    /// How many nodes there are: 2 to 64, or fewer where the personality says so. For more than 16
    /// the image of the NIC has its state in SRAM, and is slower.
    pub nodes: usize,
    /// The cables and switches that join the nodes, as in `{ kind = "switch" }`: see
    /// `docs/switch.md`. By default one cable.
    #[serde(default = "cable", skip_serializing_if = "is_cable")]
    #[schemars(schema_with = "table")]
    pub topology: Topology,
    /// Cores of each NIC, at least: the platform's number if that is larger. Two cores need 512 KB
    /// of SRAM. By default 1.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub cores: u32,
    /// Bits of every protection key, 64 or 128. The images are built for one width. By default 64.
    #[serde(default = "key_bits", skip_serializing_if = "is_usual_key")]
    pub key_bits: u32,
    /// What the nodes do.
    pub workload: Workload,
    /// Which messages miss, where, and what becomes of them.
    pub misses: Misses,
    /// The cache of translations on each NIC.
    pub cache: Cache,
    /// The cables.
    pub link: Link,
    /// What processes share on each NIC.
    #[serde(default, skip_serializing_if = "Nic::is_default")]
    pub nic: Nic,
    /// How EMP cuts messages and sends them again, for personalities that match messages.
    #[serde(default, skip_serializing_if = "Emp::is_default")]
    pub emp: Emp,
    /// Other work of the hosts. Without it they are idle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load: Option<Load>,
    /// What happens to frames on the links.
    pub faults: Faults,
    /// The reset of a NIC, for the kind `restart` alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restart: Option<Restart>,
}

/// The reset of a NIC under traffic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Restart {
    /// The node whose NIC is reset.
    pub node: usize,
    /// The time from the begin of the node's stream to the reset, in us, 1 to 1000000.
    pub after_us: u64,
}

/// The cables.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Link {
    /// Time from one end of a cable to the other with the transceivers, in ns, 20 to 1000000.
    pub latency_ns: u64,
    /// The time after which a frame without an acknowledgement is sent again, in us, 1 to 1000000.
    /// By default the platform's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retransmit_us: Option<u64>,
}

fn key_bits() -> u32 {
    KeyWidth::default().bits()
}

/// Whether to leave the key out of a written scenario: a result names only unusual values.
fn is_usual_key(bits: &u32) -> bool {
    *bits == key_bits()
}

/// A value with keys of its own, which another page describes.
fn table(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({"type": "object"})
}

fn cable() -> Topology {
    Topology::Cable {}
}

/// Whether to leave the key out of a written scenario.
fn is_cable(topology: &Topology) -> bool {
    *topology == cable()
}

fn one() -> u32 {
    1
}

/// Whether to leave the key out of a written scenario.
fn is_one(number: &u32) -> bool {
    *number == 1
}

impl Scenario {
    /// The messages that each node sends in a run, warm-up included. Where only one node of a pair
    /// sends, its peer receives as many.
    pub fn messages_per_node(&self) -> u64 {
        let workload = &self.workload;
        match workload.kind {
            WorkloadKind::Random => u64::from(workload.iterations.div_ceil(2)),
            WorkloadKind::AllToAll | WorkloadKind::Incast | WorkloadKind::Ring => {
                let peers = if workload.kind == WorkloadKind::AllToAll { self.nodes as u64 - 1 } else { 1 };
                let of_a_size = u64::from(workload.warm_up) + u64::from(workload.iterations);
                workload.sizes_bytes.len() as u64 * of_a_size * peers
            }
            // Node 0 counts the messages of both nodes.
            WorkloadKind::Pages => u64::from(workload.iterations.div_ceil(2)),
            WorkloadKind::PingPong
            | WorkloadKind::Stream
            | WorkloadKind::BothWays
            | WorkloadKind::Bystander
            | WorkloadKind::Fetch
            | WorkloadKind::Notify
            | WorkloadKind::Restart => {
                workload.sizes_bytes.len() as u64 * (u64::from(workload.warm_up) + u64::from(workload.iterations))
            }
        }
    }

    /// Messages of all nodes in a run, warm-up included.
    pub fn messages(&self) -> u64 {
        let senders = match self.workload.kind {
            WorkloadKind::Incast => self.nodes - 1,
            _ => self.nodes,
        };
        self.messages_per_node() * senders as u64
    }

    /// The nodes to which a node sends. A sender of several flows begins with the node behind it,
    /// so that not all senders begin with the same receiver.
    pub fn receivers(&self, node: usize) -> Vec<usize> {
        let nodes = self.nodes;
        match self.workload.kind {
            WorkloadKind::AllToAll => (1..nodes).map(|distance| (node + distance) % nodes).collect(),
            WorkloadKind::Ring => vec![(node + 1) % nodes],
            WorkloadKind::Incast if node == 0 => Vec::new(),
            WorkloadKind::Incast => vec![0],
            _ => vec![self.peer(node)],
        }
    }

    /// The nodes that send to a node, in their order.
    pub fn senders(&self, node: usize) -> Vec<usize> {
        (0..self.nodes).filter(|sender| *sender != node && self.receivers(*sender).contains(&node)).collect()
    }

    /// The other node of a pair: 0 and 1, 2 and 3, and so on are pairs. With an odd number of nodes
    /// the last node is its own peer.
    pub fn peer(&self, node: usize) -> usize {
        Some(node ^ 1).filter(|peer| *peer < self.nodes).unwrap_or(node)
    }

    /// The number of cables.
    fn links(&self) -> usize {
        self.topology.cables(self.nodes).map_or(1, |cables| cables.len())
    }

    /// Whether the firmware looks handles up in caches: [`Personality::has_caches`].
    pub fn has_caches(&self) -> bool {
        self.personality.has_caches()
    }

    /// Whether processes send messages that the NIC matches, without a library above them.
    pub fn has_messages(&self) -> bool {
        self.personality.is_matched() && self.emp.library == Library::Emp
    }

    /// Whether a message misses when it finds no posted receive, since no lookup of it can miss.
    pub fn refuses_messages(&self) -> bool {
        self.has_messages() && !self.has_caches()
    }

    /// The geometry of the VMH cache for which the firmware is built.
    ///
    /// # Errors
    /// As [`Cache::geometry`].
    pub fn geometry(&self) -> Result<VmhGeometry> {
        match self.has_caches() {
            true => self.cache.geometry(),
            // The image without caches is built for one geometry, whatever the file says.
            false => Ok(VmhGeometry::RECOMMENDED),
        }
    }

    /// The width of every protection key.
    ///
    /// # Errors
    /// `key_bits` is neither 64 nor 128.
    pub fn key_width(&self) -> Result<KeyWidth> {
        KeyWidth::from_bits(self.key_bits)
            .ok_or_else(|| request_error!("key_bits = {}: must be 64 or 128", self.key_bits))
    }

    /// Builds the image for core A of a NIC with `cores` cores, 1 or 2, unless it is up to date.
    ///
    /// # Errors
    /// As [`image::build_caches`].
    pub fn image_of_core_a(&self, cores: u32) -> Result<PathBuf> {
        self.image(&self.personality.image(cores), cores)
    }

    /// The same for core B; `None` with one core.
    ///
    /// # Errors
    /// As [`image::build_caches`].
    pub fn image_of_core_b(&self, cores: u32) -> Result<Option<PathBuf>> {
        match self.personality.image_of_core_b.filter(|_| cores > 1) {
            None => Ok(None),
            Some(binary) => self.image(binary, cores).map(Some),
        }
    }

    fn image(&self, binary: &str, cores: u32) -> Result<PathBuf> {
        match self.scheme(cores) {
            Some(scheme) => image::build_scheme(binary, scheme, self.emp.matching),
            None => image::build_for(binary, self.geometry()?, self.key_width()?, self.nodes, self.emp.matching),
        }
    }

    /// Which core of a NIC with `cores` cores runs which parts, if the personality has parts for
    /// both.
    pub fn scheme(&self, cores: u32) -> Option<Scheme> {
        let has_parts = cores == 2 && self.personality.lookup == Lookup::Matched;
        has_parts.then(|| self.emp.scheme.unwrap_or_default())
    }
}
