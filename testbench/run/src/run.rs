//! `nicscope run`: a scenario on its platforms, its tables, accounts and waves.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use host_model::host::Accounting;
use host_model::platform::Platform;
use host_model::processor::Usage;
use indexmap::IndexMap;
use nic_layout::counter::{conservation, counters_of, Counter};
use nic_layout::vmh::VmhGeometry;
use nicscope_account::account::Frequencies;
use nicscope_account::log::NodeLog;
use nicscope_account::path::Journey;
use nicscope_account::results::{Equation, FlowSum, Results, Row, Run, Spread, RESULTS_SCHEMA};
use nicscope_account::route::Network;
use nicscope_scenario::error::Result;
use nicscope_scenario::memory_map::Wanted;
use nicscope_scenario::scenario::{Scenario, WorkloadKind};
use nicscope_scenario::{failed, image, memory_map, platform, request_error};
use sim_fabric::{End, PortCounts};
use sim_pins::Ps;

use crate::cluster::{self, ClusterConfig, ClusterOutput, Failure};
use crate::progress::Progress;
use crate::workload::app::Totals;
use crate::workload::places::Places;
use crate::workload::{self, Message};

/// What a run needs beside its scenario.
#[derive(Clone, Debug)]
pub struct RunConfig {
    pub scenario: Scenario,
    pub seed: u64,
    pub threads: usize,
    /// Load this image instead of the personality's.
    pub firmware: Option<PathBuf>,
}

/// The seed of a run for which none is given, so that a run without arguments is the same everywhere.
pub const DEFAULT_SEED: u64 = 1;

/// Nodes that may usefully run at once.
pub fn default_threads(nodes: usize) -> usize {
    std::thread::available_parallelism().map_or(1, |cores| cores.get().min(nodes))
}

/// Checks the whole request, before the first run takes its time.
fn check(config: &RunConfig) -> Result<()> {
    let scenario = &config.scenario;
    if config.threads == 0 {
        return Err(request_error!("--threads 0: must be at least 1"));
    }
    let with_misses = scenario.misses.ratios.iter().any(|ratio| *ratio > 0.0);
    Places::of(scenario, with_misses)?;
    check_traces(scenario)?;
    workload::check(scenario)?;
    for name in &scenario.platforms {
        let platform = platform::load(name, scenario)?;
        memory_map::check(&Wanted::of(scenario)?, name, &platform)?;
        if let Some(path) = &config.firmware {
            image::read(path, &platform)?;
        }
    }
    Ok(())
}

/// A trace is first run through the cache in host memory, which exists in the thesis's geometries.
fn check_traces(scenario: &Scenario) -> Result<()> {
    let geometry = scenario.geometry()?;
    if scenario.workload.kind != WorkloadKind::Pages || page_traces::all_geometries().contains(&geometry) {
        return Ok(());
    }
    let VmhGeometry { entries, line_entries, ways } = geometry;
    Err(request_error!(
        "cache.entries = {entries}, line_entries = {line_entries}, ways = {ways}: a scenario of kind \"pages\" needs one of \
         the thesis's caches: entries {:?}, line_entries {:?}, ways {:?}",
        page_traces::ENTRIES,
        page_traces::LINE_ENTRIES,
        page_traces::WAYS
    ))
}

/// The configuration of one platform and one ratio of misses.
pub fn cluster_config(config: &RunConfig, platform_name: &str, miss_ratio: f64) -> Result<ClusterConfig> {
    let scenario = &config.scenario;
    let platform = platform::load(platform_name, scenario)?;
    let firmware = match &config.firmware {
        Some(path) => image::read(path, &platform)?,
        None => {
            let personality = scenario.image_of_core_a(platform.core.count);
            let firmware = image::read(
                &image::build_with_keys(&personality, scenario.geometry()?, scenario.key_width()?)?,
                &platform,
            )?;
            memory_map::check_image(&Wanted::of(scenario)?, platform_name, &platform, &firmware)?;
            firmware
        }
    };
    let second = match platform.core.count {
        1 => None,
        _ => Some(Arc::new(image::read(&image::build("keeper", scenario.geometry()?)?, &platform)?)),
    };
    Ok(ClusterConfig {
        scenario: Arc::new(scenario.clone()),
        platform,
        firmware: Arc::new(firmware),
        second,
        miss_ratio,
        seed: config.seed,
        threads: config.threads,
        record: matches!(
            scenario.workload.kind,
            WorkloadKind::PingPong | WorkloadKind::Bystander | WorkloadKind::Pages
        ),
        record_inputs: false,
        waves: None,
        until: None,
    })
}

