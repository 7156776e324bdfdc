//! A case: a cluster and a list of operations, with a form as text.
//!
//! A search writes a failing case as text, and a replay reads it.
//!
//! ```text
//! # Why this list is worth keeping.
//! cluster tigon2 time-out cache 64 8 2 buffers 8 2 water 24 8 retransmit 100 interrupt 10 seed 7
//! link loss 10 corrupt 0 duplicate 0 delay 0
//! queues 2
//! host kernel 100 refuses 0
//! nodes 4 store-and-forward
//! link 3 loss 100 corrupt 0 duplicate 0 delay 0
//! write 0.0 from 0 to 1.0.0 at 0 bytes 4
//! ```

use std::fmt;
use std::fs;
use std::path::Path;
use std::str::FromStr;

use host_model::driver::MessagesOptions;
use nic_layout::cbh::CbhGeometry;
use nic_layout::key::KeyWidth;
use nic_layout::vmh::VmhGeometry;
use nicscope_scenario::error::{Error, Result};
use nicscope_scenario::personality::{self, Personality, PERSONALITIES};
use nicscope_scenario::request_error;
use nicscope_scenario::scenario::{Cache, Emp, MissService, ReceiveMiss, Scheme};
use sim_fabric::{SwitchMode, SwitchSettings, Topology};

use crate::matched::settings;

/// The most nodes of a cluster.
pub const NODES_MAX: usize = 8;

/// Faults of both directions of a link, in thousandths of the frames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wire {
    /// Frames that never arrive.
    pub loss: u32,
    /// Frames with two changed bytes.
    pub corrupt: u32,
    /// Frames that arrive twice.
    pub duplicate: u32,
    /// Frames that arrive up to 100 us late, so that later frames overtake them.
    pub delay: u32,
    /// Frames with a false length, type, number or source, and a good FCS. EMP only.
    pub forge: u32,
}

/// What joins the nodes of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Joint {
    /// One cable between two nodes.
    Cable,
    /// One switch.
    Switch(SwitchMode),
    /// Two or more leaf switches, joined by spine switches.
    TwoLevel {
        /// The mode of every switch.
        mode: SwitchMode,
        /// Nodes at each leaf, at most.
        nodes_per_leaf: usize,
        /// Spine switches.
        spines: usize,
    },
}

/// The number of nodes, and what joins them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nodes {
    /// The number of nodes, 2 to [`NODES_MAX`].
    pub nodes: usize,
    /// The cables and switches between them.
    pub joint: Joint,
}

impl Nodes {
    /// Two nodes on a cable.
    pub const PAIR: Nodes = Nodes { nodes: 2, joint: Joint::Cable };

    /// The topology for the fabric. Switches have small queues, so they also drop frames because a
    /// queue is full.
    pub fn of_fabric(self) -> Topology {
        self.for_frames(0)
    }

    /// The same where the longest frames have so many bytes. A queue has room for some of
    /// them: with room for less than two, it drops every second frame of a burst, whenever that
    /// burst is sent again.
    pub fn for_frames(self, bytes: u32) -> Topology {
        let switch = |mode| SwitchSettings {
            mode: Some(mode),
            output_queue_bytes: Some(QUEUE_BYTES.max(QUEUE_FRAMES * bytes)),
            frame_bytes_max: Some(FRAME_BYTES_MAX),
            ..SwitchSettings::default()
        };
        match self.joint {
            Joint::Cable => Topology::Cable {},
            Joint::Switch(mode) => Topology::Switch { switch: switch(mode) },
            Joint::TwoLevel { mode, nodes_per_leaf, spines } => {
                Topology::TwoLevel { nodes_per_leaf, spines, switch: switch(mode) }
            }
        }
    }

    /// The longest time in us until the last copies of frames have arrived.
    pub fn last_frames_us(self) -> u64 {
        match self.joint {
            Joint::Cable => 50,
            // Each link may delay a copy by 100 us, and there are four on the longest way.
            Joint::Switch(_) | Joint::TwoLevel { .. } => 500,
        }
    }

