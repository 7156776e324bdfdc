//! Plays a case on whole nodes, RTL and firmware, and has the model judge it.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use host_model::address::NodeId;
use host_model::driver::DriverOptions;
use host_model::executor::{Channel, Notify, Sim};
use host_model::host::HostConfig;
use host_model::library::Export;
use host_model::platform::{HostCosts, Platform};
use host_model::processor::{Cpu, Priority};
use nic_layout::cbh::{self, STATE_EMPTY, STATE_INVALID};
use nic_layout::counter::Counter;
use nic_layout::vmh::KEY_EMPTY;
use nic_layout::PAGE_BYTES;
use sim_fabric::{link, Corruption, Delay, Direction, Duplication, Ending, Fault, LinkConfig, Loss, RunOptions};
use sim_pins::Ps;

use super::actor::{actor, Actor, IMAGE_BYTES};
use super::case::{Case, Cluster};
use super::model::{Buffer, BufferName, Decided, Model, Seen, Wrong};
use super::operation::{Op, NODES, PROCESSES};
use super::plant::Plant;
use crate::cluster::ClusterOutput;
use crate::error::Result;
use crate::meeting::Meeting;
use crate::node::{transmit_clock, Handle, Node, NodeConfig, NodeOutput};
use crate::workload::app::Totals;
use crate::workload::NodeReport;
use crate::{failed, image, run};

const LATENCY: Ps = Ps::from_ns(400);
/// Where a panic is looked for in waves.
const PANIC_WITHIN: Ps = Ps::from_us(2_000);

/// How a case is played.
#[derive(Clone, Debug)]
pub struct Options {
    /// What lasts longer without an end never ends: tens of times the longest wait for a retransmission.
    pub give_up: Ps,
    /// Waves of each node between two times, in this folder.
    pub waves: Option<(PathBuf, Ps, Ps)>,
    /// What is broken on purpose.
    pub plant: Option<Plant>,
}

impl Default for Options {
    fn default() -> Options {
        Options { give_up: Ps::from_us(200_000), waves: None, plant: None }
    }
}

/// What a case that went well has done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Played {
    pub decided: Decided,
    /// By name: faults of the link, misses and drops of the firmware, work of the driver.
    pub counts: BTreeMap<&'static str, u64>,
    pub simulated: Ps,
    pub core_cycles: u64,
}

/// Why a case failed, and when.
#[derive(Clone, Debug)]
pub struct Failure {
    pub what: String,
    /// The last comparison before it, and itself.
    pub from: Ps,
    pub at: Ps,
}

impl Failure {
    /// Number of the first statement that is named, such as `INV-27`.
    pub fn statement(&self) -> Option<&str> {
        let is_number = |word: &&str| {
            let (group, number) = word.split_once('-').unwrap_or_default();
            matches!(group, "INV" | "M") && !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
        };
        self.what.split([' ', ',', ':']).find(is_number)
    }
}

/// A buffer, and since when others see it.
type Published = (Ps, BufferName, Export);

/// What all nodes can look at.
#[derive(Default)]
pub(super) struct Board {
    pub buffers: BTreeMap<BufferName, Buffer>,
    /// By node, process and place.
    pub published: BTreeMap<(usize, usize, usize), Vec<Published>>,
}

#[derive(Default)]
struct Court {
    model: Model,
    seen: Vec<Seen>,
    rounds: u64,
    verdict: Option<Wrong>,
}

/// What the nodes of a cluster share.
pub(super) struct Shared<T>(Mutex<T>);

impl<T> Shared<T> {
    pub fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Clone)]
struct Common {
    board: Arc<Shared<Board>>,
    court: Arc<Shared<Court>>,
    meeting: Meeting<()>,
    /// When the last comparison was.
    compared_at: Arc<AtomicU64>,
    /// Pins of a thousand that fail.
    refuses: u32,
}

