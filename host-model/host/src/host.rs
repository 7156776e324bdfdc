//! The host of one node: bus, memory, processors, driver and application tasks, driven by the
//! node's clock loop.

use std::cell::RefCell;
use std::future::Future;
use std::rc::Rc;

use sim_pins::{PciDrive, PciLines, Ps};

use crate::address::NodeId;
use crate::bus::{Bus, BusPort};
use crate::driver::{Driver, DriverCounts, DriverError, DriverOptions, Machine, ServiceEntry, SERVICES};
use crate::events::EventLog;
use crate::executor::{Executor, Sim, Task};
use crate::library::{Extension, Process};
use crate::load;
use crate::memory::{Counts, Memory};
use crate::pio::Pio;
use crate::platform::Platform;
use crate::processor::{Cpu, Priority, Processors, Usage};

/// What a run decides about a host.
#[derive(Clone, Debug)]
pub struct HostConfig {
    /// Sizes and costs of the host, its bus and its NIC.
    pub platform: Platform,
    /// What the run decides about the driver.
    pub driver: DriverOptions,
    /// Keep events. They cost memory, no simulated time.
    pub trace: bool,
}

/// One node's host. It lives on the thread that drives it.
pub struct Host<B: Bus> {
    bus: B,
    executor: Executor,
    node: Node,
}

/// The host as its tasks see it.
#[derive(Clone)]
pub struct Node {
    sim: Sim,
    port: BusPort,
    memory: Rc<RefCell<Memory>>,
    processors: Processors,
    driver: Driver,
    log: EventLog,
    platform: Rc<Platform>,
}

/// The state of everything that is counted, at the end of a run or at any time.
#[derive(Clone, Debug)]
pub struct Accounting {
    /// Pins, and violations of memory by devices.
    pub memory: Counts,
    /// What the driver has counted.
    pub driver: DriverCounts,
    /// Processor time by task and label.
    pub usage: Usage,
    /// How often a task lost its processor to another of higher priority.
    pub preemptions: u64,
}

impl<B: Bus> Host<B> {
    /// `bus` makes the bus around the memory that devices on it reach.
    pub fn new<E>(
        config: HostConfig,
        bus: impl FnOnce(&Platform, Rc<RefCell<Memory>>) -> Result<B, E>,
    ) -> Result<Host<B>, E> {
        Host::with_services(config, SERVICES, bus)
    }

    /// The same, with the personalities that the driver can serve.
    pub fn with_services<E>(
        config: HostConfig,
        services: &'static [ServiceEntry],
        bus: impl FnOnce(&Platform, Rc<RefCell<Memory>>) -> Result<B, E>,
    ) -> Result<Host<B>, E> {
        let HostConfig { platform, driver, trace } = config;
        let executor = Executor::new();
        let sim = executor.sim();
        let (node, other_work) = (driver.node, driver.load);
        let log = if trace { EventLog::new(node) } else { EventLog::silent(node) };
        let costs = &platform.host;
        // Nodes of one run differ in their pages, and in their other work.
        let seed = driver.seed ^ (u64::from(node.0) << 48);
        let memory = Memory::new(platform.host_pages(), costs.pinned_pages_max, seed);
        let memory = Rc::new(RefCell::new(memory));
        let bus = bus(&platform, memory.clone())?;
        let processors = Processors::new(sim.clone(), costs.processor_count as usize, costs.processor_clock_hz);
        let port = BusPort::new(costs.posted_writes_max, log.clone());
        let machine = Machine {
            sim: sim.clone(),
            processors: processors.clone(),
            port: port.clone(),
            memory: memory.clone(),
            log: log.clone(),
            platform: platform.clone(),
        };
        let driver = Driver::new(machine, driver, services);
        if let Some(other_work) = other_work {
            load::spawn(&sim, &processors, other_work, seed);
        }
        let platform = Rc::new(platform);
        let node = Node { sim, port, memory, processors, driver, log, platform };
        Ok(Host { bus, executor, node })
    }

    /// One rising edge of the PCI clock: what the NIC has driven since the last, and the levels
    /// that it samples at this one.
    #[inline]
    pub fn rising_edge(&mut self, at: Ps, nic: &PciDrive) -> PciLines {
        self.executor.run_until(at);
        if self.node.port.has_outgoing() {
            self.submit();
        }
        let lines = self.bus.rising_edge(at, nic);
        self.node.driver.interrupt_input().set(at, self.bus.interrupt());
        while let Some(completion) = self.bus.take_completion() {
            self.node.port.complete(completion);
        }
        self.executor.run_until(at);
        lines
    }

    #[cold]
    fn submit(&mut self) {
        while let Some((id, request)) = self.node.port.take_outgoing() {
            self.bus.submit(id, request);
        }
    }