    /// The number of cables.
    pub fn links(self) -> usize {
        self.of_fabric().cables(self.nodes).map_or(1, |cables| cables.len())
    }

    /// Simpler clusters: fewer nodes, or fewer switches between them.
    fn simpler(self) -> Vec<Nodes> {
        if self.joint == Joint::Cable {
            return Vec::new();
        }
        let tries = [
            Nodes::PAIR,
            Nodes { nodes: self.nodes / 2, ..self },
            Nodes { nodes: self.nodes - 1, ..self },
            Nodes { joint: Joint::Switch(SwitchMode::StoreAndForward), ..self },
        ];
        tries.into_iter().filter(|nodes| nodes.of_fabric().cables(nodes.nodes).is_ok()).collect()
    }
}

/// Size of an output queue of a switch: some dozens of short frames, or a few long frames.
const QUEUE_BYTES: u32 = 16 * 1024;
/// Frames of the longest kind that fit into such a queue at least.
const QUEUE_FRAMES: u32 = 4;
const FRAME_BYTES_MAX: u32 = 9022;

/// The nodes of a case and what joins them. All nodes are alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cluster {
    /// The name of the platform.
    pub platform: &'static str,
    /// The personality of every NIC.
    pub personality: &'static Personality,
    /// Cores of each NIC: 1, or on `tigon2` also 2.
    pub cores: u32,
    /// What becomes of a frame that misses where it arrives.
    pub receive: ReceiveMiss,
    /// What serves a miss.
    pub service: MissService,
    /// Geometry of the VMH cache.
    pub vmh: VmhGeometry,
    /// Geometry of the CBH cache, and the width of keys.
    pub cbh: CbhGeometry,
    /// High and low water mark of each process, in pages.
    pub water: (u32, u32),
    /// The sender's time-out, in us.
    pub retransmit_us: u32,
    /// The time from the NIC's interrupt to the begin of its handler, in us.
    pub interrupt_us: u32,
    /// The number of nodes, and what joins them.
    pub topology: Nodes,
    /// Faults of every link without faults of its own.
    pub wire: Wire,
    /// The index of a link with faults of its own, and these faults.
    pub odd: Option<(usize, Wire)>,
    /// Post queues of each NIC, 1 to 8.
    pub queues: u32,
    /// The time of the kernels' work, in percent of the platform's times.
    pub kernel: u32,
    /// Pages of a thousand that a kernel refuses to pin.
    pub refuses: u32,
    /// How EMP cuts messages, matches them and shares them between cores. The time-out is
    /// [`Cluster::retransmit_us`].
    pub emp: Emp,
    /// The seed of faults, keys, refused pins and contents of memory.
    pub seed: u64,
}

/// A VMH cache with few sets, so that most pages collide.
pub const SMALL_VMH: VmhGeometry = VmhGeometry { entries: 64, line_entries: 8, ways: 2 };
/// A VMH cache in which some pages collide.
pub const MIDDLE_VMH: VmhGeometry = VmhGeometry { entries: 256, line_entries: 16, ways: 4 };
/// A CBH cache with two sets, so that most buffers collide.
pub const SMALL_CBH: CbhGeometry = CbhGeometry { entries: 4, ways: 2, key: KeyWidth::Bits64 };
/// A CBH cache for nearly all buffers of a node's processes.
pub const MIDDLE_CBH: CbhGeometry = CbhGeometry { entries: 16, ways: 4, key: KeyWidth::Bits64 };
/// As [`SMALL_CBH`], with keys of 128 bits.
pub const WIDE_CBH: CbhGeometry = CbhGeometry { key: KeyWidth::Bits128, ..SMALL_CBH };

