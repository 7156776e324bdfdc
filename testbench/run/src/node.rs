//! One node: a NIC model and a host that meet at the PCI pins, and a link port.

use std::path::PathBuf;

use host_model::driver::Duty;
use host_model::executor::Task;
use host_model::host::{Accounting, Host, HostConfig, Node as HostHandle};
use host_model::pci::PciBus;
use host_model::platform::Platform;
use nic_monitor::{Monitor, Seen, Violation};
use nicscope_account::log::{DataFrame, NodeLog, SentFrame};
use nicscope_scenario::error::{Error, Result, Statement};
use nicscope_scenario::failed;
use sim_fabric::{Activity, FrameCounts, Port};
use sim_nic::{clock, Nic, NicConfig, ParameterSet, Recording, WaveWindow};
use sim_pins::Ps;
use sim_time::{Clock, Scheduler};

use crate::watch;

/// The parts of a node, and what to record of it.
pub struct NodeConfig {
    /// The number of the node, from 0.
    pub index: usize,
    /// The host with its platform and its driver's settings.
    pub host: HostConfig,
    /// The node's end of its cable.
    pub port: Port,
    /// The seed of late crossings of the NIC, if it has any.
    pub late_crossings: Option<u32>,
    /// Whether to record markers, probes, frames and host events.
    pub record: bool,
    /// Whether to record the inputs of the model, to play them again.
    pub record_inputs: bool,
    /// Waves of the model, as FST, between two times.
    pub waves: Option<(PathBuf, Ps, Ps)>,
}

/// A node with the task that it runs.
pub struct Node<T: 'static> {
    index: usize,
    nic: Nic,
    host: Host<PciBus>,
    scheduler: Scheduler<{ clock::COUNT }>,
    port: Port,
    monitor: Monitor,
    /// Core B runs parts of the protocol. Then the monitor sees its markers too.
    has_parts_on_core_b: bool,
    line: watch::Line,
    record: bool,
    log: NodeLog,
    task: Task<Result<T>>,
    begin_window: Box<dyn Fn(Ps)>,
    /// When the next window begins.
    window: Ps,
    outcome: Option<T>,
    now: Ps,
}

/// The work that is started on the host of a node.
pub struct Start<T: 'static> {
    /// The task of the node. The node has finished when the task has ended.
    pub task: Task<Result<T>>,
    /// Delivers the messages of the management network; called with the time of each window's
    /// begin.
    pub begin_window: Box<dyn Fn(Ps)>,
}

/// The result of a node after a run.
pub struct NodeOutput<T> {
    /// The result of its task; `None` if the task was cut off.
    pub outcome: Option<T>,
    /// Recorded markers, probes, frames and host events. Empty unless they were asked for.
    pub log: NodeLog,
    /// Frames that the node sent on its cable, by their fate.
    pub frames: FrameCounts,
    /// The counters of the host: driver, processors, pages.
    pub accounting: Accounting,
    /// The counters of the PCI bus.
    pub bus: host_pci::BusCounters,
    /// What the monitor saw; `None` if the NIC was not booted.
    pub seen: Option<Seen>,
    /// Faults of the bus, the memory and the driver that did not stop the node.
    pub faults: Vec<String>,
    /// The invariant that the monitor found broken, if any.
    pub violation: Option<Violation>,
    /// How often the NIC was reset after its first boot. Counters of firmware and RTL count from
    /// the last reset on.
    pub resets: u32,
    /// Clock cycles of the NIC's core since the begin of the run.
    pub core_cycles: u64,
    /// The inputs of the model. Empty unless they were asked for.
    pub recording: Recording,
    /// Simulated time of the node at its end.
    pub now: Ps,
    /// Names of tasks that still wait, for the error of a run that hangs.
    pub live_tasks: Vec<&'static str>,
}

/// The clock by which a platform's NIC transmits. A NIC receives by the clock of its peer.
pub fn transmit_clock(platform: &Platform) -> Clock {
    Clock::new(platform.link.clock_hz, Ps::ZERO)
}

/// The error of a run in which the monitor found an invariant broken.
pub fn error_of(violation: &Violation) -> Error {
    Error::broken(Statement::Invariant(violation.invariant.0), violation)
}

