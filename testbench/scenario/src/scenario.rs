//! What to run: a TOML file, with keys overridden from the command line.

use figment::providers::{Format, Toml};
use figment::Figment;
use host_model::platform::toml_error;
use nic_layout::boot::MAX_NODES;
use nic_layout::key::KeyWidth;
use nic_layout::post::INLINE_BYTES_MAX;
use nic_layout::tables::PID_MAX;
use nic_layout::vmh::{GeometryError, VmhGeometry};
use nic_layout::PROCESS_SLOTS;
use nic_plan::HELD_FRAMES_LIMIT;
use page_traces::Pattern;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sim_fabric::Topology;
use sim_pins::Ps;

use crate::error::Result;
use crate::personality::{self, Personality};
use crate::{request_error, wording};

pub use crate::faults::{Faults, FaultsOfLink};
pub use crate::workload_kind::WorkloadKind;

/// The scenarios that come with the command: name and text.
pub const BUILT_IN: [(&str, &str); 10] = [
    ("ping-pong", include_str!("../scenarios/ping-pong.toml")),
    ("stream", include_str!("../scenarios/stream.toml")),
    ("random", include_str!("../scenarios/random.toml")),
    ("bystander", include_str!("../scenarios/bystander.toml")),
    ("fetch", include_str!("../scenarios/fetch.toml")),
    ("notify", include_str!("../scenarios/notify.toml")),
    ("pages", include_str!("../scenarios/pages.toml")),
    ("all-to-all", include_str!("../scenarios/all-to-all.toml")),
    ("incast", include_str!("../scenarios/incast.toml")),
    ("ring", include_str!("../scenarios/ring.toml")),
];

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
    /// How many nodes there are: 2 to 16 ([`MAX_NODES`]).
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
    /// Other work of the hosts. Without it they are idle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load: Option<Load>,
    /// What happens to frames on the links.
    pub faults: Faults,
}

/// Other work of the hosts: see `host_model::load`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Load {
    /// Programs on each host that compute beside the workload, at most 64.
    pub programs: u32,
    /// Share of their time that the programs spend in the kernel, in percent, at most 90.
    pub kernel_percent: u32,
    /// The longest section in the kernel that is not interrupted, in us, at most 10000.
    pub kernel_section_us: u64,
    /// A kernel thread that is woken runs up to so much later, in us, at most 10000.
    pub thread_spread_us: u64,
    /// The time to fill a fresh page, in us, at most 10000.
    pub page_fill_us: u64,
}

impl Load {
    /// The same values in the type of the host model.
    pub fn of_host(self) -> host_model::load::Load {
        host_model::load::Load {
            programs: self.programs,
            kernel_percent: self.kernel_percent,
            kernel_section: Ps::from_us(self.kernel_section_us),
            thread_spread: Ps::from_us(self.thread_spread_us),
            page_fill: Ps::from_us(self.page_fill_us),
        }
    }

    fn check(&self) -> Result<()> {
        let values = [
            ("load.programs", u64::from(self.programs), 64),
            ("load.kernel_percent", u64::from(self.kernel_percent), 90),
            ("load.kernel_section_us", self.kernel_section_us, 10_000),
            ("load.thread_spread_us", self.thread_spread_us, 10_000),
            ("load.page_fill_us", self.page_fill_us, 10_000),
        ];
        for (key, value, max) in values {
            if value > max {
                return Err(request_error!("{key} = {value}: must be at most {max}"));
            }
        }
        if self.programs > 0 && self.kernel_percent > 0 && self.kernel_section_us == 0 {
            return Err(request_error!(
                "load.kernel_section_us = 0: must be at least 1 with load.kernel_percent above 0"
            ));
        }
        Ok(())
    }
}

/// What the nodes do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Workload {
    /// What the nodes do.
    pub kind: WorkloadKind,
    /// Bytes of a message; each size is measured in turn.
    pub sizes_bytes: Vec<u32>,
    /// Measured repetitions of each size.
    pub iterations: u32,
    /// Repetitions of each size before those that are measured.
    pub warm_up: u32,
    /// Messages that a process has under way at a time, 1 to 64.
    #[serde(default = "one")]
    pub outstanding: u32,
    /// The program whose page accesses are made, for the kind `pages` alone: fft, lu, radix or
    /// ocean.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// Messages of up to so many bytes travel with their post (PIO), 0 to 32. By default 32.
    #[serde(default = "inline_bytes_max", skip_serializing_if = "is_inline_bytes_max")]
    pub pio_bytes_max: u32,
}