impl Cluster {
    /// The cluster that shortening aims at.
    pub const PLAIN: Cluster = Cluster {
        platform: "tigon2",
        personality: PERSONALITIES[0],
        cores: 1,
        receive: ReceiveMiss::TimeOut,
        service: MissService::KernelThread,
        vmh: SMALL_VMH,
        cbh: SMALL_CBH,
        water: (64, 48),
        retransmit_us: 100,
        interrupt_us: 10,
        topology: Nodes::PAIR,
        wire: Wire { loss: 0, corrupt: 0, duplicate: 0, delay: 0, forge: 0 },
        odd: None,
        queues: 8,
        kernel: 100,
        refuses: 0,
        emp: settings::PLAIN,
        seed: 1,
    };

    /// How EMP cuts messages and sends them again; `None` for other personalities.
    pub fn messages(&self) -> Option<MessagesOptions> {
        let is_emp = self.personality.is_matched();
        is_emp.then(|| Emp { resend_us: self.retransmit_us.into(), ..self.emp }.of_driver())
    }

    /// The same cluster with another personality. With static tables no lookup misses, no pin may
    /// fail, and each process has a queue.
    pub fn of_personality(self, personality: &'static Personality) -> Cluster {
        let plain = Cluster::PLAIN;
        match personality.has_caches() {
            // The NICs that match messages and have caches have one core, and one search.
            true if personality.is_matched() => {
                let emp = Emp { scheme: None, matching: plain.emp.matching, ..self.emp };
                Cluster { personality, cores: 1, emp, ..self }
            }
            true => Cluster { personality, ..self },
            false => {
                Cluster { personality, service: plain.service, queues: plain.queues, refuses: plain.refuses, ..self }
            }
        }
    }

    /// The same cluster with NICs whose two cores share the parts of EMP. Both give receive
    /// buffers back, and tell each other of entries.
    pub fn on_two_cores(self) -> Cluster {
        let emp = Emp { scheme: Some(Scheme::Sr), matching: settings::PLAIN.matching, ..self.emp };
        Cluster { platform: TWO_CORES, cores: 2, emp, ..self }
    }

    /// The faults of a link.
    pub fn wire_of(&self, link: usize) -> Wire {
        self.odd.filter(|(odd, _)| *odd == link).map_or(self.wire, |(_, wire)| wire)
    }

    /// Clusters with fewer faults, nodes or settings, the simplest first.
    pub fn simpler(&self) -> Vec<Cluster> {
        let plain = Cluster::PLAIN;
        let wire = self.wire;
        let fewer = self.topology.simpler().into_iter().map(|topology| Cluster {
            topology,
            odd: self.odd.filter(|(link, _)| *link < topology.links()),
            ..*self
        });
        let tries = [
            Cluster { odd: None, ..*self },
            Cluster { seed: self.seed, personality: self.personality, ..plain },
            Cluster { wire: Wire::default(), ..*self },
            Cluster { wire: Wire { loss: 0, ..wire }, ..*self },
            Cluster { wire: Wire { corrupt: 0, ..wire }, ..*self },
            Cluster { wire: Wire { duplicate: 0, ..wire }, ..*self },
            Cluster { wire: Wire { delay: 0, ..wire }, ..*self },
            Cluster { wire: Wire { forge: 0, ..wire }, ..*self },
            Cluster { queues: plain.queues, ..*self },
            Cluster { kernel: plain.kernel, ..*self },
            Cluster { refuses: plain.refuses, ..*self },
            Cluster { platform: plain.platform, ..*self },
            Cluster { cores: plain.cores, emp: Emp { scheme: None, ..self.emp }, ..*self },
            Cluster { receive: plain.receive, ..*self },
            Cluster { service: plain.service, ..*self },
            Cluster { vmh: plain.vmh, ..*self },
            Cluster { cbh: plain.cbh, ..*self },
            Cluster { water: plain.water, ..*self },
            Cluster { retransmit_us: plain.retransmit_us, interrupt_us: plain.interrupt_us, ..*self },
            Cluster { seed: plain.seed, ..*self },
        ];
        let of_emp = settings::simpler(&self.emp).map(|emp| Cluster { emp, ..*self });
        fewer.chain(of_emp).chain(tries).filter(|other| other != self).collect()
    }
}