/// Is told of every run of a scenario while its logs are still there.
pub trait Observer {
    fn done(&mut self, _config: &ClusterConfig, _output: &ClusterOutput, _run: &Run) {}
    fn failed(&mut self, _platform: &str, _config: &ClusterConfig, _failure: &Failure) {}
}

impl Observer for () {}

/// Runs every platform with every ratio of misses.
pub fn run(config: &RunConfig) -> Result<Results> {
    observe(config, &mut ())
}

/// The same, for someone who looks.
pub fn observe(config: &RunConfig, observer: &mut dyn Observer) -> Result<Results> {
    let scenario = &config.scenario;
    check(config)?;
    let mut runs = Vec::new();
    let of = scenario.platforms.len() * scenario.misses.ratios.len();
    for name in &scenario.platforms {
        for &miss_ratio in &scenario.misses.ratios {
            let what = format!("{} on {name}, {:.0} % misses", scenario.name, miss_ratio * 100.0);
            let progress = Progress::new(format!("{what} ({} of {of})", runs.len() + 1));
            let cluster = cluster_config(config, name, miss_ratio)?;
            let outcome: Result<_, Failure> = cluster::attempt(&cluster, &progress).and_then(|output| {
                let at = output.ended_at;
                let run =
                    summarise(name, &cluster, &output).map_err(|error| Failure { at, error, nodes: Vec::new() })?;
                Ok((output, run))
            });
            match outcome {
                Ok((output, run)) => {
                    observer.done(&cluster, &output, &run);
                    runs.push(run);
                }
                Err(failure) => {
                    observer.failed(name, &cluster, &failure);
                    return Err(failure.error);
                }
            }
        }
    }
    Ok(Results {
        schema: RESULTS_SCHEMA,
        version: env!("CARGO_PKG_VERSION").into(),
        seed: config.seed,
        scenario: scenario.clone(),
        runs,
    })
}

/// One platform with one ratio of misses; its sums agree.
pub fn single(platform: &str, config: &ClusterConfig) -> Result<Run> {
    let output = cluster::run(config, &Progress::hidden())?;
    let run = summarise(platform, config, &output)?;
    match run.broken() {
        broken if broken.is_empty() => Ok(run),
        broken => Err(failed!("checks were violated (seed {}):\n  {}", config.seed, broken.join("\n  "))),
    }
}

