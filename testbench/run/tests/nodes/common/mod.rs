//! Two whole nodes, RTL and firmware, that run tasks of a test.
//!
//! Every run must end without a fault of the bus, the memory or the driver, and with all sums of
//! counters in agreement.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};

use host_model::address::{NodeId, Pid, UserVirt, VirtPage};
use host_model::driver::{DriverOptions, PROCESSES_MAX};
use host_model::library::{Export, Process};
use host_model::platform::Platform;
use nic_layout::counter::Counter;
use nic_layout::key::KeyWidth;
use nic_layout::plant::Plant;
use nic_layout::vmh::VmhGeometry;
use nicscope_run::assembly::{self, Assembly, Finished};
use nicscope_run::cluster::ClusterOutput;
use nicscope_run::equations::equations;
use nicscope_run::meeting::Meeting;
use nicscope_run::node::Handle;
use nicscope_run::workload::app::{pattern, Totals};
use nicscope_run::workload::NodeReport;
use nicscope_scenario::error::Result;
use nicscope_scenario::failed;
use nicscope_scenario::image;
use nicscope_scenario::scenario::Emp;
use sim_fabric::{Channel, Direction, End, Ending, Fault, SwitchSettings, Topology};
use sim_pins::Ps;

pub const SEED: u64 = 7;
/// Settings of a scenario in which every fault of a link is frequent.
pub const BAD_LINK: [&str; 6] = [
    "faults.loss_ratio=0.02",
    "faults.corrupt_ratio=0.02",
    "faults.duplicate_ratio=0.02",
    // Frames that are late by more than two frame times: reordering inside collections and across.
    "faults.delay_ratio=0.02",
    "faults.delay_ns_min=20000",
    "faults.delay_ns_max=100000",
];
const LATENCY: Ps = Ps::from_ns(400);
/// The simulated time after which a test counts as hung.
const WATCHDOG: Ps = Ps::from_us(400_000);

/// The inputs of a node's task.
#[derive(Clone)]
pub struct Member {
    pub node: usize,
    pub handle: Handle,
    pub meeting: Meeting<Vec<Export>>,
    firmware: Arc<Vec<u8>>,
}

type Job = Box<dyn FnOnce(Member) -> Pin<Box<dyn Future<Output = Result<()>>>> + Send>;

/// Makes a task of an async function.
pub fn job<F: Future<Output = Result<()>> + 'static>(make: impl FnOnce(Member) -> F + Send + 'static) -> Job {
    Box::new(|member| Box::pin(make(member)))
}

impl Member {
    pub fn peer(&self) -> usize {
        (self.node + 1) % 2
    }

    pub fn now(&self) -> Ps {
        self.handle.sim().now()
    }

    pub async fn sleep_us(&self, us: u64) {
        self.handle.sim().sleep_for(Ps::from_us(us)).await;
    }

    /// Waits until the other node comes to the meeting `name`, and returns its exports.
    pub async fn meet(&self, name: &str, exports: Vec<Export>) -> Vec<Export> {
        let all = self.meeting.exchange(name, exports).await;
        all[self.peer()].clone()
    }

    /// The contents of every page of every process of this node.
    pub fn memory(&self) -> Snapshot {
        self.handle.memory().borrow().snapshot()
    }
}

pub type Snapshot = BTreeMap<(Pid, VirtPage), Vec<u8>>;

/// Addresses of bytes that differ, as (process, address). A page that did not exist before counts
/// as zeros.
pub fn changes(before: &Snapshot, after: &Snapshot) -> Vec<(Pid, u32)> {
    let zeros = vec![0; 4096];
    let mut found = Vec::new();
    for (place, contents) in after {
        let old = before.get(place).unwrap_or(&zeros);
        let differ = old.iter().zip(contents).enumerate().filter(|(_, (old, new))| old != new);
        found.extend(differ.map(|(offset, _)| (place.0, place.1.start().0 + offset as u32)));
    }
    found
}

/// Writes a message with the pattern of its number to an offset of the peer's buffer, and waits
/// until the post has ended.
pub async fn send(process: &Process, from: UserVirt, to: &Export, offset: u32, number: u32, bytes: u32) -> Result<()> {
    process.store(from, &pattern(number, bytes)).map_err(wrong)?;
    let handle = process.write(from, bytes, to, offset, number).await.map_err(wrong)?;
    process.wait(handle).await.map_err(wrong)
}

/// Waits until all bytes of a message have arrived.
pub async fn receive(process: &Process, at: UserVirt, number: u32, bytes: u32) -> Result<()> {
    let expected = pattern(number, bytes);
    process.wait_bytes(at, bytes, number, move |found| found == expected).await.map_err(wrong)
}

/// An error of a node with its own text.
pub fn wrong<E: std::fmt::Display>(error: E) -> nicscope_scenario::error::Error {
    failed!("{error}")
}

/// Ends the task with an error, which names the line, unless the condition holds.
macro_rules! expect {
    ($condition:expr, $($words:tt)*) => {
        if !$condition {
            return Err(nicscope_scenario::failed!("{}:{}: {}", file!(), line!(), format!($($words)*)));
        }
    };
}

pub struct Bench {
    pub platform: &'static str,
    /// The personality of both NICs.
    pub personality: &'static str,
    /// The width of keys in the images of node 0 and node 1.
    pub keys: [KeyWidth; 2],
    /// Faults of the frames that node 0 and node 1 send.
    pub faults: [Vec<Box<dyn Fault>>; 2],
    pub change: fn(&mut Platform),
    /// Post queues of each NIC; `None` for the number of the personality.
    pub post_queues: Option<u32>,
    pub processes_max: usize,
    /// A defect of the image of node 0, and of node 1.
    pub plants: [Option<Plant>; 2],
    /// The image of both NICs in place of the personality's.
    pub firmware: Option<Arc<Vec<u8>>>,
    /// Whether to record markers, host events, and sent frames with their bytes.
    pub record: bool,
}