/// What the tasks of a node share.
pub(super) struct State {
    pub node: usize,
    pub handle: Handle,
    pub cpu: Cpu,
    pub board: Arc<Shared<Board>>,
    pub plant: Option<Plant>,
    pub seen: RefCell<Seen>,
    pub actors: Vec<Actor>,
    /// Operations handed out and not done, and posts that have not ended.
    pub pending: Cell<u32>,
    pub open_posts: Cell<u32>,
    pub changed: Notify,
    pub failure: RefCell<Option<String>>,
    pub next_number: Cell<u32>,
}

impl State {
    pub fn sim(&self) -> &Sim {
        self.handle.sim()
    }

    pub fn fail(&self, what: impl std::fmt::Display) {
        self.failure.borrow_mut().get_or_insert(what.to_string());
        self.changed.notify();
    }

    pub fn count_pending(&self, change: i32) {
        self.pending.set(self.pending.get().wrapping_add_signed(change));
        self.changed.notify();
    }

    fn check(&self) -> Result<()> {
        match &*self.failure.borrow() {
            Some(what) => Err(failed!("{what}")),
            None => Ok(()),
        }
    }
}

fn images() -> &'static Mutex<BTreeMap<String, Arc<Vec<u8>>>> {
    static IMAGES: OnceLock<Mutex<BTreeMap<String, Arc<Vec<u8>>>>> = OnceLock::new();
    IMAGES.get_or_init(Mutex::default)
}

/// The images of core A, and of core B if there is one.
fn firmware(cluster: &Cluster, platform: &Platform) -> Result<Firmware> {
    let first = if cluster.cores == 1 { "mini" } else { "mini-pair" };
    let first = image_of(first, cluster, platform)?;
    let second = if cluster.cores == 1 { None } else { Some(image_of("keeper", cluster, platform)?) };
    Ok(Firmware { first, second })
}

#[derive(Clone)]
struct Firmware {
    first: Arc<Vec<u8>>,
    second: Option<Arc<Vec<u8>>>,
}

fn image_of(binary: &str, cluster: &Cluster, platform: &Platform) -> Result<Arc<Vec<u8>>> {
    let mut images = images().lock().unwrap_or_else(PoisonError::into_inner);
    let name = format!("{binary} {:?} {:?}", cluster.vmh, cluster.cbh);
    if let Some(image) = images.get(&name) {
        return Ok(image.clone());
    }
    let path = image::build_caches(binary, cluster.vmh, cluster.cbh)?;
    let image = Arc::new(image::read(&path, platform)?);
    images.insert(name, image.clone());
    Ok(image)
}

/// Platform of a cluster.
fn platform(cluster: &Cluster) -> Result<Platform> {
    let mut platform = Platform::load(cluster.platform).map_err(|error| failed!("{error}"))?;
    platform.core.count = cluster.cores;
    platform.link.latency_ns = LATENCY.0 / 1000;
    platform.protocol.retransmit_us = cluster.retransmit_us.into();
    platform.host.interrupt_delay_ns = u64::from(cluster.interrupt_us) * 1000;
    (platform.host.pinned_pages_high, platform.host.pinned_pages_low) = cluster.water;
    scale_kernel(&mut platform.host, cluster.kernel);
    Ok(platform)
}

/// All that a kernel does, quicker or slower than the platform's. A process's own work, stores and loads take what they take.
fn scale_kernel(costs: &mut HostCosts, percent: u32) {
    let HostCosts { interrupt_handler_ns, irq_to_thread_ns, notification_ns, miss_service_ns, .. } = costs;
    let of_interrupts = [interrupt_handler_ns, irq_to_thread_ns, notification_ns, miss_service_ns];
    let HostCosts { pin_call_ns, pin_page_ns, unpin_call_ns, unpin_page_ns, .. } = costs;
    let of_pins = [pin_call_ns, pin_page_ns, unpin_call_ns, unpin_page_ns];
    let HostCosts { syscall_ns, page_fault_ns, unmap_page_ns, .. } = costs;
    let of_calls = [syscall_ns, page_fault_ns, unmap_page_ns];
    for cost in of_interrupts.into_iter().chain(of_pins).chain(of_calls) {
        *cost = *cost * u64::from(percent) / 100;
    }
}

