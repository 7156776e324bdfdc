//! Plays a case on whole nodes, RTL and firmware. The model judges the results.

use std::collections::BTreeMap;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use host_model::address::NodeId;
use host_model::driver::DriverOptions;
use host_model::platform::{HostCosts, Platform};
use nic_layout::counter::Counter;
use nic_layout::plant::Plant;
use nicscope_run::assembly::{Assembly, Finished, Member};
use nicscope_run::cluster::ClusterOutput;
use nicscope_run::equations::equations;
use nicscope_run::node::error_of;
use nicscope_scenario::error::{Error, Result, Statement};
use nicscope_scenario::platform::fit_frames;
use nicscope_scenario::scenario::{Emp, Matching};
use nicscope_scenario::{failed, image};
use sim_fabric::{Corruption, Delay, Direction, Duplication, Ending, Fault, Loss};
use sim_pins::Ps;

use crate::case::{Case, Cluster, Nodes, Wire};
use crate::forgery::{self, Forgery};
use crate::language::{Compared, Firmware, Operation, Options, Seat};

const LATENCY: Ps = Ps::from_ns(400);
/// The time that waves of a panic cover, from the last comparison on.
const PANIC_WITHIN: Ps = Ps::from_us(2_000);

/// The counts of a case that went well.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Played {
    /// Decisions of the model, faults of the links, misses and drops of the firmware, and work of
    /// the driver, by name.
    pub counts: BTreeMap<&'static str, u64>,
    /// Simulated time at the end.
    pub simulated: Ps,
    /// Clock cycles of the cores of all NICs.
    pub core_cycles: u64,
}

/// The failure of a case.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The text of the error.
    pub what: String,
    /// The statement that did not hold; `None` for an error without a number.
    pub statement: Option<Statement>,
    /// Simulated time of the last comparison that went well.
    pub from: Ps,
    /// Simulated time of the failure.
    pub at: Ps,
}

fn images() -> &'static Mutex<BTreeMap<String, Arc<Vec<u8>>>> {
    static IMAGES: OnceLock<Mutex<BTreeMap<String, Arc<Vec<u8>>>>> = OnceLock::new();
    IMAGES.get_or_init(Mutex::default)
}

/// The images of core A, which may have a planted defect, and of core B if there is one.
fn firmware(cluster: &Cluster, platform: &Platform, plant: Option<Plant>) -> Result<Firmware> {
    let first = image_of(&cluster.personality.image(cluster.cores), cluster, platform, plant)?;
    let second = match cluster.personality.image_of_core_b.filter(|_| cluster.cores > 1) {
        None => None,
        // A defect of parts is in the parts of both cores.
        Some(binary) => Some(image_of(binary, cluster, platform, plant.filter(|_| cluster.emp.scheme.is_some()))?),
    };
    Ok(Firmware { first, second })
}

fn image_of(binary: &str, cluster: &Cluster, platform: &Platform, plant: Option<Plant>) -> Result<Arc<Vec<u8>>> {
    let mut images = images().lock().unwrap_or_else(PoisonError::into_inner);
    let Emp { scheme, matching, .. } = cluster.emp;
    let name = format!("{binary} {:?} {:?} {scheme:?} {matching:?} {plant:?}", cluster.vmh, cluster.cbh);
    if let Some(image) = images.get(&name) {
        return Ok(image.clone());
    }
    let image = Arc::new(match (scheme, plant) {
        (Some(scheme), Some(plant)) => image::planted_scheme(binary, scheme, plant)?,
        (Some(scheme), None) => image::read(&image::build_scheme(binary, scheme, matching)?, platform)?,
        (None, Some(plant)) => image::planted(binary, cluster.vmh, plant)?,
        (None, None) if matching == Matching::Linear => {
            image::read(&image::build_caches(binary, cluster.vmh, cluster.cbh)?, platform)?
        }
        (None, None) => image::read(&image::build_matching(binary, matching)?, platform)?,
    });
    images.insert(name, image.clone());
    Ok(image)
}

/// The platform of a cluster's nodes.
fn platform(cluster: &Cluster) -> Result<Platform> {
    let mut platform = Platform::load(cluster.platform).map_err(|error| failed!("{error}"))?;
    platform.core.count = cluster.cores;
    platform.link.latency_ns = LATENCY.0 / 1000;
    platform.protocol.retransmit_us = cluster.retransmit_us.into();
    platform.host.interrupt_delay_ns = u64::from(cluster.interrupt_us) * 1000;
    (platform.host.pinned_pages_high, platform.host.pinned_pages_low) = cluster.water;
    scale_kernel(&mut platform.host, cluster.kernel);
    if cluster.personality.is_matched() {
        fit_frames(&mut platform, cluster.emp.mtu_bytes);
    }
    Ok(platform)
}

/// Scales the times of all work of the kernel. The work of processes, and their loads and stores,
/// keep the platform's times.
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