impl Default for Bench {
    fn default() -> Bench {
        Bench {
            platform: "tigon2",
            personality: "mini",
            keys: [KeyWidth::Bits64; 2],
            faults: [Vec::new(), Vec::new()],
            change: |_| {},
            post_queues: None,
            processes_max: PROCESSES_MAX,
            plants: [None; 2],
            firmware: None,
            record: false,
        }
    }
}

fn firmware(personality: &'static str, key: KeyWidth) -> Arc<Vec<u8>> {
    /// Images by personality and by bits of a key.
    type Images = BTreeMap<(&'static str, u32), Arc<Vec<u8>>>;
    static FIRMWARE: Mutex<Images> = Mutex::new(BTreeMap::new());
    let mut images = FIRMWARE.lock().expect("nobody panics with it");
    let image = images.entry((personality, key.bits())).or_insert_with(|| {
        let path = image::build_with_keys(personality, VmhGeometry::RECOMMENDED, key).expect("the firmware builds");
        Arc::new(std::fs::read(path).expect("the image was built"))
    });
    image.clone()
}

impl Bench {
    /// Boots all nodes, runs a task on each, and makes the checks of every run. Two nodes have a
    /// cable, more a switch. Keys, defects and faults are those of nodes 0 and 1.
    ///
    /// # Panics
    /// If a task or a check fails.
    pub fn run<const NODES: usize>(self, jobs: [Job; NODES]) -> ClusterOutput {
        let mut platform = Platform::load(self.platform).expect("a platform");
        (self.change)(&mut platform);
        let faults = RefCell::new(self.faults);
        let images = [0, 1].map(|node| match self.plants[node] {
            None => self.firmware.clone().unwrap_or_else(|| firmware(self.personality, self.keys[node])),
            Some(plant) => Arc::new(
                image::planted(self.personality, VmhGeometry::RECOMMENDED, plant).expect("the firmware builds"),
            ),
        });
        let member = |(index, job): (usize, Job)| {
            let driver = DriverOptions {
                post_queues: self.post_queues,
                messages: self.personality.starts_with("emp").then(|| Emp::default().of_driver()),
                processes_max: self.processes_max,
                ..DriverOptions::new(NodeId(index as u16), NODES as u32, SEED)
            };
            let firmware = images[index.min(1)].clone();
            let start = move |handle, meeting| Member { node: index, handle, meeting, firmware };
            let member = assembly::Member::new(driver, move |handle, meeting| whole(start(handle, meeting), job));
            assembly::Member { record: self.record, ..member }
        };
        let direction = |channel: Channel| {
            let faults = match channel.from {
                End::Node(sender @ 0..=1) => std::mem::take(&mut faults.borrow_mut()[sender]),
                _ => Vec::new(),
            };
            Direction { faults, capture: self.record }
        };
        let topology =
            if NODES == 2 { Topology::Cable {} } else { Topology::Switch { switch: SwitchSettings::default() } };
        let cable = Assembly::cable(&platform, LATENCY, SEED, 2, WATCHDOG);
        let assembly = Assembly { direction: &direction, topology, ..cable };
        let members = jobs.into_iter().enumerate().map(member).collect();
        let Finished { ending, nodes, switches } = assembly.run(members).expect("a cable joins two nodes");
        let ended_at = match ending {
            Ending::AllFinished { at } => at,
            Ending::Failed { node, at, error } => panic!("node {node} at {at}: {error} (seed {SEED})"),
            other => {
                let waiting: Vec<_> = nodes.iter().map(|node| node.live_tasks.join(", ")).collect();
                panic!("{other:?}; still waiting: {waiting:?}")
            }
        };
        for (index, node) in nodes.iter().enumerate() {
            assert_eq!(node.faults, Vec::<String>::new(), "node {index}");
        }
        let output = ClusterOutput { nodes, topology, switches, ended_at };
        for equation in equations(&output) {
            assert!(equation.holds(), "{}: {} is not {}", equation.statement, equation.left, equation.right);
        }
        output
    }
}

/// Boots a node, runs the test's task, and reads the counters when the NICs are at rest.
async fn whole(member: Member, job: Job) -> Result<NodeReport> {
    member.handle.boot(&member.firmware).await.map_err(wrong)?;
    job(member.clone()).await?;
    member.meet("the end", Vec::new()).await;
    // Meanwhile the NICs send owed acknowledgements and repeat frames whose acknowledgement was
    // lost, some more than once, and the hosts serve misses for which no post waits.
    member.sleep_us(1000).await;
    while member.handle.driver().misses_outstanding() != 0 {
        member.sleep_us(10).await;
    }
    member.meet("counting", Vec::new()).await;
    let totals = Totals::read(&member.handle).await.map_err(wrong)?;
    Ok(NodeReport::of_totals(totals))
}

/// A counter of a node at the end.
pub fn count(output: &ClusterOutput, node: usize, counter: Counter) -> u64 {
    output.nodes[node].outcome.as_ref().expect("the run has ended").totals.firmware(counter)
}

pub fn register(output: &ClusterOutput, node: usize, name: &str) -> u64 {
    output.nodes[node].outcome.as_ref().expect("the run has ended").totals.rtl(name)
}