fn faults(cluster: &Cluster) -> Vec<Box<dyn Fault>> {
    let wire = cluster.wire;
    let share = |thousandths: u32| f64::from(thousandths) / 1000.0;
    let mut faults: Vec<Box<dyn Fault>> = Vec::new();
    if wire.loss > 0 {
        faults.push(Box::new(Loss { name: "loss".into(), probability: share(wire.loss) }));
    }
    if wire.corrupt > 0 {
        let (name, probability) = ("corruption".into(), share(wire.corrupt));
        faults.push(Box::new(Corruption { name, probability, bytes: 2, offsets: Corruption::ANY_FRAME }));
    }
    if wire.duplicate > 0 {
        faults.push(Box::new(Duplication { name: "duplication".into(), probability: share(wire.duplicate) }));
    }
    if wire.delay > 0 {
        let by = Ps::from_us(1)..Ps::from_us(100);
        faults.push(Box::new(Delay { name: "delay".into(), probability: share(wire.delay), by }));
    }
    faults
}

/// Plays a case to its end.
///
/// # Errors
/// The first thing that went wrong.
pub fn play(case: &Case, options: &Options) -> Result<Played, Failure> {
    let compared_at = Arc::new(AtomicU64::new(0));
    let played = catch_unwind(AssertUnwindSafe(|| play_on(case, options, compared_at.clone())));
    let from = Ps(compared_at.load(Ordering::Relaxed));
    match played {
        Ok(Ok(played)) => Ok(played),
        Ok(Err((at, what))) => Err(Failure { what, from, at: at.max(from) }),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| text.to_string()));
            let what = format!("a panic of the host model: {}", text.unwrap_or_default());
            // It does not say when.
            Err(Failure { what, from, at: from + PANIC_WITHIN })
        }
    }
}

fn play_on(case: &Case, options: &Options, compared_at: Arc<AtomicU64>) -> Result<Played, (Ps, String)> {
    let early = |error: crate::error::Error| (Ps::ZERO, error.to_string());
    let platform = platform(&case.cluster).map_err(early)?;
    let firmware = firmware(&case.cluster, &platform).map_err(early)?;
    let direction = || Direction { faults: faults(&case.cluster), capture: false };
    let (a, b) = link(LinkConfig {
        latency: LATENCY,
        a_clock: transmit_clock(&platform),
        b_clock: transmit_clock(&platform),
        a_to_b: direction(),
        b_to_a: direction(),
        seed: case.cluster.seed,
        link_idx: 0,
    });
    let common = Common {
        board: Arc::new(Shared(Mutex::default())),
        court: Arc::new(Shared(Mutex::new(Court {
            model: Model::of_hosts(case.cluster.refuses != 0),
            ..Court::default()
        }))),
        refuses: case.cluster.refuses,
        meeting: Meeting::new(NODES, LATENCY),
        compared_at,
    };
    let ops = Arc::new(case.ops.clone());
    let builders: Vec<_> = [a, b]
        .into_iter()
        .enumerate()
        .map(|(index, port)| {
            let driver = DriverOptions {
                receive_miss: case.cluster.receive.of_layout(),
                miss_service: case.cluster.service.of_driver(),
                held_frames_max: 12,
                post_queues: Some(case.cluster.queues),
                ..DriverOptions::new(NodeId(index as u16), NODES as u32, case.cluster.seed)
            };
            let host = HostConfig { platform: platform.clone(), driver, trace: false };
            let wave = |(folder, from, to): &(PathBuf, Ps, Ps)| (folder.join(format!("node{index}.fst")), *from, *to);
            let waves = options.waves.as_ref().map(wave);
            let config = NodeConfig { index, host, port, record: false, record_inputs: false, waves };
            let (common, ops, firmware, options) = (common.clone(), ops.clone(), firmware.clone(), options.clone());
            let seed = case.cluster.seed;
            move || {
                Node::new(config, |host| {
                    host.spawn("case", move |handle| whole(index, handle, firmware, ops, common, options, seed))
                })
            }
        })
        .collect();
    // A case takes a processor; several run at a time.
    let end = Ps(options.give_up.0 * 1000);
    let options = RunOptions { window: LATENCY, end, threads: 1, between_windows: None };
    let run = sim_fabric::run(builders, options);
    let nodes: Vec<NodeOutput<NodeReport>> = run.outputs.into_iter().flatten().collect();
    let at = match run.ending {
        Ending::AllFinished { at } => at,
        Ending::Failed { node, at, error } => {
            // What a bus or a memory has seen was before what came of it.
            let first = nodes.iter().enumerate().find_map(|(index, node)| Some((index, node.faults.first()?)));
            let first = first.map_or(String::new(), |(index, fault)| format!("node {index}: {fault}; then "));
            return Err((at, format!("{first}node {node} at {at}: {error}")));
        }
        Ending::TimeIsUp { at } | Ending::Interrupted { at } => {
            let waiting: Vec<String> = nodes.iter().map(|node| node.live_tasks.join(", ")).collect();
            return Err((at, format!("nothing ended by {at}; still waiting: {}", waiting.join("; "))));
        }
    };
    for (index, node) in nodes.iter().enumerate() {
        if let Some(fault) = node.faults.first() {
            return Err((at, format!("node {index}: {fault}")));
        }
    }
    let output = ClusterOutput { nodes, ended_at: at };
    if let Some(equation) = run::equations(&output).into_iter().find(|equation| !equation.holds()) {
        return Err((at, format!("INV-38: {}: {} is not {}", equation.statement, equation.left, equation.right)));
    }
    let decided = common.court.lock().model.decided;
    Ok(summary(&output, decided))
}