impl<T: 'static> Node<T> {
    /// Builds the node; `start` starts what runs on its host.
    ///
    /// # Errors
    /// There is no model of such a NIC, or the platform's memory cannot be built.
    pub fn new(config: NodeConfig, start: impl FnOnce(&Host<PciBus>) -> Start<T>) -> Result<Node<T>> {
        let NodeConfig { index, host, port, late_crossings, record, record_inputs, waves } = config;
        let platform = host.platform.clone();
        let has_parts_on_core_b = host.driver.duty_of_core_b() == Duty::Parts;
        let parameters = ParameterSet::ALL
            .into_iter()
            .find(|set| set.sram_bytes() == platform.sram.bytes && set.cores() == platform.core.count)
            .ok_or_else(|| {
                failed!(
                    "no model of the NIC has {} bytes of SRAM and {} cores",
                    platform.sram.bytes,
                    platform.core.count
                )
            })?;
        let mut nic = Nic::new(NicConfig { waves: waves.is_some(), late_crossings, ..NicConfig::new(parameters) })
            .map_err(|fault| failed!("node {index}: {fault}"))?;
        if record_inputs {
            nic.record();
        }
        if let Some((path, from, to)) = waves {
            nic.add_wave_window(WaveWindow { path, from, to });
        }
        let clocks = [
            Clock::new(platform.core.clock_hz, Ps::ZERO),
            Clock::new(platform.pci.clock_hz, Ps::ZERO),
            transmit_clock(&platform),
            port.rx.clock(),
        ];
        let mut host = Host::new(host, |platform, memory| PciBus::new(PciBus::settings(platform), memory))
            .map_err(|error| failed!("node {index}: {error}"))?;
        let line = watch::tap(&mut host);
        let Start { task, begin_window } = start(&host);
        Ok(Node {
            index,
            nic,
            host,
            scheduler: Scheduler::new(clocks),
            port,
            monitor: Monitor::new(index),
            has_parts_on_core_b,
            line,
            record,
            log: NodeLog::default(),
            task,
            begin_window,
            window: Ps::ZERO,
            outcome: None,
            now: Ps::ZERO,
        })
    }

    /// Records the markers and probes of the last tick.
    #[inline]
    fn look(&mut self, at: Ps, marker: Option<u32>, probes: u16) {
        if let Some(word) = marker {
            self.log.trace.push((at, word));
        }
        if let Some(word) = self.nic.marker_b() {
            self.log.trace_b.push((at, word));
        }
        if probes != 0 {
            self.log.probes.push((at, u32::from(probes)));
        }
    }

    /// Frames come in the order in which they begin on the line. A frame that a fault has held back
    /// comes behind later frames, and so does a copy.
    fn collect_frames(&mut self) {
        let sent = &mut self.log.sent;
        for frame in self.port.tx.take_captured() {
            let place = sent.partition_point(|other| other.start < frame.start);
            match sent.get_mut(place).filter(|other| other.start == frame.start) {
                Some(original) => original.arrivals.extend(frame.arrival),
                None => {
                    let data = DataFrame::parse(frame.contents());
                    let contents = frame.contents().into();
                    let arrivals = frame.arrival.into_iter().collect();
                    sent.insert(place, SentFrame { start: frame.start, end: frame.end, arrivals, data, contents });
                }
            }
        }
    }
}

impl<T: Send + 'static> sim_fabric::Node for Node<T> {
    type Error = Error;
    type Output = NodeOutput<T>;

    fn run_until(&mut self, end: Ps) -> Result<Activity> {
        (self.begin_window)(self.window);
        self.window = end;
        while let Some(instant) = self.scheduler.advance_before(end) {
            let (at, rising) = (instant.at, instant.rising);
            self.now = at;
            if rising.contains(clock::PCI) {
                let lines = self.host.rising_edge(at, &self.nic.drive());
                self.nic.sense_pci(&lines);
                watch::host(&mut self.monitor, &mut self.line, &self.host, at);
            }
            if rising.contains(clock::GMII_RX) {
                let edge = self.scheduler.cycles(clock::GMII_RX) - 1;
                let symbol = self.port.rx.receive(edge);
                self.monitor.received(at, symbol);
                self.nic.receive(symbol);
            }
            self.nic.tick(instant).map_err(|fault| failed!("node {}: {fault}", self.index))?;
            if rising.contains(clock::GMII_TX) {
                let edge = self.scheduler.cycles(clock::GMII_TX) - 1;
                let symbol = self.nic.transmit();
                self.monitor.sent(at, symbol);
                self.port.tx.send(edge, symbol);
            }
            let probes = self.nic.probes();
            watch::probes(&mut self.monitor, probes);
            let marker = self.nic.marker();
            if let Some(word) = marker {
                watch::marker(&mut self.monitor, &self.host, at, word);
            }
            if let Some(word) = self.nic.marker_b().filter(|_| self.has_parts_on_core_b) {
                watch::marker(&mut self.monitor, &self.host, at, word);
            }
            if self.record {
                self.look(at, marker, probes);
            }
            if let Some(violation) = self.monitor.violation() {
                return Err(error_of(violation));
            }
        }
        self.port.tx.end_window(self.scheduler.cycles(clock::GMII_TX));
        if self.record {
            self.collect_frames();
        }
        if self.outcome.is_none() {
            if let Some(outcome) = self.task.take() {
                self.outcome = Some(outcome?);
            }
        }
        if let Some(failure) = self.host.node().driver().failure() {
            return Err(failed!("node {}: driver: {failure}", self.index));
        }
        Ok(if self.outcome.is_some() { Activity::Finished } else { Activity::Busy })
    }

    fn now(&self) -> Ps {
        self.now
    }

    fn finish(mut self) -> NodeOutput<T> {
        let mut faults = self.host.faults();
        self.monitor.finish(self.now);
        let layout = self.host.node().driver().layout();
        if layout.is_ok() && !self.monitor.is_placed() {
            faults.push("the monitor did not find the tables of the NIC".into());
        }
        if let Err(fault) = self.nic.close_waves() {
            faults.push(fault.to_string());
        }
        self.collect_frames();
        self.log.host = self.host.node().log().take();
        // Some events are recorded when their cause is known, with the time at which they happened.
        self.log.host.sort_by_key(|event| event.at);
        NodeOutput {
            outcome: self.outcome.take(),
            log: self.log,
            frames: self.port.tx.counts().clone(),
            accounting: self.host.accounting(),
            bus: *self.host.bus().bus_ref().counters(),
            seen: self.monitor.is_placed().then(|| self.monitor.seen()),
            faults,
            violation: self.monitor.violation().cloned(),
            resets: self.host.node().driver().resets(),
            core_cycles: self.nic.core_cycles(),
            recording: self.nic.take_recording(),
            now: self.now,
            live_tasks: self.host.live_tasks(),
        }
    }
}

/// The access of a node's tasks to its host.
pub type Handle = HostHandle;