/// A cluster and the operations that it plays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case<O> {
    /// Remarks for the reader: in the text, lines that begin with `#`.
    pub remarks: Vec<String>,
    /// The nodes and what joins them.
    pub cluster: Cluster,
    /// The operations, in their order on each node.
    pub ops: Vec<O>,
}

impl<O: FromStr<Err = Error>> Case<O> {
    /// Reads a case from a file.
    ///
    /// # Errors
    /// The file cannot be read, or a line of it is wrong.
    pub fn load(path: &Path) -> Result<Case<O>> {
        text_of(path)?.parse().map_err(|error| request_error!("{}: {error}", path.display()))
    }
}

/// The text in a file.
///
/// # Errors
/// The file cannot be read.
pub(crate) fn text_of(path: &Path) -> Result<String> {
    fs::read_to_string(path).map_err(|error| request_error!("{}: {error}", path.display()))
}

/// The lines of a case. Semicolons end lines too, so that a case fits into one line.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.split(['\n', ';']).map(str::trim).filter(|line| !line.is_empty())
}

/// The begin of a line that names the personality of a case.
const PERSONALITY: &str = "personality ";

/// The personality of a case, from its text: its operations can be read only in the language of the
/// personality.
///
/// # Errors
/// No personality has the name.
pub(crate) fn personality_of(text: &str) -> Result<&'static Personality> {
    let named = lines(text).filter_map(|line| line.strip_prefix(PERSONALITY)).last();
    named.map_or(Ok(Cluster::PLAIN.personality), |name| personality::named(name.trim()))
}

const MODES: [(ReceiveMiss, &str); 3] =
    [(ReceiveMiss::TimeOut, "time-out"), (ReceiveMiss::Restart, "restart"), (ReceiveMiss::Hold, "hold")];
/// Names of services. They stand behind the mode and a comma; the kernel thread has none.
const SERVICES: [(MissService, &str); 2] = [(MissService::Interrupt, "interrupt"), (MissService::Nic, "nic")];

impl fmt::Display for Cluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Cluster { platform, personality, cores, receive, service, vmh, cbh, water, .. } = self;
        let Cluster { retransmit_us, interrupt_us, topology, wire, odd, queues, kernel, refuses, seed, .. } = self;
        let mode = MODES.iter().find(|(mode, _)| mode == receive).map_or("", |(_, name)| name);
        let service = SERVICES.iter().find(|(other, _)| other == service);
        let service = service.map_or_else(String::new, |(_, name)| format!(",{name}"));
        let cores = if *cores == 2 { PAIR } else { "" };
        let keys = if cbh.key.is_wide() { WIDE } else { "" };
        writeln!(
            f,
            "cluster {platform} {mode}{service} cache {} {} {} buffers {} {} water {} {} retransmit {retransmit_us} interrupt {interrupt_us} seed {seed}{cores}{keys}",
            vmh.entries, vmh.line_entries, vmh.ways, cbh.entries, cbh.ways, water.0, water.1
        )?;
        if *personality != Cluster::PLAIN.personality {
            writeln!(f, "personality {}", personality.name)?;
        }
        if *topology != Nodes::PAIR {
            writeln!(f, "{topology}")?;
        }
        writeln!(f, "link {wire}")?;
        if let Some((link, wire)) = odd {
            writeln!(f, "link {link} {wire}")?;
        }
        let of_emp = settings::text(&self.emp);
        if !of_emp.is_empty() {
            writeln!(f, "{}{of_emp}", settings::LINE)?;
        }
        writeln!(f, "queues {queues}")?;
        writeln!(f, "host kernel {kernel} refuses {refuses}")
    }
}

impl<O: fmt::Display> fmt::Display for Case<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for remark in &self.remarks {
            writeln!(f, "# {remark}")?;
        }
        write!(f, "{}", self.cluster)?;
        self.ops.iter().try_for_each(|op| writeln!(f, "{op}"))
    }
}

impl<O: FromStr<Err = Error>> FromStr for Case<O> {
    type Err = Error;

