//! The kernel driver of one NIC, as the host and the library see it.

use std::cell::OnceCell;
use std::rc::Rc;

use nic_layout::boot::CrashRecord;
use nic_layout::counter::{Counter, Set};
use nic_layout::registers::{ident, interrupt};

use super::core::boot;
use super::core::commands::Commands;
use super::core::context::{Context, Machine};
use super::core::core_b::{CoreB, Kept};
use super::core::counts::DriverCounts;
use super::core::device::{Device, Resources};
use super::core::error::DriverError;
use super::core::interrupt::{Handler, InterruptInput};
use super::core::layout::{NicLayout, Reply};
use super::core::mapping::Mapping;
use super::core::options::DriverOptions;
use super::core::pins::{Pins, WaterMarks};
use super::core::processes::{ProcessGrant, Processes};
use super::core::service::{Core, Service, ServiceEntry};
use super::rdma::RdmaService;
use crate::address::Pid;
use crate::events::{EventKind, Subject};
use crate::processor::{Cpu, Priority};

/// The driver of one NIC. Clones are the same driver.
#[derive(Clone)]
pub struct Driver(Rc<Inner>);

struct Inner {
    core: Core,
    interrupt: InterruptInput,
    processes: Processes,
    core_b: CoreB,
    services: &'static [ServiceEntry],
    /// Known since the boot.
    service: OnceCell<Rc<dyn Service>>,
    /// What the firmware counts, known since the boot.
    counter_sets: OnceCell<&'static [&'static Set]>,
}

impl Driver {
    /// `services`: the personalities that it can serve.
    pub fn new(machine: Machine, options: DriverOptions, services: &'static [ServiceEntry]) -> Driver {
        let context = Rc::new(Context::new(machine, options));
        let commands = Rc::new(Commands::new(context.clone()));
        let pins = Rc::new(Pins::new(context.clone()));
        let core = Core { context: context.clone(), commands, pins };
        Driver(Rc::new(Inner {
            core: core.clone(),
            interrupt: InterruptInput::default(),
            processes: Processes::new(core),
            core_b: CoreB::new(context),
            services,
            service: OnceCell::new(),
            counter_sets: OnceCell::new(),
        }))
    }

    // ---- Start and stop -------------------------------------------------------------------------

    /// Brings the NIC up with the firmware in `file`, an ELF image. Call it once.
    pub async fn start(&self, file: &[u8]) -> Result<(), DriverError> {
        self.start_cores(file, None).await
    }

    /// The same for a NIC with two cores: `second` is the image of core B, which starts when core A
    /// is ready.
    pub async fn start_pair(&self, file: &[u8], second: &[u8]) -> Result<(), DriverError> {
        self.start_cores(file, Some(second)).await
    }

    async fn start_cores(&self, file: &[u8], second: Option<&[u8]>) -> Result<(), DriverError> {
        let Inner { core, core_b, .. } = &*self.0;
        let context = &core.context;
        let cpu = context.cpu("driver", Priority::KernelThread);
        let device = boot::find(context, &cpu).await?;
        let image = boot::load_core_a(context, &device, file).await?;
        let second = match second {
            Some(file) => Some(core_b.load(&device, &image, file).await?),
            None => None,
        };
        let reply = boot::release(context, &device, &image, self.0.services).await?;
        let layout = NicLayout::check(&reply)?;
        context.set_layout(layout);
        let service = self.make_service(&reply)?;
        self.0.processes.queues().start(layout.post_queue_count);
        if let Some(image) = second {
            core_b.start(&device, &image, layout.counters).await?;
        }
        let handler = Handler {
            core: core.clone(),
            input: self.0.interrupt.clone(),
            service: service.clone(),
            has_core_b: core_b.runs(),
        };
        let causes = handler.causes();
        handler.spawn();
        service.start();
        device.write(interrupt::ENABLE, causes).await;
        if let Some(lost) = context.posted_faults().first() {
            return Err(DriverError::Posted { address: lost.address, fault: lost.fault });
        }
        context.set_ready(true);
        context.note(Subject::Boot, EventKind::FirmwareReady);
        Ok(())
    }

    fn make_service(&self, reply: &Reply) -> Result<Rc<dyn Service>, DriverError> {
        let personality = reply.personality();
        let entry = self.0.services.iter().find(|entry| entry.personality == personality);
        let entry = entry.ok_or(DriverError::BadLayout { what: "personality", value: personality })?;
        let service = (entry.make)(&self.0.core, reply)?;
        self.0.counter_sets.get_or_init(|| entry.counters);
        Ok(self.0.service.get_or_init(|| service).clone())
    }

    /// Holds every core in reset. What they were doing is lost; the engines go on.
    pub async fn stop(&self) -> Result<(), DriverError> {
        let context = &self.0.core.context;
        let cpu = context.cpu("driver", Priority::KernelThread);
        context.device(&cpu)?.write(ident::CORE_CONTROL, ident::CoreControl(0)).await;
        context.set_ready(false);
        Ok(())
    }

    // ---- Processes ------------------------------------------------------------------------------

    /// Opens the NIC for a new process.
    pub async fn open(&self, cpu: &Cpu) -> Result<ProcessGrant, DriverError> {
        self.0.core.context.check_alive()?;
        self.0.processes.open(cpu, &**self.any_service()?).await
    }

    /// Ends what the process has with the NIC: afterwards no pin, key, line, slot or DMA of it is
    /// left (INV-36).
    pub async fn close(&self, cpu: &Cpu, pid: Pid) -> Result<(), DriverError> {
        self.0.core.context.check_alive()?;
        self.0.processes.close(cpu, &**self.any_service()?, pid).await
    }