    /// When a task is due next; `None` while all wait for the bus or for nothing. Edges of the bus
    /// need not be faster than this: a task that is served late is served at its own time.
    #[inline]
    pub fn next_deadline(&self) -> Option<Ps> {
        self.executor.next_deadline()
    }

    /// The host does nothing at the next edge: no request stands or is under way.
    #[inline]
    pub fn is_quiet(&self) -> bool {
        !self.node.port.has_outgoing() && self.bus.is_idle()
    }

    /// Serves tasks up to `until`, without an edge of the bus.
    #[inline]
    pub fn run_until(&mut self, until: Ps) {
        self.executor.run_until(until);
    }

    /// Starts a task on this node: `make` gets the node's handle.
    pub fn spawn<T: 'static, F: Future<Output = T> + 'static>(
        &self,
        name: &'static str,
        make: impl FnOnce(Node) -> F,
    ) -> Task<T> {
        self.node.sim.spawn(name, make(self.node.clone()))
    }

    /// The host as its tasks see it.
    pub fn node(&self) -> &Node {
        &self.node
    }

    /// The bus, for the owner of the clocks.
    pub fn bus(&mut self) -> &mut B {
        &mut self.bus
    }

    /// The names of tasks that have not ended. Driver tasks never do.
    pub fn live_tasks(&self) -> Vec<&'static str> {
        self.executor.live_tasks()
    }

    /// What was counted so far.
    pub fn accounting(&self) -> Accounting {
        Accounting {
            memory: self.node.memory.borrow().counts(),
            driver: self.node.driver.counts(),
            usage: self.node.processors.usage(),
            preemptions: self.node.processors.preemption_count(),
        }
    }

    /// Everything that went wrong so far and fails a run: DMA to pages that are not pinned, broken
    /// rules of the bus, lost writes, a driver that gave up, counts that do not add up. Empty:
    /// nothing.
    pub fn faults(&mut self) -> Vec<String> {
        let mut faults = self.bus.take_violations();
        let node = &self.node;
        let memory = node.memory.borrow();
        faults.extend(memory.violations().iter().map(ToString::to_string));
        let unlisted = memory.counts().dma_violations - memory.violations().len() as u64;
        if unlisted > 0 {
            faults.push(format!("INV-26: {unlisted} more violations"));
        }
        let lost = node.port.posted_faults();
        faults.extend(lost.iter().map(|lost| format!("at {}: store to {}: {}", lost.at, lost.address, lost.fault)));
        faults.extend(node.driver.failure().map(|error| format!("driver: {error}")));
        faults.extend(node.driver.unbalanced());
        faults
    }
}

impl Node {
    /// The number of the node.
    pub fn id(&self) -> NodeId {
        self.log.node()
    }

    /// Simulated time and tasks.
    pub fn sim(&self) -> &Sim {
        &self.sim
    }

    /// The driver of the NIC.
    pub fn driver(&self) -> &Driver {
        &self.driver
    }

    /// The memory of the node, which devices reach too.
    pub fn memory(&self) -> &Rc<RefCell<Memory>> {
        &self.memory
    }

    /// Sizes and costs of the machine.
    pub fn platform(&self) -> &Platform {
        &self.platform
    }

    /// The processors of the host.
    pub fn processors(&self) -> &Processors {
        &self.processors
    }

    /// The log of what happened.
    pub fn log(&self) -> &EventLog {
        &self.log
    }

    /// Processor time for one task, accounted for under the name `task`.
    pub fn cpu(&self, task: &'static str, priority: Priority) -> Cpu {
        self.processors.cpu(task, priority)
    }

    /// Loads the firmware and starts the NIC.
    pub async fn boot(&self, firmware: &[u8]) -> Result<(), DriverError> {
        self.driver.start(firmware).await
    }

    /// The same for a NIC with two cores.
    pub async fn boot_pair(&self, firmware: &[u8], second: &[u8]) -> Result<(), DriverError> {
        self.driver.start_pair(firmware, second).await
    }

    /// Resets the NIC under whatever it does, and boots it again: see [`Driver::reset`]. Gives its
    /// new session, of which each peer has to be told ([`Driver::restart_peer`]).
    pub async fn reset_nic(&self) -> Result<u32, DriverError> {
        self.driver.reset().await
    }

    /// A new process that has the NIC open; its processor time is accounted for under `name`.
    pub async fn open(&self, name: &'static str) -> Result<Process, DriverError> {
        self.open_with(name).await
    }

    /// The same, with other operations than those on remote memory.
    pub async fn open_with<X: Extension>(&self, name: &'static str) -> Result<Process<X>, DriverError> {
        let cpu = self.cpu(name, Priority::User);
        let pio = Pio::new(cpu, self.port.clone(), &self.platform.host);
        Process::open(self.driver.clone(), self.memory.clone(), pio, self.log.clone(), self.platform.host).await
    }
}