fn summary(output: &ClusterOutput, decided: Decided) -> Played {
    let mut counts = BTreeMap::new();
    for node in &output.nodes {
        let mut add = |name, count| *counts.entry(name).or_insert(0) += count;
        add("frames", node.frames.sent);
        for fault in FAULTS {
            add(fault, node.frames.of_layer(fault));
        }
        let driver = &node.accounting.driver;
        add("pages replaced", driver.replaced_pages);
        add("pins refused", driver.pin_failures);
        add("misses stale", driver.stale);
        add("misses released", driver.releases);
        add("page faults of post queues", driver.page_faults);
        add("queues taken from another process", driver.queues_taken);
        if let Some(report) = &node.outcome {
            for (name, counter) in COUNTERS {
                add(name, report.totals.firmware(counter));
            }
        }
    }
    let core_cycles = output.nodes.iter().map(|node| node.core_cycles).sum();
    Played { decided, counts, simulated: output.ended_at, core_cycles }
}

/// What the link may do to frames, by the names of the layers.
pub const FAULTS: [&str; 4] = ["loss", "corruption", "duplication", "delay"];

const COUNTERS: [(&str, Counter); 13] = [
    ("misses of the send path", Counter::SendMisses),
    ("misses of the receive path", Counter::ReceiveMisses),
    ("misses of buffers", Counter::BufferMisses),
    ("lines fetched by the NIC", Counter::FetchesFilled),
    ("fetches of lines taken away", Counter::FetchesLost),
    ("fetches that left the line to the driver", Counter::FetchesUnfilled),
    ("lookups without a free way", Counter::SendNoWay),
    ("frames refused for their key", Counter::FramesRefusedKey),
    ("frames held", Counter::FramesHeld),
    ("restarts", Counter::RestartsSent),
    ("retransmissions", Counter::FramesRetransmitted),
    ("copies dropped", Counter::FramesDuplicate),
    ("posts of processes that ended", Counter::PostsClosed),
];

// ---- One node ---------------------------------------------------------------------------------------------------------