/// Turns what the nodes returned into rows, accounts and sums.
fn summarise(name: &str, config: &ClusterConfig, output: &ClusterOutput) -> Result<Run> {
    let platform = &config.platform;
    let reports: Vec<_> = output
        .nodes
        .iter()
        .enumerate()
        .map(|(node, output)| output.outcome.as_ref().ok_or_else(|| failed!("node {node} was cut off")))
        .collect::<Result<_>>()?;
    let mut run = Run {
        platform: name.into(),
        core_hz: platform.core.clock_hz,
        miss_ratio: config.miss_ratio,
        rows: Vec::new(),
        hits: Vec::new(),
        misses: Vec::new(),
        accounts: 0,
        largest_difference_ps: 0,
        counters: output
            .nodes
            .iter()
            .zip(&reports)
            .map(|(node, report)| counters(&report.totals, &node.accounting))
            .collect(),
        conservation: equations(output),
        simulated_ps: output.ended_at.0,
        core_cycles: output.nodes.iter().map(|node| node.core_cycles).collect(),
        flows: flows(output),
        switches: switches(output),
    };
    let logs: Vec<&NodeLog> = output.nodes.iter().map(|node| &node.log).collect();
    let hops = output.switches.iter().map(|switch| switch.hops.as_slice()).collect();
    let latency = cluster::link_latency(&config.scenario);
    let network = Network::new(&output.topology, output.nodes.len(), hops, latency);
    for index in 0..reports[0].steps.len() {
        let steps: Vec<_> = reports.iter().map(|report| &report.steps[index]).collect();
        let difference = |counters: &[Counter]| -> u64 {
            steps
                .iter()
                .flat_map(|step| {
                    counters.iter().map(|&counter| step.after.firmware(counter) - step.before.firmware(counter))
                })
                .sum()
        };
        let sent: Vec<Message> = steps.iter().flat_map(|step| step.sent.iter().copied()).collect();
        let bytes: u64 = sent.iter().map(|message| u64::from(message.size_bytes)).sum();
        let (begin, end) = (steps.iter().map(|step| step.begin).min(), steps.iter().map(|step| step.end).max());
        let rounds: Ps = (0..steps[0].timed.rounds.len())
            .map(|round| {
                let of_nodes = || steps.iter().map(|step| step.timed.rounds[round]);
                let (begin, end) = (of_nodes().map(|(begin, _)| begin).min(), of_nodes().map(|(_, end)| end).max());
                end.unwrap_or_default() - begin.unwrap_or_default()
            })
            .fold(Ps::ZERO, |sum, round| sum + round);
        let elapsed = match rounds {
            Ps::ZERO => end.unwrap_or_default() - begin.unwrap_or_default(),
            rounds => rounds,
        };
        let mut latencies = Vec::new();
        let kind = config.scenario.workload.kind;
        if kind == WorkloadKind::Bystander {
            // Beside other messages, a journey cannot be told from theirs; its ends can.
            for message in &sent {
                let window = message_window(output, message.sender, message.number);
                let (begin, end) = window.ok_or_else(|| failed!("word {} has no end", message.number))?;
                latencies.push((end - begin).0);
            }
        }
        let begun = steps.iter().flat_map(|step| &step.timed.begun);
        let ended = steps.iter().flat_map(|step| &step.timed.ended);
        latencies.extend(begun.zip(ended).map(|(begun, ended)| (*ended - *begun).0));
        if config.record && kind == WorkloadKind::PingPong {
            let (mut hits, mut misses) = (Vec::new(), Vec::new());
            for message in &sent {
                let journey = Journey {
                    message: message.number,
                    size_bytes: message.size_bytes,
                    sender: message.sender,
                    receiver: config.scenario.peer(message.sender),
                    logs: &logs,
                    network: &network,
                    hz: frequencies(platform),
                };
                let account = journey.account().map_err(|error| failed!("the account of {name}: {error}"))?;
                latencies.push(account.latency_ps);
                run.largest_difference_ps =
                    run.largest_difference_ps.max(account.difference_ps().unsigned_abs() as u64);
                run.accounts += 1;
                let kind = if journey.missed() { &mut misses } else { &mut hits };
                kind.push(account);
            }
            run.hits.extend(hits.get(hits.len() / 2).cloned());
            run.misses.extend(misses.first().cloned());
        }
        let latency_ps = Spread::of(&latencies).unwrap_or(Spread { min: 0, mean: 0.0, max: 0 });
        // In turns, a message has the link for itself while it is under way; in a stream they overlap.
        let seconds = match latencies.is_empty() {
            false => latencies.iter().sum::<u64>() as f64 / 1e12,
            true => elapsed.0 as f64 / 1e12,
        };
        run.rows.push(Row {
            size_bytes: steps[0].size_bytes,
            messages: sent.len() as u32,
            latency_ps,
            latency_core_cycles: latency_ps.mean * platform.core.clock_hz as f64 / 1e12,
            bandwidth_bits_per_s: bytes as f64 * 8.0 / seconds,
            hits: difference(&[Counter::SendHits, Counter::ReceiveHits]),
            misses: difference(&[Counter::SendMisses, Counter::ReceiveMisses, Counter::BufferMisses]),
            retransmissions: difference(&[Counter::FramesRetransmitted]),
        });
    }
    Ok(run)
}

pub fn frequencies(platform: &Platform) -> Frequencies {
    Frequencies {
        host_hz: platform.host.processor_clock_hz,
        pci_hz: platform.pci.clock_hz,
        core_hz: platform.core.clock_hz,
        link_hz: platform.link.clock_hz,
    }
}

/// Time of a processor for misses, without that of pinning: of the driver, and of a library that looks into its bitmap first.
fn for_misses(usage: &Usage) -> Ps {
    let is_for_a_miss = |task: &str, label: &str| match label {
        "pin" | "unpin" => false,
        "bitmap" => true,
        _ => ["interrupt handler", "miss thread"].contains(&task),
    };
    Ps(usage.iter().filter(|((task, label), _)| is_for_a_miss(task, label)).map(|(_, time)| time.0).sum())
}

