//! The driver from one boot of the NIC to the next reset.

use std::cell::OnceCell;
use std::rc::Rc;

use nic_layout::counter::{area_words, Set};
use nic_layout::registers::interrupt;

use super::core::boot;
use super::core::commands::Commands;
use super::core::context::{Context, Machine};
use super::core::core_b::CoreB;
use super::core::error::DriverError;
use super::core::interrupt::{Handler, InterruptInput};
use super::core::layout::{NicLayout, Reply};
use super::core::options::DriverOptions;
use super::core::pins::Pins;
use super::core::processes::Processes;
use super::core::service::{Core, Service, ServiceEntry};
use crate::address::Pid;
use crate::events::{EventKind, Subject};
use crate::processor::Priority;

/// The firmware of a NIC: ELF files.
#[derive(Clone)]
pub(super) struct Images {
    pub core_a: Vec<u8>,
    /// For a NIC with two cores.
    pub core_b: Option<Vec<u8>>,
}

/// Everything that the driver knows of a NIC that runs. A reset ends it.
pub(super) struct Incarnation {
    pub core: Core,
    pub processes: Processes,
    pub core_b: CoreB,
    /// Known since the boot.
    service: OnceCell<Rc<dyn Service>>,
    /// What the firmware counts, known since the boot.
    counter_sets: OnceCell<&'static [&'static Set]>,
}

/// The service of the personality that has answered.
fn entry_of(reply: &Reply, services: &'static [ServiceEntry]) -> Result<&'static ServiceEntry, DriverError> {
    let personality = reply.personality();
    let entry = services.iter().find(|entry| entry.personality == personality);
    entry.ok_or(DriverError::BadLayout { what: "personality", value: personality })
}

impl Incarnation {
    /// `first_pid`: the number of the first process. No process of an earlier incarnation has it.
    pub fn new(machine: Rc<Machine>, options: DriverOptions, first_pid: u32) -> Incarnation {
        let context = Rc::new(Context::new(machine, options));
        let commands = Rc::new(Commands::new(context.clone()));
        let pins = Rc::new(Pins::new(context.clone()));
        let core = Core { context: context.clone(), commands, pins };
        Incarnation {
            core: core.clone(),
            processes: Processes::new(core, first_pid),
            core_b: CoreB::new(context),
            service: OnceCell::new(),
            counter_sets: OnceCell::new(),
        }
    }

    /// Boots the NIC. It serves no call before [`Self::finish_start`].
    pub async fn start(
        &self,
        images: &Images,
        input: &InterruptInput,
        services: &'static [ServiceEntry],
    ) -> Result<(), DriverError> {
        let Incarnation { core, core_b, .. } = self;
        let context = &core.context;
        let cpu = context.cpu("driver", Priority::KernelThread);
        let device = boot::find(context, &cpu).await?;
        let image = boot::load_core_a(context, &device, &images.core_a).await?;
        let second = match &images.core_b {
            Some(file) => Some(core_b.load(&device, &image, file).await?),
            None => None,
        };
        let reply = boot::release(context, &device, &image, services).await?;
        let layout = NicLayout::check(&reply, area_words(entry_of(&reply, services)?.counters))?;
        context.set_layout(layout);
        let service = self.make_service(&reply, services)?;
        self.processes.queues().start(layout.posts().map_or(0, |posts| posts.queue_count));
        if let Some(image) = second {
            core_b.start(&device, &image, layout.counters).await?;
        }
        let handler =
            Handler { core: core.clone(), input: input.clone(), service: service.clone(), has_core_b: core_b.runs() };
        let causes = handler.causes();
        handler.spawn();
        service.start();
        device.write(interrupt::ENABLE, causes).await;
        if let Some(lost) = context.posted_faults().first() {
            return Err(DriverError::Posted { address: lost.address, fault: lost.fault });
        }
        Ok(())
    }

    /// The NIC serves calls.
    pub fn finish_start(&self) {
        self.core.context.set_ready(true);
        self.core.context.note(Subject::Boot, EventKind::FirmwareReady);
    }

    fn make_service(&self, reply: &Reply, services: &'static [ServiceEntry]) -> Result<Rc<dyn Service>, DriverError> {
        let entry = entry_of(reply, services)?;
        let service = (entry.make)(&self.core, reply)?;
        self.counter_sets.get_or_init(|| entry.counters);
        Ok(self.service.get_or_init(|| service).clone())
    }

    /// The service of the personality.
    ///
    /// # Errors
    /// [`DriverError::NotReady`] before the boot reply was checked.
    pub fn service(&self) -> Result<&Rc<dyn Service>, DriverError> {
        self.service.get().ok_or(DriverError::NotReady)
    }

    /// What the firmware counts; nothing before the boot.
    pub fn counter_sets(&self) -> &'static [&'static Set] {
        self.counter_sets.get().copied().unwrap_or_default()
    }

    /// The NIC will be reset: no task reaches it any more, and none waits for its answer.
    pub fn end(&self) {
        self.core.context.end();
        self.core.commands.abandon();
    }

    /// The NIC was reset: unpins everything. Gives the processes, and the number of pages.
    pub fn unpin_all(&self) -> Result<(Vec<Pid>, u32), DriverError> {
        match self.service.get() {
            Some(service) => {
                service.unpin_own();
                self.processes.end_all(&**service)
            }
            None => Ok((Vec::new(), 0)),
        }
    }

    /// Counts that do not add up (INV-38), in words.
    pub fn unbalanced(&self) -> Vec<String> {
        let Incarnation { core, processes, service, .. } = self;
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
