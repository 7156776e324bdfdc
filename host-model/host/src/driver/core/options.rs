//! What a run decides about its driver.

use nic_layout::boot::ReceiveMiss;
use nic_layout::static_tables::StaticGeometry;
use sim_pins::Ps;

use super::duty::Duty;
use crate::address::NodeId;
use crate::load::Load;

/// A defect that a test plants in the driver, to see that it is found (docs/properties.md).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DriverPlant {
    /// Replacement unpins what the NIC may hold.
    UnpinCached,
    /// Replacement unpins nothing.
    KeepPinned,
    /// A miss of an unknown buffer is counted as served, and its entry stays reserved.
    ReserveLeak,
    /// A post queue that is taken from a process keeps its posts, with their keys.
    KeepQueue,
    /// The post queue of a process that ends stays its own.
    QueueStays,
}

/// What a run decides about its driver.
#[derive(Clone, Debug)]
pub struct DriverOptions {
    /// The node of this host.
    pub node: NodeId,
    /// Nodes of the cluster.
    pub node_count: u32,
    /// Session of the node's first boot, 0 to 255: the number of its incarnation. Each reset of the
    /// NIC takes the next one. The peers are taken to have this number too, until the driver is
    /// told of another ([`Driver::restart_peer`](crate::driver::Driver::restart_peer)).
    pub session: u32,
    /// Seed of the protection keys; the same seed gives the same keys.
    pub seed: u64,
    /// Registering a buffer pins all its pages at once (facts M-3), instead of at the first miss.
    pub pin_at_export: bool,
    /// What the firmware does with a frame whose destination has no translation yet.
    pub receive_miss: ReceiveMiss,
    /// Frames without a translation that the firmware may hold at the same time.
    pub held_frames_max: u32,
    /// Sizes of the tables of a firmware with static tables. The firmware takes less if the SRAM
    /// has no room.
    pub static_tables: StaticGeometry,
    /// Post queues of the NIC; `None`: as many as the firmware has by itself.
    pub post_queues: Option<u32>,
    /// How EMP cuts messages and sends them again; `None` for other personalities.
    pub messages: Option<MessagesOptions>,
    /// Processes that may have the NIC open. With static tables at most one for each slot of the
    /// NIC.
    pub processes_max: usize,
    /// How much of the firmware is read back after loading.
    pub verify: Verify,
    /// Where a miss of the NIC is served.
    pub miss_service: MissService,
    /// Other work of the host; `None`: the host is idle otherwise.
    pub load: Option<Load>,
    /// How long the firmware may take to start.
    pub boot_timeout: Ps,
    /// How long the firmware may take to obey a command.
    pub command_timeout: Ps,
    /// A defect that a test plants in the driver; `None` outside of tests.
    pub plant: Option<DriverPlant>,
}

/// What a run decides about messages that the NIC matches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MessagesOptions {
    /// Bytes of a frame behind Ethernet's header at most (facts E-17).
    pub mtu_bytes: u32,
    /// Frames in a collection (facts E-32).
    pub collection_frames: u32,
    /// Microseconds until a collection that was not acknowledged is sent again for the first time.
    pub resend_us: u64,
    /// Flow control (facts E-40); `None`: without.
    pub flow_control: Option<FlowControl>,
}

/// The marks of flow control: powers of two.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FlowControl {
    /// Senders are slow to a NIC that has fewer free receive buffers.
    pub slow_below: u32,
    /// The same, and slower.
    pub slower_below: u32,
}

/// Processes of a node, if nothing else is said.
pub const PROCESSES_MAX: usize = 64;

/// Where a miss is served.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum MissService {
    /// Always the kernel thread, which the interrupt handler wakes (facts M-18).
    #[default]
    KernelThread,
    /// The interrupt handler itself, if no page has to be pinned, which a handler must not do, and
    /// if the thread is not serving at that time (facts M-19). The kernel thread otherwise.
    Interrupt,
    /// The NIC reads translations from tables of the driver by DMA; pages are pinned before they
    /// are used (facts M-58). The kernel thread serves what the tables do not have, and buffers.
    Nic,
}

impl DriverOptions {
    /// What core B does on a NIC with two cores.
    pub fn duty_of_core_b(&self) -> Duty {
        match self.messages {
            Some(_) => Duty::Parts,
            None => Duty::Keeper,
        }
    }

    /// The options of a run that says nothing else.
    pub fn new(node: NodeId, node_count: u32, seed: u64) -> DriverOptions {
        DriverOptions {
            node,
            node_count,
            session: 0,
            seed,
            pin_at_export: false,
            receive_miss: ReceiveMiss::TimeOut,
            held_frames_max: 0,
            static_tables: StaticGeometry::OF_THE_THESIS,
            post_queues: None,
            messages: None,
            processes_max: PROCESSES_MAX,
            verify: Verify::Sample,
            miss_service: MissService::KernelThread,
            load: None,
            boot_timeout: Ps::from_us(5_000),
            command_timeout: Ps::from_us(5_000),
            plant: None,
        }
    }
}

/// How much of the firmware the driver reads back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verify {
    /// Nothing is read back.
    Nothing,
    /// One word in [`SAMPLE_WORDS`], and the last of each segment.
    Sample,
    /// Every word.
    Whole,
}

/// Distance, in words, between the words that [`Verify::Sample`] reads back.
pub const SAMPLE_WORDS: usize = 64;