fn counters(totals: &Totals, host: &Accounting) -> IndexMap<String, u64> {
    let driver = &host.driver;
    let firmware =
        counters_of(totals.sets).map(|counter| (format!("firmware.{}", counter.name()), totals.firmware(counter)));
    let rtl = totals.rtl.iter().map(|(name, value)| (format!("rtl.{name}"), u64::from(*value)));
    let of_driver = [
        ("misses", driver.misses),
        ("fills", driver.fills),
        ("bitmap_checks", driver.bitmap_checks),
        ("pin_calls", driver.pin_calls),
        ("page_faults", driver.page_faults),
        ("queues_found_free", driver.queues_found_free),
        ("queues_taken", driver.queues_taken),
        ("queues_kept", driver.queues_kept),
        ("page_faults_given_up", driver.page_faults_given_up),
        ("queue_wait_ps", driver.queue_wait_ps),
        ("for_misses_ps", for_misses(&host.usage).0),
    ];
    let of_driver = of_driver.into_iter().map(|(name, value)| (format!("driver.{name}"), value));
    firmware.chain(rtl).chain(of_driver).collect()
}

/// The sums of INV-38: within the firmware, and between firmware, RTL, link and host.
pub fn equations(output: &ClusterOutput) -> Vec<Equation> {
    let mut equations = Vec::new();
    let totals: Vec<&Totals> =
        output.nodes.iter().filter_map(|node| node.outcome.as_ref().map(|report| &report.totals)).collect();
    for (node, (output_of, totals)) in output.nodes.iter().zip(&totals).enumerate() {
        let firmware = |counter: Counter| totals.firmware(counter);
        let rtl = |name: &str| totals.rtl(name);
        for equation in conservation(totals.sets) {
            equations.push(Equation::new(
                format!("node {node}, firmware: {}", equation.name),
                equation.whole().map(firmware).sum(),
                equation.parts().map(firmware).sum(),
            ));
        }
        if let Some(kept) = output_of.outcome.as_ref().and_then(|report| report.kept.as_ref()) {
            // Each counter has a weight of its own, so that two of them do not make up for each other.
            let weighed =
                |values: &mut dyn Iterator<Item = u64>| values.zip(1..).map(|(value, weight)| value * weight).sum();
            equations.extend([
                Equation::new(
                    format!("node {node}: counters of core A = totals of core B"),
                    weighed(&mut totals.firmware.iter().map(|&count| u64::from(count))),
                    weighed(&mut kept.totals.iter().copied()),
                ),
                Equation::new(format!("node {node}: sums that core B found wrong = 0"), kept.violations.into(), 0),
            ]);
        }
        // What the monitor saw on the trace port and the bus is what the firmware and the driver counted.
        let driver = &output_of.accounting.driver;
        if let Some(seen) = &output_of.seen {
            let mut watched = |what: &str, seen: u64, counted: u64| {
                equations.push(Equation::new(
                    format!("node {node}: {what} that the monitor saw = counted"),
                    seen,
                    counted,
                ));
            };
            watched("send lookups", seen.lookups[0], firmware(Counter::SendLookups));
            watched("receive lookups", seen.lookups[1], firmware(Counter::ReceiveLookups));
            watched("send hits", seen.hits[0], firmware(Counter::SendHits));
            watched("receive hits", seen.hits[1], firmware(Counter::ReceiveHits));
            watched("send misses", seen.misses[0], firmware(Counter::SendMisses));
            watched("receive misses", seen.misses[1], firmware(Counter::ReceiveMisses));
            watched("send fetches", seen.fetches[0], firmware(Counter::SendFetches));
            watched("receive fetches", seen.fetches[1], firmware(Counter::ReceiveFetches));
            watched("lines filled by fetches", seen.fetches_filled, firmware(Counter::FetchesFilled));
            watched("buffer misses", seen.buffer_misses, firmware(Counter::BufferMisses));
            watched("fills", seen.fills, driver.fills + driver.buffer_fills);
            watched("denials", seen.denials, driver.denials);
            watched("releases", seen.releases, driver.releases);
        }
        equations.extend([
            Equation::new(
                format!("node {node}: frames begun = good + each way to drop one"),
                rtl("mac_rx_started"),
                rtl("mac_rx_frames")
                    + rtl("mac_rx_bad_fcs")
                    + rtl("mac_rx_runts")
                    + rtl("mac_rx_giants")
                    + rtl("mac_rx_errors")
                    + rtl("mac_rx_bad_preambles")
                    + rtl("mac_rx_no_buffer")
                    + rtl("mac_rx_overflows"),
            ),
            Equation::new(
                format!("node {node}: good frames of the MAC = frames that firmware received"),
                rtl("mac_rx_frames"),
                firmware(Counter::FramesReceived),
            ),
            Equation::new(
                format!("node {node}: frames that firmware sent = frames of the MAC"),
                firmware(Counter::FramesSent)
                    + firmware(Counter::FramesRetransmitted)
                    + firmware(Counter::AcksSent)
                    + firmware(Counter::MissedSent)
                    + firmware(Counter::RestartsSent),
                rtl("mac_tx_frames") + rtl("mac_tx_skipped"),
            ),
            Equation::new(
                format!("node {node}: frames of the MAC = frames on the link"),
                rtl("mac_tx_frames"),
                output_of.frames.sent,
            ),
            frames_at_the_other_end(output, node),
            Equation::new(
                format!("node {node}: misses of the firmware = misses that the driver read, and fetches that asked it for nothing"),
                [Counter::SendMisses, Counter::ReceiveMisses, Counter::BufferMisses].map(firmware).iter().sum(),
                driver.misses + [Counter::FetchesFilled, Counter::FetchesLost].map(firmware).iter().sum::<u64>(),
            ),
            Equation::new(
                format!(
                    "node {node}: notifications that the firmware knows were read = notifications that the driver read"
                ),
                firmware(Counter::NotificationsRead),
                driver.notifications,
            ),
            Equation::new(
                format!("node {node}: misses = fills of lines and buffers + denials + releases + stale"),
                driver.misses,
                driver.fills + driver.buffer_fills + driver.denials + driver.releases + driver.stale,
            ),
            Equation::new(
                format!("node {node}: page faults = queues found free + taken + kept + given up"),
                driver.page_faults,
                driver.queues_found_free + driver.queues_taken + driver.queues_kept + driver.page_faults_given_up,
            ),
        ]);
    }
    equations.extend(equations_of_switches(output));
    equations.extend(equations_of_flows(output));
    equations
}

