//! A case: a cluster and a list of operations. `text`: its form as text.

pub(crate) mod text;

use host_model::driver::MessagesOptions;
use nic_layout::cbh::CbhGeometry;
use nic_layout::key::KeyWidth;
use nic_layout::vmh::VmhGeometry;
use nicscope_scenario::personality::{Personality, PERSONALITIES};
use nicscope_scenario::scenario::{Emp, MissService, ReceiveMiss, Scheme};
use sim_fabric::{SwitchMode, SwitchSettings, Topology};

use crate::matched::settings;

/// The only platform whose NICs may have two cores.
pub const TWO_CORES: &str = "tigon2";

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
    /// Whether crossings between the clocks of each NIC see some changes one clock late.
    pub late_crossings: bool,
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
        late_crossings: false,
        emp: Emp::USUAL,
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
        let emp = Emp { scheme: Some(Scheme::Sr), matching: Emp::USUAL.matching, ..self.emp };
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
            Cluster { late_crossings: false, ..*self },
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