    /// Lines end as in [`lines`].
    fn from_str(text: &str) -> Result<Case<O>> {
        let mut case = Case { remarks: Vec::new(), cluster: Cluster::PLAIN, ops: Vec::new() };
        let mut has_cluster = false;
        for line in lines(text) {
            if let Some(remark) = line.strip_prefix('#') {
                case.remarks.push(remark.trim().to_owned());
            } else if line.starts_with("cluster ") {
                let Cluster { personality, topology, wire, odd, queues, kernel, refuses, emp, .. } = case.cluster;
                case.cluster =
                    Cluster { personality, topology, wire, odd, queues, kernel, refuses, emp, ..cluster_of(line)? };
                has_cluster = true;
            } else if line.starts_with(PERSONALITY) {
                case.cluster.personality = personality_of(line)?;
            } else if line.starts_with("nodes ") {
                case.cluster.topology = nodes_of(line)?;
            } else if line.starts_with("link loss") {
                case.cluster.wire = wire_of(line)?;
            } else if line.starts_with("link ") {
                case.cluster.odd = Some(odd_of(line)?);
            } else if line.starts_with("queues ") {
                case.cluster.queues = queues_of(line)?;
            } else if let Some(changes) = line.strip_prefix(settings::LINE) {
                case.cluster.emp = settings::of_text(changes)?;
            } else if line.starts_with("host ") {
                (case.cluster.kernel, case.cluster.refuses) = host_of(line)?;
            } else {
                case.ops.push(line.parse()?);
            }
        }
        let links = case.cluster.topology.links();
        if let Some((link, _)) = case.cluster.odd.filter(|(link, _)| *link >= links) {
            return Err(request_error!("link {link}: the case has links 0 to {}", links - 1));
        }
        case.cluster.emp.check(true, case.cluster.cores)?;
        match has_cluster {
            true => Ok(case),
            false => Err(request_error!(
                "the case has no line such as `{}`",
                Cluster::PLAIN.to_string().lines().next().unwrap_or("")
            )),
        }
    }
}

/// The numbers of a line. All other words must be those of the example, which has empty words in
/// the places of numbers.
fn numbers_like(line: &str, example: &[&str]) -> Result<Vec<u64>> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let alike =
        words.len() == example.len() && words.iter().zip(example).all(|(word, like)| like.is_empty() || word == like);
    let numbers = words.iter().zip(example).filter(|(_, like)| like.is_empty()).map(|(word, _)| word.parse().ok());
    match numbers.collect::<Option<Vec<u64>>>().filter(|_| alike) {
        Some(numbers) => Ok(numbers),
        None => Err(request_error!("`{line}`: `{}` was expected, with a number at each place", example.join(" _ "))),
    }
}

/// The end of a cluster's line if its NICs have two cores.
const PAIR: &str = " cores 2";
/// The only platform whose NICs may have two cores.
pub const TWO_CORES: &str = "tigon2";
/// The end of a cluster's line if keys have 128 bits. It stands behind [`PAIR`].
const WIDE: &str = " keys 128";