/// The other end of the cable of a node.
fn other_end(output: &ClusterOutput, node: usize) -> End {
    let cables = output.topology.cables(output.nodes.len()).expect("the run had this topology");
    let own = cables.into_iter().find(|cable| cable.contains(&End::Node(node))).expect("every node has a cable");
    own[usize::from(own[0] == End::Node(node))]
}

fn frames_at_the_other_end(output: &ClusterOutput, node: usize) -> Equation {
    let arriving = output.nodes[node].frames.arriving();
    match other_end(output, node) {
        End::Node(peer) => Equation::new(
            format!("node {node}: frames on the link - lost + doubled = frames that the peer's MAC began"),
            arriving,
            totals_of(&output.nodes[peer]).map_or(0, |totals| totals.rtl("mac_rx_started")),
        ),
        End::Switch { switch, port } => Equation::new(
            format!(
                "node {node}: frames on the link - lost + doubled = frames that began at switch {switch}, port {port}"
            ),
            arriving,
            output.switches[switch].counts.ports[port].frames_in,
        ),
    }
}

/// The sums of each port of each switch, and of the cable at it.
fn equations_of_switches(output: &ClusterOutput) -> Vec<Equation> {
    let mut equations = Vec::new();
    let cables = output.topology.cables(output.nodes.len()).expect("the run had this topology");
    for (switch, found) in output.switches.iter().enumerate() {
        for (port, counts) in found.counts.ports.iter().enumerate() {
            let name = format!("switch {switch}, port {port}");
            let own = End::Switch { switch, port };
            let cable = cables.iter().find(|cable| cable.contains(&own)).expect("every port has a cable");
            equations.extend([
                Equation::new(
                    format!("{name}: frames in = forwarded + flooded + each way to drop one + undecided"),
                    counts.frames_in,
                    counts.forwarded + counts.flooded + counts.dropped_in() + counts.undecided,
                ),
                Equation::new(
                    format!("{name}: frames offered to the queue = dropped at its tail + out + queued"),
                    counts.offered,
                    counts.dropped_tail + counts.frames_out + counts.queued,
                ),
                Equation::new(
                    format!("{name}: frames out of the queue = frames on the link"),
                    counts.frames_out,
                    found.links[port].sent,
                ),
            ]);
            let (what, begun) = match cable[usize::from(cable[0] == own)] {
                End::Node(node) => (
                    format!("the MAC of node {node}"),
                    totals_of(&output.nodes[node]).map_or(0, |totals| totals.rtl("mac_rx_started")),
                ),
                End::Switch { switch, port } => {
                    (format!("switch {switch}, port {port},"), output.switches[switch].counts.ports[port].frames_in)
                }
            };
            equations.push(Equation::new(
                format!("{name}: frames on the link - lost + doubled = frames that {what} began"),
                found.links[port].arriving(),
                begun,
            ));
        }
        let ports = found.counts.ports.len() as u64;
        equations.push(Equation::new(
            format!("switch {switch}: frames offered to queues = forwarded + (ports - 1) x flooded"),
            found.counts.total(|port| port.offered),
            found.counts.total(|port| port.forwarded) + (ports - 1) * found.counts.total(|port| port.flooded),
        ));
    }
    equations
}