fn faults(wire: Wire) -> Vec<Box<dyn Fault>> {
    let share = |thousandths: u32| f64::from(thousandths) / 1000.0;
    let mut faults: Vec<Box<dyn Fault>> = Vec::new();
    if wire.loss > 0 {
        faults.push(Box::new(Loss { name: "loss".into(), probability: share(wire.loss) }));
    }
    if wire.corrupt > 0 {
        let (name, probability) = ("corruption".into(), share(wire.corrupt));
        faults.push(Box::new(Corruption { name, probability, bytes: 2, offsets: Corruption::ANY_FRAME }));
    }
    if wire.forge > 0 {
        faults.push(Box::new(Forgery { probability: share(wire.forge) }));
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
/// The first violation of the model, the monitor, the bus, the memory, the driver or the sums.
pub fn play<O: Operation>(case: &Case<O>, options: &Options<O::Plant>) -> Result<Played, Failure> {
    let compared = Compared::default();
    let played = catch_unwind(AssertUnwindSafe(|| play_on(case, options, compared.clone())));
    let from = compared.last();
    match played {
        Ok(Ok(played)) => Ok(played),
        Ok(Err((at, error))) => {
            Err(Failure { what: error.to_string(), statement: error.statement(), from, at: at.max(from) })
        }
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| text.to_string()));
            let what = format!("a panic of the host model: {}", text.unwrap_or_default());
            // The time of a panic is unknown.
            Err(Failure { what, statement: None, from, at: from + PANIC_WITHIN })
        }
    }
}

fn play_on<O: Operation>(
    case: &Case<O>,
    options: &Options<O::Plant>,
    compared: Compared,
) -> Result<Played, (Ps, Error)> {
    let early = |error: Error| (Ps::ZERO, error);
    let platform = platform(&case.cluster).map_err(early)?;
    let firmware = firmware(&case.cluster, &platform, options.in_firmware).map_err(early)?;
    let Nodes { nodes, .. } = case.cluster.topology;
    let topology = case.cluster.topology.for_frames(case.cluster.emp.mtu_bytes);
    let shared = O::share(&case.cluster, compared);
    let ops = Arc::new(case.ops.clone());
    let seed = case.cluster.seed;
    let member = |index: usize| {
        let driver = DriverOptions {
            receive_miss: case.cluster.receive.of_layout(),
            miss_service: case.cluster.service.of_driver(),
            held_frames_max: 12,
            post_queues: Some(case.cluster.queues),
            messages: case.cluster.messages(),
            ..DriverOptions::new(NodeId(index as u16), nodes as u32, seed)
        };
        let wave = |(folder, from, to): &(PathBuf, Ps, Ps)| (folder.join(format!("node{index}.fst")), *from, *to);
        let waves = options.waves.as_ref().map(wave);
        let (shared, ops, firmware, options) = (shared.clone(), ops.clone(), firmware.clone(), options.clone());
        let cluster = case.cluster;
        let task = move |handle, meeting| O::play(Seat { handle, meeting, firmware, ops, shared, cluster, options });
        Member { waves, ..Member::new(driver, task) }
    };
    let assembly = Assembly {
        direction: &|channel| Direction { faults: faults(case.cluster.wire_of(channel.link_idx)), capture: false },
        topology,
        late_crossings: case.cluster.late_crossings,
        // One thread: several cases run at a time.
        ..Assembly::cable(&platform, LATENCY, seed, 1, Ps(options.give_up.0 * 1000))
    };
    let Finished { ending, nodes, switches } =
        Assembly::run(assembly, (0..nodes).map(member).collect()).map_err(early)?;
    let at = match ending {
        Ending::AllFinished { at } => at,
        Ending::Failed { node, at, error } => {
            // A fault of the bus or the memory comes before its consequence, so it is named first.
            let first = nodes.iter().enumerate().find_map(|(index, node)| Some((index, node.faults.first()?)));
            let first = first.map_or(String::new(), |(index, fault)| format!("node {index}: {fault}; then "));
            return Err((at, error.map_text(|text| format!("{first}node {node} at {at}: {text}"))));
        }
        Ending::TimeIsUp { at } | Ending::Interrupted { at } => {
            let waiting: Vec<String> = nodes.iter().map(|node| node.live_tasks.join(", ")).collect();
            return Err((at, failed!("nothing ended by {at}; still waiting: {}", waiting.join("; "))));
        }
    };
    for (index, node) in nodes.iter().enumerate() {
        if let Some(fault) = node.faults.first() {
            return Err((at, failed!("node {index}: {fault}")));
        }
        if let Some(violation) = &node.violation {
            return Err((at, error_of(violation)));
        }
    }
    let output = ClusterOutput { nodes, topology, switches, ended_at: at };
    if let Some(equation) = equations(&output).into_iter().find(|equation| !equation.holds()) {
        let (left, right) = (equation.left, equation.right);
        let conservation = Statement::Invariant(38);
        let what = format!("{conservation}: {}: {left} is not {right}", equation.statement);
        return Err((at, Error::broken(conservation, what)));
    }
    Ok(summary(&output, O::decided(&shared)))
}

/// `counts` are the counts of the model, by name.
fn summary(output: &ClusterOutput, mut counts: BTreeMap<&'static str, u64>) -> Played {
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
    Played { counts, simulated: output.ended_at, core_cycles }
}

/// The faults of links, by the names of their layers.
pub const FAULTS: [&str; 5] = ["loss", "corruption", "duplication", "delay", forgery::NAME];

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