fn inline_bytes_max() -> u32 {
    INLINE_BYTES_MAX
}

fn is_inline_bytes_max(number: &u32) -> bool {
    *number == INLINE_BYTES_MAX
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

/// Which messages miss, where, and what becomes of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Misses {
    /// Shares of messages that miss, 0 to 1; each is a run of its own.
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
    fn is_receive(&self) -> bool {
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
    fn is_vmh(&self) -> bool {
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

/// The cache of translations on each NIC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cache {
    /// Translations of pages in all, a power of two.
    pub entries: u32,
    /// Translations of a line, a power of two from 8 to 128.
    pub line_entries: u32,
    /// Lines of a set: 2, 4 or 8.
    pub ways: u32,
}

impl Cache {
    /// The geometry in the type of the firmware.
    ///
    /// # Errors
    /// A number is no power of two, out of its range, or the entries are fewer than one set.
    pub fn geometry(self) -> Result<VmhGeometry> {
        let geometry = VmhGeometry { entries: self.entries, line_entries: self.line_entries, ways: self.ways };
        geometry.check().map_err(|error| match error {
            GeometryError::NotAPowerOfTwo => request_error!(
                "cache: entries = {}, line_entries = {}, ways = {}: each must be a power of two",
                self.entries,
                self.line_entries,
                self.ways
            ),
            GeometryError::LineEntriesOutOfRange => {
                request_error!("cache.line_entries = {}: must be 8 to 128", self.line_entries)
            }
            GeometryError::WaysOutOfRange => {
                request_error!("cache.ways = {}: must be 2, 4 or 8", self.ways)
            }
            GeometryError::FewerThanOneSet => request_error!(
                "cache.entries = {}: must hold at least one set of {} ways times {} entries",
                self.entries,
                self.ways,
                self.line_entries
            ),
        })
    }
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

/// What processes share on each NIC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Nic {
    /// Post queues of a NIC, 1 to 8, which the driver gives to processes on demand (M-52). By
    /// default the personality's number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub post_queues: Option<u32>,
    /// Processes that a node may have at a time, 1 to 4095.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processes_max: Option<usize>,
}

impl Nic {
    /// Whether to leave the table out of a written scenario.
    fn is_default(&self) -> bool {
        *self == Nic::default()
    }

    fn check(self, has_caches: bool) -> Result<()> {
        if let Some(queues) = self.post_queues.filter(|queues| !(1..=PROCESS_SLOTS as u32).contains(queues)) {
            return Err(request_error!("nic.post_queues = {queues}: must be 1 to {PROCESS_SLOTS}"));
        }
        if let Some(queues) = self.post_queues.filter(|queues| !has_caches && *queues != PROCESS_SLOTS as u32) {
            return Err(request_error!(
                "nic.post_queues = {queues}: must be {PROCESS_SLOTS} without caches: each process has tables and a queue of its own"
            ));
        }
        if let Some(max) = self.processes_max.filter(|max| !(1..=PID_MAX as usize).contains(max)) {
            return Err(request_error!("nic.processes_max = {max}: must be 1 to {PID_MAX}"));
        }
        Ok(())
    }
}

/// Reads a built-in scenario or a TOML file, and applies overrides, each of the form `KEY=VALUE`.
///
/// # Errors
/// The file cannot be read, a key or value is wrong, or values contradict each other. Only values
/// that depend on a platform are not checked: [`crate::platform::load`] and
/// [`crate::memory_map::check`] do that.
pub fn load(name_or_path: &str, overrides: &[String]) -> Result<Scenario> {
    let (name, text) = match BUILT_IN.iter().find(|(name, _)| *name == name_or_path) {
        Some((name, text)) => (name.to_string(), text.to_string()),
        None if name_or_path.ends_with(".toml") => {
            let text = std::fs::read_to_string(name_or_path)
                .map_err(|error| request_error!("scenario file {name_or_path}: {error}"))?;
            let stem = std::path::Path::new(name_or_path).file_stem().unwrap_or_default();
            (stem.to_string_lossy().into_owned(), text)
        }
        None => {
            let names: Vec<&str> = BUILT_IN.iter().map(|(name, _)| *name).collect();
            return Err(request_error!(
                "unknown scenario {name_or_path:?}: give one of {}, or the path of a .toml file",
                names.join(", ")
            ));
        }
    };
    if let Err(error) = text.parse::<toml::Table>() {
        return Err(request_error!("scenario {name}: {}", toml_error(&text, &error)));
    }
    let mut figment = Figment::from(Toml::string(&text));
    for entry in overrides {
        figment = figment.merge(Toml::string(&override_toml(entry)?));
    }
    if figment.contains("name") {
        return Err(request_error!("scenario {name}: name: no such key, a scenario is called as its file"));
    }
    let mut scenario: Scenario =
        figment.extract().map_err(|error| request_error!("scenario {name}: {}", wording::of(error)))?;
    scenario.name = name;
    scenario.check()?;
    if !scenario.has_caches() {
        if let Some(entry) = overrides.iter().find(|entry| entry.trim_start().starts_with("cache.")) {
            return Err(request_error!(
                "--set {entry}: personality {:?} has no cache: its tables hold everything",
                scenario.personality.name
            ));
        }
    }
    Ok(scenario)
}

/// Turns `a.b=value` into TOML. A value that is no TOML becomes a string. A scalar for a list
/// becomes a list of one.
fn override_toml(entry: &str) -> Result<String> {
    let Some((key, value)) = entry.split_once('=') else {
        return Err(request_error!("--set {entry}: must be KEY=VALUE, as in workload.iterations=100"));
    };
    let (key, value) = (key.trim(), value.trim());
    if key.is_empty() || !key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.' || c == '-') {
        return Err(request_error!("--set {entry}: {key:?} is no key; keys look like workload.iterations"));
    }
    let is_list = LIST_KEYS.contains(&key) && !value.starts_with('[');
    let parses = |text: &str| text.parse::<toml::Table>().is_ok();
    let render = |item: &str| match parses(&format!("v = {item}")) {
        true => item.to_string(),
        false => format!("{item:?}"),
    };
    let value = match is_list {
        true => format!("[{}]", value.split(',').map(|item| render(item.trim())).collect::<Vec<_>>().join(", ")),
        false => render(value),
    };
    Ok(format!("{key} = {value}"))
}

/// Keys whose value is a list, so that `--set platforms=lanai9` works.
const LIST_KEYS: [&str; 3] = ["platforms", "workload.sizes_bytes", "misses.ratios"];

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
            | WorkloadKind::Bystander
            | WorkloadKind::Fetch
            | WorkloadKind::Notify => {
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

    /// The name of the image for core A of a NIC with `cores` cores, 1 or 2.
    pub fn image_of_core_a(&self, cores: u32) -> String {
        self.personality.image(cores)
    }

    fn check(&self) -> Result<()> {
        self.geometry()?;
        self.key_width()?;
        if self.platforms.is_empty() {
            return Err(request_error!("platforms = []: name at least one (see `nicscope list`)"));
        }
        self.check_nodes()?;
        if !(1..=2).contains(&self.cores) {
            return Err(request_error!("cores = {}: must be 1 or 2", self.cores));
        }
        let workload = &self.workload;
        if workload.sizes_bytes.is_empty() {
            return Err(request_error!("workload.sizes_bytes = []: name at least one size in bytes"));
        }
        for &size in &workload.sizes_bytes {
            if size == 0 || size > MESSAGE_BYTES_MAX {
                return Err(request_error!("workload.sizes_bytes: {size}: must be 1 to {MESSAGE_BYTES_MAX} bytes"));
            }
        }
        if workload.iterations == 0 {
            return Err(request_error!("workload.iterations = 0: must be at least 1"));
        }
        let messages = self.messages_per_node();
        let most = 2 * MESSAGES_MAX / self.nodes as u64;
        if messages > most {
            return Err(request_error!(
                "workload: {messages} messages of each node: sizes times warm_up and iterations must be at most {most}"
            ));
        }
        if workload.pio_bytes_max > INLINE_BYTES_MAX {
            return Err(request_error!("workload.pio_bytes_max = {}: must be 0 to 32", workload.pio_bytes_max));
        }
        if workload.outstanding == 0 || workload.outstanding > 64 {
            return Err(request_error!("workload.outstanding = {}: must be 1 to 64", workload.outstanding));
        }
        self.nic.check(self.has_caches())?;
        if let Some(load) = &self.load {
            load.check()?;
        }
        self.check_program()?;
        if self.misses.ratios.is_empty() {
            return Err(request_error!("misses.ratios = []: name at least one ratio, as in [0.0]"));
        }
        let goes_where_it_likes = matches!(workload.kind, WorkloadKind::Random | WorkloadKind::Pages);
        if goes_where_it_likes && self.misses.ratios != [0.0] {
            return Err(request_error!(
                "misses.ratios: random messages and pages of programs go where they like: must be [0.0] with workload.kind = \"random\" or \"pages\""
            ));
        }
        if workload.kind.has_flows() && self.misses.ratios != [0.0] {
            return Err(request_error!(
                "misses.ratios: messages of workload.kind = {:?} go to places that stay in the caches: must be [0.0]",
                workload.kind.name()
            ));
        }
        let personality = self.personality;
        if !personality.workloads.contains(&workload.kind) {
            let names: Vec<String> = personality.workloads.iter().map(|kind| kind.name()).collect();
            let reason = match personality.has_caches() {
                true => "",
                false => " has no caches, and",
            };
            return Err(request_error!(
                "personality = {:?}:{reason} does not play workload.kind = {:?}: must be one of {}",
                personality.name,
                workload.kind.name(),
                names.join(", ")
            ));
        }
        if !self.has_caches() && self.misses.ratios != [0.0] {
            return Err(request_error!(
                "misses.ratios: personality {:?} never misses: must be [0.0], as by --set misses.ratios=0.0",
                self.personality.name
            ));
        }
        let can_miss_there = self.workload.kind == WorkloadKind::PingPong && self.misses.cache == MissedCache::Vmh;
        if self.misses.side == MissedSide::Send && !can_miss_there {
            return Err(request_error!(
                "misses.side = \"send\": only translations, of messages of a ping-pong, are made to miss where they are sent from"
            ));
        }
        if self.misses.node >= self.nodes {
            return Err(request_error!("misses.node = {}: must be 0 to {}", self.misses.node, self.nodes - 1));
        }
        if self.misses.held_frames_max > HELD_FRAMES_LIMIT {
            return Err(request_error!(
                "misses.held_frames_max = {}: must be at most {HELD_FRAMES_LIMIT}",
                self.misses.held_frames_max
            ));
        }
        for ratio in &self.misses.ratios {
            if !(0.0..=1.0).contains(ratio) {
                return Err(request_error!("misses.ratios: {ratio}: must be 0 to 1"));
            }
        }
        self.faults.check(self.links())?;
        if let Some(us) = self.link.retransmit_us.filter(|us| !(1..=1_000_000).contains(us)) {
            return Err(request_error!("link.retransmit_us = {us}: must be 1 to 1000000"));
        }
        if !(20..=1_000_000).contains(&self.link.latency_ns) {
            return Err(request_error!("link.latency_ns = {}: must be 20 to 1000000", self.link.latency_ns));
        }
        Ok(())
    }
}

impl Scenario {
    /// The number of nodes, and what joins them.
    fn check_nodes(&self) -> Result<()> {
        let (nodes, kind) = (self.nodes, self.workload.kind);
        if !(2..=MAX_NODES).contains(&nodes) {
            return Err(request_error!("nodes = {nodes}: must be 2 to {MAX_NODES}"));
        }
        self.topology.check(nodes).map_err(|error| request_error!("{error}"))?;
        if kind == WorkloadKind::Pages && nodes != 2 {
            return Err(request_error!("nodes = {nodes}: must be 2 with workload.kind = \"pages\""));
        }
        if !kind.has_flows() && nodes % 2 != 0 {
            return Err(request_error!(
                "nodes = {nodes}: must be even with workload.kind = {:?}, which nodes 0 and 1, 2 and 3, ... play in pairs",
                kind.name()
            ));
        }
        Ok(())
    }
}

/// No message of a program goes beyond the first half of its page.
const PROGRAM_BYTES_MAX: u32 = 2048;

impl Scenario {
    fn check_program(&self) -> Result<()> {
        let workload = &self.workload;
        let names = || Pattern::ALL.map(|pattern| pattern.name().to_lowercase()).join(", ");
        match (&workload.program, workload.kind) {
            (None, WorkloadKind::Pages) => {
                Err(request_error!("workload.program is missing: must be one of {}", names()))
            }
            (Some(name), WorkloadKind::Pages) if program(name).is_none() => {
                Err(request_error!("workload.program = {name:?}: must be one of {}", names()))
            }
            (Some(name), kind) if kind != WorkloadKind::Pages => {
                Err(request_error!("workload.program = {name:?}: only with workload.kind = \"pages\""))
            }
            (_, WorkloadKind::Pages)
                if workload.sizes_bytes.len() != 1
                    || !(INLINE_BYTES_MAX + 1..=PROGRAM_BYTES_MAX).contains(&workload.sizes_bytes[0]) =>
            {
                Err(request_error!(
                    "workload.sizes_bytes: must be one size from 33 to {PROGRAM_BYTES_MAX} bytes with workload.kind = \"pages\": smaller ones go with their post"
                ))
            }
            _ => Ok(()),
        }
    }
}

/// The longest message of a workload, and the size of each buffer of a workload, in bytes.
pub const MESSAGE_BYTES_MAX: u32 = 64 * 1024;

/// The most messages that each of two nodes may send in a run. More nodes share twice this number.
/// The traces tell messages apart by 24 bits of their numbers.
pub const MESSAGES_MAX: u64 = 1_000_000;

/// The program with a name, upper or lower case: the names of [`Pattern::ALL`].
pub fn program(name: &str) -> Option<Pattern> {
    Pattern::ALL.into_iter().find(|pattern| pattern.name().eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(name: &str, overrides: &[&str]) -> String {
        let overrides: Vec<String> = overrides.iter().map(|text| text.to_string()).collect();
        load(name, &overrides).expect_err("must be refused").to_string()
    }

    #[test]
    fn built_in_scenarios_are_valid() {
        for (name, _) in BUILT_IN {
            load(name, &[]).unwrap_or_else(|error| panic!("{name}: {error}"));
        }
    }

    #[test]
    fn an_override_replaces_only_its_key() {
        let scenario = load("ping-pong", &["workload.iterations=3".into(), "platforms=lanai9".into()]).unwrap();
        assert_eq!(scenario.workload.iterations, 3);
        assert_eq!(scenario.workload.warm_up, 2);
        assert_eq!(scenario.platforms, ["lanai9"]);
    }

    #[test]
    fn scenarios_that_need_no_misses_have_both_personalities() {
        for name in ["ping-pong", "stream", "random"] {
            let scenario = load(name, &["personality=vmmc".into(), "misses.ratios=0.0".into()]).unwrap();
            assert_eq!(scenario.image_of_core_a(1), "vmmc");
            assert_eq!(scenario.geometry().unwrap(), VmhGeometry::RECOMMENDED);
        }
    }

    #[test]
    fn a_scalar_for_a_list_is_a_list() {
        let scenario = load("ping-pong", &["workload.sizes_bytes=4,64".into(), "misses.ratios=0.5".into()]).unwrap();
        assert_eq!(scenario.workload.sizes_bytes, [4, 64]);
        assert_eq!(scenario.misses.ratios, [0.5]);
    }

    #[test]
    fn errors_name_the_key_the_value_and_what_is_right() {
        assert!(message("pong", &[]).contains("ping-pong"));
        assert!(message("ping-pong", &["workload.iteration=3"]).contains("iterations"));
        assert!(message("ping-pong", &["workload.sizes_bytes=0"]).contains("must be 1 to"));
        assert!(message("ping-pong", &["workload.sizes_bytes=1000000"]).contains("1000000"));
        assert!(message("ping-pong", &["cache.ways=3"]).contains("power of two"));
        assert!(message("ping-pong", &["cache.ways=16"]).contains("2, 4 or 8"));
        assert!(message("ping-pong", &["misses.ratios=1.5"]).contains("0 to 1"));
        assert!(message("ping-pong", &["link.retransmit_us=0"]).contains("1 to 1000000"));
        assert!(message("ping-pong", &["misses.receive=nack"]).contains("time-out"));
        assert!(message("ping-pong", &["misses.cache=tlb"]).contains("cbh"));
        assert!(message("ping-pong", &["misses.side=both"]).contains("receive"));
        assert!(message("ping-pong", &["misses.side=send", "misses.cache=cbh"]).contains("only translations"));
        assert!(message("ping-pong", &["misses.service=nobody"]).contains("kernel-thread"));
        assert!(message("ping-pong", &["workload.program=fft"]).contains("only with"));
        assert!(message("pages", &["workload.program=doom"]).contains("radix"));
        assert!(message("pages", &["workload.sizes_bytes=16"]).contains("33 to 2048"));
        assert!(message("pages", &["personality=vmmc"]).contains("no caches"));
        assert!(message("pages", &["misses.ratios=0.5"]).contains("go where they like"));
        assert!(message("pages", &["load.kernel_percent=95"]).contains("at most 90"));
        assert!(message("pages", &["load.kernel_section_us=0"]).contains("at least 1"));
        assert!(message("ping-pong", &["misses.held_frames_max=17"]).contains("at most 16"));
        assert!(message("ping-pong", &["nic.post_queues=0"]).contains("1 to 8"));
        assert!(message("ping-pong", &["nic.processes_max=5000"]).contains("1 to 4095"));
        let shared = ["personality=vmmc", "misses.ratios=0.0", "nic.post_queues=2"];
        assert!(message("ping-pong", &shared).contains("must be 8"));
        assert!(message("ping-pong", &["nonsense"]).contains("KEY=VALUE"));
        assert!(message("all-to-all", &["nodes=1"]).contains("nodes = 1: must be 2 to"));
        assert!(message("all-to-all", &["nodes=1000"]).contains(&format!("must be 2 to {MAX_NODES}")));
        assert!(message("ping-pong", &["nodes=4"]).contains("topology.kind = \"switch\""));
        assert!(message("ping-pong", &["nodes=3", "topology.kind=switch"]).contains("in pairs"));
        assert!(message("pages", &["nodes=4", "topology.kind=switch"]).contains("must be 2 with"));
        assert!(message("all-to-all", &["topology.kind=mesh"]).contains("two-level"));
        assert!(message("all-to-all", &["topology={kind=\"two-level\",nodes_per_leaf=8,spines=1}"]).contains("1 to 7"));
        assert!(message("ring", &["topology.switch.output_queue_bytes=1"]).contains("output_queue_bytes = 1 "));
        assert!(message("ring", &["misses.ratios=0.5"]).contains("must be [0.0]"));
        assert!(message("ring", &["faults.delay_ratio=0.5"]).contains("faults.delay_ns_max = 0"));
        assert!(message("ring", &["faults.links=[{link=8,loss_ratio=0.5}]"]).contains("link = 8: must be 0 to 7"));
        assert!(
            message("ring", &["faults.links=[{link=7,loss_ratio=1.5}]"]).contains("loss_ratio: 1.5: must be 0 to 1")
        );
        assert!(message("ping-pong", &["personality=emp"]).contains("mini, vmmc"));
        assert!(message("ping-pong", &["personality=vmmc"]).contains("misses.ratios=0.0"));
        let cached = ["personality=vmmc", "misses.ratios=0.0", "cache.ways=2"];
        assert!(message("ping-pong", &cached).contains("has no cache"));
        assert!(message("ping-pong", &["personality=emp"]).contains("mini"));
        assert!(message("missing.toml", &[]).contains("missing.toml"));
    }
}