async fn whole(
    index: usize,
    handle: Handle,
    firmware: Firmware,
    ops: Arc<Vec<Op>>,
    common: Common,
    options: Options,
    seed: u64,
) -> Result<NodeReport> {
    let wrong = |error: host_model::driver::DriverError| failed!("{error}");
    match &firmware.second {
        None => handle.boot(&firmware.first).await,
        Some(second) => handle.boot_pair(&firmware.first, second).await,
    }
    .map_err(wrong)?;
    handle.memory().borrow_mut().refuse_pins(common.refuses, seed ^ index as u64);
    let cpu = handle.cpu("referee", Priority::User);
    let state = Rc::new(State {
        node: index,
        cpu,
        board: common.board.clone(),
        plant: options.plant,
        seen: RefCell::default(),
        actors: (0..PROCESSES).map(|_| Actor::default()).collect(),
        pending: Cell::new(PROCESSES as u32),
        open_posts: Cell::new(0),
        changed: Notify::new(),
        failure: RefCell::default(),
        next_number: Cell::new(0),
        handle,
    });
    for process in 0..PROCESSES {
        state.sim().spawn("process", actor(state.clone(), process, seed));
    }
    let mut node = Whole { state, common, give_up: options.give_up, meetings: 0 };
    node.until_done().await?;
    node.meet().await;
    node.common.compared_at.store(node.state.sim().now().0, Ordering::Relaxed);
    for op in ops.iter().filter(|op| op.node().is_none_or(|of| of == index)) {
        node.state.check()?;
        match op {
            Op::Pause { us, .. } => node.sleep_us(u64::from(*us)).await,
            Op::Settle => node.settle().await?,
            op => node.hand_out(op).await,
        }
    }
    node.settle().await?;
    node.end().await
}

struct Whole {
    state: Rc<State>,
    common: Common,
    give_up: Ps,
    meetings: u32,
}

/// Operations that wait for one process: more would begin long after they were handed out.
const AHEAD: usize = 3;

impl Whole {
    async fn sleep_us(&self, us: u64) {
        self.state.sim().sleep_for(Ps::from_us(us)).await;
    }

    async fn meet(&mut self) {
        self.meetings += 1;
        let name = self.meetings.to_string();
        self.common.meeting.exchange(self.state.sim(), &name, self.state.node, ()).await;
    }

    async fn hand_out(&self, op: &Op) {
        let (state, op) = (self.state.clone(), *op);
        let process = match op {
            Op::Post(post) => post.who.process,
            Op::Export { who, .. } | Op::Withdraw { who, .. } | Op::Wait { who } | Op::End { who } => who.process,
            Op::Kill { who, after_us } => {
                state.count_pending(1);
                let sim = state.sim().clone();
                let killer = state.clone();
                sim.spawn("killer", async move {
                    killer.sim().sleep_for(Ps::from_us(after_us.into())).await;
                    killer.actors[who.process].kill();
                });
                return;
            }
            Op::Invalidate { who, .. } => who.process,
            Op::Pause { .. } | Op::Settle => return,
        };
        let inbox: &Channel<Op> = &state.actors[process].inbox;
        state.changed.wait_until(|| inbox.len() < AHEAD || state.failure.borrow().is_some()).await;
        state.count_pending(1);
        inbox.send(op);
    }

    async fn until_done(&self) -> Result<()> {
        let state = &self.state;
        let idle = || state.pending.get() == 0 && state.open_posts.get() == 0 || state.failure.borrow().is_some();
        let end = state.sim().now() + self.give_up;
        let in_time = host_model::executor::until(state.sim(), end, state.changed.wait_until(idle)).await;
        state.check()?;
        if in_time.is_none() {
            let seen = state.seen.borrow();
            let open: Vec<String> = seen
                .posts
                .iter()
                .filter(|post| post.end.is_none())
                .map(|post| format!("{} of {}", post.number, post.by))
                .collect();
            let (pending, give_up) = (state.pending.get(), self.give_up);
            return Err(failed!("INV-33: {pending} operations and posts {open:?} have not ended within {give_up}"));
        }
        Ok(())
    }