    /// Gives a process water marks of its own while it runs (facts M-26). Above the high mark,
    /// pages that the NIC cannot hold are unpinned down to the low one, now and before each later
    /// pin.
    ///
    /// # Errors
    /// The marks are impossible, the process has ended, or the personality has no replacement.
    pub async fn set_water_marks(&self, cpu: &Cpu, pid: Pid, marks: WaterMarks) -> Result<(), DriverError> {
        self.0.core.context.check_alive()?;
        self.any_service()?.set_water_marks(cpu, pid, marks).await
    }

    /// What the page table of a process says of its post queue.
    pub(crate) fn mapping(&self, pid: Pid) -> Result<Rc<Mapping>, DriverError> {
        self.0.processes.mapping(pid)
    }

    /// A store of a process found no page. When this has returned, there is one, or the process is
    /// at its end.
    pub(crate) async fn page_fault(&self, cpu: &Cpu, pid: Pid) -> Result<(), DriverError> {
        self.0.processes.queues().page_fault(cpu, pid).await
    }

    /// From now on the process waits for no queue.
    pub(crate) fn begin_end(&self, pid: Pid) {
        self.0.processes.queues().begin_end(pid);
    }

    /// How many post queues belong to no process.
    pub fn free_post_queues(&self) -> usize {
        self.0.processes.queues().free_count()
    }

    // ---- The personality ------------------------------------------------------------------------

    fn any_service(&self) -> Result<&Rc<dyn Service>, DriverError> {
        self.0.service.get().ok_or(DriverError::NotReady)
    }

    /// The service of a personality that the caller knows.
    pub fn service<S: Service>(&self) -> Result<Rc<S>, DriverError> {
        self.any_service()?.clone().as_any().downcast().map_err(|_| DriverError::OtherPersonality)
    }

    /// The service as far as it has remote memory access.
    pub fn rdma(&self) -> Result<Rc<dyn RdmaService>, DriverError> {
        self.any_service()?.clone().rdma().ok_or(DriverError::NoRemoteMemory)
    }

    /// What the NIC has asked for and the driver has not served: misses read from their ring.
    pub fn misses_outstanding(&self) -> u32 {
        self.any_service().map_or(0, |service| service.outstanding())
    }

    // ---- What is known and counted --------------------------------------------------------------

    /// INTA# of the NIC, to be set at each clock edge of the bus.
    pub fn interrupt_input(&self) -> &InterruptInput {
        &self.0.interrupt
    }

    /// What the driver has counted so far.
    pub fn counts(&self) -> DriverCounts {
        self.0.core.context.counts()
    }

    /// The crash record of core A; `None` while it has not crashed.
    pub fn crash(&self) -> Option<CrashRecord> {
        self.0.core.context.crash()
    }

    /// What made the driver give up, if anything did.
    pub fn failure(&self) -> Option<DriverError> {
        self.0.core.context.failure()
    }

    /// Whether the driver has started and serves calls.
    pub fn is_ready(&self) -> bool {
        self.0.core.context.is_ready()
    }

    /// Core B was started.
    pub fn has_core_b(&self) -> bool {
        self.0.core_b.runs()
    }

    /// Pages of a process that are pinned, without its status page.
    pub fn pinned_pages(&self, pid: Pid) -> usize {
        self.0.core.pins.count(pid)
    }

    /// Where the firmware has its structures in the SRAM.
    ///
    /// # Errors
    ///
    /// [`DriverError::NotReady`] before the boot reply was checked.
    pub fn layout(&self) -> Result<NicLayout, DriverError> {
        self.0.core.context.layout()
    }

    /// Where the NIC is on the bus, once it is enumerated.
    pub fn resources(&self) -> Option<Resources> {
        self.0.core.context.resources()
    }

    /// The NIC, reached with this task's processor time. Also for tests and reports that read
    /// registers.
    pub fn device(&self, cpu: &Cpu) -> Result<Device, DriverError> {
        self.0.core.context.device(cpu)
    }

    /// The sets of counters that the firmware has; none before the boot.
    pub fn counter_sets(&self) -> &'static [&'static Set] {
        self.0.counter_sets.get().copied().unwrap_or_default()
    }

    /// The counters of the firmware, in the order of `nic_layout::counter::Counter`, read by PIO.
    pub async fn read_counters(&self, cpu: &Cpu) -> Result<Vec<u32>, DriverError> {
        let (device, layout) = (self.device(cpu)?, self.layout()?);
        let mut values = Vec::with_capacity(Counter::COUNT);
        for counter in Counter::ALL {
            values.push(device.read_sram(layout.counters + counter.offset()).await?);
        }
        Ok(values)
    }

    /// What core B keeps, read by PIO between two of its rounds; `None` for a NIC with one core.
    pub async fn read_keeper(&self, cpu: &Cpu) -> Result<Option<Kept>, DriverError> {
        self.0.core_b.read(cpu).await
    }

    /// Counts that do not add up (INV-38), in words.
    pub fn unbalanced(&self) -> Vec<String> {
        let Inner { core, processes, service, .. } = &*self.0;
        let mut found = service.get().map_or_else(Vec::new, |service| service.unbalanced());
        found.extend(processes.unbalanced());
        found.extend(core.pins.unbalanced());
        let memory = core.context.memory().borrow().counts();
        // Translations, the status page of each process, and what the NIC reads.
        let own = service.get().map_or(0, |service| service.own_pins());
        let accounted = (core.pins.total() + processes.pins() + own) as u64;
        let held = memory.pins - memory.unpins;
        if held != accounted {
            found.push(format!("INV-38: {held} pins held, {accounted} accounted for"));
        }
        found
    }
}