fn cluster_of(line: &str) -> Result<Cluster> {
    let (line, key) = match line.strip_suffix(WIDE) {
        Some(line) => (line, KeyWidth::Bits128),
        None => (line, KeyWidth::Bits64),
    };
    let (line, cores) = match line.strip_suffix(PAIR) {
        Some(line) => (line, 2),
        None => (line, 1),
    };
    let mut words = line.split_whitespace().skip(1);
    let (platform, mode) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
    let platform = host_model::platform::Platform::names()
        .find(|name| *name == platform)
        .ok_or_else(|| request_error!("`{line}`: {platform:?} is no platform (see `nicscope list`)"))?;
    if cores == 2 && platform != TWO_CORES {
        return Err(request_error!("`{line}`: two cores are for {TWO_CORES}"));
    }
    let (way, by) = mode.split_once(',').map_or((mode, None), |(way, by)| (way, Some(by)));
    let (receive, _) = MODES
        .into_iter()
        .find(|(_, name)| *name == way)
        .ok_or_else(|| request_error!("`{line}`: {way:?} must be time-out, restart or hold"))?;
    let service = match by {
        None => MissService::KernelThread,
        Some(by) => SERVICES
            .into_iter()
            .find(|(_, name)| *name == by)
            .map(|(service, _)| service)
            .ok_or_else(|| request_error!("`{line}`: {by:?}, behind the comma, must be interrupt or nic"))?,
    };
    let example = [
        "cluster",
        platform,
        mode,
        "cache",
        "",
        "",
        "",
        "buffers",
        "",
        "",
        "water",
        "",
        "",
        "retransmit",
        "",
        "interrupt",
        "",
        "seed",
        "",
    ];
    let numbers = numbers_like(line, &example)?;
    let number = |index: usize| u32::try_from(numbers[index]).unwrap_or(u32::MAX);
    let vmh = Cache { entries: number(0), line_entries: number(1), ways: number(2) }.geometry()?;
    let cbh = CbhGeometry { entries: number(3), ways: number(4), key };
    let cbh =
        cbh.check().map_err(|error| request_error!("`{line}`: no cache of buffers can be like that ({error:?})"))?;
    let water = (number(5), number(6));
    if water.0 == 0 || water.1 > water.0 {
        return Err(request_error!("`{line}`: water marks are at least one page, the high one and then the low one"));
    }
    let retransmit_us = number(7).clamp(30, 10_000);
    Ok(Cluster {
        platform,
        personality: Cluster::PLAIN.personality,
        cores,
        receive,
        service,
        vmh,
        cbh,
        water,
        retransmit_us,
        interrupt_us: number(8).min(10_000),
        topology: Nodes::PAIR,
        wire: Wire::default(),
        odd: None,
        queues: Cluster::PLAIN.queues,
        kernel: Cluster::PLAIN.kernel,
        refuses: Cluster::PLAIN.refuses,
        emp: settings::PLAIN,
        seed: numbers[9],
    })
}

fn queues_of(line: &str) -> Result<u32> {
    let queues = numbers_like(line, &["queues", ""])?[0];
    match queues {
        1..=8 => Ok(queues as u32),
        _ => Err(request_error!("`{line}`: a NIC has 1 to 8 post queues")),
    }
}

fn host_of(line: &str) -> Result<(u32, u32)> {
    let numbers = numbers_like(line, &["host", "kernel", "", "refuses", ""])?;
    match (numbers[0], numbers[1]) {
        (percent @ 1..=1000, per_mille @ 0..=500) => Ok((percent as u32, per_mille as u32)),
        _ => Err(request_error!(
            "`{line}`: the kernel's work takes 1 to 1000 percent of the platform's times, and 0 to 500 pages of a thousand cannot be pinned"
        )),
    }
}

/// The share of forged frames at the end of a line, which most lines do not have.
fn forge_of(line: &str) -> (&str, u64) {
    let forge = line.split_once(" forge ").and_then(|(head, share)| Some((head, share.trim().parse().ok()?)));
    forge.unwrap_or((line, 0))
}

fn wire_of(line: &str) -> Result<Wire> {
    let (head, forge) = forge_of(line);
    let mut numbers = numbers_like(head, &["link", "loss", "", "corrupt", "", "duplicate", "", "delay", ""])?;
    numbers.push(forge);
    wire_of_shares(line, &numbers)
}

fn odd_of(line: &str) -> Result<(usize, Wire)> {
    let (head, forge) = forge_of(line);
    let mut numbers = numbers_like(head, &["link", "", "loss", "", "corrupt", "", "duplicate", "", "delay", ""])?;
    numbers.push(forge);
    Ok((numbers[0] as usize, wire_of_shares(line, &numbers[1..])?))
}

fn wire_of_shares(line: &str, shares: &[u64]) -> Result<Wire> {
    if shares.iter().sum::<u64>() > 500 {
        return Err(request_error!("`{line}`: at most 500 of 1000 frames in all, or nothing arrives"));
    }
    let number = |index: usize| shares[index] as u32;
    Ok(Wire { loss: number(0), corrupt: number(1), duplicate: number(2), delay: number(3), forge: number(4) })
}