    async fn counter(&self, counter: Counter) -> Result<u32> {
        let driver = self.state.handle.driver();
        let read = async {
            let (device, layout) = (driver.device(&self.state.cpu)?, driver.layout()?);
            Ok(device.read_sram(layout.counters + counter.offset()).await?)
        };
        read.await.map_err(|error: host_model::driver::DriverError| failed!("{error}"))
    }

    /// Sums that differ while something is under way on this node's NIC or in its driver.
    async fn until_quiet(&self) -> Result<()> {
        use Counter::*;
        const BALANCES: [(&[Counter], &[Counter]); 5] = [
            (&[FramesSent], &[FramesAcknowledged, FramesAbandoned]),
            (&[FramesHeld], &[FramesRetaken]),
            (&[ReadsTaken], &[ReadsAnswered, ReadsGivenUp]),
            (&[NotificationsTaken], &[NotificationsRead]),
            (&[SendFetches, ReceiveFetches], &[FetchesFilled, FetchesLost, FetchesUnfilled]),
        ];
        let end = self.state.sim().now() + self.give_up;
        for (whole, parts) in BALANCES {
            loop {
                let (mut left, mut right) = (0u32, 0u32);
                // The parts first: they never run ahead.
                for part in parts {
                    right = right.wrapping_add(self.counter(*part).await?);
                }
                for whole in whole {
                    left = left.wrapping_add(self.counter(*whole).await?);
                }
                if left == right {
                    break;
                }
                if self.state.sim().now() > end {
                    return Err(failed!("INV-32, 33: {whole:?} is {left} and {parts:?} {right}, though nobody asks for anything any more"));
                }
                self.sleep_us(10).await;
            }
        }
        while self.state.handle.driver().misses_outstanding() != 0 {
            if self.state.sim().now() > end {
                return Err(failed!("INV-16: the driver has not served all misses"));
            }
            self.sleep_us(10).await;
        }
        Ok(())
    }

    /// Waits until nothing moves, and compares everything.
    async fn settle(&mut self) -> Result<()> {
        self.until_done().await?;
        self.meet().await;
        self.until_quiet().await?;
        self.meet().await;
        // Now no frame is under way. What the last ones brought goes to memory, and to handlers.
        self.until_quiet().await?;
        self.sleep_us(20).await;
        let seen = self.take_seen()?;
        let now = self.state.sim().now();
        self.common.court.lock().seen.push(seen);
        self.meet().await;
        let board = self.common.board.lock();
        let mut court = self.common.court.lock();
        let court = &mut *court;
        if court.seen.len() == NODES {
            let seen = std::mem::take(&mut court.seen);
            court.rounds += 1;
            court.verdict = court.model.judge(now.0, &seen, &board.buffers).err();
        }
        let verdict = court.verdict.clone();
        if let Some(wrong) = verdict {
            return Err(failed!("{wrong}"));
        }
        self.common.compared_at.store(now.0, Ordering::Relaxed);
        Ok(())
    }

    /// All that this node has seen since the last time, and its memory as it is.
    fn take_seen(&self) -> Result<Seen> {
        let mut seen = std::mem::take(&mut *self.state.seen.borrow_mut());
        let mut images = BTreeMap::new();
        for actor in &self.state.actors {
            let life = actor.life.borrow();
            let Some(life) = life.as_ref() else { continue };
            let memory = life.process.load(life.base, IMAGE_BYTES).map_err(|error| failed!("{error}"))?;
            images.insert(life.process.pid(), life.base.page());
            seen.now.push((life.name, memory, u64::from(life.process.status().refused)));
        }
        self.check_other_pages(&images)?;
        Ok(seen)
    }