/// What each sender has sent to each receiver is what the receiver has compared.
fn equations_of_flows(output: &ClusterOutput) -> Vec<Equation> {
    let flows = flows(output);
    let of = |flow: &FlowSum| format!("node {} to node {}", flow.from, flow.to);
    flows
        .iter()
        .flat_map(|flow| {
            [
                Equation::new(
                    format!("{}: messages that were sent = messages that were compared", of(flow)),
                    flow.messages,
                    flow.compared_messages,
                ),
                Equation::new(
                    format!("{}: bytes that were sent = bytes that were compared", of(flow)),
                    flow.bytes,
                    flow.compared_bytes,
                ),
            ]
        })
        .collect()
}

/// Messages and bytes by sender and receiver, warm-up included; none without a workload of flows.
fn flows(output: &ClusterOutput) -> Vec<FlowSum> {
    let mut sums: BTreeMap<(usize, usize), FlowSum> = BTreeMap::new();
    for (node, report) in output.nodes.iter().enumerate().filter_map(|(node, of)| Some((node, of.outcome.as_ref()?))) {
        let flow = |from, to| FlowSum { from, to, messages: 0, bytes: 0, compared_messages: 0, compared_bytes: 0 };
        for (&to, sent) in &report.flows.sent {
            let sum = sums.entry((node, to)).or_insert(flow(node, to));
            (sum.messages, sum.bytes) = (sent.messages, sent.bytes);
        }
        for (&from, compared) in &report.flows.compared {
            let sum = sums.entry((from, node)).or_insert(flow(from, node));
            (sum.compared_messages, sum.compared_bytes) = (compared.messages, compared.bytes);
        }
    }
    sums.into_values().collect()
}

/// The counters of each port of each switch.
fn switches(output: &ClusterOutput) -> Vec<Vec<IndexMap<String, u64>>> {
    let of_port = |port: &PortCounts| {
        let counts = [
            ("frames_in", port.frames_in),
            ("forwarded", port.forwarded),
            ("flooded", port.flooded),
            ("dropped_bad_fcs", port.dropped_bad_fcs),
            ("dropped_runt", port.dropped_runt),
            ("dropped_oversize", port.dropped_oversize),
            ("dropped_unknown", port.dropped_unknown),
            ("dropped_same_port", port.dropped_same_port),
            ("dropped_input_full", port.dropped_input_full),
            ("undecided", port.undecided),
            ("passed_bad_fcs", port.passed_bad_fcs),
            ("passed_truncated", port.passed_truncated),
            ("offered", port.offered),
            ("dropped_tail", port.dropped_tail),
            ("frames_out", port.frames_out),
            ("bytes_out", port.bytes_out),
            ("queued", port.queued),
            ("queue_bytes_peak", port.queue_bytes_peak),
        ];
        counts.into_iter().map(|(name, count)| (name.to_owned(), count)).collect()
    };
    output.switches.iter().map(|switch| switch.counts.ports.iter().map(of_port).collect()).collect()
}

fn totals_of(node: &crate::node::NodeOutput<crate::workload::NodeReport>) -> Option<&Totals> {
    node.outcome.as_ref().map(|report| &report.totals)
}

/// The time from the beginning to the end of a message, for a window of waves.
pub fn message_window(output: &ClusterOutput, sender: usize, message: u32) -> Option<(Ps, Ps)> {
    use host_model::events::EventKind;
    let begin = output.nodes[sender].log.post(message, EventKind::PostBegin)?;
    let end = output.nodes.iter().find_map(|node| node.log.arrival(message, EventKind::ArrivalSeen))?;
    Some((begin, end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_for_misses_is_that_of_handler_and_thread_and_of_looks_before_but_for_pins() {
        let usage = [
            (("interrupt handler", "handler"), 1),
            (("miss thread", "miss service"), 10),
            (("miss thread", "pin"), 100),
            (("workload", "bitmap"), 1000),
            (("workload", "post"), 10_000),
        ];
        assert_eq!(for_misses(&usage.map(|(of, time)| (of, Ps(time))).into_iter().collect()), Ps(1011));
    }
}
