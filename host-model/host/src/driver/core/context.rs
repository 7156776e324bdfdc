//! What every part of the driver stands on: the machine, what the run asks for, the NIC's place on
//! the bus, and the record of what happened.

use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;

use nic_layout::boot::CrashRecord;
use sim_pins::Ps;

use super::counts::DriverCounts;
use super::device::{Device, Resources};
use super::error::DriverError;
use super::layout::NicLayout;
use super::options::DriverOptions;
use crate::bus::{BusPort, PostedFault};
use crate::events::{EventKind, EventLog, Note, Subject};
use crate::executor::Sim;
use crate::memory::Memory;
use crate::pio::{Gate, Pio};
use crate::platform::{HostCosts, Platform};
use crate::processor::{Cpu, Priority, Processors};

/// The machine that a driver runs on.
pub struct Machine {
    /// Simulated time and tasks of the host.
    pub sim: Sim,
    /// The processors that tasks compete for.
    pub processors: Processors,
    /// The way to the PCI bus.
    pub port: BusPort,
    /// The memory of the node, which devices reach too.
    pub memory: Rc<RefCell<Memory>>,
    /// The log of what happened.
    pub log: EventLog,
    /// Sizes and costs of the machine.
    pub platform: Platform,
}

/// The surroundings of a driver while its NIC runs one firmware: from a boot to the next reset. Its
/// parts share one.
pub struct Context {
    machine: Rc<Machine>,
    /// Shut when the NIC is reset: no task reaches the NIC with what it knew before.
    gate: Gate,
    options: DriverOptions,
    /// Known since the boot.
    resources: OnceCell<Resources>,
    layout: OnceCell<NicLayout>,
    ready: Cell<bool>,
    counts: RefCell<DriverCounts>,
    crashed: Cell<Option<CrashRecord>>,
    crashed_b: Cell<Option<CrashRecord>>,
    /// An error in a task that has no caller.
    failure: RefCell<Option<DriverError>>,
}

impl Context {
    /// A context that knows no NIC yet: [`Context::set_resources`] and the layout follow at boot.
    pub fn new(machine: Rc<Machine>, options: DriverOptions) -> Context {
        Context {
            machine,
            gate: Gate::default(),
            options,
            resources: OnceCell::new(),
            layout: OnceCell::new(),
            ready: Cell::new(false),
            counts: RefCell::default(),
            crashed: Cell::new(None),
            crashed_b: Cell::new(None),
            failure: RefCell::default(),
        }
    }

    // ---- The machine ----------------------------------------------------------------------------

    /// Simulated time and tasks of the host.
    pub fn sim(&self) -> &Sim {
        &self.machine.sim
    }

    /// The memory of the node.
    pub fn memory(&self) -> &RefCell<Memory> {
        &self.machine.memory
    }

    /// Sizes and costs of the machine.
    pub fn platform(&self) -> &Platform {
        &self.machine.platform
    }

    /// What the host's software costs ([`Platform::host`]).
    pub fn costs(&self) -> &HostCosts {
        &self.machine.platform.host
    }

    /// What the run decided about the driver.
    pub fn options(&self) -> &DriverOptions {
        &self.options
    }

    /// The processors, for a task of the driver.
    pub fn cpu(&self, task: &'static str, priority: Priority) -> Cpu {
        self.machine.processors.cpu(task, priority)
    }

    /// Into the kernel and back.
    pub async fn system_call(&self, cpu: &Cpu) {
        cpu.charge("system call", Ps::from_ns(self.costs().syscall_ns)).await;
    }

    // ---- The NIC --------------------------------------------------------------------------------

    /// Access to the bus, charged to the task of `cpu`.
    pub fn pio(&self, cpu: &Cpu) -> Pio {
        Pio::new(cpu.clone(), self.machine.port.clone(), self.costs()).through(self.gate.clone())
    }