/// Names of the modes of switches.
const SWITCHES: [(SwitchMode, &str); 2] =
    [(SwitchMode::StoreAndForward, "store-and-forward"), (SwitchMode::CutThrough, "cut-through")];

impl fmt::Display for Nodes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |mode: SwitchMode| SWITCHES.iter().find(|(other, _)| *other == mode).map_or("", |(_, name)| name);
        write!(f, "nodes {}", self.nodes)?;
        match self.joint {
            Joint::Cable => Ok(()),
            Joint::Switch(mode) => write!(f, " {}", name(mode)),
            Joint::TwoLevel { mode, nodes_per_leaf, spines } => {
                write!(f, " {} leaf {nodes_per_leaf} spines {spines}", name(mode))
            }
        }
    }
}

impl fmt::Display for Wire {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Wire { loss, corrupt, duplicate, delay, forge } = self;
        write!(f, "loss {loss} corrupt {corrupt} duplicate {duplicate} delay {delay}")?;
        if *forge != 0 {
            write!(f, " forge {forge}")?;
        }
        Ok(())
    }
}

fn nodes_of(line: &str) -> Result<Nodes> {
    let wrong = || {
        request_error!("`{line}`: such as `nodes 4 store-and-forward` or `nodes 8 cut-through leaf 4 spines 2` was expected, with at most {NODES_MAX} nodes")
    };
    let words: Vec<&str> = line.split_whitespace().collect();
    let number = |index: usize| words.get(index).and_then(|word| word.parse::<usize>().ok()).ok_or_else(wrong);
    let mode = |index: usize| {
        let found = SWITCHES.iter().find(|(_, name)| words.get(index) == Some(name));
        found.map(|(mode, _)| *mode).ok_or_else(wrong)
    };
    let joint = match words.len() {
        2 => Joint::Cable,
        3 => Joint::Switch(mode(2)?),
        7 if words[3] == "leaf" && words[5] == "spines" => {
            Joint::TwoLevel { mode: mode(2)?, nodes_per_leaf: number(4)?, spines: number(6)? }
        }
        _ => return Err(wrong()),
    };
    let nodes = Nodes { nodes: number(1)?, joint };
    if nodes.nodes > NODES_MAX {
        return Err(wrong());
    }
    nodes.of_fabric().cables(nodes.nodes).map_err(|error| request_error!("`{line}`: {error}"))?;
    Ok(nodes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rdma::operation::Op;

    const TEXT: &str = "# Two writes.
cluster lanai9 hold,nic cache 64 8 2 buffers 4 2 water 24 8 retransmit 100 interrupt 10 seed 7
link loss 10 corrupt 0 duplicate 5 delay 1
queues 3
host kernel 20 refuses 30
write 0.0 from 0 to 1.0.0 at 0 bytes 4 notify
write 0.0 from 17 to 1.3.2 at 9 bytes 4097 wrong-key
read 1.2 into 3 from 0.1.0 at 0 bytes 33 hole
export 1.0.2 from 100 bytes 5000 write listen
export 1.0.2 from 100 bytes 5000 read
withdraw 1.0.2
wait 0.1
end 0.1
kill 0.1 after 30
invalidate 1.1 page 7
pause 0 us 12
settle
";

    #[test]
    fn text_and_case_are_the_same() {
        let case: Case<Op> = TEXT.parse().expect("it is a case");
        assert_eq!(case.to_string(), TEXT);
        let wide = TEXT.replace("seed 7", "seed 7 keys 128");
        let case_of_wide: Case<Op> = wide.parse().expect("it is a case");
        assert_eq!((case_of_wide.to_string(), case_of_wide.cluster.cbh.key), (wide, KeyWidth::Bits128));
        let pair = wide_of_tigon2();
        let case_of_pair: Case<Op> = pair.parse().expect("it is a case");
        assert_eq!((case_of_pair.to_string(), case_of_pair.cluster.cores), (pair, 2));
        let of_vmmc = TEXT.replace("link loss", "personality vmmc\nlink loss");
        let case_of_vmmc: Case<Op> = of_vmmc.parse().expect("it is a case");
        assert_eq!((case_of_vmmc.to_string(), case_of_vmmc.cluster.personality), (of_vmmc, PERSONALITIES[1]));
        for nodes in ["nodes 4 store-and-forward", "nodes 8 cut-through leaf 3 spines 2"] {
            let text = TEXT.replace("link loss", &format!("{nodes}\nlink loss"));
            let text = text.replace("queues", "link 3 loss 0 corrupt 9 duplicate 0 delay 0\nqueues");
            let text = text.replace("write 0.0 from 0 to 1.0.0", "write 0.0 from 0 to 3.0.0");
            let case: Case<Op> = text.parse().expect("it is a case");
            assert_eq!(case.to_string(), text);
            assert_eq!((case.cluster.wire_of(3).corrupt, case.cluster.wire_of(2).loss), (9, 10));
            let fewest = case.cluster.simpler().into_iter().map(|cluster| cluster.topology.nodes).min();
            assert_eq!(fewest, Some(2));
        }
        assert_eq!(TEXT.replace('\n', ";").parse::<Case<Op>>().expect("in one line"), case);
    }

    fn wide_of_tigon2() -> String {
        TEXT.replace("lanai9", "tigon2").replace("seed 7", "seed 7 cores 2 keys 128")
    }

    #[test]
    fn wrong_text_says_what_would_be_right() {
        let error = |text: &str| text.parse::<Case<Op>>().expect_err("it is wrong").to_string();
        let cluster = TEXT.lines().nth(1).expect("the cluster");
        assert!(error("settle").contains("cluster tigon2"));
        assert!(error(&cluster.replace("lanai9", "lanai")).contains("platform"));
        assert!(error(&cluster.replace(",nic", ",nobody")).contains("interrupt or nic"));
        assert!(error(&cluster.replace("seed 7", "seed 7 cores 2")).contains("two cores"));
        assert!(error(&cluster.replace("hold", "held")).contains("time-out, restart or hold"));
        assert!(error(&cluster.replace("cache 64 8", "cache 64")).contains("cache"));
        assert!(error(&cluster.replace("cache 64 8 2", "cache 65 8 2")).contains("power of two"));
        assert!(error(&cluster.replace("water 24 8", "water 8 24")).contains("water marks"));
        assert!(error("queues 9").contains("1 to 8"));
        assert!(error("nodes 9 cut-through").contains("at most 8"));
        assert!(error("nodes 3").contains("a cable joins 2 nodes"));
        assert!(error(&format!("{cluster}\nlink 1 loss 1 corrupt 0 duplicate 0 delay 0")).contains("links 0 to 0"));
        assert!(error("host kernel 0 refuses 0").contains("1 to 1000"));
        assert!(error("link loss 400 corrupt 400 duplicate 0 delay 0").contains("at most 500"));
        for line in ["write 0.0 from 0 to 0.0.0 at 0 bytes 4", "end 8.0", "wait 0.9", "settle now", "pause 0", "sing"] {
            assert!(error(&format!("{cluster}\n{line}")).contains("is not an operation"), "{line}");
        }
    }

    #[test]
    fn what_is_simpler_differs_and_ends() {
        let case: Case<Op> = TEXT.parse().expect("it is a case");
        for op in case.ops {
            let mut op = op;
            for _ in 0..200 {
                let simpler = op.simpler();
                assert!(!simpler.contains(&op), "{op}");
                match simpler.last() {
                    Some(last) => op = *last,
                    None => break,
                }
            }
            assert!(op.simpler().is_empty() || matches!(op, Op::Post(_)), "{op}");
        }
        assert!(case.cluster.simpler().iter().all(|other| *other != case.cluster));
        assert!(Cluster::PLAIN.simpler().is_empty());
    }
}