    /// Pages of processes that no operation names hold zeros, but for those in front of the hole, where a read may have begun.
    fn check_other_pages(
        &self,
        images: &BTreeMap<host_model::address::Pid, host_model::address::VirtPage>,
    ) -> Result<()> {
        use super::actor::{HEAP_PAGES, PAGES_BEFORE_HOLE};
        let snapshot = self.state.handle.memory().borrow().snapshot();
        for ((pid, page), contents) in &snapshot {
            let Some(base) = images.get(pid) else { continue };
            if *page == host_model::driver::STATUS_PAGE {
                continue;
            }
            let index = page.0.wrapping_sub(base.0);
            let named =
                index < IMAGE_BYTES / PAGE_BYTES || (HEAP_PAGES - PAGES_BEFORE_HOLE..HEAP_PAGES).contains(&index);
            if let Some(at) = contents.iter().position(|byte| *byte != 0).filter(|_| !named) {
                let rule = super::model::BYTES;
                return Err(failed!("{rule}: byte {at:#x} of page {index:#x} of process {} was written", pid.0));
            }
        }
        Ok(())
    }

    /// Ends all processes, and finds nothing left of them (INV-36, 38).
    async fn end(mut self) -> Result<NodeReport> {
        for actor in &self.state.actors {
            super::actor::retire_last(&self.state, actor).await?;
        }
        self.meet().await;
        self.until_quiet().await?;
        self.meet().await;
        self.until_quiet().await?;
        self.sleep_us(50).await;
        self.check_nothing_left().await?;
        self.meet().await;
        let totals = Totals::read(&self.state.handle).await.map_err(|error| failed!("{error}"))?;
        Ok(NodeReport { steps: Vec::new(), totals, kept: None, compared: 0 })
    }

    async fn check_nothing_left(&self) -> Result<()> {
        match self.state.plant {
            Some(Plant::LinesStay) => super::plant::reserve_a_line(&self.state).await?,
            Some(Plant::PinStays) => super::plant::pin_a_page(&self.state),
            _ => {}
        }
        let memory = self.state.handle.memory().borrow().counts();
        if memory.pinned_now != 0 || memory.pins != memory.unpins {
            return Err(failed!("INV-36: {} pages are pinned when all processes have ended", memory.pinned_now));
        }
        let driver = self.state.handle.driver();
        let counts = driver.counts();
        let unpinned = if self.common.refuses == 0 { counts.pin_failures } else { 0 };
        let refused = [counts.rejected_entries, counts.rejected_producers, counts.wild_answers, unpinned];
        if refused.iter().any(|count| *count != 0) {
            return Err(failed!("INV-35: the driver refused words of its own NIC: {counts:?}"));
        }
        let read = async {
            let (device, caches) = (driver.device(&self.state.cpu)?, driver.layout()?.caches()?);
            let mut left = None;
            for line in 0..caches.geometry.lines() {
                let key = device.read_sram(caches.vmh_cache + caches.geometry.key_offset(line)).await?;
                let locks = device.read_sram(caches.vmh_cache + caches.geometry.state_offset(line)).await?;
                if key != KEY_EMPTY || locks != 0 {
                    left = left.or(Some(format!("line {line} has key {key:#x} and locks {locks:#x}")));
                }
            }
            for entry in 0..caches.cbh_geometry.entries {
                let at = caches.cbh_cache + caches.cbh_geometry.entry_offset(entry) + cbh::entry::STATE;
                let state = device.read_sram(at).await? & cbh::STATE_MASK;
                if state != STATE_EMPTY && state != STATE_INVALID {
                    left = left.or(Some(format!("buffer entry {entry} is in state {state}")));
                }
            }
            Ok(left)
        };
        let left: Result<_, host_model::driver::DriverError> = read.await;
        match left.map_err(|error| failed!("{error}"))? {
            Some(left) => Err(failed!("INV-36: {left} when all processes have ended")),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_names_its_statement() {
        let failure = |what: &str| Failure { what: what.into(), from: Ps::ZERO, at: Ps::ZERO };
        assert_eq!(failure("node 0 at 5 ns: INV-24, 28, each post").statement(), Some("INV-24"));
        assert_eq!(failure("node 0 at 5 ns: M-6, each write").statement(), Some("M-6"));
        assert_eq!(failure("node 0: driver: C-3 M- INV-x").statement(), None);
    }
}