    /// The NIC, reached with this task's processor time.
    pub fn device(&self, cpu: &Cpu) -> Result<Device, DriverError> {
        self.check_current()?;
        let resources = *self.resources.get().ok_or(DriverError::NotReady)?;
        Ok(Device { pio: self.pio(cpu), resources })
    }

    /// Where the NIC is on the bus; `None` before it was found.
    pub fn resources(&self) -> Option<Resources> {
        self.resources.get().copied().filter(|_| !self.is_over())
    }

    pub(in crate::driver) fn set_resources(&self, resources: Resources) {
        assert!(self.resources.set(resources).is_ok(), "the driver is started once");
    }

    /// Where the firmware has its structures in the SRAM.
    ///
    /// # Errors
    ///
    /// [`DriverError::NotReady`] before the boot reply was checked.
    pub fn layout(&self) -> Result<NicLayout, DriverError> {
        self.check_current()?;
        self.layout.get().copied().ok_or(DriverError::NotReady)
    }

    pub(in crate::driver) fn set_layout(&self, layout: NicLayout) {
        assert!(self.layout.set(layout).is_ok(), "the firmware answers once");
    }

    pub(in crate::driver) fn posted_faults(&self) -> Vec<PostedFault> {
        self.machine.port.posted_faults()
    }

    /// The NIC is reset: from now on this context reaches nothing, and its tasks end with
    /// [`DriverError::NicReset`].
    pub(in crate::driver) fn end(&self) {
        self.gate.shut();
        self.set_ready(false);
        self.fail(DriverError::NicReset);
    }

    /// Whether the NIC was reset since the boot.
    pub fn is_over(&self) -> bool {
        self.gate.is_shut()
    }

    /// Fails if the NIC was reset since the boot.
    pub fn check_current(&self) -> Result<(), DriverError> {
        match self.is_over() {
            true => Err(DriverError::NicReset),
            false => Ok(()),
        }
    }

    // ---- What happened --------------------------------------------------------------------------

    /// What the driver has counted so far.
    pub fn counts(&self) -> DriverCounts {
        *self.counts.borrow()
    }

    /// Changes the counters.
    pub fn count(&self, change: impl FnOnce(&mut DriverCounts)) {
        change(&mut self.counts.borrow_mut());
    }

    /// Records an event of this instant.
    pub fn note(&self, subject: Subject, kind: EventKind) {
        self.record(self.machine.sim.now(), subject.note(kind));
    }

    /// Records an event of a given time, which may lie in the past.
    pub fn record(&self, at: Ps, note: Note) {
        self.machine.log.record(at, note);
    }

    /// Whether the driver has started and serves calls.
    pub fn is_ready(&self) -> bool {
        self.ready.get()
    }

    pub(in crate::driver) fn set_ready(&self, ready: bool) {
        self.ready.set(ready);
    }

    /// The crash record of core A; `None` while it has not crashed.
    pub fn crash(&self) -> Option<CrashRecord> {
        self.crashed.get()
    }

    pub(in crate::driver) fn set_crash(&self, record: CrashRecord) {
        self.crashed.set(Some(record));
    }

    pub(in crate::driver) fn set_crash_of_core_b(&self, record: CrashRecord) {
        self.crashed_b.set(Some(record));
    }

    /// What made the driver give up, if anything did.
    pub fn failure(&self) -> Option<DriverError> {
        let crash = self.crashed.get().map(DriverError::Crashed);
        let crash = crash.or_else(|| self.crashed_b.get().map(DriverError::CrashedB));
        crash.or_else(|| self.failure.borrow().clone())
    }

    /// The driver gives up: later calls and the run end with this error.
    pub fn fail(&self, error: DriverError) {
        self.failure.borrow_mut().get_or_insert(error);
    }

    /// Fails with the first error that stopped the driver, if there was one.
    pub fn check_alive(&self) -> Result<(), DriverError> {
        match self.failure() {
            Some(error) => Err(error),
            None if !self.is_ready() => Err(DriverError::NotReady),
            None => Ok(()),
        }
    }
}
